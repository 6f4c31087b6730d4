"""Classes that may not be meant: spelt in two ways, misspelt, rare, an abstain in disguise, or scores."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from carob._types import Ints, Label
from carob.errors import examples, plural
from carob.votes.counts import VoteCounts
from carob.votes.messages import Message, warning

SCORES = 6  # whole numbers from 0 to 10: so many of them are scores where gold has two classes
_GOLD = frozenset(["gold", "gold_label", "truth", "ground_truth", "y", "y_true", "target"])  # names of no source
_NO_VOTE = frozenset([
    "n/a", "na", "nan", "none", "null", "nil", "unsure", "not sure", "unknown", "unclear", "undecided", "idk",
    "i don't know", "don't know", "dont know", "cannot tell", "can't tell", "cant tell", "no answer", "no label",
    "no vote", "skip", "skipped", "missing", "?", "??", "???", "-", "--",
])  # fmt: skip


def counted_warnings(counts: VoteCounts, gold: Ints) -> list[Message]:
    """Things in the classes to look at, each with the option that mends it; `gold` counts labels of each, shape (K,).

    >>> from carob import Votes
    >>> votes = Votes.from_array([["yes", "YES"], ["N/A", "yes"]] * 20)
    >>> for line in counted_warnings(votes.counts, np.zeros(3, dtype=np.int64)):
    ...     print(line.words)
    'YES', 'yes' differ only in case: take them as one class (ignore_case=True; --ignore-case).
    'N/A' reads like "no vote" and is taken for a class: name it (abstain=['N/A']; --abstain N/A).
    """
    cast = counts.by_class.sum(axis=0)
    alike, odd = _spelling_warnings(counts.classes, cast, gold)
    return [
        *alike,
        *_share_warnings(counts.classes, cast, gold, odd),
        *map(warning, _few_words(counts, cast, gold)),
    ]


def _spelling_warnings(classes: Sequence[Label], cast: Ints, gold: Ints) -> tuple[list[Message], set[int]]:
    """Classes that may be other ones, or no vote, by how they are written; and which these are."""
    alike = _alike(classes, cast)
    silent = [k for k, label in enumerate(classes) if str(label).casefold() in _NO_VOTE and not gold[k]]
    odd = {*silent, *(k for group in alike for k in group)}
    misspelt = _misspelt(classes, cast, gold, odd)
    lines = [_alike_words([classes[k] for k in group]) for group in alike]
    if silent:
        lines.append(_no_vote_words([classes[k] for k in silent]))
    lines += [_misspelt_words(classes[k], int(cast[k]), classes[other]) for k, other in misspelt.items()]
    return lines, odd | {*misspelt}


def _share_warnings(classes: Sequence[Label], cast: Ints, gold: Ints, odd: set[int]) -> list[Message]:
    """Classes that may be scores, or that are rare, or that gold misses."""
    if _are_scores(classes, gold):
        return [_score_words([int(label) for label in classes])]
    rest = [k for k in range(len(cast)) if not gold[k] and k not in odd]
    rare = [k for k in rest if 0 < cast[k] < 0.001 * cast.sum()]
    missed = [k for k in rest if gold.sum() * cast[k] >= 3 * max(cast.sum(), 1)]  # three are expected
    lines = []
    if rare:
        lines.append(_rare_words([classes[k] for k in rare], int(cast[rare].sum()), int(cast.sum())))
    if missed:
        lines.append(_missed_words([classes[k] for k in missed]))
    return [warning(words) for words in lines]


def _few_words(counts: VoteCounts, cast: Ints, gold: Ints) -> list[str]:
    """Classes without votes or with one gold label, gold among the sources, and too few sources or points."""
    classes, lines = counts.classes, []
    # Where all sources vote for one class only, their silence tells of the other.
    unvoted = [classes[k] for k in np.flatnonzero(cast == 0)] if (cast > 0).sum() > 1 else []
    if unvoted:
        lines.append(
            f"No source votes for {examples(unvoted)}: leave {_it(unvoted)} out of the classes (classes=; --classes), "
            "or bring a source that does."
        )
    single = [classes[k] for k in np.flatnonzero(gold == 1)]
    if single:
        each = "" if len(single) == 1 else " each"
        lines.append(f"Gold has one label only of {examples(single)}{each}: label a few more such points.")
    lines += [
        f"{name!r} is read as a source: if it holds gold labels, say so (gold={name!r}; --gold {name}), or drop it."
        for name in counts.sources
        if name.casefold() in _GOLD
    ]
    if len(counts.sources) == 1 and not gold.any():
        lines.append("There is one source, and no gold label: nothing tells how good it is. Bring either.")
    if counts.n < 20:
        lines.append(f"There {'is' if counts.n == 1 else 'are'} only {plural(counts.n, 'point')}: bring more.")
    return lines


def _typed(options: Sequence[str]) -> str:
    """Options as they are typed."""
    return " ".join(word if re.fullmatch(r"[\w.=/%+:,@-]+", word) else f'"{word}"' for word in options)


def _alike(classes: Sequence[Label], cast: Ints) -> list[list[int]]:
    """Classes that differ only in case, blanks or punctuation; first the shortest, and of those the most common."""
    groups: dict[str, list[int]] = {}
    for k, label in enumerate(classes):
        if isinstance(label, str) and _bare(label):
            groups.setdefault(_bare(label), []).append(k)
    return [
        sorted(group, key=lambda k: (len(str(classes[k])), -int(cast[k])))
        for group in groups.values()
        if len(group) > 1
    ]


def _bare(text: str) -> str:
    """A text without case, without what stands around it, and without what joins its words."""
    return re.sub(r"(?<=\w)[\s_\-]+(?=\w)", "", text.casefold().strip(" .,;:!?'\"()[]"))


def _alike_words(labels: Sequence[Label]) -> Message:
    named = examples(sorted(labels, key=str), len(labels))
    if len({str(label).casefold() for label in labels}) == 1:
        words = f"{named} differ only in case: take them as one class (ignore_case=True; --ignore-case)."
        return warning(words, "--ignore-case")
    first, *others = labels
    case = any(str(label).casefold() == str(first).casefold() for label in others)
    mapped = [label for label in others if str(label).casefold() != str(first).casefold()]
    python = ", ".join(f"{label!r}: {first!r}" for label in mapped)
    options = [word for label in mapped for word in ("--map", f"{label}={first}")]
    if case:
        options.insert(0, "--ignore-case")
    words = (
        f"{named} differ only in case, blanks or punctuation: take them as one class "
        f"({'ignore_case=True, ' if case else ''}mapping={{{python}}}; {_typed(options)})."
    )
    return warning(words, *options)


def _no_vote_words(labels: Sequence[Label]) -> Message:
    options = tuple(word for label in labels for word in ("--abstain", str(label)))
    verbs = ("reads", "is", "a class", "it") if len(labels) == 1 else ("read", "are", "classes", "them")
    words = (
        f'{examples(labels, len(labels))} {verbs[0]} like "no vote" and {verbs[1]} taken for {verbs[2]}: name '
        f"{verbs[3]} (abstain={list(labels)!r}; {_typed(options)})."
    )
    return warning(words, *options)


def _misspelt(classes: Sequence[Label], cast: Ints, gold: Ints, told: set[int]) -> dict[int, int]:
    """Rare classes that are nearly written as a common one, and that one."""
    found = {}
    for k in np.flatnonzero((cast > 0) & (cast < 0.005 * cast.sum()) & (gold == 0)).tolist():
        near = [j for j in range(len(classes)) if cast[j] >= 10 * cast[k] and _nearly(classes[k], classes[j])]
        if k not in told and near:
            found[k] = max(near, key=lambda j: int(cast[j]))
    return found


def _nearly(one: Label, other: Label) -> bool:
    """Whether two texts are within one letter of each other, or two where they are long; digits must be the same."""
    if not (isinstance(one, str) and isinstance(other, str)) or min(len(one), len(other)) < 2:
        return False
    if re.findall(r"\d", one) != re.findall(r"\d", other):
        return False
    return 0 < edit_distance(one.casefold(), other.casefold()) <= (2 if min(len(one), len(other)) >= 6 else 1)


def edit_distance(one: str, other: str) -> int:
    """How many letters to insert, delete or replace to get from one text to another.

    >>> edit_distance("yess", "yes"), edit_distance("kitten", "sitting")
    (1, 3)
    """
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def _misspelt_words(label: Label, number: int, other: Label) -> Message:
    options = ("--map", f"{label}={other}")
    words = (
        f"{label!r} ({plural(number, 'vote')}) may be {other!r} misspelt: read it so (mapping={{{label!r}: "
        f"{other!r}}}; {_typed(options)})."
    )
    return warning(words, *options)


def _rare_words(labels: Sequence[Label], number: int, total: int) -> str:
    has = "has" if len(labels) == 1 else "together have"
    return (
        f"{examples(labels)} {has} {number:,} of {total:,} votes and no gold: read {_it(labels)} as another class "
        "(mapping=; --map), or as no vote (abstain=; --abstain)."
    )


def _missed_words(labels: Sequence[Label]) -> str:
    return (
        f"Gold never shows {examples(labels)}, though sources vote for {_it(labels)}: read {_it(labels)} as another "
        "class (mapping=; --map), as no vote (abstain=; --abstain), or label such points."
    )


def _score_words(scores: Sequence[int]) -> Message:
    low, high = min(scores), max(scores)
    words = (
        f"The votes look like scores from {low} to {high}, and gold has 2 classes: read them so (kinds='score'; "
        "--kind '*=score')."
    )
    return warning(words, "--kind '*=score'")


def _it(things: Sequence[object]) -> str:
    return "it" if len(things) == 1 else "them"


def _are_scores(classes: Sequence[Label], gold: Ints) -> bool:
    numbers = all(isinstance(label, int) and not isinstance(label, bool) and 0 <= label <= 10 for label in classes)
    return numbers and len(classes) >= SCORES and int((gold > 0).sum()) == 2
