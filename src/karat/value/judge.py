r"""What risks on a user's data are measured with, where the distribution is not known and the gold points are few.

Two things are put together:

*The model's own view.* The combined model q(y | votes), with the rows of all votes, is a complete distribution. Under
it the risk of any estimator of any number of labels is a matter of drawing, without noise from the few gold points:
risk_q(X, n).

*What gold says.* The mean loss of X on gold points that it has not learned from is right on average, whatever q is, and
noisy: delta(X) is that mean minus risk_q(X, n) for as many labels as X learned from.

The estimate is risk_q(X, n) + w delta(X) with w = G / (G + `VIEW_WORTH`) for G gold labels: q has learned from the same
gold, so that with little of it delta is mostly noise, and with much of it gold has the last word. Errors come from
leaving out one block of the gold points after another: q, delta and all differences between estimators change together.
An estimator that q was used to train is not trained again; near its optimum that changes its risk to second order only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat._types import Floats, Places
from karat.calibrate.with_gold import RISKS, add_gold
from karat.estimate.structure import DependentPair
from karat.estimate.votes_fit import VotesFit
from karat.value.jackknife import Estimate
from karat.value.population import Population, typical_rows
from karat.value.steps import Steps
from karat.votes import GoldPoints, Votes

BLOCKS = 20  # of gold points, left out in turn
VIEW_WORTH = 600.0  # gold labels that the model's own view of a risk counts for
VIEW_WORTH_DEPENDENT = 130.0  # the same for errors, where votes show that all sources depend on others
MOST_LEARNED = 2_000  # gold points that q, and the combination where it is judged, learn from


@dataclass(frozen=True, eq=False)
class Judge:
    """The model's own view of the population, and the gold points.

    Parameters
    ----------
    population : Population
        Rows of votes with q(y | votes).
    given_without : array, shape (B, P, K)
        q learned without each of B blocks of the gold points.
    gold : GoldPoints
        In random order.
    blocks : tuple of arrays of int
        Places of the gold points of each block.
    dependent : float
        Share of the sources that, as votes show, depend on another beyond the class. The more, the more q is biased in
        a way that its own variation does not show, and the more errors rest on gold.
    """

    population: Population
    given_without: Floats
    gold: GoldPoints
    blocks: tuple[Places, ...]
    dependent: float

    @property
    def n(self) -> int:
        """Number of gold points."""
        return len(self.gold)

    @property
    def rows(self) -> Votes:
        """Rows of votes that stand for all."""
        return self.population.rows

    def expected(self, losses: Floats) -> Estimate:
        """Mean of losses, shape (P, K), under q."""
        by_cell = losses * self.population.weight[:, None]
        without = np.tensordot(self.given_without, by_cell, axes=2)
        return Estimate(float((by_cell * self.population.given).sum()), without)

    def observed(self, losses: Floats) -> Estimate:
        """Mean of losses on the gold points, shape (G,)."""
        total = losses.sum()
        without = np.array([(total - losses[block].sum()) / (self.n - len(block)) for block in self.blocks])
        return Estimate(float(total / self.n), without)

    def gold_correction(self, observed: Estimate, expected: Estimate) -> Estimate:
        """What gold adds to a risk under q: w delta."""
        delta = observed - expected
        weight = self.n / (self.n + VIEW_WORTH)
        view_worth = (1 - self.dependent) * VIEW_WORTH + self.dependent * VIEW_WORTH_DEPENDENT
        error_weight = self.n / (self.n + view_worth)
        return Estimate(weight * delta.value, weight * delta.value + error_weight * (delta.without - delta.value))

    def risk(self, on_rows: Floats, on_gold: Floats) -> Estimate:
        """Risk of a model that learned from no gold, from its losses on the rows, shape (P, K), and on gold, (G,)."""
        expected = self.expected(on_rows)
        return expected + self.gold_correction(self.observed(on_gold), expected)


def appoint(
    votes: Votes,
    gold: GoldPoints,
    votes_fit: VotesFit,
    pairs: Sequence[DependentPair],
    rng: np.random.Generator,
    steps: Steps,
) -> Judge:
    """Set up what risks are measured with.

    Parameters
    ----------
    pairs : sequence of DependentPair
        Sources that depend on each other without the model knowing.
    """
    gold = gold.take(rng.permutation(len(gold)))
    rows, weight = typical_rows(votes, rng)
    places = np.arange(len(gold))
    blocks = tuple(np.array_split(places, min(BLOCKS, len(gold))))

    def view(kept: Places) -> Floats:
        return add_gold(votes_fit, gold.take(kept[:MOST_LEARNED]), 0, RISKS).posterior(rows)

    without = []
    for block in blocks:
        without.append(view(np.setdiff1d(places, block)))
        steps.done()
    dependent = len({name for pair in pairs for name in (pair.first, pair.second)}) / len(votes.sources)
    return Judge(Population(rows, weight, view(places)), np.array(without), gold, blocks, dependent)
