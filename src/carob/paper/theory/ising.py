r"""The paper's model of a class and the sources that vote on it, exact.

    P(Y, l) = exp(theta_Y Y + sum_i theta_i l_i Y + sum_(i,j) theta_ij l_i l_j) / Z,    Y, l_i in {-1, +1}.

With s_i = l_i Y, which is +1 where source i is right, the exponent is theta_Y Y + sum theta_i s_i + sum theta_ij s_i
s_j: the s are independent of Y (the symmetry lemma), and of each other unless edges connect them. So everything splits
into the class and the connected components of the graph, and the true log-odds of Y are 2 theta_Y + 2 sum_i theta_i
l_i, whatever the edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from carob._types import Floats, Label, cached_property
from carob.count.moments import Moments
from carob.errors import InputError, examples
from carob.paper.theory.canonical import LARGEST, Edge, agreement_range, canonical_parameters, check_edge, signs
from carob.paper.theory.loss import expected_log_loss
from carob.posterior.groups import dependent_groups
from carob.posterior.source_model import SourceModel
from carob.votes import Gold, Votes
from carob.votes.coding import Coding

_CLASSES: tuple[Label, ...] = (-1, 1)


@dataclass(frozen=True, eq=False)
class Ising:
    """A distribution of a class and m votes of -1 and +1.

    Parameters
    ----------
    theta_y : float
    theta : array, shape (m,)
    theta_edges : mapping from (i, j), i < j, to float
        The edges between sources.

    Examples
    --------
    >>> truth = Ising.from_means([0.7, 0.6, 0.8], agreements={(0, 1): 0.62}, class_balance=0.4)
    >>> truth.accuracies.round(12), truth.class_balance.round(12)
    (array([0.7, 0.6, 0.8]), array([0.6, 0.4]))
    >>> {edge: round(epsilon, 3) for edge, epsilon in truth.epsilons.items()}
    {(0, 1): 0.16}
    """

    theta_y: float
    theta: Floats
    theta_edges: Mapping[Edge, float]

    def __post_init__(self) -> None:
        theta = np.asarray(self.theta, dtype=np.float64)
        if theta.ndim != 1 or len(theta) == 0:
            raise InputError(f"theta must hold one number per source; it has shape {theta.shape}.")
        edges = {check_edge(edge, len(theta)): float(value) for edge, value in dict(self.theta_edges).items()}
        numbers = np.array([self.theta_y, *theta, *edges.values()], dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise InputError(
                "canonical parameters must be finite; an accuracy or agreement at its limit makes them infinite."
            )
        object.__setattr__(self, "theta", theta)
        object.__setattr__(self, "theta_edges", edges)
        object.__setattr__(self, "theta_y", float(self.theta_y))

    @classmethod
    def from_means(
        cls,
        accuracies: npt.ArrayLike,
        agreements: Mapping[Edge, float] | None = None,
        epsilons: Mapping[Edge, float] | None = None,
        class_balance: float = 0.5,
    ) -> Ising:
        """The distribution with these means.

        Parameters
        ----------
        accuracies : array, shape (m,)
            P(source i is right), between 0 and 1.
        agreements : mapping from (i, j) to float
            P(sources i and j agree) of each edge.
        epsilons : mapping from (i, j) to float
            In place of an agreement, E[l_i l_j] - E[l_i Y] E[l_j Y].
        class_balance : float
            P(Y = +1).
        """
        p = np.asarray(accuracies, dtype=np.float64)
        if p.ndim != 1 or len(p) == 0:
            raise InputError(f"accuracies must hold one number per source; they have shape {p.shape}.")
        bad = p[~((p > 0) & (p < 1))]
        if len(bad):
            raise InputError(f"accuracies are probabilities strictly between 0 and 1, not {examples(bad.tolist())}.")
        if not 0 < class_balance < 1:
            raise InputError(f"class_balance must be strictly between 0 and 1, not {class_balance!r}.")
        a = 2 * p - 1
        wanted = {check_edge(edge, len(p)): float(value) for edge, value in (agreements or {}).items()}
        for edge, epsilon in (epsilons or {}).items():
            i, j = check_edge(edge, len(p))
            if (i, j) in wanted:
                raise InputError(f"edge {(i, j)} has both an agreement and an epsilon; give one.")
            wanted[i, j] = (1 + a[i] * a[j] + float(epsilon)) / 2
        for (i, j), agreement in wanted.items():
            low, high = agreement_range(p[i], p[j])
            if not low < agreement < high:
                shift = a[i] * a[j]
                raise InputError(
                    f"sources {i} and {j} with accuracies {p[i]:.4g} and {p[j]:.4g} can agree with a probability "
                    f"strictly between {low:.4g} and {high:.4g} (epsilon between {2 * low - 1 - shift:.4g} and "
                    f"{2 * high - 1 - shift:.4g}), not {agreement:.4g}."
                )
        theta, edges = np.empty(len(p)), {}
        for component in dependent_groups(len(p), tuple(wanted)):
            inside = {edge: value for edge, value in wanted.items() if edge[0] in component}
            fitted, joined = canonical_parameters(component, p, inside)
            theta[list(component)] = fitted
            edges.update(joined)
        return cls(0.5 * np.log(class_balance / (1 - class_balance)), theta, edges)

    def __repr__(self) -> str:
        return f"Ising({self.m} sources, {len(self.theta_edges)} edges)"

    @property
    def m(self) -> int:
        """Number of sources."""
        return len(self.theta)

    @property
    def class_balance(self) -> Floats:
        """P(Y = -1), P(Y = +1)."""
        positive = 1 / (1 + np.exp(-2 * self.theta_y))
        return np.array([1 - positive, positive])

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """Sources that edges connect; every other source alone."""
        found = dependent_groups(self.m, tuple(self.theta_edges))
        large = max(len(component) for component in found)
        if large > LARGEST:
            raise InputError(f"edges connect {large} sources; at most {LARGEST} connected ones can be enumerated.")
        return found

    @cached_property
    def component_probabilities(self) -> tuple[Floats, ...]:
        """For each component, the probability of every outcome of its s, in the order of `signs`."""
        result = []
        for component in self.components:
            s = signs(len(component))
            place = {source: k for k, source in enumerate(component)}
            energy = s @ self.theta[list(component)]
            for (i, j), value in self.theta_edges.items():
                if i in place:
                    energy = energy + value * s[:, place[i]] * s[:, place[j]]
            weight = np.exp(energy - energy.max())
            result.append(weight / weight.sum())
        return tuple(result)

    @cached_property
    def a(self) -> Floats:
        """E[l_i Y], shape (m,): the paper's accuracies, between -1 and 1."""
        result = np.empty(self.m)
        for component, probability in zip(self.components, self.component_probabilities, strict=True):
            result[list(component)] = probability @ signs(len(component))
        return result

    @property
    def accuracies(self) -> Floats:
        """P(source i is right), shape (m,)."""
        return (1 + self.a) / 2

    @cached_property
    def pair_moments(self) -> Floats:
        """E[l_i l_j], shape (m, m)."""
        result = np.outer(self.a, self.a)
        for component, probability in zip(self.components, self.component_probabilities, strict=True):
            s = signs(len(component))
            result[np.ix_(component, component)] = s.T @ (s * probability[:, None])
        return result

    @property
    def epsilons(self) -> dict[Edge, float]:
        """E[l_i l_j] - E[l_i Y] E[l_j Y] of every edge."""
        return {(i, j): float(self.pair_moments[i, j] - self.a[i] * self.a[j]) for i, j in self.theta_edges}

    @property
    def agreements(self) -> dict[Edge, float]:
        """P(l_i = l_j) of every edge."""
        return {(i, j): float((1 + self.pair_moments[i, j]) / 2) for i, j in self.theta_edges}

    @cached_property
    def mutual_information(self) -> dict[tuple[int, ...], float]:
        """I(l_i; l_j | Y) of every pair that is connected, in nats.

        Where edges connect more than two sources, the entry of all of them is their total correlation given the class:
        what naive Bayes leaves out by taking them to be independent.
        """
        result = {}
        for component, probability in zip(self.components, self.component_probabilities, strict=True):
            if len(component) > 1:
                s = signs(len(component))
                right = (1 + self.a[list(component)]) / 2
                independent = np.where(s > 0, right, 1 - right).prod(axis=1)
                result[component] = float((probability * np.log(probability / independent)).sum())
        return result

    @cached_property
    def inference_bias(self) -> float:
        """The paper's B_I: the sum of the mutual information."""
        return sum(self.mutual_information.values())

    @cached_property
    def conditional_entropy(self) -> float:
        """H(Y | votes) in nats, the irreducible error: the loss of the true posterior."""
        return expected_log_loss(self, 2 * self.theta_y, 2 * self.theta).value

    @cached_property
    def probabilities(self) -> Floats:
        """P(votes, Y) of every vote pattern, in the order of `signs(m)`, and class -1, +1: shape (2**m, 2)."""
        if self.m > LARGEST:
            raise InputError(f"{self.m} sources have too many vote patterns to list; at most {LARGEST} can be.")
        right = np.ones(1)
        order: list[int] = []
        for component, probability in zip(self.components, self.component_probabilities, strict=True):
            right = np.outer(right, probability).ravel()
            order += component
        # Axis k of the cube is source order[k]; bring them into the order of the sources.
        right = right.reshape((2,) * self.m).transpose(np.argsort(order)).ravel()
        # Where Y = +1 the votes are s; where Y = -1 they are -s, which is the reverse order.
        return np.stack([right[::-1], right], axis=1) * self.class_balance

    def source_model(self) -> SourceModel:
        """The true accuracies as a source model, which takes the sources to be independent given the class."""
        return accuracy_model(self.a, self.class_balance)

    def moments(self, n: int = 2**50) -> Moments:
        """The exact moments as counts among n points, rounded; for up to `LARGEST` sources."""
        counts = np.rint(self.probabilities.sum(axis=1) * n).astype(np.int64)
        return Moments.of_patterns(patterns(self.m), counts, source_names(self.m), _CLASSES)

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> Votes:
        """Draw n points, with gold."""
        rng = np.random.default_rng(rng)
        y = np.where(rng.random(n) < self.class_balance[1], 1, -1).astype(np.int8)
        values = np.empty((n, self.m), dtype=np.int8)
        for component, probability in zip(self.components, self.component_probabilities, strict=True):
            outcome = rng.choice(len(probability), size=n, p=probability)
            values[:, component] = signs(len(component))[outcome] * y[:, None]
        coding = Coding(_CLASSES, (0,))
        gold = Gold(((y + 1) // 2).astype(np.int8), _CLASSES, reference=True)
        return Votes(((values + 1) // 2).astype(np.int8), source_names(self.m), coding, gold=gold)

    def sample_counts(
        self, n: int, rng: np.random.Generator | int | None = None, size: int | None = None
    ) -> npt.NDArray[np.int64]:
        """How many of n points have each vote pattern and class, shape (2**m, 2), or (size, 2**m, 2).

        One draw from a multinomial: the same distribution as counting `sample(n)`, without the points.
        """
        rng = np.random.default_rng(rng)
        drawn = rng.multinomial(n, self.probabilities.ravel() / self.probabilities.sum(), size=size)
        return drawn.reshape((*drawn.shape[:-1], -1, 2))


def patterns(m: int) -> npt.NDArray[np.int8]:
    """All vote patterns as class indices, in the order of `signs`."""
    return ((signs(m) + 1) / 2).astype(np.int8)


def source_names(m: int) -> tuple[str, ...]:
    """What the sources of a model without names are called."""
    return tuple(f"s{i}" for i in range(m))


def accuracy_model(a: npt.ArrayLike, class_balance: npt.ArrayLike = (0.5, 0.5)) -> SourceModel:
    """A source model from accuracies E[l_i Y]; the symmetry lemma: P(l_i = y | Y = y) = (1 + a_i) / 2 for both y.

    >>> accuracy_model([0.5]).conditionals[0].tolist()
    [[0.0, 0.75, 0.25], [0.0, 0.25, 0.75]]
    """
    right = (1 + np.asarray(a, dtype=np.float64)) / 2
    if not ((right > 0) & (right < 1)).all():
        raise InputError("accuracies E[l_i Y] must be strictly between -1 and 1.")
    wrong = 1 - right
    none = np.zeros_like(right)
    conditionals = np.stack([np.stack([none, right, wrong], axis=1), np.stack([none, wrong, right], axis=1)], axis=1)
    balance = np.asarray(class_balance, dtype=np.float64)
    return SourceModel.independent(source_names(len(right)), _CLASSES, balance, conditionals)
