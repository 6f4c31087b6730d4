"""Which votes triplets can work with, and which sources are refused where nothing is to be set aside."""

from __future__ import annotations

import numpy as np

from carob.count.aside import COPY, nothing_told
from carob.count.moments import Moments
from carob.errors import InputError, plural
from carob.posterior.settings import Positions


def check_sources(moments: Moments, pairs: Positions) -> None:
    """Refuse sources that triplets cannot work with."""
    problems = source_problems(moments, pairs)
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


def source_problems(moments: Moments, pairs: Positions) -> list[str]:
    """What keeps triplets from working with these sources, a sentence or two each."""
    problems = shape_problems(moments.n, len(moments.sources))
    silent = [moments.sources[i] for i in np.flatnonzero(moments.coverage == 0)]
    same_everywhere = np.maximum.reduceat(moments.counts == moments.n, moments.outputs.first)
    constant = [moments.sources[i] for i in np.flatnonzero(same_everywhere)]
    copies = [(i, j) for i, j in _copies(moments) if not {(i, j), (j, i)} & set(pairs)]
    return problems + nothing_told(silent, constant, [(moments.sources[i], moments.sources[j]) for i, j in copies])


def _copies(moments: Moments) -> list[tuple[int, int]]:
    """Pairs of sources of which wherever one votes, so does the other, and the same.

    On few points that may be chance: two workers who both did the same twenty easy tasks.
    """
    same = (moments.agree == moments.coverage[:, None]) & (moments.agree == moments.coverage[None, :])
    same &= moments.agree >= min(COPY, moments.n)
    return [(i, j) for i, j in np.argwhere(np.triu(same, 1)).tolist()]
