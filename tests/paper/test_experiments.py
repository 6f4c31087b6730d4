from __future__ import annotations

import numpy as np
import pytest

from carob.paper.experiments.data_value_ratio import ratio
from carob.paper.experiments.parts import Options, Part, mean_and_error, paper_sizes, paper_values
from carob.paper.experiments.run import EXPERIMENTS, compare


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_part_has_a_name_of_its_own(name: str) -> None:
    names = [part.name for part in EXPERIMENTS[name].parts(Options(trials=10))]
    assert len(set(names)) == len(names) > 1


def test_the_name_and_the_seed_alone_decide_the_random_numbers() -> None:
    def work(options: Options, rng: np.random.Generator, add: int) -> float:
        return add + float(rng.random())

    options = Options(seed=3)
    one, same, other = (Part(name, work, {"add": 1}).run(options) for name in ("a", "a", "b"))
    assert one == same != other
    assert Part("a", work, {"add": 1}).run(Options(seed=4)) != one


def test_known_answer_mean_and_errors() -> None:
    values = np.arange(100.0)
    mean, error, paper = mean_and_error(values)
    assert mean == 49.5
    assert error == pytest.approx(values.std(ddof=1) / 10)
    assert paper == pytest.approx(values.std(ddof=1) / np.sqrt(1_000))


def test_known_answer_the_ratio_of_a_curve_without_noise() -> None:
    grid = [10, 20, 40, 80]
    curve = np.stack([1.0 / np.array(grid), np.zeros(4), np.zeros(4)], axis=1)
    assert ratio(1_000, (1 / 30, 0.0, 0.0), grid, curve, "definition") == (25.0, 0.0, 0.0)
    assert ratio(1_000, (1 / 30, 0.0, 0.0), grid, curve, "figures")[0] == 50.0
    noisy = np.stack([1.0 / np.array(grid), np.full(4, 0.01), np.full(4, 0.001)], axis=1)
    _, ours, paper = ratio(1_000, (1 / 30, 0.005, 0.0005), grid, noisy, "interpolated")
    assert ours > paper > 0


def test_the_papers_values_are_all_there() -> None:
    values = paper_values()
    assert len(values) == 412
    assert len({(value.figure, value.panel, value.curve, value.n) for value in values}) == 412
    assert paper_sizes("imdb_test_loss", "labeled") == sorted(set(paper_sizes("imdb_test_loss", "labeled")))
    assert compare([]) == []
