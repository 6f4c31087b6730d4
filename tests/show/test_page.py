from __future__ import annotations

from pathlib import Path

import pytest
from results import bounded, reproduced

from carob import InputError
from carob.show.charts.figures import figure
from carob.show.page import check_pictures, page, write_pictures


def test_every_picture_and_the_page_are_written(tmp_path: Path) -> None:
    write_pictures(reproduced(str(tmp_path)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["excess_error.png", "excess_error.svg", "index.html"]
    text = (tmp_path / "index.html").read_text()
    assert text.count("<svg") == 1
    for word in ("<script", "src=", "@import", "url(http"):
        assert word not in text  # it loads nothing


def test_the_page_has_the_finding_and_the_numbers() -> None:
    found = reproduced().found
    text = page(found, [figure("excess_error", found.points, found.comparison)])
    assert "1 of 2 of its values agree." in text
    assert "<td>mean &lt;d=5&gt;</td><td>1,000</td><td>0.02613</td><td>0.0262</td><td>0.0001</td>" in text
    assert "<h2>imdb</h2>" in text
    assert "<td>0.5648</td>" in text
    assert "20 trials" in text


def test_a_theorem_on_the_page_has_its_legend_and_its_table() -> None:
    found = bounded().found
    text = page(found, [figure("theory_theorem_3", found.points, [])])
    assert "the exact value to order 1/n. Dots: Monte Carlo.</p>" in text
    assert "agree" not in text
    assert "<h2>theory</h2>" in text
    assert '<th scope="row" class="name">Theorem 3</th><td>6</td><td>1</td><td>1000</td><td>2.02</td>' in text


def test_a_page_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    check_pictures(str(tmp_path))
    check_pictures(str(tmp_path / "not there yet"))
    (tmp_path / "index.html").mkdir()
    with pytest.raises(InputError, match="it is a folder"):
        check_pictures(str(tmp_path))
