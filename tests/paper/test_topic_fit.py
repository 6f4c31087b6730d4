from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from carob import InputError, NotIdentifiedError
from carob.paper import Topics, topics
from carob.paper import topic_fit as module
from carob.paper.confusion import assignment

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def documents(
    seed: int, n: int, W: int, H: int, length: float, spread: float = 0.3
) -> tuple[Ints, Floats, Floats, Ints]:
    """Counts of words, the words and weights of the topics, and the topic of each document."""
    rng = np.random.default_rng(seed)
    words, weights = rng.dirichlet(np.full(W, spread), H), rng.dirichlet(np.full(H, 5.0))
    topic = rng.choice(H, n, p=weights)
    counts = np.stack([rng.multinomial(rng.poisson(length), words[h]) for h in topic])
    return counts, words, weights, topic


def known(counts: Ints, topic: Ints, H: int) -> Floats:
    """Words of one who knows the topics."""
    return np.stack([counts[topic == h].sum(axis=0) / counts[topic == h].sum() for h in range(H)])


def matched(found: Topics, words: Floats) -> Ints:
    """The topic that was found for each true one."""
    return assignment(-np.abs(words[:, None] - found.words[None]).sum(axis=2)).astype(np.int64)


@pytest.mark.parametrize(
    ("n", "W", "H", "length"), [(400, 50, 3, 12), (2_000, 200, 5, 8), (2_000, 300, 5, 20), (3_000, 1_000, 10, 30)]
)
def test_recovery_within_1_5_times_the_error_of_one_who_knows_the_topics(n: int, W: int, H: int, length: float) -> None:
    for seed in range(3):
        counts, words, weights, topic = documents(seed, n, W, H, length)
        found = topics(counts, H)
        order = matched(found, words)
        error = np.abs(found.words[order] - words).sum(axis=1).mean()
        assert error < 1.5 * np.abs(known(counts, topic, H) - words).sum(axis=1).mean()
        shares = np.bincount(topic, minlength=H) / n
        np.testing.assert_allclose(found.weights[order], shares, atol=0.03)
        assert (np.argsort(order)[found.posterior(counts).argmax(axis=1)] == topic).mean() > 0.8
        assert np.abs(weights - shares).max() < 0.2


def test_recovery_moments_alone_get_better_with_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a single likelihood step; and what they lack, the steps make good."""
    monkeypatch.setattr(module, "STEPS", 0)
    error = {}
    for n in (1_000, 16_000):
        counts, words, _, _ = documents(5, n, 60, 3, 15)
        found = topics(counts, 3)
        error[n] = np.abs(found.words[matched(found, words)] - words).sum(axis=1).mean()
    assert 2.4 < error[1_000] / error[16_000] < 6.5
    monkeypatch.undo()
    counts, words, _, _ = documents(5, 1_000, 60, 3, 15)
    found = topics(counts, 3)
    assert np.abs(found.words[matched(found, words)] - words).sum(axis=1).mean() < error[1_000]


def test_oracle_third_moment_one_triple_of_words_at_a_time() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.7, (7, 6)).astype(float)
    counts[counts.sum(axis=1) < 3, 0] += 3
    length, whiten = counts.sum(axis=1), rng.normal(size=(6, 2))
    expected = np.zeros((2, 2, 2))
    for row in counts.astype(int):
        words = np.repeat(np.arange(6), row)
        L = len(words)
        for a in range(L):
            for b in range(L):
                for c in range(L):
                    if len({a, b, c}) == 3:
                        one = np.einsum("i,j,k->ijk", *whiten[words[[a, b, c]]])
                        expected += one / (L * (L - 1) * (L - 2)) / 7
    np.testing.assert_allclose(module._third(counts, length, whiten), expected)


def test_known_answer_posterior_by_hand() -> None:
    found = Topics(np.array([0.25, 0.75]), np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]]))
    counts = [[2, 1, 0], [0, 0, 0], [0, 0, 5]]
    one, two = 0.25 * 0.5**3, 0.75 * 0.2**2 * 0.8
    expected = [[one / (one + two), two / (one + two)], [0.25, 0.75], [0.25, 0.75]]  # the last word was never seen
    np.testing.assert_allclose(found.posterior(counts), expected)
    np.testing.assert_allclose(found.posterior(sparse.csr_array(np.array(counts))), expected)


def test_invariants_order_of_documents_and_words_empty_documents_and_how_counts_are_held() -> None:
    counts, _, _, _ = documents(1, 800, 80, 4, 15)
    found = topics(counts, 4)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(800), rng.permutation(80)
    for other, words in (
        (counts[rows], slice(None)),
        (np.vstack([counts, np.zeros((50, 80), dtype=int)]), slice(None)),
        (sparse.coo_matrix(counts), slice(None)),
        (sparse.csc_array(counts), slice(None)),
        (counts.tolist(), slice(None)),
        (counts[:, columns], columns),
    ):
        again = topics(other, 4)
        np.testing.assert_allclose(again.weights, found.weights, atol=1e-4)
        np.testing.assert_allclose(again.words, found.words[:, words], atol=1e-4)
    assert np.array_equal(topics(counts, 4, rng=3).words, topics(counts, 4, rng=np.random.default_rng(3)).words)
    assert (np.diff(found.weights) <= 0).all()
    np.testing.assert_allclose(found.words.sum(axis=1), 1)


def test_one_topic_is_the_words_of_all_documents() -> None:
    counts, _, _, _ = documents(2, 300, 30, 1, 10)
    found = topics(counts, 1)
    np.testing.assert_allclose(found.words[0], counts.sum(axis=0) / counts.sum())
    assert found.weights.tolist() == [1]


def test_large_vocabularies_take_no_square_of_it() -> None:
    """A matrix of words by words would be 20 GB."""
    rng = np.random.default_rng(0)
    words = np.zeros((3, 50_000))
    for h in range(3):
        words[h, h * 100 : h * 100 + 200] = rng.dirichlet(np.ones(200))
    counts = sparse.lil_matrix((600, 50_000))
    for d in range(600):
        counts[d, h * 100 : h * 100 + 200] = rng.multinomial(40, words[(h := d % 3), h * 100 : h * 100 + 200])
    found = topics(counts, 3)
    assert np.abs(found.words[matched(found, words)] - words).sum(axis=1).max() < 0.4


@pytest.mark.parametrize(
    ("counts", "number", "match"),
    [
        (np.array([[1, -2, 3], [1, 1, 1]]), 1, r"whole numbers from 0 on; found -2\.0"),
        (np.array([[0.5, 2, 3], [1, 1, 1]]), 1, r"whole numbers from 0 on; found 0\.5"),
        (np.array([[np.nan, 2, 3], [1, 1, 1]]), 1, "NaN or infinite"),
        (sparse.csr_matrix(np.array([[np.inf, 2, 3], [1, 1, 1]])), 1, "NaN or infinite"),
        (np.array([1, 2, 3]), 1, r"two axes, documents and words; these have shape \(3,\)"),
        (np.zeros((0, 5)), 1, "two axes"),
        (np.array([[1, 1, 0], [2, 0, 0]]), 1, "no document has three words"),
        (np.zeros((4, 5)), 1, "no document has three words"),
        (np.array([[3, 1, 0], [2, 1, 4], [1, 0, 0]]), 3, "2 documents of three words or more with 3 different words"),
        (np.array([[3, 1, 0], [2, 1, 4]]), 0, "n_topics must be 1 or more, not 0"),
    ],
)
def test_refusals(counts: Any, number: int, match: str) -> None:
    with pytest.raises(InputError, match=match):
        topics(counts, number)


def test_refusals_of_types_and_of_more_topics_than_there_are() -> None:
    with pytest.raises(TypeError, match=r"n_topics must be a whole number, not 2\.5"):
        topics(np.ones((4, 3)), 2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be numbers"):
        topics([["a", "b"]], 1)
    with pytest.raises(TypeError, match="must be numbers"):
        topics([[10**400, 1]], 1)
    counts, _, _, _ = documents(3, 1_000, 100, 3, 20)
    with pytest.raises(NotIdentifiedError, match="tell 3 topics apart, not 4") as refused:
        topics(counts, 4)
    assert len(refused.value.estimate) > 4  # type: ignore[arg-type]
    with pytest.raises(InputError, match="over 100 words, not 3"):
        topics(counts, 3).posterior([[1, 2, 3]])
