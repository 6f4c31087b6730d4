from __future__ import annotations

from results import bounded, reproduced

from carob.show.reproduce import reproduce_report


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
