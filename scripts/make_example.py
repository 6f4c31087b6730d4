"""Make the example file of the README: 1,000 simulated messages, six sources, gold for the first 100.

python scripts/make_example.py
"""

from pathlib import Path

import numpy as np

from karat.io.files import whole_file

TARGET = Path(__file__).parent.parent / "examples" / "messages.csv"
# name: probability to be right, probability to vote
SOURCES = {
    "has_link": (0.82, 0.4),
    "all_caps": (0.74, 0.8),
    "asks_for_money": (0.68, 0.5),
    "llm_judge": (0.9, 0.9),
    "long_text": (0.6, 0.7),
    "new_sender": (0.71, 0.6),
}


def main() -> None:
    """Draw the votes and write them."""
    rng = np.random.default_rng(7)
    n, words = 1_000, np.array(["ham", "spam"])
    spam = rng.random(n) < 0.3
    columns = []
    for right, votes in SOURCES.values():
        vote = words[np.where(rng.random(n) < right, spam, ~spam).astype(int)]
        columns.append(np.where(rng.random(n) < votes, vote, ""))
    truth = np.where(np.arange(n) < 100, words[spam.astype(int)], "")
    with whole_file(TARGET) as file:
        file.write(f"id,{','.join(SOURCES)},truth\n".encode())
        for i in range(n):
            file.write(f"m{i + 1},{','.join(column[i] for column in columns)},{truth[i]}\n".encode())
    print(f"wrote {TARGET.name}")


if __name__ == "__main__":
    main()
