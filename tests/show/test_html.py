from __future__ import annotations

import re
from dataclasses import replace

from results import planned, summary

from carob.show.cells import Count, Text
from carob.show.charts.data_value import frontier
from carob.show.data import source_section
from carob.show.html import chart_html, document, lines_html, report_document, style, table_html, text
from carob.show.report import Report, Section

BAD = "<img src=x onerror=alert(1)>"


def test_names_from_data_are_escaped_everywhere() -> None:
    data = summary()
    data = replace(data, sources=replace(data.sources, source=[BAD, "b"]), classes=(BAD, "spam"))
    report = Report(BAD, [source_section(data), Section(BAD, lines=[f"- {BAD}", BAD])], f"carob {BAD}")
    page = report_document(BAD, report, f"carob report '{BAD}'", "1.0")
    assert "<img" not in page
    assert page.count("&lt;img src=x onerror=alert(1)&gt;") > 8


def test_a_page_loads_nothing_and_may_run_nothing() -> None:
    page = report_document("carob plan", Report("So.", [Section("T", charts=[frontier(planned())])]), "carob plan", "1")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "<script" not in page
    assert 'style="' not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert not re.search(r"url\((?!#)", page)
    assert "<pre>carob plan</pre>" in page


def test_the_verdict_is_first_and_parts_are_linked() -> None:
    sections = [Section(f"Part {k} (of 3)", lines=["words"]) for k in range(3)]
    page = report_document("T", Report("The verdict.", [*sections, Section("A sentence.")], "carob next"), "carob", "1")
    assert page.index("The verdict.") < page.index("Part 0") < page.index("carob next")
    assert '<a href="#part-1">Part 1</a>' in page
    assert "<p>A sentence.</p>" in page


def test_lines_that_start_with_a_dash_are_a_list() -> None:
    assert lines_html(["so", "- one", "- two", "end"]) == "<p>so</p><ul><li>one</li><li>two</li></ul><p>end</p>"


def test_a_table_has_heads_for_its_columns_and_rows_and_can_be_reached_by_keyboard() -> None:
    found = table_html("T", ["name", "n"], [[Text("a"), Count(1)]])
    assert '<th scope="col" class="name">name</th><th scope="col">n</th>' in found
    assert '<th scope="row" class="name">a</th><td>1</td>' in found
    assert 'role="region" tabindex="0" aria-label="Table: T"' in found
    long = table_html("T", ["name"], [[Text(k)] for k in range(310)])
    assert "And 10 more rows" in long


def test_a_chart_has_its_finding_a_text_and_its_numbers() -> None:
    chart = frontier(planned())
    found = chart_html(chart)
    assert f"<figcaption>{chart.title}</figcaption>" in found
    assert f'aria-label="{chart.title} {chart.description}"' in found
    assert "<td>1,570</td>" in found
    for name in re.findall(r'\bid="([^"]*)"', found):
        assert name.startswith("frontier-")


def test_letters_that_cannot_be_seen_are_replaced() -> None:
    assert text("a\x00b\x1b[31m") == "a\ufffdb\ufffd[31m"
    assert len(text("x" * 10_000)) == 3_001


def test_the_style_loads_nothing_and_knows_dark_print_and_phones() -> None:
    css = style()
    assert "url(" not in css
    assert "@import" not in css
    for medium in ("prefers-color-scheme: dark", "print", "max-width: 40rem"):
        assert medium in css
    assert "</style>" not in css
    assert document("t", "b").startswith("<!doctype html>")
