from __future__ import annotations

from pathlib import Path

import pytest
from results import bounded, reproduced

from carob import InputError
from carob.show.charts.figures import figure
from carob.show.reproduce import check_pictures, page, reproduce_report, write_pictures


def test_what_agrees_and_what_does_not() -> None:
    report = reproduce_report(reproduced())
    assert report.verdict == "1 of 2 values of the paper's figures agree, within 3 standard errors or 3 %."
    assert (report.next_command, report.exit_code) == ("", 0)
    figures, far, table = report.sections
    assert [str(cell) for cell in figures.rows[0]] == ["excess_error", "2", "1", "50.0%"]
    assert [[str(cell) for cell in row] for row in far.rows] == [
        ["excess_error", "mean <d=5>", "5,000", "0.02", "0.03", "0.001"]
    ]
    assert table.title == "imdb"
    assert table.headers == ["model", "n", "loss"]  # neither standard errors nor spreads
    assert [str(cell) for cell in table.rows[0]] == ["labeled", "4000", "0.5648"]


def test_the_variant_of_the_text_says_so() -> None:
    verdict = reproduce_report(reproduced(variant="text")).verdict
    assert verdict == "The text's variant, which its figures do not follow: 1 of 2 values of these agree."


def test_nothing_is_listed_where_all_agrees() -> None:
    result = reproduced()
    del result.found.comparison[1]
    assert [section.title for section in reproduce_report(result).sections] == ["Figures", "imdb"]


def test_bounds_are_summed_up_by_statement() -> None:
    report = reproduce_report(bounded())
    assert report.verdict == "1 of 2 bounds are on their side of the exact value and of Monte Carlo."
    (section,) = report.sections
    # Without B_I = .02: 2 and .005 over .01.
    assert [str(cell) for cell in section.rows[0]] == ["Theorem 3", "2", "1", "0.5", "200"]
    both = reproduced()
    both.found.tables["theory"] = bounded().found.tables["theory"]
    assert reproduce_report(both).verdict.endswith(
        "or 3 %. 1 of 2 bounds are on their side of the exact value and of Monte Carlo."
    )


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
