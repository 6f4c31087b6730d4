r"""Theorem 1: where the error of labels comes from.

For the normalised naive Bayes posterior that everybody uses, exactly and at every n,

    E[loss] = H(Y | l) + sum_c I(l_c | Y) + sum_i E KL(P(l_i | Y) || est(l_i | Y)) + KL(P(Y) || est(Y))
              - KL(P(l) || est(l)),

with est(l) = sum_y est(y) prod_i est(l_i | y) the model's own probability of the votes. The paper's form divides by the
empirical share of the votes instead of est(l), so that its last term is the observable sampling noise
- KL(P(l) || empirical(l)), which is infinite while some pattern is unseen and vanishes as n grows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from carob._types import Floats
from carob.count.moments import Moments
from carob.errors import InputError, a_whole_number, of_kind, one_of
from carob.paper.aggregate import aggregate_triplets
from carob.paper.settings import Aggregate
from carob.paper.theory.canonical import LARGEST
from carob.paper.theory.ising import Ising, accuracy_model, patterns
from carob.paper.theory.loss import expected_loss
from carob.paper.triplet_fit import triplets
from carob.posterior.settings import random_generator
from carob.posterior.source_model import SourceModel, source_model_of
from carob.votes import Votes

Learner = Literal["labeled", "median", "mean", "random"]


@dataclass(frozen=True)
class Decomposition:
    """The parts of an expected loss, in nats.

    Parameters
    ----------
    irreducible : float
        H(Y | votes): the loss of the true posterior.
    inference_bias : dict
        I(l_i; l_j | Y) of each edge, the price of taking dependent sources to be independent; of a larger connected
        component, its total correlation.
    estimation : dict
        E KL(P(l_i | Y) || est(l_i | Y)) of each source, by position.
    class_balance : float
        KL of the model's class balance from the true one; 0 where it is known.
    marginal_fit : float
        KL(P(l) || est(l)), which the normalised posterior gets back.
    sampling_noise : float or None
        KL(P(l) || empirical(l)) of the votes given, for the paper's form; infinite where a pattern is unseen.
    """

    irreducible: float
    inference_bias: dict[tuple[int, ...], float]
    estimation: dict[int, float]
    class_balance: float
    marginal_fit: float
    sampling_noise: float | None = None

    @property
    def excess(self) -> float:
        """Loss above the irreducible one, of the normalised posterior."""
        return self._parts() - self.marginal_fit

    @property
    def total(self) -> float:
        """Expected loss of the normalised posterior."""
        return self.irreducible + self.excess

    @property
    def paper_excess(self) -> float:
        """Excess of the paper's form; as n grows, where no votes were given."""
        return self._parts() - (self.sampling_noise or 0.0)

    @property
    def paper_total(self) -> float:
        """Expected loss of the paper's form; as n grows, where no votes were given."""
        return self.irreducible + self.paper_excess

    def _parts(self) -> float:
        return sum(self.inference_bias.values()) + sum(self.estimation.values()) + self.class_balance


def decompose(truth: Ising, estimate: Any = None, votes: Votes | None = None) -> Decomposition:
    """Split the expected loss of a model, on points of a known truth, into its parts.

    Parameters
    ----------
    truth : Ising
    estimate : SourceModel, fitted LabelModel or Votes, optional
        The true accuracies where not given: what is left is then inference bias. From votes, those that the median of
        triplets finds, with the true class balance.
    votes : Votes, optional
        The sample behind the paper's form; only the shares of its vote patterns count.

    Examples
    --------
    >>> truth = Ising.from_means([0.7, 0.6, 0.8], agreements={(0, 1): 0.62})
    >>> parts = decompose(truth, accuracy_model([0.5, 0.3, 0.5]))
    >>> round(parts.irreducible, 4), round(parts.inference_bias[0, 1], 4), round(parts.estimation[2], 4)
    (0.4426, 0.0157, 0.007)
    >>> round(parts.total, 4), round(parts.excess, 4)
    (0.4715, 0.0288)
    """
    of_kind("truth", truth, Ising)
    if votes is not None:
        of_kind("votes", votes, Votes)
    if isinstance(estimate, Votes):
        votes = estimate
        estimate = triplets(Moments.of(votes), class_balance=truth.class_balance, symmetric=True)
    model = truth.source_model() if estimate is None else source_model_of(estimate)
    loss = expected_loss(truth, model).value
    table = model.conditionals[:, :, 1:]
    right, share = truth.accuracies, truth.class_balance
    true = np.stack([np.stack([right, 1 - right], axis=1), np.stack([1 - right, right], axis=1)], axis=1)
    divergence = (share[None, :, None] * true * np.log(true / table)).sum(axis=(1, 2))
    balance = float((share * np.log(share / model.class_balance)).sum())
    irreducible = truth.conditional_entropy
    whole = truth.inference_bias + float(divergence.sum()) + balance
    return Decomposition(
        irreducible,
        dict(truth.mutual_information),
        dict(enumerate(divergence.tolist())),
        balance,
        whole - (loss - irreducible) if truth.m > LARGEST else _marginal_fit(truth, model),
        None if votes is None else _sampling_noise(truth, votes),
    )


def _marginal_fit(truth: Ising, model: SourceModel) -> float:
    """KL(P(l) || est(l)) by listing all vote patterns."""
    table = model.conditionals[:, :, 1:]
    estimate = np.ones((1, 2))
    for source in table:
        estimate = (estimate[:, None, :] * source.T[None, :, :]).reshape(-1, 2)
    p = truth.probabilities.sum(axis=1)
    return float((p * np.log(p / (estimate @ model.class_balance))).sum())


def _sampling_noise(truth: Ising, votes: Votes) -> float:
    """KL(P(l) || empirical(l))."""
    if len(votes.sources) != truth.m or len(votes.classes) != 2 or (votes.values < 0).any():
        raise InputError(f"the votes must be of {truth.m} sources on two classes, without abstains.")
    code = votes.values.astype(np.int64) @ (1 << np.arange(truth.m - 1, -1, -1))
    empirical = np.bincount(code, minlength=2**truth.m) / len(votes)
    p = truth.probabilities.sum(axis=1)
    if (empirical == 0).any():
        return float("inf")
    return float((p * np.log(p / empirical)).sum())


@dataclass(frozen=True)
class AverageDecomposition:
    """Means over trials and their standard errors, in nats."""

    n: int
    trials: int
    # mean, error: by part: irreducible, inference_bias, estimation, class_balance, marginal_fit, excess, total
    mean: dict[str, float]
    error: dict[str, float]


def average_decomposition(
    truth: Ising,
    learner: Learner | Callable[[Floats, int], Floats],
    n: int,
    trials: int = 100,
    rng: np.random.Generator | int | None = None,
) -> AverageDecomposition:
    """Decompose the loss of an estimator on samples of n points, averaged over trials.

    Parameters
    ----------
    learner : {"labeled", "median", "mean", "random"}, or a function
        One of the paper's, with the class balance known; or a function of the counts of patterns and classes, shape
        (2**m, 2), and n that gives accuracies E[l_i Y].
    """
    of_kind("truth", truth, Ising)
    if a_whole_number("n", n) < 1 or a_whole_number("trials", trials) < 2:
        raise InputError(f"a point and two trials at least are needed, not {n} and {trials}.")
    if not callable(learner):
        one_of("learner", learner, get_args(Learner))
    rng = random_generator(rng)
    found: dict[str, list[float]] = {}
    for counts in truth.sample_counts(n, rng, trials):
        a = learner(counts, n) if callable(learner) else learn(counts, learner, rng)
        parts = decompose(truth, accuracy_model(a, truth.class_balance))
        for name in ("excess", "total", *(field.name for field in fields(parts) if field.name != "sampling_noise")):
            value = getattr(parts, name)
            found.setdefault(name, []).append(sum(value.values()) if isinstance(value, dict) else value)
    mean = {name: float(np.mean(values)) for name, values in found.items()}
    error = {name: float(np.std(values, ddof=1) / np.sqrt(trials)) for name, values in found.items()}
    return AverageDecomposition(n, trials, mean, error)


def learn(counts: Floats, learner: Learner, rng: np.random.Generator | None = None) -> Floats:
    """Accuracies E[l_i Y] that an estimator of the paper finds in counts of patterns and classes, shape (m,).

    Parameters
    ----------
    counts : array, shape (2**m, 2)
        How many points have each vote pattern, in the order of `signs`, and class -1, +1.
    """
    one_of("learner", learner, get_args(Learner))
    n = counts.sum()
    m = int(np.log2(len(counts)))
    s = 2.0 * patterns(m) - 1
    if learner == "labeled":
        a = (counts[:, 1] - counts[:, 0]) @ s / n
    else:
        b = s.T @ (s * counts.sum(axis=1)[:, None]) / n
        aggregate: Aggregate = learner
        off = ~np.eye(m, dtype=bool)
        a, _ = aggregate_triplets(np.where(b == 0, 1 / n, b), off, aggregate, "drop", 1 - 1 / n, rng)
        a = np.nan_to_num(a)  # without a usable triplet nothing is known of a source
    # On the probability scale the cut is [1/n, 1 - 1/n].
    return np.clip(a, -1 + 2 / n, 1 - 2 / n)
