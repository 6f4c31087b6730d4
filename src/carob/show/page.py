"""The paper's figures as pictures, and all of them on one page that loads nothing."""

from __future__ import annotations

from pathlib import Path

from carob.commands.reproduce import ReproduceResult
from carob.paper.experiments.run import Reproduction
from carob.read.files import check_writable, whole_file
from carob.show.charts.chart import Chart, check_charts
from carob.show.charts.figures import figure
from carob.show.html import chart_html, document, table_html, text
from carob.show.reproduce import table_cell

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
        _write(folder / f"{chart.name}.svg", chart.svg().encode())
        _write(folder / f"{chart.name}.png", chart.png())
    _write(folder / _PAGE, page(found, charts).encode())


def _write(path: Path, content: bytes) -> None:
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
