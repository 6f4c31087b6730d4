"""Input that once was misread, or ended in a traceback: each case as a user met it."""

from __future__ import annotations

import importlib
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from run_carob import answer, carob, warnings_of
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob import (
    InputError,
    LabelModel,
    Moments,
    NotIdentifiedError,
    ReadOptions,
    SourceModel,
    Votes,
    apply_sources,
    keyword,
    load,
    read_votes,
)
from carob.paper import dependent_pairs, labeled, triplets


def good_votes(n: int = 1_000, m: int = 5, balance: float = 0.5) -> Votes:
    return draw_votes(np.random.default_rng(0), n, symmetric_conditionals(np.full(m, 0.8)), [1 - balance, balance])


def write(path: Path, votes: Votes, **more: Any) -> Path:
    frame = pd.DataFrame(votes.values, columns=list("abcdefghij")[: len(votes.sources)])
    frame.assign(**more).to_csv(path, index=False)
    return path


def test_sources_that_vote_for_one_class_each_are_not_taken_to_be_perfect() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2_000)
    values = np.full((2_000, 9), -1)
    for i in range(9):
        fires = rng.random(2_000) < np.where(y == i % 3, 0.5, 0.2)
        values[fires, i] = i % 3
    votes = make_votes(values, 3)
    with pytest.raises(NotIdentifiedError, match="9 of the sources vote for one class only"):
        LabelModel(method="triplets", replicates=0).fit(votes)
    model = LabelModel().fit(votes)
    assert (model.source_table_.accuracy < 0.75).all()  # it is 5 in 9
    assert (model.predict(votes) == y).mean() > 0.5
    assert model.predict_proba(votes).max() < 0.99


def test_crowd_workers_with_blocks_of_tasks_have_their_own_accuracy() -> None:
    rng = np.random.default_rng(1)
    accuracies = rng.uniform(0.65, 0.9, 40)
    votes = draw_votes(rng, 1_000, symmetric_conditionals(accuracies), [0.8, 0.2])
    values = votes.values.copy()
    for start in range(0, 1_000, 20):  # each block of tasks goes to ten workers
        asked = rng.choice(40, 10, replace=False)
        values[start : start + 20, np.setdiff1d(np.arange(40), asked)] = -1
    model = LabelModel(method="triplets", replicates=0).fit(make_votes(values))
    assert np.abs(model.source_table_.accuracy - accuracies).mean() < 0.08
    assert model.class_balance_[1] == pytest.approx(0.2, abs=0.06)
    default = LabelModel().fit(make_votes(values))
    assert np.abs(default.source_table_.accuracy - accuracies).mean() < 0.08
    assert 0.2 < default.class_balance_[1] < 0.45  # drawn to the middle, where votes are all there is


def test_one_gold_label_does_not_ruin_the_class_balance() -> None:
    votes = good_votes(5_000, 5, 0.05)
    assert votes.gold is not None
    one = votes.code_gold(np.where(np.arange(5_000) == 0, votes.gold.values, -1))
    without, with_one = (LabelModel(replicates=0).fit(votes, gold) for gold in (None, one))
    assert with_one.class_balance_[1] == pytest.approx(without.class_balance_[1], abs=0.05)
    assert with_one.score(votes, votes.gold) > without.score(votes, votes.gold) - 0.005


@pytest.mark.parametrize(
    ("values", "gold", "text"),
    [
        ([[-1, 1, 1], [1, -1, 1]], [-1, 0], "gold holds -1, 0"),
        ([[-1, 0, 1], [1, -1, 1], [0, 0, 0]], [-1, 0, 1], "gold holds -1, 0, 1"),
        ([[0, 1, 1], [1, 0, 1]], [-1, 1], "gold holds -1, 1"),
    ],
)
def test_gold_that_contradicts_the_coding_is_asked_about(values: list[list[int]], gold: list[int], text: str) -> None:
    with pytest.raises(InputError, match=text):
        Votes.from_array(values, gold=gold)


def test_gold_that_settles_the_coding() -> None:
    one_sided = Votes.from_array([[-1, 1, 1], [1, -1, 1], [-1, -1, 1]], gold=[0, 1, 0])
    assert one_sided.classes == (0, 1)
    assert one_sided.values[0].tolist() == [-1, 1, 1]
    frame = pd.DataFrame({"a": [-1, 0, 1, 1], "b": [0, 0, 1, 1], "c": [1, 0, -1, 1], "d": [1, 0, 1, 0]})
    model = LabelModel(method="labeled").fit(frame, [0, 0, 1, 1])
    assert model.classes_.tolist() == [0, 1]


def test_options_mean_the_same_for_texts_and_booleans(tmp_path: Path) -> None:
    texts = read_votes({"a": ["-1", "0", "1"], "b": ["0", "1", "1"]}, abstain=-1)
    assert texts.classes == ("0", "1")
    assert texts.values[0].tolist() == [-1, 0]
    assert read_votes({"a": ["0", "1"], "b": ["1", "1"]}, classes=[1, 0]).classes == ("1", "0")
    assert read_votes({"a": ["NaN", "x"], "b": ["y", "x"]}, abstain=float("nan")).classes == ("x", "y")
    path = tmp_path / "bool.parquet"
    pd.DataFrame(np.array(good_votes(100).values, dtype=bool)).rename(columns=str).to_parquet(path)
    assert answer("check", path, "--classes", "True,False", "--class-balance", ".5")["classes"] == [True, False]


def test_an_index_that_pandas_wrote_is_no_source(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [0, 1, 1, 0], "b": [1, 1, 0, 0], "c": [1, 0, 1, 0]})
    part = frame[frame.a >= 0].iloc[[3, 0, 2]]
    part.to_parquet(tmp_path / "part.parquet")
    assert read_votes(tmp_path / "part.parquet").sources == ("a", "b", "c")
    assert Votes.from_frame(part).sources == ("a", "b", "c")


def test_masked_cells_are_empty() -> None:
    masked = np.ma.masked_array([[0, 1], [1, 1]], mask=[[False, True], [False, False]])
    assert Votes.from_array(masked).values.tolist() == [[0, -1], [1, 1]]


def test_intervals_from_gold_hold_the_estimate_under_another_class_balance() -> None:
    conditionals = np.tile([[0.0, 0.95, 0.05], [0.0, 0.45, 0.55]], (4, 1, 1))
    votes = draw_votes(np.random.default_rng(0), 400, conditionals, [0.5, 0.5])
    table = LabelModel(method="labeled", class_balance=[0.9, 0.1]).fit(votes, votes.gold).source_table_
    truth = 0.9 * 0.95 + 0.1 * 0.55
    assert np.all((table.low <= table.accuracy) & (table.accuracy <= table.high))
    assert ((table.low <= truth) & (truth <= table.high)).mean() >= 0.75


def test_keys_keep_their_leading_zeros(tmp_path: Path) -> None:
    path = write(tmp_path / "v.csv", good_votes(50), id=[f"{i:05d}" for i in range(50)])
    assert carob("fit", path, "--key", "id", "--class-balance", ".5", "--out", tmp_path / "l.jsonl").returncode == 0
    assert json.loads((tmp_path / "l.jsonl").read_text().splitlines()[7])["id"] == "00007"
    votes = read_votes(
        {"id": [1, 2], "a": [0, 1], "b": [1, 0]}, key="id", options=ReadOptions(gold_file={"id": ["2"], "gold": [1]})
    )
    assert votes.gold is not None
    assert votes.gold.values.tolist() == [-1, 1]


def test_a_model_labels_the_file_it_was_fitted_on(tmp_path: Path) -> None:
    words = np.where(
        np.random.default_rng(1).random((300, 5)) < 0.2, "ABSTAIN", np.array(["ham", "spam"])[good_votes(300).values]
    )
    path, model = tmp_path / "w.csv", tmp_path / "m.json"
    pd.DataFrame(words, columns=list("abcde")).to_csv(path, index=False)
    assert carob("fit", path, "--class-balance", ".5", "--model", model, "--out", tmp_path / "1.csv").returncode == 0
    assert carob("label", path, "--model", model, "--out", tmp_path / "2.csv").returncode == 0
    assert (tmp_path / "1.csv").read_text() == (tmp_path / "2.csv").read_text()


def test_a_worker_who_is_not_in_the_new_file_abstains() -> None:
    rows = [(t, w, int(v)) for t, row in enumerate(good_votes(200).values) for w, v in zip("abcde", row, strict=True)]
    frame = pd.DataFrame(rows, columns=["task", "worker", "label"])
    model = LabelModel(class_balance=0.5, replicates=0).fit(frame)
    part = frame[(frame.worker != "d") & (frame.task < 10)]
    assert model.predict_proba(part).shape == (10, 2)


def test_outputs_do_not_overwrite_inputs_or_each_other(tmp_path: Path) -> None:
    path = write(tmp_path / "v.csv", good_votes(100))
    before = path.read_bytes()
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to(path)
    for source, options in (
        (path, ["--out", path]),
        (path, ["--out", tmp_path / "sub" / ".." / "v.csv"]),
        (tmp_path / "link.csv", ["--out", path]),
        (f"SELECT * FROM '{path}'", ["--out", path]),  # noqa: S608
        (path, ["--out", tmp_path / "x.csv", "--model", tmp_path / "x.csv"]),
    ):
        result = carob("fit", source, *options)
        assert result.returncode == 2
        assert "must be different files" in result.stderr
    assert path.read_bytes() == before
    near = write(tmp_path / "sv.csv", good_votes(100))  # the name of one is the end of the other's
    assert carob("fit", near, "--class-balance", ".5", "--out", path).returncode == 0
    near.unlink()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.csv", "sub", "v.csv"]


def test_the_next_command_has_the_options_of_this_one(tmp_path: Path) -> None:
    path = write(tmp_path / "v.csv", good_votes(300))
    options = ["--known-pair", "a", "b", "--class-balance", ".3", "--drop", "e"]
    found = answer("check", path, *options)
    for words in ("--known-pair a b", "--class-balance .3", "--drop e"):
        assert words in found["next"]


def test_two_sources_are_enough_with_gold(tmp_path: Path) -> None:
    votes = good_votes(200, 2)
    assert votes.gold is not None
    path = write(tmp_path / "v.csv", votes, y=votes.gold.values)
    assert answer("check", path, "--gold", "y", "--method", "labeled")["problems"] == []
    assert answer("fit", path, "--gold", "y", "--method", "labeled")["n_gold"] == 200


@pytest.mark.parametrize("options", [("--class-balance", "-1"), ("--kind", "7"), ("--repeats", "maybe")])
def test_options_out_of_range_end_without_a_traceback(options: tuple[str, str], tmp_path: Path) -> None:
    result = carob("fit", write(tmp_path / "v.csv", good_votes(100)), *options)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_small_integers_far_apart() -> None:
    values = np.array([[-128, 0], [1, 1], [0, -128]], dtype=np.int8)
    assert Votes.from_array(values, abstain=-128).values.tolist() == [[-1, 0], [1, 1], [0, -1]]
    assert read_votes({"a": values[:, 0], "b": values[:, 1]}, abstain=-128).classes == (0, 1)


def test_a_tiny_table_has_an_answer() -> None:
    values = np.array([[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 0, 0]])
    for seed in range(3):
        model = LabelModel(class_balance=0.5, rng=seed).fit(values)
        assert np.all((model.source_table_.low >= 0) & (model.source_table_.high <= 1))


def test_dates_as_keys(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"
    votes = good_votes(60)
    days = pd.date_range("2026-01-01", periods=60).date
    pd.DataFrame(votes.values, columns=list("abcde")).assign(day=days).to_parquet(path)
    for name in ("l.jsonl", "l.csv", "l.parquet"):
        assert carob("fit", path, "--key", "day", "--class-balance", ".5", "--out", tmp_path / name).returncode == 0


def test_a_transposed_table_is_refused_before_it_is_counted(tmp_path: Path) -> None:
    wide = pa.table({f"c{i}": pa.array([0, 1, 1], pa.int8()) for i in range(5_000)})
    pa.parquet.write_table(wide, tmp_path / "wide.parquet")
    found = answer("check", tmp_path / "wide.parquet", "--method", "triplets", code=2)
    assert "transposed" in found["problems"][0]
    assert "5,000" in answer("check", tmp_path / "wide.parquet")["verdict"]  # which learns what it can, and in time


def test_a_terminal_that_knows_few_letters(tmp_path: Path) -> None:
    votes = np.array(["é", "ü"])[good_votes(100).values]
    path = tmp_path / "v.csv"
    pd.DataFrame(votes, columns=list("abcde")).to_csv(path, index=False)
    result = carob("check", path, "--class-balance", ".5", env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"})
    assert result.returncode == 0, result.stderr
    assert r"\xe9" in result.stdout


def test_nested_keys_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="identifier is a number or text"):
        read_votes({"k": [[1], [2]], "a": [0, 1], "b": [1, 0]}, key="k")
    with pytest.raises(InputError, match="identifier is a number or text"):
        read_votes({"task": [[1], [2]], "worker": ["u", "v"], "label": [0, 1]})


def test_paths_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        read_votes("x" * 400 + ".csv")
    with pytest.raises(InputError, match="cannot read the model file"):
        load("x" * 400)
    (tmp_path / "with gold.csv").write_text("a,b\n0,1\n1,1\n")
    assert len(read_votes(str(tmp_path / "with gold.csv"))) == 2
    assert len(read_votes(f"select\n* from '{tmp_path}/with gold.csv'")) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"classes": [[0], 1]},
        {"abstain": [{}]},
        {"class_balance": [[-1, 2], [0, 0], [1, 1]]},
        {"class_balance": [[0, 1], [0, 0], [1, 1]]},
        {"version": -3},
    ],
)
def test_models_with_nonsense_inside_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    LabelModel(class_balance=0.5, replicates=0).fit(good_votes(100)).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=r"damaged|version"):
        load(path)


def test_deeply_nested_json_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(InputError, match=r"damaged|not a carob model"):
        load(path)


def test_missing_values_of_every_library() -> None:
    frame = pd.DataFrame({"a": [0, 1, None], "b": [1, 0, 1]}, dtype="Int64")
    assert Votes.from_array(frame.to_numpy()).values.tolist() == [[0, 1], [1, 0], [-1, 1]]
    votes = Votes.from_array([["x", "y"], ["y", "y"], ["x", "x"]])
    for gold in (pd.array(["x", pd.NA, "y"], dtype="string"), pd.Categorical(["x", None, "y"])):
        assert votes.code_gold(gold).values.tolist() == [0, -1, 1]
    column: Any = ["a", float("nan"), pd.NA, "b"]
    texts = apply_sources([keyword("a", 1, 0), keyword("b", 1, 0)], column)
    assert texts.values.tolist() == [[1, 0], [-1, -1], [-1, -1], [0, 1]]


def test_categories_of_polars() -> None:
    for kind in (pl.Categorical, pl.Enum(["ham", "spam"])):
        frame = pl.DataFrame({"a": ["ham", "spam", None], "b": ["spam", "spam", "ham"]}).cast(kind)
        assert Votes.from_frame(frame).values.tolist() == [[0, 1], [1, 1], [-1, 0]]


def test_numbers_that_are_no_classes() -> None:
    with pytest.raises(InputError, match="not a measurement"):
        Votes.from_array([[1e300, 0.0], [1.0, 1.0]])
    with pytest.raises(InputError, match="not a number of 100 bits"):
        Votes.from_array([[10**30, 0], [1, 1]])
    with pytest.raises(InputError, match="cannot be read as a table"):
        read_votes({"a": [10**30, 0], "b": [1, 0]})


@pytest.mark.parametrize(
    "params",
    [
        {"class_balance": np.float32(0.5)},
        {"class_balance": np.array(0.5)},
        {"class_balance": pd.Series([0.5, 0.5])},
        {"rng": np.int64(3)},
        {"rng": np.random.SeedSequence(1)},
        {"rng": np.random.default_rng(1)},
        {"classes": np.array([0, 1])},
        {"known_pairs": {(0, 1)}},
        {"known_pairs": np.array([[0, 1]])},
        {"known_pairs": [(np.int64(0), "s1")]},
    ],
)
def test_models_with_any_ordinary_parameter_can_be_saved(params: dict[str, Any], tmp_path: Path) -> None:
    votes = good_votes(200)
    model = LabelModel(**{"class_balance": 0.5, "replicates": 0} | params).fit(votes)
    model.save(tmp_path / "m.json")
    assert np.array_equal(load(tmp_path / "m.json").predict_proba(votes), model.predict_proba(votes))


def test_functions_say_what_they_take() -> None:
    api: Any = importlib.import_module("carob")
    votes = good_votes(100)
    model = LabelModel(class_balance=0.5, replicates=0).fit(votes)
    calls: list[Callable[[], object]] = [
        lambda: api.paper.triplets(votes),
        lambda: api.paper.class_balance(votes.values),
        lambda: api.paper.posterior(votes.values, model.source_model_),
        lambda: api.paper.posterior(votes, "model"),
        lambda: api.apply_sources([lambda text: 1], ["a"]),
        lambda: api.keyword([1], 1),
        lambda: api.paper.labeled(votes.values, [0] * 100),
        lambda: api.paper.triplets(api.Moments.of(votes), symmetric="class-conditional"),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()
    assert votes.gold is not None
    assert np.array_equal(labeled(votes, votes.gold.values).accuracy, labeled(votes, votes.gold).accuracy)
    with pytest.raises(InputError, match="99 labels for 100 points"):
        labeled(votes, [0] * 99)


def test_pairs_of_other_sources_are_refused() -> None:
    votes = good_votes(200)
    moments = Moments.of(votes)
    model = triplets(moments)
    with pytest.raises(InputError, match="same classes and the same sources"):
        dependent_pairs(Moments.of(votes.select(["s1", "s0", "s2", "s3", "s4"])), model)
    for rate in (0, 100):
        with pytest.raises(InputError, match="error_rate"):
            dependent_pairs(moments, model, error_rate=rate)


def test_misspelt_options_are_refused() -> None:
    frame = {"a": [0, 1], "b": [1, 0]}
    with pytest.raises(InputError, match="layout must be one of None, 'wide', 'long'"):
        read_votes(frame, options=ReadOptions(layout="tall"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="repeats must be one of"):
        read_votes(frame, options=ReadOptions(repeats="some"))  # type: ignore[arg-type]
    assert read_votes(frame | {"split": [1, 1]}, drop="split").sources == ("a", "b")
    with pytest.raises(InputError, match="method must be one of"):
        LabelModel("mode").fit(good_votes(50), good_votes(50).gold)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="replicates must be"):
        LabelModel(replicates=-5).fit(good_votes(50))


def test_blanks_around_words_are_no_classes(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("a,b,c\nham, ham,spam\nspam, spam,ham \n")
    assert read_votes(path).classes == ("ham", "spam")


def test_a_late_duplicate_key_is_found() -> None:
    n = 40_000
    keys = list(range(n))
    with pytest.raises(InputError, match="more than once in the gold file: '39998'"):
        read_votes(
            {"id": keys, "a": [0, 1] * (n // 2), "b": [1, 0] * (n // 2)},
            key="id",
            options=ReadOptions(gold_file={"id": [*keys[:-1], n - 2], "gold": [0, 1] * (n // 2)}),
        )


def test_tables_that_do_not_fit_together_are_refused() -> None:
    coding = good_votes(10).coding
    with pytest.raises(InputError, match="class indices"):
        Votes(np.full((3, 2), 100, dtype=np.int8), ("a", "b"), coding)
    with pytest.raises(InputError, match="int8 of shape"):
        Votes(np.zeros((3, 2), dtype=np.int64), ("a", "b"), coding)
    with pytest.raises(InputError, match="int8 of shape"):
        Votes(np.zeros((3, 2), dtype=np.int8), ("a",), coding)
    with pytest.raises(InputError, match="class_balance"):
        SourceModel.independent(("a",), (0, 1), np.array([0.9, 0.9]), np.full((1, 2, 3), 1 / 3))
    votes = good_votes(300, 11)
    with pytest.raises(InputError, match="177,147; at most 4,096"):
        labeled(votes, votes.gold, groups=(tuple(range(11)),))


def test_pairs_that_tie_all_sources_together_are_refused() -> None:
    chain = [(i, i + 1) for i in range(5)]
    votes = good_votes(2_000, 6)
    with pytest.raises(NotIdentifiedError, match="tie all sources together"):
        LabelModel(method="triplets", class_balance=0.5, known_pairs=chain, replicates=0).fit(votes)
    # To the default they are one source, whose votes count as one: their mean.
    model = LabelModel(class_balance=0.5, known_pairs=chain).fit(votes)
    assert model.score(votes, votes.gold) > 0.85
    all_of_them = model.predict_proba(votes).max()
    assert all_of_them < LabelModel(class_balance=0.5).fit(votes).predict_proba(votes).max()


def test_signs_do_not_count_what_known_pairs_share() -> None:
    accuracies = np.array([0.35, 0.35, 0.65, 0.65, 0.65, 0.65, 0.65])
    votes = draw_votes(np.random.default_rng(0), 20_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    values = votes.values.copy()
    follows = np.random.default_rng(1).random(20_000) < 0.9
    values[follows, 1] = values[follows, 0]
    moments = Moments.of(make_votes(values))
    found = triplets(moments, class_balance=0.5, symmetric=True, signs="data", known_pairs=[(0, 1)])
    np.testing.assert_allclose(found.accuracy, accuracies, atol=0.03)


def test_dependence_of_rare_votes_is_a_correlation() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 20_000, symmetric_conditionals([0.95] * 6), [0.97, 0.03])
    values = votes.values.copy()
    follows = rng.random(20_000) < 0.9
    values[follows, 1] = values[follows, 0]
    moments = Moments.of(make_votes(values))
    first = dependent_pairs(moments, triplets(moments, class_balance=0.03))[0]
    assert (first.first, first.second) == ("s0", "s1")
    assert 0.5 < first.correlation < np.corrcoef(values[:, 0], values[:, 1])[0, 1]  # the class explains the rest


def test_votes_of_abstains_and_one_class_with_gold_of_two() -> None:
    with pytest.raises(InputError, match="Either 0 is the abstain"):
        Votes.from_array([[-1, 0], [0, -1]])
    assert Votes.from_array([[-1, 0], [0, -1]], gold=[-1, 1]).values.tolist() == [[0, -1], [-1, 0]]


def test_a_hundred_and_twenty_seven_classes_and_an_abstain() -> None:
    column = [*range(127), -1]
    assert len(read_votes({"a": column, "b": column[::-1]}).classes) == 127


def test_a_key_for_a_long_table_is_refused() -> None:
    frame = {"task": [1, 1], "worker": ["u", "v"], "label": [0, 1], "id": [1, 2]}
    with pytest.raises(InputError, match="keyed by its column 'task'"):
        read_votes(frame, key="id")


def test_a_class_that_no_source_votes_for_and_one_with_a_single_gold_label(tmp_path: Path) -> None:
    votes = good_votes(300)
    assert votes.gold is not None
    truth = np.where(np.arange(300) < 40, votes.gold.values, -1)
    truth[0] = 2
    path = write(tmp_path / "v.csv", votes, y=truth)
    options = (path, "--gold", "y", "--classes", "0,1,2", "--abstain", "-1")
    found = answer("check", *options)
    assert found["verdict"].startswith("Can be fitted, with 2 things to look at first")
    assert [line.partition(":")[0] for line in warnings_of(found)] == [
        "No source votes for 2",
        "Gold has one label only of 2",
    ]
    fitted = answer("fit", *options, "--out", tmp_path / "l.csv")
    assert warnings_of(fitted) == warnings_of(found)
    assert list(fitted["labels"]) == ["0", "1", "2"]
    refused = carob("fit", path, "--gold", "y", "--method", "labeled", "--classes", "0,1,2,3", "--abstain", "-1")
    assert refused.returncode == 2
    assert "no gold label is of class 3" in refused.stderr


def test_fewer_classes_than_there_are_votes_for(tmp_path: Path) -> None:
    votes = draw_votes(np.random.default_rng(0), 200, symmetric_conditionals(np.full(4, 0.8), 3), [0.3, 0.3, 0.4])
    path = write(tmp_path / "v.csv", votes)
    result = carob("fit", path, "--classes", "0,1", "--out", tmp_path / "l.csv")
    assert result.returncode == 2
    assert re.match(r"carob: column 'a' holds 2 \(first in row \d+\), which is neither a class nor", result.stderr)
    assert "--map" in result.stderr
    assert "--classes" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "l.csv").exists()
    assert answer("fit", path, "--classes", "0,1", "--abstain", "2")["classes"] == [0, 1]


def test_workers_who_share_no_task_with_anyone_are_read_and_labeled(tmp_path: Path) -> None:
    votes = good_votes(200)
    rows = [(f"t{t}", w, int(v)) for t, row in enumerate(votes.values) for w, v in zip("abcde", row, strict=True)]
    rows += [("alone", "hermit", 1), ("far", "loner", 0)]
    path = tmp_path / "v.csv"
    pd.DataFrame(rows, columns=["item", "rater", "answer"]).to_csv(path, index=False)
    assert votes.gold is not None
    gold = pd.DataFrame({"item": [f"t{t}" for t in range(60)], "truth": votes.gold.values[:60]})
    gold.to_csv(tmp_path / "gold.csv", index=False)
    found = answer(
        "fit", path, "--gold-file", tmp_path / "gold.csv", "--method", "labeled", "--out", tmp_path / "l.csv"
    )
    assert found["n_points"] == 202
    assert [row["source"] for row in found["sources"]] == [*"abcde", "hermit", "loner"]
    assert len((tmp_path / "l.csv").read_text().splitlines()) == 203


@pytest.mark.parametrize("command", ["check", "fit"])
def test_the_next_command_does_what_the_warnings_say(command: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.5
    said = np.where(rng.random((3, 400)) < 0.8, truth, ~truth)
    frame = pd.DataFrame({name: np.where(column, "yes", "no") for name, column in zip("abc", said, strict=True)})
    frame.loc[:40, "a"] = "N/A"
    frame.loc[41:80, "b"] = "YES"
    frame.loc[81:81, "c"] = "noo"
    path = tmp_path / "my votes.csv"
    frame.to_csv(path, index=False)
    warned = answer(command, path, "--known-pair", "a", "b")
    assert len(warnings_of(warned)) == 3
    assert warned["next"].startswith(f"carob check '{path}' --known-pair a b ")
    mended = answer(*shlex.split(warned["next"])[1:])
    assert not warnings_of(mended)
    assert mended["classes"] == ["no", "yes"]
    assert mended["next"].startswith("carob fit ")
