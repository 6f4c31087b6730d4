"""Reports as pages that load nothing: words, tables and charts as HTML. All that comes from data is escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby

from carob.show.cells import Cell
from carob.show.charts.chart import Chart
from carob.show.report import Report, Section

_MOST_ROWS = 300  # of a table
_MOST_LETTERS = 3_000  # of a cell or a sentence
_IDENTIFIER = re.compile(r'(\bid="|url\(#|href="#)')


def style() -> str:
    """The style sheet of all pages."""
    return files("carob.show").joinpath("style.css").read_text(encoding="utf-8")


def document(title: str, body: str, footer: str = "") -> str:
    """A page by itself, that may load nothing and run nothing."""
    css = style()
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{css}</style></head>\n"
        '<body><a class="skip" href="#main">Skip to the content</a>\n'
        f'<main id="main">{body}</main>\n<footer>{footer}</footer></body></html>\n'
    )


def report_document(title: str, report: Report, command: str, version: str) -> str:
    """A report as a page: the verdict first, and last the command that made it."""
    named = [(f"part-{k}", section) for k, section in enumerate(report.sections) if _has_content(section)]
    links = "".join(f'<li><a href="#{name}">{text(_short(section.title))}</a></li>' for name, section in named)
    navigation = f'<nav aria-label="Parts of this report"><ul>{links}</ul></nav>' if len(named) > 2 else ""
    following = f"<p>Next:</p><pre>{text(report.next_command)}</pre>" if report.next_command else ""
    body = (
        f"<h1>{text(title)}</h1>{verdict_html(report.verdict)}{navigation}{sections_html(report.sections)}{following}"
    )
    made = f"<p>Made by carob {text(version)}:</p><pre>{text(command)}</pre>" if command else ""
    return document(title, body, f"{made}<p>This page loads nothing and holds no rows of the data.</p>")


def verdict_html(verdict: str) -> str:
    """The verdict."""
    return f'<p class="verdict">{text(verdict)}</p>'


def sections_html(sections: Iterable[Section], prefix: str = "part") -> str:
    """All sections, in their order."""
    return "".join(section_html(section, f"{prefix}-{k}") for k, section in enumerate(sections))


def section_html(section: Section, name: str, heading: int = 2) -> str:
    """A section with its heading; a title alone is a sentence."""
    if not _has_content(section):
        return f"<p>{text(section.title)}</p>"
    h = f"h{heading}"
    parts = [f'<{h} id="{name}-title">{text(section.title)}</{h}>']
    if section.headers:
        parts.append(table_html(section.title, section.headers, section.rows, section.names))
    parts.append(lines_html([*filter(None, [section.details_words]), *section.lines]))
    parts.append(charts_html(section.charts))
    return f'<section id="{name}" aria-labelledby="{name}-title">{"".join(parts)}</section>\n'


def lines_html(lines: Iterable[str]) -> str:
    """Sentences as paragraphs, and those that start with a dash as a list."""
    parts = []
    for listed, group in groupby(lines, key=lambda line: line.startswith("- ")):
        if listed:
            parts.append(f"<ul>{''.join(f'<li>{text(line[2:])}</li>' for line in group)}</ul>")
        else:
            parts += [f"<p>{text(line)}</p>" for line in group]
    return "".join(parts)


def table_html(title: str, headers: Sequence[str], rows: Sequence[Sequence[Cell]], names: int = 1) -> str:
    """A table that scrolls by itself where it is wide; its first columns say what a row is about."""
    head = "".join(
        f'<th scope="col"{_named(place, names)}>{text(header)}</th>' if header else "<td></td>"
        for place, header in enumerate(headers)
    )
    body = "".join(f"<tr>{_row_html(row, names)}</tr>" for row in rows[:_MOST_ROWS])
    left = len(rows) - _MOST_ROWS
    more = f"<p>And {left:,} more rows, which --json has.</p>" if left > 0 else ""
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="Table: {text(title)}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{more}"
    )


def _row_html(row: Sequence[Cell], names: int) -> str:
    cells = []
    for place, cell in enumerate(row):
        tag, scope = ("th", ' scope="row"') if place == 0 and names else ("td", "")
        cells.append(f"<{tag}{scope}{_named(place, names)}>{text(cell)}</{tag}>")
    return "".join(cells)


def _named(place: int, names: int) -> str:
    return ' class="name"' if place < names else ""


def charts_html(charts: Sequence[Chart]) -> str:
    """Charts side by side where there is room."""
    return f'<div class="charts">{"".join(map(chart_html, charts))}</div>' if charts else ""


def chart_html(chart: Chart) -> str:
    """A chart: its finding, its picture with a text, and its data as a table."""
    # Parts of pictures are found by name, and there are several pictures on a page.
    picture = _IDENTIFIER.sub(rf"\g<1>{chart.name}-", chart.svg(titled=False))
    picture = picture.replace("<svg ", '<svg aria-hidden="true" ', 1)  # the text around it is what is read
    words = f"{chart.title} {chart.description}"
    table = table_html(f"data of {chart.name}", chart.headers, chart.rows) if chart.headers else ""
    return (
        f"<figure><figcaption>{text(chart.title)}</figcaption>"
        f'<div role="img" aria-label="{text(words)}">{picture}</div>'
        f"<details><summary>What is drawn{', and its numbers' if table else ''}</summary>"
        f"<p>{text(chart.description)}</p>{table}</details></figure>"
    )


def text(value: object) -> str:
    """Any value as text in a page, whatever letters it holds."""
    words = "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in str(value))
    return escape(words if len(words) <= _MOST_LETTERS else words[:_MOST_LETTERS] + "\N{HORIZONTAL ELLIPSIS}")


def _has_content(section: Section) -> bool:
    return bool(section.headers or section.lines or section.charts)


def _short(title: str) -> str:
    """A title up to its first bracket, comma or colon."""
    first = re.split(r"[(:,;]", title, maxsplit=1)[0].strip()
    return first if len(first) > len("Now") else title
