"""Votes of sources on a column of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karat._types import Label
from karat.errors import InputError
from karat.io.coding import is_missing
from karat.sources.rules import Source, Vote
from karat.votes import Votes, read_votes


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
    >>> from karat.sources import keyword
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
