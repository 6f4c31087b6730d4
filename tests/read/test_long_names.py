from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from run_carob import answer, carob
from simulate import draw_votes, symmetric_conditionals

from carob import InputError, LabelModel, read_votes


def crowd(n: int = 200, task: str = "item_id", worker: str = "annotator", label: str = "answer") -> pd.DataFrame:
    """Five workers on every task, written down a row per vote; tasks have leading zeros."""
    votes = draw_votes(np.random.default_rng(0), n, symmetric_conditionals(np.full(5, 0.8)), [0.5, 0.5])
    return pd.DataFrame(
        {
            task: np.repeat([f"{i:04d}" for i in range(n)], 5),
            worker: np.tile(list("abcde"), n),
            label: np.array(["no", "yes"])[votes.values.ravel()],
        }
    )


@pytest.mark.parametrize(
    "names", [("item_id", "annotator", "answer"), ("Question", "LF", "Vote"), ("task", "rater", "label")]
)
def test_columns_under_other_names_are_found(names: tuple[str, str, str]) -> None:
    votes = read_votes(crowd(50, *names))
    assert votes.read_as == f"Read as a long table: task = {names[0]}, worker = {names[1]}, label = {names[2]}."
    assert (votes.sources, votes.key_name, len(votes)) == (tuple("abcde"), names[0], 50)
    assert votes.keys is not None
    assert votes.keys[1] == "0001"
    named = read_votes(crowd(50, *names), task=names[0], worker=names[1], label=names[2])
    assert np.array_equal(named.values, votes.values)
    assert named.read_as == ""


def test_identifiers_of_a_file_stay_text_and_name_the_labels(tmp_path: Path) -> None:
    path, out = tmp_path / "v.csv", tmp_path / "l.csv"
    crowd().to_csv(path, index=False)
    found = answer("check", path, "--class-balance", ".5")
    assert found["read_as"] == "Read as a long table: task = item_id, worker = annotator, label = answer."
    assert found["read_as"] in carob("check", path, "--class-balance", ".5").stdout
    answer("fit", path, "--class-balance", ".5", "--out", out, "--model", tmp_path / "m.json")
    assert out.read_text().splitlines()[1].startswith('"0000"')
    assert out.read_text().startswith('"item_id","label"')
    answer("label", path, "--model", tmp_path / "m.json", "--out", tmp_path / "2.csv")
    assert (tmp_path / "2.csv").read_text() == out.read_text()


def test_gold_of_a_second_file_is_matched_by_the_task_that_was_found() -> None:
    votes = read_votes(crowd(20), gold_file={"item_id": ["0003"], "truth": ["yes"]})
    assert votes.own_gold.values.tolist() == [-1] * 3 + [1] + [-1] * 16


def test_what_is_ambiguous_is_asked_about() -> None:
    both = crowd(200).assign(question="q")
    with pytest.raises(InputError, match=r"--task, --worker, --label\)\.$"):
        read_votes(both)
    once = crowd(30).drop_duplicates("item_id")
    assert read_votes(once).sources == ("a",)
    with pytest.raises(InputError, match=r"--task, --worker, --label"):
        read_votes(once.assign(seconds=0.5))
    with pytest.raises(InputError) as refused:
        read_votes(crowd(200), layout="wide")
    assert "--task" not in str(refused.value)


def test_a_wide_table_stays_wide() -> None:
    wide = pd.DataFrame(
        {"item_id": range(60), "judge": [0, 1] * 30, "rating": [0, 1, 1] * 20, "user": [1, 0, 0, 1] * 15}
    )
    assert read_votes(wide, key="item_id").sources == ("judge", "rating", "user")
    only_one = wide.drop(columns="user")
    assert read_votes(only_one, key="item_id").sources == ("judge", "rating")
    repeated = only_one.assign(item_id=np.arange(60) // 2)
    assert read_votes(repeated, sources=["judge", "rating"]).sources == ("judge", "rating")


def test_workers_who_share_no_task_with_anyone_are_read() -> None:
    alone = pd.DataFrame({"item_id": ["x", "y"], "annotator": ["hermit", "loner"], "answer": ["yes", "no"]})
    votes = read_votes(pd.concat([crowd(50), alone]))
    assert votes.sources[-2:] == ("hermit", "loner")
    assert votes.number[-2:].tolist() == [1, 1]
    with_gold = read_votes(
        pd.concat([crowd(50), alone]),
        gold_file={"item_id": ["0001", "0002", "0003", "0004"], "gold": ["no", "yes"] * 2},
    )
    model = LabelModel(method="labeled", replicates=0).fit(with_gold, with_gold.gold)
    assert model.predict_proba(with_gold).shape == (52, 2)


@pytest.mark.slow
def test_reading_takes_time_linear_in_the_votes() -> None:
    rng = np.random.default_rng(0)
    cells = np.unique(rng.integers(0, 70_000 * 10_000, 700_000))
    rng.shuffle(cells)
    table = pa.table({"task": cells // 10_000, "worker": cells % 10_000, "label": rng.integers(0, 2, len(cells))})
    started = perf_counter()
    votes = read_votes(table)
    assert perf_counter() - started < 6  # less than two seconds on a machine that does nothing else
    assert len(votes.sources) == 10_000
