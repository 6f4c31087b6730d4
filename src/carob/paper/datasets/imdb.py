"""The paper's case study: twelve word rules on the 50,000 IMDB movie reviews of Maas et al. (2011)."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from carob.errors import InputError
from carob.read.rules import Source, keyword
from carob.votes import Gold, Votes
from carob.votes.coding import Coding

# Words and sentiments of the paper's table: a word of praise votes 1 where it occurs, a word of blame votes 0.
IMDB_WORDS = {
    **dict.fromkeys(["love", "like", "good", "great", "best", "excellent"], 1),
    **dict.fromkeys(["terrible", "worst", "bad", "better", "could", "would"], 0),
}


@dataclass(frozen=True)
class Reviews:
    """Texts, and 1 for a positive review, 0 for a negative one."""

    texts: list[str]
    labels: npt.NDArray[np.int8]


def imdb_sources() -> list[Source]:
    """The twelve sources of the paper."""
    return [keyword(word, vote=sentiment, otherwise=1 - sentiment) for word, sentiment in IMDB_WORDS.items()]


def load_imdb() -> Votes:
    """Votes of the paper's twelve word rules on 50,000 IMDB reviews, with gold for all of them.

    The package holds the distinct vote patterns and how often each occurs in either class, not the reviews; so
    the points come in the order of their patterns.

    Examples
    --------
    >>> votes = load_imdb()
    >>> votes, votes.gold.counts.tolist()
    (Votes(50,000 points, 12 sources, classes 0, 1), [25000, 25000])
    """
    lines = files("carob.paper.datasets").joinpath("imdb_patterns.csv").read_text().split()[1:]
    cells = [line.split(",") for line in lines]
    counts = np.array([int(count) for _, _, count in cells])
    patterns = np.array([list(pattern) for pattern, _, _ in cells], dtype=np.int8)
    gold = np.array([int(label) for _, label, _ in cells], dtype=np.int8)
    coding = Coding((0, 1), (-1,))
    return Votes(
        np.repeat(patterns, counts, axis=0),
        tuple(IMDB_WORDS),
        coding,
        gold=Gold(np.repeat(gold, counts), coding.classes, reference=True),
    )


def read_imdb_reviews(path: str | Path) -> Reviews:
    """Read the reviews: the folder or archive `aclImdb` of the original, or a table of texts and labels.

    Parameters
    ----------
    path : str or path
        The folder aclImdb, the archive aclImdb_v1.tar.gz, or a CSV or Parquet file with a column of texts (`review`
        or `text`) and one of labels (`sentiment`, `label` or `y`: positive/negative, pos/neg or 1/0).
    """
    path = Path(path)
    if path.is_dir():
        found = _folder(path)
    elif path.exists() and path.name.endswith((".tar.gz", ".tgz", ".tar")):
        found = _archive(path)
    else:
        return _table(path)
    pairs = list(found)
    if not pairs:
        raise InputError(f"{str(path)!r} holds no reviews: files like train/pos/0_9.txt are looked for.")
    return Reviews([text for text, _ in pairs], np.array([label for _, label in pairs], dtype=np.int8))


def _label_of(parts: tuple[str, ...]) -> int | None:
    """Label of a review file from its place, .../train/pos/0_9.txt; None for other files."""
    if len(parts) < 3 or parts[-3] not in ("train", "test") or not parts[-1].endswith(".txt"):
        return None
    return {"pos": 1, "neg": 0}.get(parts[-2])


def _folder(path: Path) -> Iterator[tuple[str, int]]:
    for file in sorted(path.rglob("*.txt")):
        label = _label_of(file.parts)
        if label is not None:
            yield file.read_text(encoding="utf-8"), label


def _archive(path: Path) -> Iterator[tuple[str, int]]:
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                label = _label_of(Path(member.name).parts)
                content = archive.extractfile(member) if label is not None else None
                if label is not None and content is not None:
                    yield content.read().decode("utf-8"), label
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"cannot read the archive {str(path)!r}: {error}.") from error


def _table(path: Path) -> Reviews:
    from carob.read.formats import arrow_table

    table = arrow_table(path)

    def pick(names: tuple[str, ...], what: str) -> str:
        for name in names:
            if name in table.column_names:
                return name
        raise InputError(f"{str(path)!r} has no column of {what}: {' or '.join(names)}.")

    texts = table[pick(("review", "text"), "texts")].to_pylist()
    labels = table[pick(("sentiment", "label", "y"), "labels")].to_pylist()
    meaning = {"positive": 1, "negative": 0, "pos": 1, "neg": 0, "1": 1, "0": 0}
    try:
        return Reviews(texts, np.array([meaning[str(label).lower()] for label in labels], dtype=np.int8))
    except KeyError as error:
        raise InputError(f"{str(path)!r} holds a label that is neither positive nor negative: {error}.") from None
