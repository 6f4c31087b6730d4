"""What `carob reproduce` says, and the paper's figures as pictures, all of them on one page that loads nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from carob.commands.reproduce import ReproduceResult
from carob.paper.experiments.run import Comparison, Reproduction
from carob.read.files import check_writable, whole_file
from carob.show.cells import Cell, Count, Number, Percent, Text
from carob.show.charts.chart import Chart, check_charts
from carob.show.charts.figures import figure
from carob.show.html import chart_html, document, table_html, text
from carob.show.report import Report, Section


def reproduce_report(result: ReproduceResult) -> Report:
    """How far our values agree with the paper's, and which do not."""
    found = result.found
    far = [row for row in found.comparison if not row.agrees]
    sections = [_figure_section(found)] if found.comparison else []
    sections += [_far_section(far)] if far else []
    sections += [
        _bounds_section(rows) if name == "theory" else _table_section(name, rows) for name, rows in found.tables.items()
    ]
    return Report(_verdict(found), sections)


def _verdict(found: Reproduction) -> str:
    bounds = found.tables.get("theory", [])
    said = [_of_figures(found)] if found.comparison or not bounds else []
    if bounds:
        kept = sum(row["holds"] for row in bounds)
        said.append(f"{kept} of {len(bounds)} bounds are on their side of the exact value and of Monte Carlo.")
    return " ".join(said)


def _of_figures(found: Reproduction) -> str:
    rows = found.comparison
    near = sum(row.agrees for row in rows)
    if found.options.variant == "text":
        return f"The text's variant, which its figures do not follow: {near} of {len(rows)} values of these agree."
    return f"{near} of {len(rows)} values of the paper's figures agree, within 3 standard errors or 3 %."


def _figure_section(found: Reproduction) -> Section:
    by_figure: dict[str, list[Comparison]] = {}
    for row in found.comparison:
        by_figure.setdefault(row.figure, []).append(row)
    rows = [
        [
            Text(name),
            Count(len(part)),
            Count(sum(row.agrees for row in part)),
            Percent(max(abs(row.ours / row.paper - 1) for row in part)),
        ]
        for name, part in by_figure.items()
    ]
    return Section("Figures", ["figure", "values", "agree", "largest difference"], rows)


def _far_section(far: list[Comparison]) -> Section:
    rows = [
        [Text(row.figure), Text(row.curve), Count(row.n), Number(row.paper), Number(row.ours), Number(row.se)]
        for row in far
    ]
    headers = ["figure", "curve", "n", "paper", "ours", "standard error"]
    return Section("Values that do not agree", headers, rows, names=2)


def _bounds_section(rows: list[dict[str, Any]]) -> Section:
    """Each statement, how many of its bounds hold, and how far they are from the exact value, both without B_I."""
    shown: list[list[Cell]] = []
    for statement in dict.fromkeys(row["statement"] for row in rows):
        part = [row for row in rows if row["statement"] == statement]
        ratios = [(row["bound"] - row["inference_bias"]) / (row["exact"] - row["inference_bias"]) for row in part]
        kept = sum(row["holds"] for row in part)
        shown.append([Text(statement), Count(len(part)), Count(kept), Number(min(ratios), 3), Number(max(ratios), 3)])
    headers = ["statement", "bounds", "on their side", "least bound / exact", "most"]
    return Section("Bounds over a grid of m, d and n; ratios without B_I", headers, shown)


def _table_section(name: str, rows: list[dict[str, Any]]) -> Section:
    """A table of the paper, without standard errors and spreads."""
    shown = [key for key in rows[0] if not key.endswith(("_se", "_sd"))]
    return Section(name, shown, [[table_cell(row[key]) for key in shown] for row in rows])


def table_cell(value: Any) -> Cell:
    """A value of a table of the paper."""
    return Number(value) if isinstance(value, float) else Text(value)


_PAGE = "index.html"


def check_pictures(out: str) -> None:
    """Refuse, before any work is done, where charts cannot be drawn or the page cannot be written."""
    check_charts()
    if Path(out).is_dir():
        check_writable(Path(out) / _PAGE)


def write_pictures(result: ReproduceResult) -> None:
    """Write every figure as SVG and PNG, and the page, beside the numbers."""
    found, folder = result.found, Path(result.out)
    charts = [
        figure(name, found.points, found.comparison) for name in dict.fromkeys(point.figure for point in found.points)
    ]
    for chart in charts:
        _write_file(folder / f"{chart.name}.svg", chart.svg().encode())
        _write_file(folder / f"{chart.name}.png", chart.png())
    _write_file(folder / _PAGE, page(found, charts).encode())


def _write_file(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def page(found: Reproduction, charts: list[Chart]) -> str:
    """One page with all charts, what they show, and the numbers behind them."""
    parts = [f"<h1>The paper, reproduced</h1><p>{text(found.options.fingerprint)}</p>"]
    parts += [f'<section><div class="charts wide">{chart_html(chart)}</div></section>' for chart in charts]
    for name, rows in found.tables.items():
        cells = [[table_cell(value) for value in row.values()] for row in rows]
        parts.append(f"<section><h2>{text(name)}</h2>{table_html(name, list(rows[0]), cells)}</section>")
    return document("The paper, reproduced", "".join(parts), "<p>This page loads nothing.</p>")
