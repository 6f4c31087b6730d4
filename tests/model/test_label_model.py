from __future__ import annotations

import warnings
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, sample, symmetric_conditionals
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from carob import InputError, LabelModel, read_votes
from carob.errors import NotFittedError
from carob.posterior.settings import Method


def arrays(n: int = 2_000) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    votes = sample(n)
    assert votes.gold is not None
    return votes.values, votes.gold.values


def test_votes_arrays_and_frames_give_the_same_model() -> None:
    votes = sample()
    frame = {name: votes.values[:, i] for i, name in enumerate(votes.sources)}
    expected = LabelModel(class_balance=0.5, replicates=0).fit(votes)
    for data in (votes.values, pd.DataFrame(frame), pl.DataFrame(frame)):
        model = LabelModel(class_balance=0.5, replicates=0).fit(data)
        assert np.array_equal(model.predict_proba(data), expected.predict_proba(votes))


def test_classes_come_back_as_they_were_written() -> None:
    values = np.where(sample().values == 1, "spam", "ham")
    model = LabelModel(class_balance=0.5, replicates=0).fit(values)
    assert model.classes_.tolist() == ["ham", "spam"]
    assert set(model.predict(values)) == {"ham", "spam"}
    signs = np.where(sample().values == 1, 1, -1)
    assert set(LabelModel(class_balance=0.5, replicates=0).fit(signs).predict(signs).tolist()) == {-1, 1}


def test_columns_are_found_by_name() -> None:
    votes = sample()
    frame = pd.DataFrame(votes.values, columns=list(votes.sources))
    model = LabelModel(class_balance=0.5, replicates=0).fit(frame)
    shuffled = frame[frame.columns[::-1]].assign(text="not a source")
    assert np.array_equal(model.predict_proba(shuffled), model.predict_proba(frame))
    with pytest.raises(InputError, match="no column 's3'"):
        model.predict(frame.drop(columns="s3"))


def test_class_balance_is_given_or_from_gold_or_estimated() -> None:
    strong = symmetric_conditionals([0.8, 0.85, 0.9, 0.75, 0.8])
    votes = draw_votes(np.random.default_rng(0), 20_000, strong, [0.7, 0.3])
    assert LabelModel(class_balance=0.4, replicates=0).fit(votes).class_balance_.tolist() == [0.6, 0.4]
    gold = votes.code_gold(np.where(np.arange(20_000) < 1000, votes.gold.values, -1))  # type: ignore[union-attr]
    from_gold = LabelModel(method="triplets", replicates=20).fit(votes, gold)
    from_votes = LabelModel(method="triplets", replicates=0).fit(votes).class_balance_
    assert from_gold.class_balance_[1] == pytest.approx((gold.counts[1] + 25 * from_votes[1]) / 1025)
    assert from_gold.class_balance_low_[1] < 0.3 < from_gold.class_balance_high_[1]
    estimated = LabelModel(method="triplets", replicates=50).fit(votes)
    assert estimated.class_balance_[1] == pytest.approx(0.3, abs=0.02)
    assert estimated.class_balance_low_[1] < 0.3 < estimated.class_balance_high_[1]
    # The default takes what votes say for little, or, as these show no dependence, for much.
    default, with_gold = LabelModel().fit(votes), LabelModel(level=0.95).fit(votes, gold)
    assert abs(with_gold.class_balance_[1] - 0.3) < abs(gold.counts[1] / 1000 - 0.3)
    assert 0.3 < default.class_balance_[1] < 0.5  # drawn to the middle, where votes are all there is
    assert with_gold.class_balance_low_[1] < 0.3 < with_gold.class_balance_high_[1]


def test_labeled_needs_gold_and_uses_it() -> None:
    votes = sample()
    with pytest.raises(InputError, match="learns from gold"):
        LabelModel(method="labeled").fit(votes)
    model = LabelModel(method="labeled").fit(votes, votes.gold)
    table = model.source_table_
    assert np.all((table.low < PAPER_ACCURACIES) & (table.high > PAPER_ACCURACIES))
    np.testing.assert_allclose(table.accuracy, table.empirical_accuracy, atol=0.01)


def test_the_same_seed_gives_the_same_bits() -> None:
    votes = sample()
    for method in get_args(Method)[:2]:
        one, two = (
            LabelModel(method=method, class_balance=0.5, replicates=30).fit(votes).source_table_ for _ in range(2)
        )
        assert np.array_equal(one.low, two.low)
        assert np.array_equal(one.high, two.high)


def test_gold_that_came_with_the_votes_and_is_not_used_is_warned_of() -> None:
    frame = pd.DataFrame(sample(100).values, columns=list("abcdefghij")).assign(y=["", *map(str, [0, 1, 1] * 33)])
    votes = read_votes(frame.astype(str), gold="y")
    words = "the votes came with 99 gold labels that fit was not given; pass gold=votes.gold to learn from them"
    with pytest.warns(UserWarning, match=words) as warned:
        LabelModel(class_balance=0.5, replicates=0).fit(votes)
    assert warned[0].filename == __file__
    LabelModel(class_balance=0.5, replicates=0).fit(votes, votes.gold)
    LabelModel(class_balance=0.5, replicates=0).fit(sample(100))  # drawn, with the truth to measure by


def test_asking_before_fitting() -> None:
    model = LabelModel()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.predict([[0, 1]])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        _ = model.sources_
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.save("x.json")


def test_refusals() -> None:
    votes = sample(100)
    with pytest.raises(InputError, match="level must be"):
        LabelModel(level=1.5).fit(votes)
    with pytest.raises(InputError, match="method must be one of 'consensus', 'triplets', 'labeled', 'tensors'"):
        LabelModel(method="magic").fit(votes)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no parameter 'x'"):
        LabelModel().set_params(x=1)
    model = LabelModel(class_balance=0.5, replicates=0).fit(votes)
    with pytest.raises(InputError, match="no gold label to score"):
        model.score(votes, np.full(100, -1))
    with pytest.raises(InputError, match="do not fit 10 sources"):
        model.predict([[0, 1, 1]])
    with pytest.raises(InputError, match="neither a class nor an abstain"):
        model.predict(np.full((2, 10), 7))


def test_repr_shows_what_was_changed() -> None:
    assert repr(LabelModel()) == "LabelModel()"
    assert repr(LabelModel("labeled", class_balance=0.3)) == "LabelModel(method='labeled', class_balance=0.3)"


def test_clone_pipeline_and_grid_search() -> None:
    X, y = arrays()
    model = LabelModel("triplets", class_balance=0.5, replicates=0)
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    assert not hasattr(clone(model.fit(X)), "source_model_")
    pipeline = Pipeline([("same", FunctionTransformer()), ("labels", LabelModel(class_balance=0.5, replicates=0))])
    assert pipeline.fit(X, y).predict(X).shape == y.shape
    assert pipeline.score(X, y) > 0.75
    search = GridSearchCV(LabelModel(class_balance=0.5, replicates=0), {"method": ["consensus", "triplets"]}, cv=3).fit(
        X, y
    )
    assert set(search.best_params_) == {"method"}
    assert search.best_score_ > 0.75
    losses = cross_val_score(LabelModel(class_balance=0.5, replicates=0), X, y, cv=3, scoring="neg_log_loss")
    assert (losses > -0.6).all()


NOT_VOTES = "feeds real numbers rounded to integers, or labels that are no votes of any source"
OTHER_WORDS = "refuses as asked, in carob's words rather than scikit-learn's"
EXPECTED_FAILURES = {
    "check_positive_only_tag_during_fit": NOT_VOTES,
    "check_supervised_y_2d": NOT_VOTES,
    "check_classifiers_classes": NOT_VOTES,
    "check_fit_score_takes_y": NOT_VOTES,
    "check_dtype_object": NOT_VOTES,
    "check_classifiers_train": NOT_VOTES,
    "check_complex_data": OTHER_WORDS,
    "check_estimators_empty_data_messages": OTHER_WORDS,
    "check_estimators_unfitted": OTHER_WORDS,
    "check_fit2d_1sample": OTHER_WORDS,
    "check_fit2d_predict1d": OTHER_WORDS,
    "check_n_features_in_after_fitting": OTHER_WORDS,
    "check_classifiers_regression_target": OTHER_WORDS,
}
with warnings.catch_warnings():  # one per check: LabelModel does not derive from BaseEstimator, on purpose
    warnings.simplefilter("ignore", UserWarning)
    each_check = parametrize_with_checks(
        [LabelModel(replicates=0)], expected_failed_checks=lambda estimator: EXPECTED_FAILURES
    )


@each_check  # type: ignore[untyped-decorator]
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
