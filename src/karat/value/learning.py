"""Learning curves of four estimators on a user's votes: labeled, unlabeled, corrected and combined.

As in the paper, all four are given the same class balance, so that they differ in what they know of the sources alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import numpy.typing as npt

from karat._types import Floats
from karat.estimate.aggregate import Aggregate
from karat.estimate.fit import JUDGING, Settings, add_gold, merging, solve_votes
from karat.estimate.intervals import Progress
from karat.estimate.structure import DependentPair, dependent_pairs
from karat.estimate.triplets import Solution
from karat.losses import log_losses
from karat.moments import Moments
from karat.naive_bayes import posterior
from karat.source_model import SourceModel
from karat.value.population import Population, labeled_losses, points_in
from karat.value.risk import Curve, Estimate, Ruler, held_out
from karat.votes import Gold, Votes

Step = Callable[[], None]

_BLOCKS = 20  # of gold points, left out in turn
_PATTERNS = 5_000  # distinct rows that risks are taken over
_LEARNED = 2_000  # gold points that q, and the combination where it is judged, learn from
_LABELED = (*(round(5 * 2 ** (k / 2)) for k in range(22)), 20_000, 80_000, 320_000, 1_000_000)
_PARTS = (20, 40, 80, 160, 320, 640)  # gold labels that labeled models learn from, to be judged by the rest
_LARGEST_PART = 0.8  # of the gold labels, at most so many
_DRAWS = 8  # samples of gold per point of the combined curve
_MOST_DRAWN = 2_000  # gold labels in such a sample
_FORMED = 4  # points of the combined curve, the last ones, that have the form of a constant plus c/n
_FOLDS = 10  # of gold, for the combination
_HALVINGS = 3  # of the votes, for the effect of their number
_HALVED = 6  # samples of each size
_ROOM = 4_000_000  # numbers in one block of losses


@dataclass(frozen=True, eq=False)
class Learned:
    """An estimator's curve against the number of gold labels.

    Parameters
    ----------
    curve : Curve
        Under q.
    points : tuple of Estimate
        The same, with what they are without each block of gold.
    surprises : dict of Estimate
        What gold adds, by the numbers of labels for which that was measured; straight lines against log n between.
    """

    curve: Curve
    points: tuple[Estimate, ...]
    surprises: dict[int, Estimate]

    @classmethod
    def of(cls, ruler: Ruler, curve: Curve, losses: Sequence[Floats], held: Mapping[int, Floats]) -> Learned:
        """From mean losses at the points of the curve, and held-out losses of models of some numbers of labels."""
        plain = cls(curve.falling(), tuple(map(ruler.expected, losses)), {})
        found = {n: ruler.surprise(ruler.observed(losses), plain.at(n)) for n, losses in held.items()}
        return replace(plain, surprises=found)

    def at(self, n: float) -> Estimate:
        """Risk with n gold labels."""
        weights = self.curve.weights(n)
        without = weights @ np.array([point.without for point in self.points])
        expected = Estimate(float(weights @ self.curve.risk), without)
        return expected + self.surprise(n) if self.surprises else expected

    def surprise(self, n: float) -> Estimate:
        """What gold adds near n."""
        sizes, found = list(self.surprises), list(self.surprises.values())
        place = float(np.interp(np.log(n), np.log(sizes), np.arange(len(sizes))))
        low, part = int(place), place % 1
        return found[low] if part == 0 else found[low].times(1 - part) + found[low + 1].times(part)

    def values(self, n: Floats) -> Floats:
        """Risks with n gold labels, for many n."""
        added = [found.value for found in self.surprises.values()]
        return self.curve.at(n) + np.interp(np.log(n), np.log(list(self.surprises)), added)


@dataclass(frozen=True, eq=False)
class Unlabeled:
    """An estimator that learns from votes alone.

    Parameters
    ----------
    risk : Estimate
        With all votes.
    per_point : Estimate
        b of R(n) = R(infinity) + b / n for n unlabeled points.
    """

    risk: Estimate
    per_point: Estimate


@dataclass(frozen=True, eq=False)
class Measured:
    """Everything that advice rests on.

    Parameters
    ----------
    votes, gold : Votes and Gold
    ruler : Ruler
    solution : Solution
        Triplets of all votes.
    pairs : list of DependentPair
        Sources that depend on each other and are not known to.
    labeled, combined : Learned
    unlabeled, corrected : Unlabeled
        The mean and the median of triplets.
    combined_per_point : Estimate
        What b of `Unlabeled` is for the combination, with the gold that there is.
    held : array, shape (P, K)
        Losses of the combination on gold points that it has not learned from.
    """

    votes: Votes
    gold: Gold
    ruler: Ruler
    solution: Solution
    pairs: list[DependentPair]
    labeled: Learned
    combined: Learned
    unlabeled: Unlabeled
    corrected: Unlabeled
    combined_per_point: Estimate
    held: Floats


def measure(votes: Votes, gold: Gold, settings: Settings, progress: Progress | None = None) -> Measured:
    """Measure all four estimators on votes with gold on some points."""
    rng = np.random.default_rng(settings.rng)
    quick = replace(settings, replicates=0)
    solution = solve_votes(votes, gold, quick, None, partial=True)[0]
    merge = merging(votes, solution, settings)
    known = settings.class_balance is not None
    ladder = _ladder(int(gold.known.sum()))
    total = _BLOCKS + len(_LABELED) + len(ladder) + 3
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    def learn(solution: Solution, points: Votes, truth: Gold, listed: Votes) -> Floats:
        return add_gold(solution, points, truth, known, 0, merge=merge).posterior(listed)

    ruler, pairs = _ruler(votes, gold, solution, known, merge, rng, step)
    listed, balance, symmetric = ruler.population.votes, solution.class_balance, solution.problem.symmetric
    groups = merge(solution.model).groups
    labeled = _labeled(ruler, balance, symmetric, groups, rng, step)
    combined, effect, held = _combined(ruler, votes, solution, ladder, learn, rng, step)
    found = {}
    aggregates: tuple[Aggregate, ...] = ("mean", "median")
    for aggregate in aggregates:
        own = replace(solution, aggregate=aggregate).again(solution.problem.moments, rng)
        found[aggregate] = _unlabeled(ruler, votes, own, lambda s: posterior(listed, merge(s.model)), rng)
        step()
    return Measured(
        votes, gold, ruler, solution, pairs, labeled, combined, found["mean"], found["median"], effect, held
    )


def _ruler(
    votes: Votes,
    gold: Gold,
    solution: Solution,
    known: bool,
    merge: Callable[[SourceModel], SourceModel],
    rng: np.random.Generator,
    step: Step,
) -> tuple[Ruler, list[DependentPair]]:
    """What risks are measured with, and the pairs that depend on each other without the model knowing."""
    rows = rng.permutation(np.flatnonzero(gold.known))
    places, listed, weight = _listed(votes, rows, rng)
    truth = gold.values[rows]
    K = len(gold.classes)
    parts = np.array_split(np.arange(len(rows)), min(_BLOCKS, len(rows)))
    blocks = np.zeros((len(parts), len(listed), K), dtype=np.int64)
    for block, part in zip(blocks, parts, strict=True):
        np.add.at(block, (places[part], truth[part]), 1)

    def view(kept: npt.NDArray[np.intp]) -> Floats:
        kept = rows[kept[:_LEARNED]]
        points = votes.take(kept)
        learned = add_gold(solution, points, gold.take(kept), known, 0, JUDGING, merge)
        return learned.posterior(listed)

    whole = view(np.arange(len(rows)))
    others = []
    for part in parts:
        others.append(view(np.setdiff1d(np.arange(len(rows)), part)))
        step()
    pairs = dependent_pairs(solution.problem.moments, solution.model, known_pairs=solution.known_pairs)
    dependent = len({name for pair in pairs for name in (pair.first, pair.second)}) / len(votes.sources)
    ruler = Ruler(Population(listed, weight, whole), np.array(others), blocks.sum(axis=0), blocks, dependent)
    return ruler, pairs


def _listed(
    votes: Votes, rows: npt.NDArray[np.intp], rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], Votes, Floats]:
    """The pattern of each of `rows`, the patterns that risks are taken over, and the weight of each.

    All patterns, or, where these are too many, those of `rows` and of a random sample of points.
    """
    patterns = votes.patterns
    if len(patterns) <= _PATTERNS:
        return patterns.inverse[rows], votes.distinct(), patterns.counts / len(votes)
    sample = patterns.inverse[rng.permutation(len(votes))[:_PATTERNS]]
    kept, place = np.unique(np.concatenate([patterns.inverse[rows], sample]), return_inverse=True)
    weight = np.bincount(place[len(rows) :], minlength=len(kept)) / len(sample)
    return place[: len(rows)], votes.distinct().take(kept), weight


def _labeled(
    ruler: Ruler,
    balance: Floats,
    symmetric: bool,
    groups: tuple[tuple[int, ...], ...],
    rng: np.random.Generator,
    step: Step,
) -> Learned:
    population = ruler.population
    listed = population.votes
    block = max(1, _ROOM // population.joint.size)

    def learn(counts: npt.NDArray[np.int64]) -> Floats:
        return labeled_losses(listed, counts, balance, symmetric, groups)

    losses, risks = [], []
    for n in _LABELED:
        trials = _trials(n)
        sizes = [min(block, trials - start) for start in range(0, trials, block)]
        drawn = [learn(population.draw(n, size, rng)) for size in sizes]
        risks.append(np.concatenate([population.expected(part) for part in drawn]))
        losses.append(np.sum([part.sum(axis=0) for part in drawn], axis=0) / trials)
        step()
    curve = Curve.of_draws(_LABELED, risks)
    held = {}
    most = int(_LARGEST_PART * ruler.n)
    for n in (*(part for part in _PARTS if part < most), most):
        seen = ruler.split(n, min(_trials(n), block), rng)
        held[n] = held_out(learn(seen), ruler.gold - seen)
    step()
    return Learned.of(ruler, curve, losses, held)


def _trials(n: int) -> int:
    """Samples of n gold labels whose mean risk is known well enough: the fewer labels, the more their risks differ."""
    return 200 if n <= 120 else 60 if n <= 1_500 else 20


def _ladder(n: int) -> list[int]:
    """Numbers of gold labels at which the combination is tried: from ten to about four times what there is."""
    steps = max(2, int(np.log2(4 * min(n, _MOST_DRAWN // 4) / 10)))
    return [10 * 2**k for k in range(steps + 1)]


def _combined(
    ruler: Ruler,
    votes: Votes,
    solution: Solution,
    ladder: Sequence[int],
    learn: Callable[[Solution, Votes, Gold, Votes], Floats],
    rng: np.random.Generator,
    step: Step,
) -> tuple[Learned, Estimate, Floats]:
    """The combination's curve, its b (see `Unlabeled`), and its losses on gold points not learned from."""
    population = ruler.population
    listed = population.votes
    # The same points, and ever more of them: what changes along the ladder is the number of labels alone.
    samples = [population.points(ladder[-1], rng) for _ in range(_DRAWS)]
    drawn = []
    for n in ladder:
        head = slice(0, n)
        drawn.append(np.array([log_losses(learn(solution, p.take(head), t.take(head), listed)) for p, t in samples]))
        step()
    start = ladder[max(len(ladder) - _FORMED, 0)]
    curve = Curve.of_draws(ladder, [population.expected(part) for part in drawn], start, terms=2)

    near = int(np.abs(np.log(curve.n / min(ruler.n, ladder[-1]))).argmin())
    head = slice(0, ladder[near])
    same = [(p.take(head), t.take(head)) for p, t in samples]
    effect = _effect_of_votes(ruler, votes, solution, same, drawn[near], learn, rng)
    n, held = cross_validated(ruler, lambda points, truth: learn(solution, points, truth, listed))
    return Learned.of(ruler, curve, [part.mean(axis=0) for part in drawn], {n: held}), effect, held


def _effect_of_votes(
    ruler: Ruler,
    votes: Votes,
    solution: Solution,
    samples: Sequence[tuple[Votes, Gold]],
    before: Floats,
    learn: Callable[[Solution, Votes, Gold, Votes], Floats],
    rng: np.random.Generator,
) -> Estimate:
    """What b of `Unlabeled` is for the combination: what it loses with a quarter of the votes and the same gold.

    Parameters
    ----------
    before : array, shape (S, P, K)
        Losses with all votes and the gold of each of the samples.
    """
    listed = ruler.population.votes
    parts = [_part(solution, votes, len(votes) // 4, rng) for _ in samples]
    lost = np.array(
        [
            log_losses(learn(part, points, truth, listed)) - losses
            for part, (points, truth), losses in zip(parts, samples, before, strict=True)
            if part is not None
        ]
    )
    if len(lost) == 0:
        return ruler.expected(np.zeros_like(ruler.population.given))
    spread = ruler.population.expected(lost).std(ddof=1) / np.sqrt(len(lost))
    return replace(ruler.expected(lost.mean(axis=0)), noise=float(spread)).times(len(votes) / 3)


def cross_validated(ruler: Ruler, learn: Callable[[Votes, Gold], Floats]) -> tuple[int, Floats]:
    """How many other gold points models learn from, and their losses on those that they do not, shape (P, K)."""
    blocks = np.array_split(np.arange(len(ruler.blocks)), min(_FOLDS, len(ruler.blocks)))
    found = np.zeros((len(blocks), *ruler.gold.shape))
    left = np.array([ruler.blocks[block].sum(axis=0) for block in blocks])
    size = 0
    for place, gone in enumerate(left):
        left_in = (ruler.gold - gone).ravel()
        points, truth = points_in(ruler.population.votes, np.repeat(np.arange(len(left_in)), left_in))
        keep = slice(None, None, max(1, ceil(len(points) / _LEARNED)))
        found[place] = log_losses(learn(points.take(keep), truth.take(keep)))
        size = max(size, len(truth.take(keep)))
    return size, held_out(found, left)


def _unlabeled(
    ruler: Ruler,
    votes: Votes,
    solution: Solution,
    label: Callable[[Solution], Floats],
    rng: np.random.Generator,
) -> Unlabeled:
    whole = log_losses(label(solution))
    risk = ruler.risk(whole)
    # Parts of n of N points, drawn without putting back, vary about the whole as 1/n - 1/N.
    slope = ruler.expected(np.zeros_like(whole))
    weight = 0.0
    for halving in range(1, _HALVINGS + 1):
        n = len(votes) >> halving
        parts = [_part(solution, votes, n, rng) for _ in range(_HALVED)]
        losses = [log_losses(label(part)) for part in parts if part is not None]
        if len(losses) == _HALVED:
            more = 1 / n - 1 / len(votes)
            slope += (ruler.expected(np.mean(losses, axis=0)) - ruler.expected(whole)).times(more)
            weight += more**2
    return Unlabeled(risk, slope.times(1 / weight) if weight else slope)


def _part(solution: Solution, votes: Votes, n: int, rng: np.random.Generator) -> Solution | None:
    """The same triplets from n random points; None where there are hardly more points than sources."""
    if n < 2 * len(votes.sources):
        return None
    return solution.again(Moments.of(votes.take(rng.permutation(len(votes))[:n])), rng)
