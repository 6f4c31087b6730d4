"""The ways carob says no."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from numbers import Integral, Real

_LONGEST_VALUE = 80  # letters of one value in it


def short(text: str, longest: int = 900) -> str:
    """A text whose middle is left out where it is too long: its beginning says what is wrong, its end what to do.

    >>> short("what a very long text", 12)
    'what a...ext'
    """
    if len(text) <= longest:
        return text
    end = (longest - 3) // 3
    return f"{text[: longest - 3 - end]}...{text[len(text) - end :]}"


class _RefusalError(ValueError):
    """No refusal is longer than a screen, whatever it quotes."""

    def __init__(self, message: str) -> None:
        super().__init__(short(message))


class InputError(_RefusalError):
    """The input breaks a rule; the message says which, where, and what to do."""


class NotIdentifiedError(_RefusalError):
    """The input is sound but the data cannot tell.

    Attributes
    ----------
    estimate : object
        What was computed before carob stopped trusting it.
    """

    def __init__(self, message: str, estimate: object = None) -> None:
        super().__init__(message)
        self.estimate = estimate


class NotFittedError(ValueError, AttributeError):
    """A model was asked before it was fitted."""


def one_of(name: str, value: object, accepted: Sequence[object]) -> None:
    """Refuse an option that is not one of those accepted."""
    if not isinstance(value, Hashable) or value not in accepted:
        raise InputError(f"{name} must be one of {', '.join(map(repr, accepted))}, not {short(repr(value))}.")


def of_kind(name: str, value: object, *kinds: type) -> None:
    """Refuse an argument of another kind."""
    if not isinstance(value, kinds):
        raise TypeError(f"{name} must be {' or '.join(kind.__name__ for kind in kinds)}, not {type(value).__name__}.")


def a_number(name: str, value: object) -> float:
    """A real number, as a float."""
    if not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, not {short(repr(value), _LONGEST_VALUE)}.")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{name} is too large a number.") from None


def a_whole_number(name: str, value: object) -> int:
    """A whole number, as an int."""
    if not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, not {short(repr(value), _LONGEST_VALUE)}.")
    return int(value)


def plural(count: int, noun: str) -> str:
    """A number and its noun.

    >>> plural(1, "point"), plural(2000, "point")
    ('1 point', '2,000 points')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def examples(values: Iterable[object], limit: int = 5) -> str:
    """Up to `limit` values in quotes where they are text, and how many more there are.

    >>> examples(["a", "b", 3])
    "'a', 'b', 3"
    >>> examples(range(1000))
    '0, 1, 2, 3, 4 and 995 more'
    """
    items = list(values)
    text = ", ".join(short(repr(value), _LONGEST_VALUE) for value in items[:limit])
    return text if len(items) <= limit else f"{text} and {len(items) - limit:,} more"
