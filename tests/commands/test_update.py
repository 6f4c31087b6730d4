"""More votes into a saved model: the model that a fit to all of them gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from run_carob import carob

import carob as library
from carob import InputError, LabelModel, Votes
from carob.commands.fit import fit_votes
from carob.commands.inputs import VotesFile
from carob.commands.label import update_model
from carob.count import digest as digests
from carob.posterior.settings import Settings
from carob.read import streams
from carob.read.table import ReadOptions

READING = ReadOptions(gold="y")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "MOST_VOTES", 4_000)
    monkeypatch.setattr(digests, "MOST_EACH", 0)


def table(n: int = 2_000) -> Any:
    rng = np.random.default_rng(5)
    truth = (rng.random(n) < 0.4).astype(int)
    columns: dict[str, Any] = {}
    for i, accuracy in enumerate((0.9, 0.7, 0.8, 0.75)):
        said = np.where(rng.random(n) < accuracy, truth, 1 - truth)
        columns[f"s{i}"] = [None if rng.random() < 0.25 else int(vote) for vote in said]
    columns["late"] = [None if t < 1_500 else t % 2 for t in range(n)]
    columns["never"] = pa.array([None] * n, pa.int64())
    columns["always"] = [1] * n
    columns["y"] = [int(truth[t]) if t % 30 == 3 else None for t in range(n)]
    return pa.table(columns)


def saved(found: Any, path: Path) -> str:
    pq.write_table(found, path)
    return str(path)


@pytest.mark.parametrize("in_parts", [False, True])
def test_invariant_an_updated_model_is_that_of_all_votes(
    in_parts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, expected = tmp_path / "model.json", tmp_path / "expected.json"
    data = table()
    fit_votes(VotesFile(saved(data, tmp_path / "all.parquet"), READING), Settings(), model_file=str(expected))
    first = VotesFile(saved(data.slice(0, 900), tmp_path / "first.parquet"), READING)
    fit_votes(first, Settings(), model_file=str(model))
    if in_parts:
        monkeypatch.setattr(streams, "MANY_ROWS", 100)
        monkeypatch.setattr(streams, "BATCH", 130)
    for low, high in ((900, 1_200), (1_200, 2_000)):
        more = VotesFile(saved(data.slice(low, high - low), tmp_path / f"{low}.parquet"), READING)
        result = update_model(more, str(model))
        assert (result.n_added, result.data.n_points) == (high - low, high)
    assert model.read_bytes() == expected.read_bytes()


def test_arrays_frames_and_gold(tmp_path: Path) -> None:
    data = table()
    votes = Votes.from_frame(data, gold="y")
    expected = LabelModel().fit(votes, votes.gold)
    first = Votes.from_frame(data.slice(0, 1_600), gold="y")
    model = LabelModel().fit(first, first.gold)
    rest = data.slice(1_600)
    model.update(rest.drop_columns(["y"]), rest["y"].to_pylist())
    assert model.to_bytes() == expected.to_bytes()


def test_two_models_of_the_same_sources_are_merged(tmp_path: Path) -> None:
    data = table(3_000)
    halves = [Votes.from_frame(data.slice(low, 1_500).drop_columns(["late", "never"]), gold="y") for low in (0, 1_500)]
    models = [LabelModel().fit(half, half.gold) for half in halves]
    whole = Votes.from_frame(data.drop_columns(["late", "never"]), gold="y")
    of_all = LabelModel().fit(whole, whole.gold)
    paths = [str(tmp_path / f"{k}.json") for k in range(2)]
    for model, path in zip(models, paths, strict=True):
        model.save(path)
    result = update_model(VotesFile(paths[1]), paths[0], str(tmp_path / "both.json"))
    both = library.load(tmp_path / "both.json")
    assert (result.data.n_points, result.n_added, result.n_gold_added) == (3_000, 1_500, 50)
    assert both.fit_.digest is not None
    assert of_all.fit_.digest is not None
    assert both.fit_.digest.counts.cast.tolist() == of_all.fit_.digest.counts.cast.tolist()
    assert abs(len(both.fit_.digest.rows) - len(of_all.fit_.digest.rows)) < 150  # another draw of rows, as large
    np.testing.assert_allclose(both.source_table_.accuracy, of_all.source_table_.accuracy, atol=0.03)


def test_the_command(tmp_path: Path) -> None:
    data, model = table(), tmp_path / "model.json"
    first, more = (saved(data.slice(low, 1_000), tmp_path / f"{low}.parquet") for low in (0, 1_000))
    assert carob("fit", first, "--gold", "y", "--model", str(model)).returncode == 0
    found = carob("update", str(model), more, "--gold", "y", "--json")
    assert found.returncode == 0, found.stderr
    told = json.loads(found.stdout)
    assert (told["n_added"], told["n_points"], told["n_gold"]) == (1_000, 2_000, 67)
    assert "carob label NEW_VOTES" in told["next"]


def test_refusals(tmp_path: Path) -> None:
    data, model = table(), tmp_path / "model.json"
    path = saved(data.slice(0, 1_000), tmp_path / "votes.parquet")
    fit_votes(VotesFile(path, READING), Settings(), model_file=str(model))
    before = model.read_bytes()
    changed = data.slice(1_000).set_column(6, "always", pa.array([0] * 1_000))
    other = LabelModel().fit(Votes.from_frame(data.select(["s0", "s1", "s2"])))
    other.save(tmp_path / "other.json")
    old = json.loads(before) | {"version": 3}
    del old["digest"]
    (tmp_path / "old.json").write_text(json.dumps(old))
    for more, of, words in (
        (saved(changed, tmp_path / "changed.parquet"), model, "'always' had nothing to tell when this model was"),
        (saved(data.drop_columns(["s0"]), tmp_path / "fewer.parquet"), model, "there is no column 's0'"),
        (str(tmp_path / "other.json"), model, "same sources and classes can be merged"),
        (str(model), model, "different files"),
        (path, tmp_path / "old.json", "keeps nothing that more votes could be added to"),
    ):
        with pytest.raises(InputError, match=words):
            update_model(VotesFile(more, READING), str(of))
        assert model.read_bytes() == before
    with pytest.raises(InputError, match="give none beside it"):
        library.load(model).update(other, [1])
