"""How often 90 % intervals hold where votes hardly tell: at chance, near chance, and for rare classes.

Sources of one set share its noise, so that the binomial bound counts sets rather than sources.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom
from simulate import draw_votes, symmetric_conditionals, triplet_fit

from carob import LabelModel, Moments, Votes
from carob.paper import dependent_pairs, triplets
from carob.posterior.settings import Method

LEVEL, ALMOST_NEVER = 0.9, 1e-3
SETS = 24


def too_few(covered: float, sets: int) -> bool:
    """Whether intervals that cover 90 % would almost never cover this share, or less, of so many sets."""
    return bool(binom.cdf(round(covered * sets), sets, LEVEL) < ALMOST_NEVER)


def drawn(seed: int, low: float, high: float, n: int = 1_000, m: int = 8) -> tuple[Votes, npt.NDArray[np.float64]]:
    """Votes of sources whose accuracies are drawn from a range, and these accuracies."""
    rng = np.random.default_rng(seed)
    accuracies = rng.uniform(low, high, m)
    return draw_votes(rng, n, symmetric_conditionals(accuracies), [0.5, 0.5]), accuracies


def source_coverage(low: float, high: float, narrowed: float = 1.0, **settings: Any) -> float:
    """Share of sources in their intervals, perhaps narrowed around their middles."""
    held = []
    for seed in range(SETS):
        votes, accuracies = drawn(seed, low, high)
        table = LabelModel(replicates=60, **settings).fit(votes).source_table_
        middle, half = (table.low + table.high) / 2, narrowed * (table.high - table.low) / 2
        held.append((middle - half <= accuracies) & (accuracies <= middle + half))
    return float(np.mean(held))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "accuracies", "balance"),
    [
        ("consensus", (0.5, 0.5), 0.5),
        ("consensus", (0.5, 0.6), None),
        ("triplets", (0.5, 0.5), 0.5),
        ("triplets", (0.5, 0.5), None),
        ("triplets", (0.5, 0.6), 0.5),
    ],
)
def test_sources_that_hardly_tell(method: str, accuracies: tuple[float, float], balance: float | None) -> None:
    assert not too_few(source_coverage(*accuracies, method=method, class_balance=balance), SETS)


@pytest.mark.slow
def test_negative_control() -> None:
    narrow = source_coverage(0.5, 0.6, 0.3, method="triplets", class_balance=0.5)
    assert too_few(narrow, SETS)


def test_of_random_votes_every_interval_holds_chance_or_nearly_every() -> None:
    table = LabelModel(method="triplets", class_balance=0.5).fit(drawn(1, 0.5, 0.5)[0]).source_table_
    assert ((table.low <= 0.5) & (table.high >= 0.5)).sum() >= 6


@pytest.mark.slow
@pytest.mark.parametrize("method", ["consensus", "triplets"])
def test_rare_classes(method: Method) -> None:
    rare = 0.002
    held = []
    for seed in range(SETS):
        rng = np.random.default_rng(seed)
        conditionals = symmetric_conditionals(rng.uniform(0.75, 0.95, 8))
        votes = draw_votes(rng, 5_000, conditionals, [1 - rare, rare])
        model = LabelModel(method=method, replicates=30).fit(votes)
        held.append(model.class_balance_low_[1] <= rare <= model.class_balance_high_[1])
    assert not too_few(float(np.mean(held)), SETS)


def test_a_class_is_as_rare_as_the_data_say_not_as_a_constant() -> None:
    votes = draw_votes(np.random.default_rng(0), 20_000, symmetric_conditionals(np.full(10, 0.9)), [0.999, 0.001])
    for symmetric in (True, False):
        balance = triplet_fit(votes, symmetric=symmetric, replicates=0).model.class_balance
        assert 1 / 20_000 <= balance[1] < 0.005


def by_triplets(moments: Moments, votes: Votes) -> Any:
    return triplets(moments, class_balance=0.5)


def by_consensus(moments: Moments, votes: Votes) -> Any:
    return LabelModel(class_balance=0.5, replicates=0).fit(votes)


@pytest.mark.slow
@pytest.mark.parametrize("learned", [by_triplets, by_consensus])
@pytest.mark.parametrize("accuracies", [(0.5, 0.5), (0.5, 0.6)])
def test_independent_sources_are_called_dependent_at_the_promised_rate(
    learned: Callable[[Moments, Votes], Any], accuracies: tuple[float, float]
) -> None:
    sets, promised = 100, 0.01
    alarms = 0
    for seed in range(sets):
        votes = drawn(1_000 + seed, *accuracies)[0]
        moments = Moments.of(votes)
        alarms += bool(dependent_pairs(moments, learned(moments, votes), error_rate=promised))
    assert binom.sf(alarms - 1, sets, promised) > ALMOST_NEVER


def test_copies_are_still_called_dependent() -> None:
    rng = np.random.default_rng(0)
    votes = drawn(0, 0.5, 0.5)[0]
    values = votes.values.copy()
    values[:, 1] = np.where(rng.random(len(values)) < 0.5, values[:, 0], values[:, 1])
    copied = Votes(values, votes.sources, votes.coding)
    moments = Moments.of(copied)
    assert [(pair.first, pair.second) for pair in dependent_pairs(moments, by_triplets(moments, copied))] == [
        ("s0", "s1")
    ]
