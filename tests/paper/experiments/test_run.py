from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from carob import InputError
from carob.paper.experiments.parts import Options, paper_values
from carob.paper.experiments.run import Comparison, Reproduction, reproduce

SYNTHETIC = ("excess_error", "data_value_ratio", "combined_error", "combined_weight_on_unlabeled")


@pytest.fixture(scope="module")
def reproduction() -> Reproduction:
    names = ["excess-error", "data-value-ratio", "combined", "imdb"]
    return reproduce(names, Options(trials=60, splits=4), jobs=2)


@pytest.mark.slow
def test_known_answer_every_value_of_the_figures_in_a_cut_down_run(reproduction: Reproduction) -> None:
    assert len(reproduction.comparison) == len(paper_values()) == 412
    for row in reproduction.comparison:
        if row.figure in SYNTHETIC:
            allowed = max(4.5 * row.se, 0.06 * abs(row.paper)) + row.rounding
            assert abs(row.ours - row.paper) <= allowed, row
    # Not only within a generous noise: on average the curves are the paper's.
    ratios = [row.ours / row.paper for row in reproduction.comparison if row.figure == "excess_error"]
    assert np.mean(ratios) == pytest.approx(1, abs=0.03)
    dotted = [row for row in reproduction.comparison if row.curve == "B_I (d=5)"]
    assert {round(row.ours, 6) for row in dotted} == {0.008155}


@pytest.mark.slow
def test_known_answer_imdb_tables(reproduction: Reproduction) -> None:
    whole = {row["model"]: row for row in reproduction.tables["imdb_at_40000"]}
    for name in ("labeled", "corrected"):
        row = whole[name]
        # The paper's split is one of those that are possible; four splits know the spread over splits only roughly.
        assert abs(row["loss"] - row["loss_paper"]) < 4 * max(row["loss_sd"], 0.004)
        assert abs(row["f1"] - row["f1_paper"]) < 4 * max(row["f1_sd"], 0.5)
    assert whole["labeled"]["loss"] < whole["corrected"]["loss"] < whole["unlabeled"]["loss"]
    for row in reproduction.tables["imdb_combined"]:
        assert abs(row["f1_combined"] - row["f1_combined_paper"]) < 4 * max(row["f1_combined_sd"], 1.0)
    corrected = [
        row for row in reproduction.comparison if (row.figure, row.curve) == ("imdb_test_loss", "corrected median")
    ]
    assert max(abs(row.ours / row.paper - 1) for row in corrected) < 0.08


def test_the_same_seed_gives_the_same_numbers_whatever_the_processes(tmp_path: Path) -> None:
    options = Options(trials=20)
    one = reproduce(["excess-error"], options, tmp_path, jobs=1)
    two = reproduce(["excess-error"], options, jobs=2)
    other = reproduce(["excess-error"], Options(trials=20, seed=1), jobs=2)
    assert one.points == two.points
    assert one.points != other.points
    # A second run takes what the first has kept; what is missing or damaged is done again.
    kept = sorted((tmp_path / "parts").glob("*/*.json"))
    assert len(kept) == 20
    before = {path: path.stat().st_mtime_ns for path in kept}
    kept[0].unlink()
    for path, damage in zip(kept[1:5], (b"", b"[]", b"\xff\xfe", b'{"check": 1, "result": {}}'), strict=True):
        path.write_bytes(damage)
    assert reproduce(["excess-error"], options, tmp_path, jobs=1).points == one.points
    assert [path for path in kept if path.stat().st_mtime_ns != before[path]] == kept[:5]
    # Other options have their own parts and leave these alone.
    assert reproduce(["excess-error"], Options(trials=21), tmp_path, jobs=2).points != one.points
    assert [path for path in kept[5:] if path.stat().st_mtime_ns != before[path]] == []


def test_the_text_of_the_paper_differs_from_its_figures() -> None:
    found = reproduce(["excess-error"], Options(trials=20, variant="text"), jobs=2)
    dotted = {round(row.ours, 6) for row in found.comparison if row.curve == "B_I (d=5)"}
    assert dotted == {0.002203}  # 0.1 on the scale of -1 and +1


def test_agreement_is_three_standard_errors_or_three_percent() -> None:
    place = ("excess_error", "labeled", "x", 200)
    assert Comparison(*place, 1.0, 1.029, 0.001).agrees
    assert not Comparison(*place, 1.0, 1.031, 0.001).agrees
    assert Comparison(*place, 1.0, 1.14, 0.05).agrees
    assert not Comparison(*place, 1.0, 1.16, 0.05).agrees
    assert not Comparison(*place, 1.0, 0.84, 0.05).agrees
    assert Comparison(*place[:3], 100, 1.0, 1.059, 0.001).agrees
    assert not Comparison(*place[:3], 100, 1.0, 1.061, 0.001).agrees
    assert Comparison(*place, 4e-5, 4.45e-5, 1e-7, 5e-6).agrees
    assert not Comparison(*place, 4e-5, 4.65e-5, 1e-7, 5e-6).agrees


def test_refusals() -> None:
    with pytest.raises(InputError, match="experiment must be"):
        reproduce(["everything"], Options())
    with pytest.raises(InputError, match="two trials"):
        reproduce(["imdb"], Options(trials=1))
