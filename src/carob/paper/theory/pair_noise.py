r"""The noise of estimated pair moments of all sources at once, without listing the 2^m vote patterns.

With s_i = l_i Y = a_i + z_i, the sources of different components of the graph have independent z, and given Y

    w_p w_q - E[w_p w_q | Y] = (1 - mu Y) (a_p z_q + a_q z_p) + z_p z_q - E[z_p z_q],    w_i = l_i - mu a_i:

a part for each component (its z, and their products within it), a part for each pair of components (products across
them), and the mean given Y. All of these are uncorrelated, so that variances need one component, or two, at a time.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from carob._types import Floats, Places
from carob.paper.theory.canonical import signs
from carob.paper.theory.ising import Ising


class PairNoise:
    """Errors of the estimates of E[w_i w_j], times sqrt(n), as n grows.

    Parameters
    ----------
    truth : Ising
    centre : float
        mu: 0 for the moments E[l_i l_j], E[Y] for the covariances of votes.
    """

    def __init__(self, truth: Ising, centre: float = 0.0) -> None:
        self.a, self.m, self.centre = truth.a, truth.m, centre
        # The mean given Y is (Y - mu)^2 a_p a_q; of (Y - mu)^2 the variance is that of -2 mu Y.
        self.class_variance = 4 * centre**2 * 4 * float(truth.class_balance.prod())
        self.members: list[Places] = []  # components of one size together, shape (components, size)
        self.own: list[Floats] = []  # covariance of (1 - mu Y) z and of the products of z within each
        self.covariance: list[Floats] = []  # of z
        sizes = sorted({len(component) for component in truth.components})
        for size in sizes:
            chosen = [c for c, component in enumerate(truth.components) if len(component) == size]
            self.members.append(np.array([truth.components[c] for c in chosen]))
            own, covariance = zip(*(_parts(truth, c, centre) for c in chosen), strict=True)
            self.own.append(np.array(own))
            self.covariance.append(np.array(covariance))

    def variance(self, gradient: Floats) -> float:
        """Variance of the sum over i < j of gradient_ij times the estimate of moment ij, times n.

        Parameters
        ----------
        gradient : array, shape (m, m)
            Symmetric, with a diagonal of zeros.
        """
        h = gradient @ self.a
        across = gradient.copy()
        total = self.class_variance * float(self.a @ h / 2) ** 2
        for members, own in zip(self.members, self.own, strict=True):
            pairs = list(combinations(range(members.shape[1]), 2))
            inside = [gradient[members[:, p], members[:, q]] for p, q in pairs]
            v = np.column_stack([h[members], *inside])
            total += float(np.einsum("cp,cpq,cq->", v, own, v))
            for p, q in pairs:
                across[members[:, p], members[:, q]] = across[members[:, q], members[:, p]] = 0
        # Across components: half the trace of (C across)^2, with C the covariance of z.
        product = np.zeros_like(across)
        for members, covariance in zip(self.members, self.covariance, strict=True):
            for p, q in np.ndindex(covariance.shape[1:]):
                product[members[:, q]] += covariance[:, p, q, None] * across[members[:, p]]
        return total + 0.5 * float((product * product.T).sum())

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Errors of all pair moments, times sqrt(n), of `size` samples of many points; shape (size, m, m)."""
        across = rng.standard_normal((size, self.m, self.m))
        upper = np.triu(across, 1)
        across = upper + upper.transpose(0, 2, 1)
        z = np.empty((size, self.m))
        inside = []
        for members, own, covariance in zip(self.members, self.own, self.covariance, strict=True):
            roots = np.array([_root(part) for part in covariance])
            across = _blocks(across, members, roots)
            across = _blocks(across.transpose(0, 2, 1), members, roots).transpose(0, 2, 1)
            drawn = np.einsum(
                "cpq,scq->scp", np.array([_root(part) for part in own]), rng.standard_normal((size, *own.shape[:2]))
            )
            k = members.shape[1]
            z[:, members] = drawn[:, :, :k]
            inside.append(drawn[:, :, k:])
        for members, products in zip(self.members, inside, strict=True):
            for place, (p, q) in enumerate(combinations(range(members.shape[1]), 2)):
                i, j = members[:, p], members[:, q]
                across[:, i, j] = across[:, j, i] = products[:, :, place]
        linear = z[:, :, None] * self.a
        of_class = np.sqrt(self.class_variance) * rng.standard_normal(size)
        found = across + linear + linear.transpose(0, 2, 1) + of_class[:, None, None] * np.outer(self.a, self.a)
        found[:, np.arange(self.m), np.arange(self.m)] = 0
        return np.asarray(found)


def _parts(truth: Ising, c: int, centre: float) -> tuple[Floats, Floats]:
    """Of a component: covariance of (1 - mu Y) z_p and z_p z_q, p < q, over Y and z; covariance of z."""
    component, p = list(truth.components[c]), truth.component_probabilities[c]
    z = signs(len(component)) - truth.a[component]
    products = np.column_stack([z[:, i] * z[:, j] for i, j in combinations(range(len(component)), 2)] or [z[:, :0]])
    products = products - p @ products
    covariance = z.T @ (z * p[:, None])
    # E[1 - mu Y] and E[(1 - mu Y)^2] are both 1 - mu^2 where mu is E[Y], and both 1 where it is 0.
    scale = 1 - centre**2
    mixed = scale * z.T @ (products * p[:, None])
    own = np.block([[scale * covariance, mixed], [mixed.T, products.T @ (products * p[:, None])]])
    return own, covariance


def _blocks(matrix: Floats, members: Places, roots: Floats) -> Floats:
    """Matrices, shape (size, m, m), with the rows of each component multiplied by its root."""
    result = matrix.copy()
    for p in range(members.shape[1]):
        result[:, members[:, p]] = sum(
            roots[None, :, p, q, None] * matrix[:, members[:, q]] for q in range(members.shape[1])
        )
    return result


def _root(covariance: Floats) -> Floats:
    """A matrix whose square is the covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T)
