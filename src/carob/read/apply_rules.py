"""Votes of sources on texts, or on the rows of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from carob._types import Label
from carob.errors import InputError, examples
from carob.read import ReadOptions, read_votes
from carob.read.rules import Source, Vote
from carob.votes import Votes
from carob.votes.coding import is_missing


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
