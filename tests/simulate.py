"""Data with a known truth."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from carob import Coding, Gold, Moments, Votes
from carob.paper.fit import fit_triplets
from carob.paper.settings import TripletSettings
from carob.posterior.fit import Fit
from carob.votes import GoldPoints
from carob.votes.storage import Sparse

PAPER_ACCURACIES = np.random.RandomState(123).uniform(0.55, 0.75, 10)  # the paper's own draw


# Edges of models of five sources: none, one, two pairs, a star, a triangle.
EDGES: list[dict[tuple[int, int], float]] = [
    {},
    {(0, 1): 0.3},
    {(0, 1): 0.3, (2, 3): -0.2},
    {(0, 1): 0.3, (1, 2): 0.2, (0, 3): 0.1},
    {(1, 4): 0.5, (0, 4): 0.2, (0, 1): -0.1},
]


def names(m: int) -> tuple[str, ...]:
    return tuple(f"s{i}" for i in range(m))


def make_votes(values: npt.ArrayLike, K: int = 2, gold: npt.ArrayLike | None = None) -> Votes:
    array = np.asarray(values, dtype=np.int8)
    coding = Coding(tuple(range(K)), (-1,))
    truth = None if gold is None else Gold(np.asarray(gold, dtype=np.int8), coding.classes, reference=True)
    return Votes(array, names(array.shape[1]), coding, gold=truth)


def draw_votes(
    rng: np.random.Generator,
    n: int,
    conditionals: npt.NDArray[np.float64],
    balance: npt.ArrayLike,
) -> Votes:
    """Votes that are independent given the class; `conditionals` has shape (m, K, K + 1)."""
    m, K, _ = conditionals.shape
    y = rng.choice(K, size=n, p=np.asarray(balance))
    values = np.empty((n, m), dtype=np.int8)
    for i in range(m):
        steps = np.cumsum(conditionals[i], axis=1)[y]
        values[:, i] = (rng.random((n, 1)) > steps).sum(axis=1) - 1
    return make_votes(values, K, y)


def symmetric_conditionals(accuracies: npt.ArrayLike, K: int = 2, abstain: float = 0.0) -> npt.NDArray[np.float64]:
    p = np.asarray(accuracies, dtype=float)
    result = np.empty((len(p), K, K + 1))
    result[:, :, 0] = abstain
    result[:, :, 1:] = ((1 - p) / (K - 1) * (1 - abstain))[:, None, None]
    for y in range(K):
        result[:, y, y + 1] = p * (1 - abstain)
    return result


def sample(n: int = 2_000, seed: int = 0, abstain: float = 0.0, balance: float = 0.5) -> Votes:
    """Votes of the paper's ten sources, independent given the class, with gold for all points."""
    conditionals = symmetric_conditionals(PAPER_ACCURACIES, 2, abstain)
    return draw_votes(np.random.default_rng(seed), n, conditionals, [1 - balance, balance])


def random_votes(seed: int, n: int = 40, m: int = 5, K: int = 2, silence: float = 0.4) -> Votes:
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((n, m)) < silence, -1, rng.integers(0, K, (n, m)))
    values[:2] = -1  # nobody votes
    return make_votes(values, K, rng.integers(0, K, n))


def some_gold(votes: Votes, n: int, seed: int = 0) -> Gold:
    """Gold for n random points."""
    shuffled = np.random.default_rng(seed).permutation(len(votes))
    return Gold(np.where(shuffled < n, votes.own_gold.values, -1).astype(np.int8), votes.classes)


def held_sparsely(votes: Votes) -> Votes:
    """The same votes, of which only those that were cast are held."""
    point, source = np.nonzero(votes.values >= 0)
    cells = Sparse.of_entries(len(votes), len(votes.sources), point, source, votes.values[point, source])
    return Votes(cells, votes.sources, votes.coding, votes.keys, votes.gold)


def paper_distribution(d: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]:
    """The paper's synthetic distribution: patterns, shape (1024, 10), and P(pattern, y), shape (1024, 2).

    The first d pairs (0, 1), (2, 3), ... agree with probability .1 more than independent sources would.
    """
    p = PAPER_ACCURACIES
    right = np.array(list(product([0, 1], repeat=10)))  # whether each source is right
    probability = np.ones(len(right))
    for i in range(0, 10, 2):
        a, b = p[i], p[i + 1]
        agree = a * b + (1 - a) * (1 - b)
        if i < 2 * d:
            agree = min(agree + 0.1, 1 - abs(a - b))
        both = (a + b + agree - 1) / 2
        joint = np.array([[agree - both, b - both], [a - both, both]])
        probability *= joint[right[:, i], right[:, i + 1]]
    patterns = np.concatenate([1 - right, right]).astype(np.int8)  # class 0, then class 1
    rows = {tuple(row): k for k, row in enumerate(np.unique(patterns, axis=0).tolist())}
    result = np.zeros((len(rows), 2))
    for k, row in enumerate(patterns.tolist()):
        result[rows[tuple(row)], k // len(right)] += probability[k % len(right)] / 2
    return np.unique(patterns, axis=0), result


def exact_moments(d: int) -> Moments:
    """Moments of the paper's distribution, exact to 2^-45: as many points as float64 can count."""
    patterns, joint = paper_distribution(d)
    counts = np.rint(joint.sum(axis=1) * 2.0**50).astype(np.int64)
    return Moments.of_patterns(patterns, counts, names(10), (0, 1))


def contradicting_votes() -> Votes:
    """Source 0 agrees with 1 and with 2, which disagree with each other: no accuracies explain that."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 2000)
    with_second = rng.random(2000) < 0.75
    with_third = ~with_second | (rng.random(2000) < 0.5)
    return make_votes(
        np.column_stack([first, np.where(with_second, first, 1 - first), np.where(with_third, first, 1 - first)])
    )


def triplet_fit(
    votes: Votes, gold: Gold | None = None, progress: Callable[[int, int], None] | None = None, **options: Any
) -> Fit:
    """What triplets find, with options that only they have."""
    points = None if gold is None else GoldPoints.of(votes, gold)
    return fit_triplets(votes, points, TripletSettings("triplets", **options), progress)
