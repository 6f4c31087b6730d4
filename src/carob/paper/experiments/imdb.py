"""The case study of section 6: twelve word rules on IMDB reviews, over many random splits of 40,000 and 10,000.

The paper used one split, which is not known. Sources are class-conditional with balanced classes. A labeled or
unlabeled model of n points is learned from n points drawn from the training part, with replacement; losses and F1
scores are those on the test part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carob._types import Floats
from carob.count.moments import Moments
from carob.paper.combine import green_strawderman
from carob.paper.count import count
from carob.paper.datasets import load_imdb
from carob.paper.experiments.data_value_ratio import ratio
from carob.paper.experiments.parts import Experiment, Options, Part, Point, Results, mean_and_error, paper_sizes
from carob.paper.experiments.trials import Aggregate, aggregate_all
from carob.paper.fit import fit_votes
from carob.paper.gold_fit import labeled
from carob.paper.settings import Negative, TripletSettings
from carob.paper.triplet_fit import triplets
from carob.posterior.losses import CERTAIN, score
from carob.posterior.naive_bayes import posterior
from carob.votes import Votes

TRAINING = 40_000
GOLD = (40, 80, 120, 200, 400)
_CURVES: dict[str, str] = {"labeled": "labeled", "mean": "unlabeled mean", "median": "corrected median"}
PAPER_TABLE = {  # loss and F1 at n = 40,000
    "labeled": (0.570, 71.79),
    "unlabeled": (0.740, 64.81),
    "corrected": (0.686, 68.12),
}
PAPER_COMBINED = {40: (64.70, 67.06), 80: (67.65, 68.81), 120: (68.92, 69.64), 200: (69.97, 70.41), 400: (70.81, 71.04)}


@dataclass(frozen=True, eq=False)
class _Split:
    """A training and a test part, as counts of patterns and classes, shape (P, 2)."""

    bits: Floats  # patterns as 0/1, shape (P, 12)
    train: npt.NDArray[np.int64]
    test: npt.NDArray[np.int64]

    def loss(self, p: Floats, q: Floats) -> Floats:
        """Test loss of models with P(vote 1 | class 1) = p and P(vote 1 | class 0) = q, shape (size, 12)."""
        weights = np.log(p / q) - np.log((1 - p) / (1 - q))
        z = weights @ self.bits.T + np.log((1 - p) / (1 - q)).sum(axis=1)[:, None]
        limit = np.log((1 - CERTAIN) / CERTAIN)
        np.clip(z, -limit, limit, out=z)
        share = self.test / self.test.sum()
        # log(1 + e^-z) is the loss where the class is 1; z more where it is 0.
        return np.log1p(np.exp(-z)) @ share.sum(axis=1) + z @ share[:, 0]


def _parts(options: Options) -> list[Part]:
    return [Part(f"imdb split {split}", _work, {"split": split}) for split in range(options.splits)]


def _work(split: int, options: Options, rng: np.random.Generator) -> dict[str, Any]:
    votes = load_imdb()
    order = rng.permutation(len(votes))
    train, test = votes.take(order[:TRAINING]), votes.take(order[TRAINING:])
    place = votes.patterns.inverse
    gold = votes.own_gold.values
    counts = np.zeros((2, len(votes.patterns), 2), dtype=np.int64)
    for part, rows in zip(counts, (order[:TRAINING], order[TRAINING:]), strict=True):
        np.add.at(part, (place[rows], gold[rows]), 1)
    data = _Split(votes.patterns.values.astype(np.float64), counts[0], counts[1])
    trials = max(1, options.trials // options.splits)
    found: dict[str, Any] = {"labeled": {}, "mean": {}, "median": {}}
    for n in paper_sizes("imdb_test_loss", "labeled"):
        found["labeled"][str(n)] = data.loss(*_labeled(data, n, trials, rng)).tolist()
    for n in paper_sizes("imdb_test_loss", "unlabeled mean"):
        moments = _moments(data, n, trials, rng)
        for aggregate in ("mean", "median"):
            found[aggregate][str(n)] = data.loss(*_triplets(*moments, n, aggregate, options.negative)).tolist()
    return found | {"whole": _whole(train, test), "combined": _combined(train, test)}


def _labeled(data: _Split, n: int, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """P(vote 1 | class) of `size` labeled models of n points each; 1/2 for a class without points."""
    counts = rng.multinomial(n, data.train.ravel() / TRAINING, size=size).reshape(size, -1, 2)
    both = []
    for y in (1, 0):
        points = counts[:, :, y].sum(axis=1)[:, None]
        share = np.where(points > 0, counts[:, :, y] @ data.bits / np.maximum(points, 1), 0.5)
        both.append(np.clip(share, 1 / n, 1 - 1 / n))
    return both[0], both[1]


def _moments(data: _Split, n: int, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Shares of votes, shape (size, m), and covariances of pairs, shape (size, m, m), in samples of n points."""
    counts = rng.multinomial(n, data.train.sum(axis=1) / TRAINING, size=size)
    m = data.bits.shape[1]
    first, second = np.triu_indices(m, 1)
    single = counts @ data.bits / n
    pair = counts @ (data.bits[:, first] * data.bits[:, second]) / n
    covariance = np.zeros((size, m, m))
    covariance[:, first, second] = covariance[:, second, first] = pair - single[:, first] * single[:, second]
    return single, covariance


def _triplets(
    single: Floats, covariance: Floats, n: int, aggregate: Aggregate, negative: Negative
) -> tuple[Floats, Floats]:
    """P(vote 1 | class) from triplets of covariances: D_i^2 = cov_ij cov_ik / (cov_jk / 4)."""
    D = aggregate_all(4 * np.where(covariance == 0, 1 / n, covariance), aggregate, negative)
    return np.clip(single + D / 2, 1 / n, 1 - 1 / n), np.clip(single - D / 2, 1 / n, 1 - 1 / n)


def _whole(train: Votes, test: Votes) -> dict[str, Any]:
    """Loss and F1 of models of the whole training part."""
    gold = train.own_gold
    models = {"labeled": labeled(train, gold, 0.5)}
    for name, aggregate in (("unlabeled", "mean"), ("corrected", "median")):
        models[name] = triplets(Moments.of(train), aggregate, 0.5, symmetric=False)  # type: ignore[arg-type]
    return {name: _loss_and_f1(posterior(test, model), test) for name, model in models.items()}


def _combined(train: Votes, test: Votes) -> dict[str, Any]:
    """Loss and F1 with a few gold labels and all unlabeled points of the training part."""
    settings = TripletSettings(class_balance=0.5, symmetric=False)
    unlabeled = fit_votes(count(train, settings), None, settings)
    found = {}
    for n in GOLD:
        points = train.take(slice(0, n))  # the split is in random order
        gold = points.own_gold
        alone = labeled(points, gold, 0.5)
        shrunk = green_strawderman(unlabeled.model, alone, points, gold, r=2 * (len(train.sources) - 2)).model
        found[str(n)] = {
            "unlabeled": _loss_and_f1(posterior(test, unlabeled.model), test),
            "labeled": _loss_and_f1(posterior(test, alone), test),
            "combined": _loss_and_f1(posterior(test, shrunk), test),
        }
    return found


def _loss_and_f1(probabilities: Floats, test: Votes) -> tuple[float, float]:
    found = score(probabilities, test.own_gold)
    return found.loss, 100 * found.f1


def _curves(results: Results, splits: int) -> dict[str, tuple[list[int], Floats]]:
    """Sizes, and for each the mean loss, its standard error and the paper's; trials of one split go together."""
    curves = {}
    for name in _CURVES:
        by_split = [results[f"imdb split {split}"][name] for split in range(splits)]
        sizes = sorted(int(n) for n in by_split[0])
        means = np.array([[np.mean(part[str(n)]) for n in sizes] for part in by_split])
        spread = means.std(axis=0, ddof=1)  # over splits, of which the paper had one
        curves[name] = sizes, np.stack([means.mean(axis=0), spread / np.sqrt(splits), spread], axis=1)
    return curves


def _points(results: Results, options: Options) -> list[Point]:
    curves = _curves(results, options.splits)
    points = [
        Point("imdb_test_loss", "imdb", _CURVES[name], n, *map(float, found))
        for name, (sizes, values) in curves.items()
        for n, found in zip(sizes, values, strict=True)
    ]
    grid, labeled_curve = curves["labeled"]
    for name in ("mean", "median"):
        for n, found in zip(*curves[name], strict=True):
            value = ratio(n, found, grid, labeled_curve, options.convention)
            points.append(Point("imdb_data_value_ratio", "imdb", _CURVES[name], n, *value))
    return points


def _tables(results: Results, options: Options) -> dict[str, list[dict[str, Any]]]:
    parts = [results[f"imdb split {split}"] for split in range(options.splits)]
    whole = []
    for name, values in PAPER_TABLE.items():
        found = np.array([part["whole"][name] for part in parts])
        loss, f1 = (_beside(what, *pair) for what, *pair in zip(("loss", "f1"), values, found.T, strict=True))
        whole.append({"model": name, **loss, **f1})
    combined = []
    for n, (alone, both) in PAPER_COMBINED.items():
        row: dict[str, Any] = {"n_labeled": n}
        paper = {"unlabeled": PAPER_TABLE["corrected"][1], "labeled": alone, "combined": both}
        for name, value in paper.items():
            found = np.array([part["combined"][str(n)][name] for part in parts])
            row |= _beside(f"f1_{name}", value, found[:, 1]) | _beside(f"loss_{name}", None, found[:, 0])
        combined.append(row)
    return {"imdb_at_40000": whole, "imdb_combined": combined}


def _beside(name: str, paper: float | None, values: Floats) -> dict[str, Any]:
    """Our mean over splits, its standard error, the spread over splits, and the paper's value where it has one."""
    mean, error, _ = mean_and_error(values)
    row = {f"{name}": mean, f"{name}_se": error, f"{name}_sd": float(values.std(ddof=1))}
    return row if paper is None else {f"{name}_paper": paper} | row


EXPERIMENT = Experiment(_parts, _points, _tables)
