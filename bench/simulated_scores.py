"""Judges that score points, simulated: what a number means is known exactly, and so is the best that labels can be.

python bench/simulated_scores.py      log loss of labels from scores, over that of one who knows how judges score

A judge sees the class through normal noise, and gives what it sees as it is, rounded to 0 to 9, on a skewed scale, or
with one number for all that is low. "in full" takes judges to work on their own, as they do here; "carob" does not know
that, and is as sure as real sources deserve; "cut" are the votes that the same scores come to at the same quantile of
every judge, in full, at the best of nine quantiles.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

import carob
from carob._types import Floats, Ints
from carob.label.model import learn_votes
from carob.posterior.settings import Settings
from carob.votes import Votes

KINDS = ("plain", "rounded", "skewed", "ties")
_normal = np.vectorize(NormalDist().cdf)


def simulated_scores(kind: str, n: int, m: int, share: float, seed: int) -> tuple[Floats, Ints, Floats]:
    """Scores of m judges on n points, the true classes, and the probability of the second class given the scores."""
    rng = np.random.default_rng([5, seed])
    truth = (rng.random(n) < share).astype(np.int64)
    shift = rng.uniform(0.6, 1.8, m)
    seen = rng.normal(size=(n, m)) + truth[:, None] * shift
    log_odds = shift * seen - shift**2 / 2
    numbers = {
        "plain": seen,
        "rounded": np.clip(np.round(4.5 + 1.7 * (seen - shift / 2)), 0, 9),
        "skewed": np.exp(seen),
        "ties": np.where(seen < 0.3, 0.0, np.round(seen, 1)),
    }[kind]
    if kind in ("rounded", "ties"):
        for i in range(m):
            for value in np.unique(numbers[:, i]):
                log_odds[numbers[:, i] == value, i] = _log_odds(kind, value, shift[i])
    odds = log_odds.sum(axis=1) + np.log(share / (1 - share))
    return numbers, truth, 1 / (1 + np.exp(-odds))


def _log_odds(kind: str, value: float, shift: float) -> float:
    """What a number that stands for a range of what is seen says of the class."""
    if kind == "rounded":
        low, high = ((value + half - 4.5) / 1.7 + shift / 2 for half in (-0.5, 0.5))
        low, high = (-40.0 if value == 0 else low), (40.0 if value == 9 else high)
    else:
        low, high = (-40.0, 0.3) if value == 0 else (max(value - 0.05, 0.3), value + 0.05)
    of_class = [max(float(_normal(high - mean) - _normal(low - mean)), 1e-12) for mean in (0.0, shift)]
    return float(np.log(of_class[1]) - np.log(of_class[0]))


def log_loss(p: Floats, truth: Ints) -> float:
    """Mean log loss of probabilities of the second class."""
    return float(-np.log(np.clip(np.where(truth == 1, p, 1 - p), 1e-9, 1)).mean())


def in_full(votes: Votes, share: float | None) -> tuple[Floats, Floats]:
    """Probabilities of the second class where all scores count in full, and as carob has them."""
    learned = learn_votes(votes, Settings(class_balance=share))
    return learned.components.averaged[1][:, 1], learned.probabilities(learned.mixture(learned.prior, ()))[:, 1]


def cut_loss(numbers: Floats, truth: Ints, share: float) -> float:
    """The least log loss of votes that the scores of all judges come to at one of nine quantiles."""
    cuts = np.quantile(numbers, np.arange(1, 10) / 10, axis=0)
    votes = [Votes.from_array((numbers > cut).astype(np.int8), classes=[0, 1]) for cut in cuts]
    return min(log_loss(in_full(table, share)[0], truth) for table in votes if len(np.unique(table.values)) > 1)


def main() -> None:
    """Print a row for every kind of score, number of judges and class balance."""
    print("log loss over that of one who knows how judges score, 5,000 points, mean of three sets")
    print(f"{'scores':10}{'judges':>8}{'share':>8}{'best':>8}{'in full':>9}{'carob':>8}{'50 gold':>9}{'cut':>8}")
    for kind in KINDS:
        for m in (3, 4, 6, 8):
            for share in (0.5, 0.2):
                rows = []
                for seed in range(3):
                    numbers, truth, best = simulated_scores(kind, 5_000, m, share, seed)
                    votes = Votes.from_array(numbers, kinds="score")
                    gold = np.where(np.arange(5_000) < 50, truth, -1)
                    with_gold = carob.LabelModel(class_balance=share).fit(votes, gold).predict_proba(votes)[:, 1]
                    losses = [log_loss(p, truth) for p in (best, *in_full(votes, share), with_gold)]
                    rows.append([*losses, cut_loss(numbers, truth, share)])
                least, *others = np.mean(rows, axis=0)
                ratios = "".join(f"{loss / least:{width}.3f}" for loss, width in zip(others, (9, 8, 9, 8), strict=True))
                print(f"{kind:10}{m:8}{share:8.1f}{least:8.3f}{ratios}", flush=True)


if __name__ == "__main__":
    main()
