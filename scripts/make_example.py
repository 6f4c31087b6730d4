"""Make the example files of the README: simulated messages with votes, and simulated answers with scores of judges.

python scripts/make_example.py
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from carob._types import AnyArray
from carob.read.files import whole_file

FOLDER = Path(__file__).parent.parent / "examples"
# name: probability to be right, probability to vote
SOURCES = {
    "has_link": (0.82, 0.4),
    "all_caps": (0.74, 0.8),
    "asks_for_money": (0.68, 0.5),
    "llm_judge": (0.9, 0.9),
    "long_text": (0.6, 0.7),
    "new_sender": (0.71, 0.6),
}
REPEATS = 0.5  # of the votes that asks_for_money has beside all_caps
# name: mean score of bad answers, how much more good ones get, noise
JUDGES = {"strict_judge": (2.5, 3.2, 1.9), "kind_judge": (5.6, 2.0, 1.6), "small_judge": (4.3, 1.2, 2.2)}


def messages() -> None:
    """1,000 messages, six sources of which one repeats much of what another says, gold for the first 100."""
    rng = np.random.default_rng(7)
    n, words = 1_000, np.array(["ham", "spam"])
    spam = rng.random(n) < 0.3
    columns = {}
    for source, (right, votes) in SOURCES.items():
        vote = words[np.where(rng.random(n) < right, spam, ~spam).astype(int)]
        columns[source] = np.where(rng.random(n) < votes, vote, "")
    repeats = (columns["all_caps"] != "") & (columns["asks_for_money"] != "") & (rng.random(n) < REPEATS)
    columns["asks_for_money"][repeats] = columns["all_caps"][repeats]
    truth = np.where(np.arange(n) < 100, words[spam.astype(int)], "")
    write("messages.csv", ["id", *SOURCES, "truth"], [[f"m{i + 1}" for i in range(n)], *columns.values(), truth])


def answers() -> None:
    """1,000 answers, three judges that score from 0 to 9, one that states a probability, gold for the first 60."""
    rng = np.random.default_rng(11)
    n = 1_000
    good = rng.random(n) < 0.6
    columns = []
    for mean, more, noise in JUDGES.values():
        scores = np.clip(np.round(mean + more * good + noise * rng.normal(size=n)), 0, 9)
        columns.append(np.where(rng.random(n) < 0.95, scores.astype(int).astype(str), ""))
    stated = 1 / (1 + np.exp(-4 * (good - 0.5) - 2.5 * rng.normal(size=n)))
    columns.append(np.array([f"{p:.2f}" for p in stated]))
    human = np.where(np.arange(n) < 60, good.astype(int).astype(str), "")
    names = ["id", *JUDGES, "sure_of_itself", "human"]
    write("answers.csv", names, [[f"q{i + 1}" for i in range(n)], *columns, human])


def write(name: str, headers: Sequence[str], columns: Sequence[AnyArray | list[str]]) -> None:
    """A CSV file of texts."""
    with whole_file(FOLDER / name) as file:
        for row in (headers, *zip(*columns, strict=True)):
            file.write((",".join(map(str, row)) + "\n").encode())
    print(f"wrote {name}")


if __name__ == "__main__":
    messages()
    answers()
