r"""Topics of documents from their words: the paper's topic example (appendix B.1).

Every document has one topic h, with probability w_h, and its words are drawn one by one from the topic's distribution
mu_h. Three words of a document are three views of its topic, all with the same table:

    E[x1 (x) x2] = sum_h w_h mu_h (x) mu_h        and        E[x1 (x) x2 (x) x3] = sum_h w_h mu_h (x) mu_h (x) mu_h,

with x one-hot. A document with counts c and L words has L (L - 1) ordered pairs of different words, which average to
``(c c' - diag c) / (L (L - 1))``, and in the same way

    (c (x) c (x) c - sum over the three places of sum_v c_v e_v (x) e_v (x) c + 2 sum_v c_v e_v (x) e_v (x) e_v)

over L (L - 1) (L - 2). Nothing of the size of words^2 is formed: the second moment is applied to a few random
directions, which find the range in which the topics lie (randomised range finding), and whitened there; the third is
formed in these coordinates alone. Joint diagonalisation of its slices, as for sources (`carob.paper.tensor`), gives
the topics. They are consistent, but use three words at a time; a bounded number of likelihood steps from there uses
all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carob._types import Floats
from carob.errors import InputError, NotIdentifiedError, plural
from carob.paper.tensor import on_simplex, orthogonal_parts
from carob.votes.columns import is_sparse_matrix

STEPS = 20  # of likelihood, from the moments on
_CHUNK = 4096  # documents whose products of coordinates are held at a time


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics, the most common first.

    Parameters
    ----------
    weights : array, shape (H,)
        Share of documents of each topic.
    words : array, shape (H, W)
        Probability of every word in a document of each topic.

    Examples
    --------
    >>> Topics(np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])).posterior([[2, 0], [1, 1], [0, 0]]).round(3)
    array([[0.988, 0.012],
           [0.5  , 0.5  ],
           [0.5  , 0.5  ]])
    """

    weights: Floats
    words: Floats

    def posterior(self, counts: Any) -> Floats:
        """Probability of each topic, shape (documents, H), from counts of words, shape (documents, W).

        Words that no document of the fit had say nothing, and a document without words has the shares of all topics.
        """
        given = _checked(counts)
        if given.shape[1] != self.words.shape[1]:
            raise InputError(f"these topics are over {self.words.shape[1]:,} words, not {given.shape[1]:,}.")
        return _posterior(given, self.weights, self.words)[0]


def topics(counts: Any, n_topics: int, rng: np.random.Generator | int | None = 0) -> Topics:
    """Find the topics of documents.

    Parameters
    ----------
    counts : array or sparse matrix, shape (documents, W)
        How often each word is in each document. Documents without words carry no information and are left out; those
        with one or two words take part in the likelihood steps alone.
    n_topics : int
    rng : numpy Generator or int, optional
        For the random directions.

    Raises
    ------
    InputError
        Counts that are negative, fractions or no numbers; documents all shorter than three words; more topics than
        words or documents.
    NotIdentifiedError
        More topics than pairs of words tell apart.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> words = np.array([[0.6, 0.3, 0.1, 0.0], [0.0, 0.1, 0.3, 0.6]])
    >>> found = topics(np.array([rng.multinomial(20, words[d % 2]) for d in range(2_000)]), 2)
    >>> found.weights.round(2), found.words[:, 0].round(1).tolist()
    (array([0.5, 0.5]), [0.6, 0.0])
    """
    given = _checked(counts)
    length = np.asarray(given.sum(axis=1)).ravel()
    given, length = given[np.flatnonzero(length > 0)], length[length > 0]
    _check_number(n_topics, given, length)
    share = np.asarray(given.sum(axis=0)).ravel() / length.sum()
    found = _from_moments(
        given[np.flatnonzero(length >= 3)], length[length >= 3], share, n_topics, np.random.default_rng(rng)
    )
    weights, words = found
    for _ in range(STEPS):
        posterior, _ = _posterior(given, weights, words)
        weights = posterior.mean(axis=0)
        words = (given.T @ posterior).T + 0.1 * share  # a tenth of a word more, by how common each is in all documents
        words /= words.sum(axis=1, keepdims=True)
    order = np.argsort(-weights, kind="stable")
    return Topics(weights[order], words[order])


def _posterior(counts: Any, weights: Floats, words: Floats) -> tuple[Floats, Floats]:
    """Probability of each topic of each document, and log-likelihood of the documents, shapes (n, H) and (n,)."""
    known = words > 0  # a word that no document has is impossible in all topics
    log_words = np.log(np.where(known, words, 1))
    score = np.asarray(counts @ log_words.T) + np.log(np.maximum(weights, 1e-300))
    top = score.max(axis=1, keepdims=True)
    likelihood = np.exp(score - top)
    total = likelihood.sum(axis=1, keepdims=True)
    return likelihood / total, (top + np.log(total))[:, 0]


def _from_moments(
    counts: Any, length: Floats, share: Floats, H: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Weights and words of topics from pairs and triples of words; documents have three words or more."""
    n, W = counts.shape
    # Words are scaled by the roots of their shares, as if each were seen as often as all are on average besides: rare
    # words would otherwise be directions of their own.
    scale = 1 / np.sqrt(share + 1 / W)
    of_pair = 1 / (n * length * (length - 1))
    once = np.asarray(counts.T @ of_pair).ravel()

    def second(directions: Floats) -> Floats:
        """The scaled second moment times some directions, shape (W, r)."""
        scaled = scale[:, None] * directions
        moved = counts.T @ (of_pair[:, None] * np.asarray(counts @ scaled))
        return scale[:, None] * (np.asarray(moved) - once[:, None] * scaled)

    basis = np.linalg.qr(rng.normal(size=(W, min(W, H + 10))))[0]
    for _ in range(4):  # times that the second moment is applied to the random directions
        basis = np.linalg.qr(second(basis))[0]
    small = basis.T @ second(basis)
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    # About the largest eigenvalue of the noise, in which every pair of words of a document is a draw.
    noise = 2 * np.sqrt(2 * ((share * scale**2) ** 2).sum() * (of_pair / n).sum())
    told = int((values > noise).sum())
    if told < H:
        raise NotIdentifiedError(
            f"the documents tell {plural(told, 'topic')} apart, not {H}: what pairs of words show beyond that is no "
            "more than chance. Ask for fewer topics, or bring more or longer documents.",
            estimate=values[::-1],
        )
    vectors, root = basis @ vectors[:, -H:], np.sqrt(values[-H:])
    whiten = scale[:, None] * vectors / root
    Q, _ = orthogonal_parts(_third(counts, length, whiten)[None])
    words = ((vectors * root) @ Q[0]).T / scale  # sqrt(w_h) mu_h
    sums = np.maximum(words.sum(axis=1), 1e-9)
    weights = np.maximum(sums**2, 1 / n)
    # Every word that some document has is possible in all topics.
    words = on_simplex(words / sums[:, None]) + 1e-3 * share
    return weights / weights.sum(), words / words.sum(axis=1, keepdims=True)


def _third(counts: Any, length: Floats, whiten: Floats) -> Floats:
    """The third moment in whitened coordinates, shape (H, H, H)."""
    W, H = whiten.shape
    weight = 1 / (len(length) * length * (length - 1) * (length - 2))
    squares = (whiten[:, :, None] * whiten[:, None]).reshape(W, H * H)
    once = np.asarray(counts.T @ weight).ravel()
    total = 2 * (squares.T @ (once[:, None] * whiten)).reshape(H, H, H)
    for low in range(0, len(length), _CHUNK):
        part = counts[low : low + _CHUNK]
        z = np.asarray(part @ whiten)
        weighted = weight[low : low + _CHUNK, None] * z
        total += ((z[:, :, None] * z[:, None]).reshape(-1, H * H).T @ weighted).reshape(H, H, H)
        twice = (np.asarray(part @ squares).T @ weighted).reshape(H, H, H)  # the same word twice, and another
        total -= twice + twice.transpose(0, 2, 1) + twice.transpose(2, 1, 0)
    return total


def _checked(counts: Any) -> Any:
    """Counts as a matrix of floats with two axes, dense or with rows held sparsely."""
    sparse = is_sparse_matrix(counts)
    try:
        given = counts.tocsr().astype(np.float64) if sparse else np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError("counts of words must be numbers, a row per document and a column per word.") from None
    if given.ndim != 2 or 0 in given.shape:
        raise InputError(f"counts of words have two axes, documents and words; these have shape {given.shape}.")
    values: Floats = np.asarray(given.data if sparse else given).ravel()
    if not np.isfinite(values).all():
        raise InputError(
            "counts of words must be numbers; some are NaN or infinite. Write 0 where a word is not there."
        )
    wrong = values[(values < 0) | (values != np.rint(values))]
    if len(wrong):
        raise InputError(f"counts of words are whole numbers from 0 on; found {float(wrong[0])!r}. Shares will not do.")
    return given


def _check_number(n_topics: int, counts: Any, length: Floats) -> None:
    """Refuse numbers of topics that no documents of this size can have."""
    if not isinstance(n_topics, int | np.integer) or isinstance(n_topics, bool):
        raise TypeError(f"n_topics must be a whole number, not {n_topics!r}.")
    if n_topics < 1:
        raise InputError(f"n_topics must be 1 or more, not {n_topics}.")
    long = int((length >= 3).sum())
    words = int((np.asarray(counts.sum(axis=0)) > 0).sum())
    if long == 0:
        raise InputError("no document has three words, and topics are told by three words of a document at least.")
    if n_topics > min(long, words):
        raise InputError(
            f"{plural(long, 'document')} of three words or more with {plural(words, 'different word')} have no "
            f"{n_topics} topics: ask for at most {min(long, words)}."
        )
