"""What every kind of source must do."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from simulate import draw_votes, make_votes, symmetric_conditionals, triplet_fit

from carob import InputError, LabelModel, Moments, NotIdentifiedError, Votes
from carob.paper.count import count
from carob.paper.kinds import KINDS, ClassConditional, Graded, Kind, Symmetric, choose_kind
from carob.paper.kinds.kind import dependent, weighted_median
from carob.paper.settings import TripletSettings
from carob.paper.triplet_fit import solve
from carob.votes import GoldPoints

ACCURACIES = np.array([0.7, 0.6, 0.8, 0.75, 0.65])
BALANCE = np.array([0.6, 0.4])


def votes_of(kind: Kind, n: int = 200_000) -> tuple[Votes, npt.NDArray[np.float64]]:
    """Votes of sources of this kind, and their true tables."""
    if isinstance(kind, Symmetric):
        tables = symmetric_conditionals(ACCURACIES, 2, 0.2)
    else:
        tables = np.array(
            [
                [[0.1, 0.7, 0.2], [0.2, 0.2, 0.6]],
                [[0.0, 0.8, 0.2], [0.0, 0.4, 0.6]],  # always votes
                [[0.9, 0.0, 0.1], [0.4, 0.0, 0.6]],  # votes for the second class only
                [[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]],  # votes for the first class only
                [[0.3, 0.5, 0.2], [0.3, 0.1, 0.6]],
            ]
        )
    return draw_votes(np.random.default_rng(0), n, tables, BALANCE), tables


def true_x(kind: Kind, tables: npt.NDArray[np.float64], features: object) -> npt.NDArray[np.float64]:
    if isinstance(kind, Symmetric):
        return 2 * ACCURACIES - 1
    if isinstance(kind, Graded):
        return np.array([-1, 1]) @ (tables[:, :, 2] - tables[:, :, 1]).T
    outputs = features.output  # type: ignore[attr-defined]
    source, spoken = outputs // 2, outputs % 2 + 1
    return (tables[source, 1, spoken] - tables[source, 0, spoken]) * np.where(spoken == 2, 1, -1)


@pytest.mark.parametrize("kind", KINDS)
def test_recovery_products_are_products_of_parameters(kind: Kind) -> None:
    votes, tables = votes_of(kind)
    moments = Moments.of(votes)
    features = kind.features(moments, ())
    x = true_x(kind, tables, features)
    b = kind.products(moments, features, BALANCE)
    assert (features.allowed == (features.source[:, None] != features.source)).all()
    np.testing.assert_allclose(b[features.allowed], np.outer(x, x)[features.allowed], atol=0.015)


@pytest.mark.parametrize("kind", KINDS)
def test_recovery_tables_of_the_true_parameters(kind: Kind) -> None:
    votes, tables = votes_of(kind)
    moments = Moments.of(votes)
    features = kind.features(moments, ())
    found = kind.tables(moments, features, true_x(kind, tables, features), BALANCE)
    np.testing.assert_allclose(found, tables, atol=0.005)
    np.testing.assert_allclose(found.sum(axis=2), 1)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_recovery_class_balance(kind: Kind) -> None:
    votes, _ = votes_of(kind)
    counted = count(votes, TripletSettings(symmetric=isinstance(kind, Symmetric)))
    assert type(counted.kind) is type(kind)
    found = kind.class_balance(counted.statistics.moments, counted.statistics.triples, counted.triple_sums, ())
    np.testing.assert_allclose(found, BALANCE, atol=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_known_pairs_are_in_no_triplet(kind: Kind) -> None:
    votes, _ = votes_of(kind, 500)
    features = kind.features(Moments.of(votes), ((0, 4), (2, 1)))
    together = {
        frozenset((i, j))
        for i, j in zip(*np.meshgrid(features.source, features.source), strict=True)
        for i, j in zip(i, j, strict=True)
    }
    for f, i in enumerate(features.source):
        for g, j in enumerate(features.source):
            expected = i != j and {int(i), int(j)} not in ({0, 4}, {1, 2})
            assert features.allowed[f, g] == expected
    assert len(together) > 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("group", [(0,), (1, 4), (0, 1, 4)])
def test_labeled_tables_are_shares_of_gold(kind: Kind, group: tuple[int, ...]) -> None:
    votes, tables = votes_of(kind, 60_000)
    found = kind.labeled_table(GoldPoints.of(votes, votes.own_gold), group, 1e-6)
    expected = tables[group[0]]
    for i in group[1:]:
        expected = (expected[..., None] * tables[i].reshape(2, *[1] * (expected.ndim - 1), 3)).copy()
    np.testing.assert_allclose(found, expected, atol=0.012)
    np.testing.assert_allclose(found.reshape(2, -1).sum(axis=1), 1)


@pytest.mark.parametrize("kind", KINDS)
def test_joint_table_of_sources_that_are_independent_is_the_product(kind: Kind) -> None:
    votes, tables = votes_of(kind)
    settings = TripletSettings(class_balance=BALANCE, symmetric=isinstance(kind, Symmetric), known_pairs=[(1, 4)])
    counted = count(votes, settings)
    features = kind.features(counted.statistics.moments, counted.pairs)
    from carob import SourceModel

    x = true_x(kind, tables, features)
    model = SourceModel.independent(
        votes.sources, votes.classes, BALANCE, kind.tables(counted.statistics.moments, features, x, BALANCE)
    )
    counts = counted.statistics.groups[0]
    found = kind.joint_table(counts.joint.sum(axis=0), counts.with_others.sum(axis=0), model, (1, 4))
    expected = tables[1][:, :, None] * tables[4][:, None, :]
    np.testing.assert_allclose(found, expected, atol=0.012)


def test_the_kind_is_chosen_by_how_sources_vote() -> None:
    rng = np.random.default_rng(0)
    always = Moments.of(make_votes(rng.integers(0, 2, (100, 4))))
    crowd = Moments.of(make_votes(rng.integers(-1, 2, (100, 4))))
    one_sided = Moments.of(make_votes(np.where(rng.random((100, 4)) < 0.5, -1, [0, 1, 0, 1])))
    three = Moments.of(make_votes(rng.integers(0, 3, (100, 4)), 3))
    assert [isinstance(choose_kind(None, moments), Symmetric) for moments in (always, crowd, one_sided, three)] == [
        False, True, False, True,
    ]  # fmt: skip
    assert isinstance(choose_kind(True, always), Symmetric)
    assert isinstance(choose_kind(False, crowd), ClassConditional)
    with pytest.raises(InputError, match="for two classes; there are 3"):
        choose_kind(False, three)
    half = make_votes(np.column_stack([rng.integers(-1, 2, (100, 2)), rng.integers(0, 2, (100, 2))]))
    assert isinstance(choose_kind(None, Moments.of(half)), ClassConditional)  # half of the sources are not most


def test_one_sided_sources_tell_nothing_of_each_other_where_one_accuracy_is_learned() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (200, 4))
    values[:, 2] = np.where(values[:, 2] == 1, 1, -1)
    values[:, 3] = np.where(values[:, 3] == 0, 0, -1)
    moments = Moments.of(make_votes(values))
    kind = Symmetric()
    features = kind.features(moments, ())
    assert not features.allowed[2, 3]
    assert features.allowed[0, 2]
    assert features.allowed[0, 1]
    assert "2 of the sources vote for one class only" in kind.hint(moments)
    assert ClassConditional().hint(moments) == ""


def test_pairs_that_depend() -> None:
    assert dependent(3, ((0, 2),)).tolist() == [[True, False, True], [False, True, False], [True, False, True]]


def test_oracle_weighted_median_repeats_values() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(9, 4))
    weights = rng.integers(1, 6, 9)
    expected = np.sort(np.repeat(values, weights, axis=0), axis=0)[int(np.ceil(weights.sum() / 2)) - 1]
    np.testing.assert_allclose(weighted_median(values, weights.astype(float)), expected)
    per_cell = np.broadcast_to(weights[:, None].astype(float), values.shape)
    np.testing.assert_allclose(weighted_median(values, per_cell), expected)


def test_third_moments_that_were_not_counted_are_missed() -> None:
    votes, _ = votes_of(ClassConditional(), 200)
    with pytest.raises(TypeError, match="third moments were not counted"):
        ClassConditional().class_balance(Moments.of(votes), None, None, ())


def test_probabilities_are_cut_before_they_leave_the_unit_interval() -> None:
    votes, _ = votes_of(ClassConditional(), 300)
    moments = Moments.of(votes)
    kind = ClassConditional()
    features = kind.features(moments, ())
    for size in (-3.0, 3.0):
        tables = kind.tables(moments, features, np.full(len(features.source), size), BALANCE)
        assert ((tables >= 0) & (tables <= 1)).all()
        assert tables[tables > 0].min() > 1 / 2_000


def judges(n: int = 20_000, seed: int = 0) -> tuple[Votes, npt.NDArray[np.float64]]:
    """Three judges with normal scores, two of them rounded, and two voters; and the classes."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < BALANCE[1]).astype(np.int64)
    seen = rng.normal(size=(n, 3)) + truth[:, None] * [1.0, 1.5, 0.7]
    voted = np.where(rng.random((n, 2)) < [0.75, 0.65], truth[:, None], 1 - truth[:, None])
    numbers = np.concatenate([seen[:, :1], np.round(20 + 2 * seen[:, 1:]), voted], axis=1)
    return Votes.from_array(numbers, list("abcde"), kinds=dict.fromkeys("abc", "score")), truth


def test_recovery_the_shift_of_scores_needs_no_threshold() -> None:
    votes, truth = judges()
    moments = Moments.of(votes)
    graded = np.array(
        [[moments.outputs.grades[moments.outputs.first[i] + code] for code in votes.values[:, i]] for i in range(5)]
    )
    np.testing.assert_allclose(moments.grade_covariances, np.cov(graded, bias=True), atol=1e-12)
    kind = choose_kind(None, moments)
    assert isinstance(kind, Graded)
    solution = solve(moments, BALANCE, TripletSettings(class_balance=BALANCE))
    shift = graded[:, truth == 1].mean(axis=1) - graded[:, truth == 0].mean(axis=1)
    np.testing.assert_allclose(solution.x, shift, atol=0.03)
    codes = np.arange(votes.outputs.sizes[1] - 1)
    by_class = [(votes.values[truth == y, 1] == codes[:, None]).mean(axis=1) for y in (0, 1)]
    np.testing.assert_allclose(solution.model.source_tables[1][:, 1:], by_class, atol=0.03)


def test_scores_of_the_same_judge_twice_are_taken_as_one_where_told() -> None:
    votes, truth = judges(5_000)
    rng = np.random.default_rng(1)
    twice = np.concatenate([votes.values, (votes.values[:, 1:2] + rng.integers(0, 2, (5_000, 1))).clip(0, 9)], axis=1)
    again = Votes.from_array(twice, list("abcdef"), kinds=dict.fromkeys("abcf", "score"))
    known = LabelModel(method="triplets", class_balance=0.4, known_pairs=[("b", "f")]).fit(again)
    misled = LabelModel(method="triplets", class_balance=0.4).fit(again)
    losses = [-np.log(m.predict_proba(again)[np.arange(5_000), truth]).mean() for m in (known, misled)]
    assert losses[0] < losses[1]


def test_triplets_of_scores_ask_for_the_class_balance() -> None:
    votes, truth = judges(2_000)
    with pytest.raises(NotIdentifiedError, match="do not tell the class balance"):
        LabelModel(method="triplets").fit(votes, None)
    found = LabelModel(method="triplets").fit(votes, np.where(np.arange(2_000) < 200, truth, -1))
    assert abs(found.class_balance_[1] - 0.4) < 0.1
    with pytest.raises(InputError, match="a score is no vote"):
        triplet_fit(votes, symmetric=True, class_balance=0.4)
    numbers = np.c_[votes.values, truth, np.arange(2_000) % 3]
    three = Votes.from_array(numbers, kinds={f"s{i}": "score" for i in range(3)})
    with pytest.raises(InputError, match="triplets of scores are for two classes; there are 3"):
        LabelModel(method="triplets").fit(three)
