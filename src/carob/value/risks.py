"""What advice rests on: cross-validated losses, the curve of gold alone, and what probabilities vary by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats, Progress, cached_property
from carob.label.cross_validation import CrossValidation, cross_validate
from carob.label.model import learn_votes
from carob.posterior.losses import CrossScore, entropy, log_losses
from carob.posterior.settings import Settings
from carob.value.gains import Prospects, prospects
from carob.value.gold_alone import GoldAlone, gold_alone
from carob.votes import GoldPoints, Votes


@dataclass(frozen=True, eq=False)
class Risks:
    """Everything that advice rests on."""

    votes: Votes
    points: GoldPoints
    settings: Settings
    cross: CrossValidation
    gold_curve: GoldAlone  # gold alone, by the number of labels
    by_points: float  # what the probabilities of votes and gold vary by over draws of unlabeled points, in nats
    n: int  # number of points, of which the votes may be a sample

    @cached_property
    def scores(self) -> dict[str, CrossScore]:
        """How good each way to label is."""
        return {score.name: score for score in self.cross.scores(self.settings.level)}

    @property
    def votes_alone_losses(self) -> Floats:
        """Log losses of votes alone on the gold points, shape (g,)."""
        return log_losses(self.cross.votes_alone[np.arange(len(self.points)), self.points.truth])

    @property
    def prospects(self) -> Prospects:
        """What more data would bring."""
        return prospects(len(self.points), self.n, self.cross.variation, self.by_points)


def measure_risks(
    votes: Votes, points: GoldPoints, settings: Settings, progress: Progress | None = None, n: int | None = None
) -> Risks:
    """Measure on votes with gold on some points; the votes may be a sample of those on n points."""
    n = len(votes) if n is None else n
    learned = learn_votes(votes, settings)
    cross = cross_validate(learned, points, settings, progress)
    rng = settings.generator()
    by_points = points_variation(votes, points, settings, rng) * len(votes) / n
    curve = gold_alone(points, learned.given, learned.training.groups, rng)
    return Risks(votes, points, settings, cross, curve, by_points, n)


def points_variation(votes: Votes, points: GoldPoints, settings: Settings, rng: np.random.Generator) -> float:
    """What probabilities vary by over draws of the unlabeled points, as a mean divergence in nats.

    Of fits to two halves of the points without gold, each with all gold.
    """
    others = rng.permutation(np.setdiff1d(np.arange(len(votes)), points.rows))
    p = []
    for half in np.array_split(others, 2):
        truth = np.concatenate([points.truth, np.full(len(half), -1, dtype=np.int8)])
        learned = learn_votes(votes.take(np.concatenate([points.rows, half])), settings)
        p.append(learned.with_gold(truth).posterior(votes))
    first, second = p
    whole = entropy((first + second) / 2).mean()
    return max(0.0, float(whole - (entropy(first).mean() + entropy(second).mean()) / 2))
