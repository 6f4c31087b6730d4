"""The paper's figures as pictures, and all of them on one page that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from karat.commands.reproduce import ReproduceResult
from karat.experiments.run import Comparison, Reproduction
from karat.io.files import check_writable, whole_file
from karat.show.cells import Cell, Count, Number, Text
from karat.show.charts import FIGURES, chart, check_charts, png, svg
from karat.show.reproduce import table_cell

_PAGE = "index.html"
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "svg{max-width:100%;height:auto}table{border-collapse:collapse;font-size:.8rem;display:block;overflow-x:auto}"
    "td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd}figure{margin:0}"
)


def check_pictures(out: str) -> None:
    """Refuse, before any work is done, where charts cannot be drawn or the page cannot be written."""
    check_charts()
    if Path(out).is_dir():
        check_writable(Path(out) / _PAGE)


def write_pictures(result: ReproduceResult) -> None:
    """Write every figure as SVG and PNG, and the page, beside the numbers."""
    found, folder = result.found, Path(result.out)
    pictures = {}
    for figure in dict.fromkeys(point.figure for point in found.points):
        specification = chart(figure, found.points, found.comparison)
        pictures[figure] = svg(specification)
        _write(folder / f"{figure}.svg", pictures[figure].encode())
        _write(folder / f"{figure}.png", png(specification))
    _write(folder / _PAGE, page(found, pictures).encode())


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def page(found: Reproduction, pictures: dict[str, str]) -> str:
    """One page with all charts, what they show, and the numbers behind them."""
    parts = []
    for figure, picture in pictures.items():
        rows = [row for row in found.comparison if row.figure == figure]
        parts.append(_figure(figure, picture, rows))
    for name, table_rows in found.tables.items():
        cells = [[table_cell(value) for value in row.values()] for row in table_rows]
        parts.append(f"<section><h2>{escape(name)}</h2>{_table(list(table_rows[0]), cells)}</section>")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The paper, reproduced</title>'
        f"<style>{_STYLE}</style></head><body><h1>The paper, reproduced</h1><p>{escape(found.options.fingerprint)}</p>"
        f"{''.join(parts)}</body></html>\n"
    )


def _figure(figure: str, picture: str, rows: Sequence[Comparison]) -> str:
    title, legend = FIGURES[figure].title, FIGURES[figure].legend
    if not rows:  # of a theorem: its numbers are in a table of their own
        return (
            f"<section><h2>{escape(title)}</h2><figure>{picture}<figcaption>{escape(legend)}</figcaption></figure>"
            "</section>"
        )
    agree = f"{sum(row.agrees for row in rows)} of {len(rows)} of its values agree."
    cells: list[list[Cell]] = [
        [Text(row.panel), Text(row.curve), Count(row.n), Number(row.paper, 5), Number(row.ours, 5), Number(row.se, 2)]
        for row in rows
    ]
    table = _table(["panel", "curve", "n", "paper", "ours", "standard error"], cells)
    return (
        f"<section><h2>{escape(title)}</h2><figure>{picture}<figcaption>{escape(f'{legend} {agree}')}</figcaption>"
        f"</figure><details><summary>Numbers</summary>{table}</details></section>"
    )


def _table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
