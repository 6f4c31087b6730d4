"""Sources that you write: keywords, regular expressions and functions over a column of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from karat.coding import Label, is_missing
from karat.errors import InputError
from karat.tables import read_votes
from karat.votes import Votes

Vote = Label | None


@dataclass(frozen=True)
class Source:
    """A name and a function from a text to a vote; None is an abstain."""

    name: str
    vote: Callable[[str], Vote]


def keyword(words: str | Sequence[str], vote: Vote, otherwise: Vote = None, name: str | None = None) -> Source:
    """Vote where a word occurs.

    A word occurs if it is there whole, whatever its case: "love" is in "I LOVE it" and not in "lovely". Letters,
    digits and the underscore of any script make up words, as in scikit-learn's CountVectorizer.

    Parameters
    ----------
    words : str or sequence of str
        One word or phrase, or several of which one is enough.
    vote, otherwise : str, int, bool or None
        What to vote where a word occurs, and where none does; None abstains.
    name : str, optional
        The first word where not given.

    Examples
    --------
    >>> praise = keyword("love", vote=1, otherwise=0)
    >>> praise.vote("I LOVE it"), praise.vote("a lovely day")
    (1, 0)
    """
    given = [words] if isinstance(words, str) else list(words)
    if not all(isinstance(word, str) for word in given):
        raise TypeError(f"keywords are text, not {given!r}.")
    wanted = [word.lower() for word in given]
    if not wanted or not all(wanted):
        raise InputError("a keyword source needs a word; an empty word occurs everywhere.")

    def look(text: str) -> Vote:
        lower = text.lower()
        return vote if any(_occurs(word, lower) for word in wanted) else otherwise

    return Source(name or wanted[0], look)


def _occurs(word: str, text: str) -> bool:
    """Whether `word` is in `text` with no word character before or after it."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and _in_word(text[at - 1])) and not (end < len(text) and _in_word(text[end])):
            return True
        at = text.find(word, at + 1)
    return False


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def regex(pattern: str, vote: Vote, otherwise: Vote = None, name: str | None = None, flags: int = 0) -> Source:
    """Vote where a regular expression matches anywhere in the text.

    Examples
    --------
    >>> regex(r"https?://", vote="spam").vote("see http://x.y")
    'spam'
    """
    try:
        search = re.compile(pattern, flags).search
    except re.error as error:
        raise InputError(f"{pattern!r} is no regular expression: {error}.") from None
    return Source(name or pattern, lambda text: vote if search(text) else otherwise)


def function(vote: Callable[[str], Vote], name: str | None = None) -> Source:
    """Vote what a function of the text returns; None is an abstain.

    Examples
    --------
    >>> function(lambda text: "spam" if len(text) > 1000 else None, name="long").vote("short") is None
    True
    """
    return Source(name or str(getattr(vote, "__name__", "function")), vote)


def apply_sources(
    sources: Sequence[Source], texts: Iterable[str | None], classes: Sequence[Label] | None = None
) -> Votes:
    """Votes of sources on texts, a row per text; on a text that is None every source abstains.

    Parameters
    ----------
    sources : sequence of Source
    texts : iterable of str
        A list, or a column of a data frame.
    classes : sequence, optional
        The classes in order; otherwise what the sources voted, sorted.

    Examples
    --------
    >>> votes = apply_sources([keyword("free", "spam"), keyword("meeting", "ham")], ["Free gift", "meeting at 9"])
    >>> votes.values.tolist(), votes.classes
    ([[1, -1], [-1, 0]], ('ham', 'spam'))
    """
    strange = [source for source in sources if not isinstance(source, Source)]
    if strange:
        raise TypeError(f"sources are made by keyword(), regex() and function(); {strange[0]!r} is not.")
    if not sources:
        raise InputError("there are no sources to apply.")
    rows: list[list[Vote]] = []
    for row, text in enumerate(_strings(texts)):
        if is_missing(text):
            rows.append([None] * len(sources))
            continue
        if not isinstance(text, str):
            raise InputError(f"text {row + 1:,} is a {type(text).__name__}, not text.")
        rows.append([_call(source, text, row) for source in sources])
    columns = {source.name: [row[i] for row in rows] for i, source in enumerate(sources)}
    if len(columns) < len(sources):
        raise InputError("two sources have the same name; give one of them another (name=).")
    return read_votes(columns, layout="wide", classes=classes)


def _strings(texts: Any) -> Iterable[Any]:
    """Python strings of a list, or of a column of a frame."""
    for method in ("to_pylist", "to_list"):
        if hasattr(texts, method):
            return getattr(texts, method)()
    return texts


def _call(source: Source, text: str, row: int) -> Vote:
    try:
        return source.vote(text)
    except Exception as error:
        raise InputError(
            f"source {source.name!r} failed on text {row + 1:,}: {type(error).__name__}: {error}"
        ) from error
