"""What triplets can be asked for, and which sources they can work with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from karat.errors import InputError, examples, one_of, plural
from karat.estimate.aggregate import Aggregate, Negative
from karat.moments import Moments

Signs = Literal["positive", "data"]
Pairs = Sequence[tuple[str | int, str | int]]
_COPY = 100  # common votes from which on two sources that always agree are taken for copies


def check_choices(aggregate: object, negative: object, signs: object) -> None:
    """Refuse options that are none of those accepted."""
    one_of("aggregate", aggregate, get_args(Aggregate))
    one_of("negative", negative, get_args(Negative))
    one_of("signs", signs, get_args(Signs))


def check_level(level: float) -> None:
    """Refuse what is no level of an interval."""
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1, not {level!r}.")


def resolve_symmetric(symmetric: bool | None, moments: Moments) -> bool:
    """Whether to learn one accuracy per source; see `triplets`.

    Where most sources leave out points and vote for both classes on the rest, as crowd workers do, who is asked says
    nothing about the class, and taking an abstain for an output would make evidence of it.
    """
    if symmetric is None:
        picky = (moments.coverage < moments.n) & (moments.single > 0).all(axis=1)
        return len(moments.classes) > 2 or bool(picky.mean() > 0.5)
    if not isinstance(symmetric, bool | np.bool_):
        raise TypeError(f"symmetric must be True, False or None, not {symmetric!r}.")
    if not symmetric and len(moments.classes) > 2:
        raise InputError(
            f"class-conditional triplets are for two classes; there are {len(moments.classes)}. Use one accuracy per "
            "source (symmetric=True; --symmetric)."
        )
    return bool(symmetric)


def pair_positions(pairs: Pairs, sources: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of names or positions as pairs of positions."""

    def position(name: str | int) -> int:
        if isinstance(name, int | np.integer) and 0 <= name < len(sources):
            return int(name)
        if name in sources:
            return sources.index(str(name))
        raise InputError(f"known_pairs names {name!r}; the sources are {examples(sources)}.")

    result = []
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise InputError(f"known_pairs holds pairs of sources, not {pair!r}.")
        i, j = position(pair[0]), position(pair[1])
        if i == j:
            raise InputError(f"known_pairs pairs {pair[0]!r} with itself.")
        result.append((i, j))
    return result


def check_sources(moments: Moments, known: list[tuple[int, int]]) -> None:
    """Refuse sources that triplets cannot work with."""
    problems = source_problems(moments, known)
    if problems:
        raise InputError(" ".join(problems))


def check_shape(n: int, m: int) -> None:
    """Refuse fewer than three sources or more sources than points, before anything is counted."""
    problems = shape_problems(n, m)
    if problems:
        raise InputError(" ".join(problems))


def shape_problems(n: int, m: int) -> list[str]:
    """What keeps triplets from working with this many points and sources."""
    problems = []
    if m < 3:
        problems.append(f"Triplets need three sources at least; there {'is' if m == 1 else 'are'} {m}.")
    if n < m:
        problems.append(f"{plural(n, 'point')} for {m:,} sources: bring more points, or is the table transposed?")
    return problems


def source_problems(moments: Moments, known: list[tuple[int, int]]) -> list[str]:
    """What keeps triplets from working with these sources, a sentence or two each."""
    problems = shape_problems(moments.n, len(moments.sources))
    silent = [moments.sources[i] for i in np.flatnonzero(moments.coverage == 0)]
    if silent:
        problems.append(f"These sources never vote: {examples(silent)}. Leave them out (drop=; --drop).")
    constant = [moments.sources[i] for i in np.flatnonzero((moments.single == moments.n).any(axis=1))]
    if constant:
        problems.append(
            f"These sources vote the same on every point and tell nothing: {examples(constant)}. Leave them out "
            "(drop=; --drop)."
        )
    # Identical: wherever one votes, so does the other, and the same. On few points that may be chance: two workers
    # who both did the same twenty easy tasks.
    same = (moments.agree == moments.coverage[:, None]) & (moments.agree == moments.coverage[None, :])
    same &= moments.agree >= min(_COPY, moments.n)
    copies = [(i, j) for i, j in np.argwhere(np.triu(same, 1)).tolist() if not {(i, j), (j, i)} & set(known)]
    if copies:
        named = examples((moments.sources[i], moments.sources[j]) for i, j in copies)
        problems.append(
            f"These pairs vote identically on all points, and a copy is no evidence of its own: {named}. Leave one of "
            "each out (drop=; --drop), or name the pair (known_pairs=; --known-pair)."
        )
    return problems
