from __future__ import annotations

import io

from rich.console import Console

from carob.show.cells import Count, Share, Text
from carob.show.report import Report, Section
from carob.show.terminal import print_report, visible


def printed(report: Report, width: int = 60) -> list[str]:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False, emoji=False)
    print_report(report, console)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_verdict_sections_and_the_next_command() -> None:
    rows = [[Text("llm"), Count(1_000), Share(0.98765)], [Text("word rule"), Count(5), Share(None)]]
    table = Section("Sources", ["source", "votes", "accuracy"], rows, ["A line."])
    report = Report("The verdict.", [table, Section("Alone.")], "carob next " + "x" * 80)
    assert printed(report) == [
        "The verdict.",
        "",
        "Sources",
        "source     votes  accuracy",
        "llm        1,000      .988",
        "word rule      5         -",
        "A line.",
        "",
        "Alone.",
        "",
        "Next: carob next " + "x" * 80,  # to be copied in one piece
    ]


def test_a_report_may_be_a_verdict_alone() -> None:
    assert printed(Report("The verdict.")) == ["The verdict."]


def test_no_column_need_name_the_row() -> None:
    table = Section("Budgets", ["budget", "points"], [[Count(5), Count(10)]], names=0)
    assert printed(Report("V.", [table]))[3:] == ["budget  points", "     5      10"]


def test_names_from_data_are_neither_markup_nor_control_characters() -> None:
    report = Report("[red]V[/red]", [Section(":smile:", ["h"], [[Text("a\x1b[31mb")]], ["\x07"])])
    assert printed(report) == ["[red]V[/red]", "", ":smile:", "h", r"a\x1b[31mb", r"\x07"]
    assert visible("straße\n") == "straße\\n"


def test_details_are_shown_to_who_asks() -> None:
    rows = [[Text(f"s{i}"), Count(i), Share(i / 100)] for i in range(30)]
    section = Section(
        "Sources",
        ["source", "votes", "coverage"],
        rows,
        details=[2],
        details_words="D.",
        telling=[float(i) for i in range(30)],
    )
    short = printed(Report("V.", [section]))
    assert short[3:5] == ["source  votes", "s29        29"]
    assert short[-2:] == ["s10        10", "The 20 of 30 that tell most; --all shows the others."]
    console = Console(file=io.StringIO(), width=60)
    print_report(Report("V.", [section]), console, wide=True, every=True)
    assert isinstance(console.file, io.StringIO)
    whole = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert whole[3:5] == ["source  votes  coverage", "s0          0      .000"]
    assert whole[-2:] == ["s29        29      .290", "D."]
