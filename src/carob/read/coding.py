"""Finding out which values are classes and which mean "no vote".

Votes arrive as 0/1, as -1/+1, as Snorkel's -1 and 0..K-1, as booleans or as words. `find_coding` looks
at the values that occur and decides, or says why it cannot.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from carob._types import ABSTAIN, Abstain, Abstains, Label
from carob.errors import InputError, examples
from carob.votes.coding import AS_WRITTEN, Coding, Spelling
from carob.votes.columns import MAX_CLASSES, Column, abstain_values, check_labels, is_missing


def find_coding(
    seen: Iterable[Label],
    gold: Iterable[Label] = (),
    classes: Sequence[Label] | None = None,
    abstain: Abstains = None,
    spelling: Spelling = AS_WRITTEN,
) -> Coding:
    """Decide from the values seen in votes and gold which are classes and which is the abstain.

    `seen`: distinct values of all sources, empty cells left out. `gold`: distinct values of the gold column; they
    settle what the votes leave open. `classes` and `abstain`: what the user says; both win over what is found.
    `spelling`: how values are rewritten first.

    >>> print(find_coding([-1, 0, 1], abstain=0))
    classes -1, 1; 0 or an empty cell is an abstain
    >>> print(find_coding([-1, 0, 1], gold=[0, 1]))
    classes 0, 1; -1 or an empty cell is an abstain
    >>> print(find_coding(["spam", "ham", ""]))
    classes 'ham', 'spam'; an empty cell is an abstain
    """
    if classes is not None:
        classes = check_labels("classes", classes)
    spelling = spelled_alike(seen := list(seen), spelling)
    votes, truth = ({spelling.read(value) for value in values} for values in (seen, gold))
    given = abstain_values(abstain)
    classes, given = _written_alike(
        votes,
        None if classes is None else [spelling.read(value) for value in classes],
        None if given is None else tuple(spelling.read(v) if isinstance(v, str) else v for v in given),
    )
    none = _abstain(votes, truth, classes) if given is None else given
    if classes is None:
        classes = _classes(votes, truth, none)
    if len(set(classes)) != len(classes) or len(classes) < 2:
        raise InputError(f"classes must be two or more different labels, not {list(classes)!r}.")
    if set(none) & set(classes):
        raise InputError(f"{examples(_sorted(set(none) & set(classes)))} cannot be both a class and the abstain.")
    if len(classes) > MAX_CLASSES:
        raise InputError(f"the votes hold {len(classes):,} classes; carob takes at most {MAX_CLASSES}.")
    return Coding(tuple(classes), none, spelling)


def _abstain(votes: set[Label], truth: set[Label], classes: Sequence[Label] | None) -> tuple[Abstain, ...]:
    """The values that mean "no vote", where the user does not say."""
    if all(isinstance(value, str) for value in votes):
        return tuple(_sorted({"", *(value for value in votes if reads_as_abstain(value))} - {*(classes or ())}))
    if classes is not None:
        return tuple(value for value in (-1, 0) if value not in classes)[:1]
    return _numeric_abstain(votes, truth)


def _classes(votes: set[Label], truth: set[Label], none: tuple[Abstain, ...]) -> list[Label]:
    """The values that are classes, where the user does not say."""
    classes = votes - {*none}
    if len(classes) < 2:  # every source is one-sided, for the same class: gold may name the other
        classes |= truth - {*none, "", -1}
    ordered: list[Label] = _sorted(classes)
    if len(ordered) < 2:
        only = f"only the class {ordered[0]!r}" if ordered else "no class at all"
        raise InputError(
            f"the votes hold {only}; two classes at least are needed. If more classes exist, name them (classes=; "
            "--classes)."
        )
    return ordered


def silent_numbers(abstain: Abstains) -> list[float]:
    """The numbers that mean "nothing said" in a column of scores: those given, else -1.

    >>> silent_numbers(None), silent_numbers(["N/A", 99, 10**400])
    ([-1.0], [99.0])
    """
    given = abstain_values(abstain)
    if given is None:
        return [float(ABSTAIN)]
    numbers = [float("nan") if is_missing(value) else value for value in given if not isinstance(value, str)]
    # No column of scores holds a larger whole number than a float can.
    return [float(value) for value in numbers if isinstance(value, float) or abs(value) <= sys.float_info.max]


def spelled_alike(seen: Sequence[Label], spelling: Spelling) -> Spelling:
    """The spelling, with texts instead of numbers where other votes are texts that stay."""
    kinds = {isinstance(value, str) for value in map(spelling.read, seen) if not reads_as_abstain(value)}
    return spelling.as_text() if len(kinds) > 1 and all(isinstance(value, str) for value in seen) else spelling


def as_read(columns: Sequence[Column], spelling: Spelling) -> list[Column]:
    """The same columns with their values as they are read."""
    alike = spelled_alike([value for column in columns for value in column.levels], spelling)
    return [replace(column, levels=[alike.read(value) for value in column.levels]) for column in columns]


def _written_alike(
    votes: set[Label], classes: Sequence[Label] | None, abstain: tuple[Abstain, ...] | None
) -> tuple[Sequence[Label] | None, tuple[Abstain, ...] | None]:
    """What the user says, written as the votes are: "0" for 0 among texts, True for "True" among booleans."""
    if votes and all(isinstance(value, str) for value in votes):
        alike = {value.casefold(): value for value in votes if isinstance(value, str)}

        def convert(value: Abstain) -> Label:
            return value if isinstance(value, str) else alike.get(str(value).casefold(), str(value))

    elif votes and all(isinstance(value, bool) for value in votes):
        named: dict[str, Label] = {"true": True, "false": False}

        def convert(value: Abstain) -> Label:
            return named.get(str(value).casefold(), value)  # type: ignore[arg-type]

    else:
        return classes, abstain
    return (
        None if classes is None else [convert(value) for value in classes],
        None if abstain is None else tuple(convert(value) for value in abstain),
    )


def reads_as_abstain(value: Label) -> bool:
    """Whether a text says that there is no vote."""
    return isinstance(value, str) and value.strip().lower() in ("", "abstain")


def _numeric_abstain(votes: set[Label], truth: set[Label]) -> tuple[Label, ...]:
    """Say which number, if any, is the abstain."""
    if votes <= {-1, 0, 1}:
        settled = _signs_or_digits(votes, truth)
        if settled is not None:
            return (settled,)
    negative = [value for value in votes if isinstance(value, int) and value < -1]
    if negative:
        raise InputError(
            f"the votes hold {examples(_sorted(negative))}, and carob cannot guess what negative numbers other than -1 "
            "mean. Name the classes and the abstain value (classes=, abstain=; --classes, --abstain)."
        )
    if votes and all(isinstance(value, bool) for value in votes):
        return ()
    # Also where the abstain does not occur yet: more votes may come.
    return (0,) if -1 in votes and votes <= {-1, 1} else (-1,)


def _signs_or_digits(votes: set[Label], truth: set[Label]) -> int | None:
    """The abstain of votes of -1, 0 and 1: gold of -1 and 1 makes it 0, gold of 0 and 1 makes it -1."""
    signs, digits = truth >= {-1, 1} and 0 not in truth, truth >= {0, 1} and -1 not in truth
    if -1 in votes and (signs or digits):
        return 0 if signs else -1
    if (-1 in votes and 0 in votes | truth) or (-1 not in votes and signs):
        also = f" and gold holds {examples(sorted(truth))}" if truth else ""
        raise InputError(
            f"the votes hold {examples(sorted(votes))}{also}. Either 0 is the abstain and the classes are -1 and 1 "
            "(abstain=0; --abstain 0), or -1 is the abstain and the classes are 0 and 1 (abstain=-1; --abstain -1). "
            "Say which."
        )
    return None


def _sorted(values: Iterable[Any]) -> list[Any]:
    items = list(values)
    texts = [v for v in items if isinstance(v, str)]
    if texts and len(texts) != len(items):
        numbers = [v for v in items if not isinstance(v, str)]
        raise InputError(
            f"the votes mix text ({examples(sorted(texts), 3)}) and numbers ({examples(sorted(numbers), 3)}). "
            "Leave out the columns that are not sources (drop=; --drop), or write all classes the same way."
        )
    return sorted(items)
