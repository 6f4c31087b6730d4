"""Sources that you write: keywords, regular expressions and functions of a text, applied to texts or to a frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from carob._types import Label
from carob.errors import InputError, examples
from carob.read import ReadOptions, read_votes
from carob.votes import Votes
from carob.votes.columns import is_missing

Vote = Label | None


@dataclass(frozen=True)
class Source:
    """A name and a function from a text, or from a row of a frame, to a vote; None is an abstain.

    Parameters
    ----------
    name : str
    vote : callable
    column : str, optional
        The column of a frame that is handed to `vote`; the whole row, as a dict, where not given.
    """

    name: str
    vote: Callable[[Any], Vote]
    column: str | None = None


def keyword(
    words: str | Sequence[str],
    vote: Vote,
    otherwise: Vote = None,
    name: str | None = None,
    column: str | None = None,
) -> Source:
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
    column : str, optional
        The column of texts, for sources that are applied to a frame.

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
        _check_text(text)
        lower = text.lower()
        return vote if any(_occurs(word, lower) for word in wanted) else otherwise

    return Source(name or wanted[0], look, column)


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise InputError(f"it reads text, not a {type(text).__name__}; of a frame, name the column (column=).")


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


def regex(
    pattern: str,
    vote: Vote,
    otherwise: Vote = None,
    name: str | None = None,
    flags: int = 0,
    column: str | None = None,
) -> Source:
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

    def look(text: str) -> Vote:
        _check_text(text)
        return vote if search(text) else otherwise

    return Source(name or pattern, look, column)


def function(vote: Callable[[Any], Vote], name: str | None = None, column: str | None = None) -> Source:
    """Vote what a function of the text, or of the row of a frame, returns; None is an abstain.

    Examples
    --------
    >>> function(lambda text: "spam" if len(text) > 1000 else None, name="long").vote("short") is None
    True
    """
    return Source(name or str(getattr(vote, "__name__", "function")), vote, column)


def apply_sources(sources: Sequence[Source], data: Any, classes: Sequence[Label] | None = None) -> Votes:
    """Votes of sources on texts, a row per text, or on the rows of a frame.

    Of a frame a source is handed its column, or the row as a dict where it names none. On a text that is None every
    source abstains.

    Parameters
    ----------
    sources : sequence of Source
    data : iterable of str, or data frame
        A list, a column of a data frame, or a whole frame of any library that speaks Arrow.
    classes : sequence, optional
        The classes in order; otherwise what the sources voted, sorted.

    Examples
    --------
    >>> from carob import function, keyword
    >>> votes = apply_sources([keyword("free", "spam"), keyword("meeting", "ham")], ["Free gift", "meeting at 9"])
    >>> votes.values.tolist(), votes.classes
    ([[1, -1], [-1, 0]], ('ham', 'spam'))
    >>> frame = {"text": ["Free gift", "meeting at 9"], "links": [3, 0]}
    >>> many = function(lambda row: "spam" if row["links"] > 1 else "ham", name="many links")
    >>> apply_sources([keyword("free", "spam", column="text"), many], frame).values.tolist()
    [[1, 1], [-1, 0]]
    """
    strange = [source for source in sources if not isinstance(source, Source)]
    if strange:
        raise TypeError(f"sources are made by keyword(), regex() and function(); {strange[0]!r} is not.")
    if not sources:
        raise InputError("there are no sources to apply.")
    found = _on_rows(sources, data) if _is_frame(data) else _on_texts(sources, _strings(data))
    rows = list(found)
    columns = {source.name: [row[i] for row in rows] for i, source in enumerate(sources)}
    if len(columns) < len(sources):
        raise InputError("two sources have the same name; give one of them another (name=).")
    return read_votes(columns, sources=list(columns), classes=classes, options=ReadOptions(layout="wide"))


def _is_frame(data: Any) -> bool:
    """Whether this is a frame rather than a column or a list of texts."""
    if isinstance(data, dict):
        return True
    names = any(hasattr(data, name) for name in ("columns", "column_names", "schema"))
    column = any(hasattr(data, name) for name in ("to_list", "to_pylist"))
    return hasattr(data, "__arrow_c_stream__") and (names or not column)


def _on_rows(sources: Sequence[Source], frame: Any) -> Iterator[list[Vote]]:
    """What the sources vote on every row of a frame."""
    from carob.read.formats import arrow_table  # loads pyarrow

    table = arrow_table(frame)
    absent = [source.column for source in sources if source.column not in (None, *table.column_names)]
    if absent:
        raise InputError(f"there is no column {examples(absent)}; there are {examples(table.column_names)}.")
    place = 0
    for batch in table.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            yield [
                _call(source, row if source.column is None else row[source.column], place, "row") for source in sources
            ]
            place += 1


def _on_texts(sources: Sequence[Source], texts: Iterable[Any]) -> Iterator[list[Vote]]:
    """What the sources vote on every text."""
    for place, text in enumerate(texts):
        if not is_missing(text) and not isinstance(text, str):
            raise InputError(f"text {place + 1:,} is a {type(text).__name__}, not text.")
        yield [_call(source, text, place, "text") for source in sources]


def _strings(texts: Any) -> Iterable[Any]:
    """Python strings of a list, or of a column of a frame."""
    for method in ("to_pylist", "to_list"):
        if hasattr(texts, method):
            return getattr(texts, method)()
    return texts


def _call(source: Source, argument: Any, place: int, noun: str) -> Vote:
    """What a source votes; nothing where there is nothing to look at."""
    if is_missing(argument):
        return None
    try:
        return source.vote(argument)
    except Exception as error:
        raise InputError(
            f"source {source.name!r} failed on {noun} {place + 1:,}: {type(error).__name__}: {error}"
        ) from error
