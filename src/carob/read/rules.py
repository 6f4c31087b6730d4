"""Sources that you write: keywords, regular expressions and functions of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from carob._types import Label
from carob.errors import InputError

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
