"""What `karat reproduce` writes and says."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from karat.errors import InputError
from karat.experiments.parts import Options, Point
from karat.experiments.run import EXPERIMENTS, Comparison, Reproduction, reproduce
from karat.io.files import check_writable, make_folder, whole_file
from karat.io.plain import plain
from karat.show.charts import cell, chart, check_charts, page, png, svg
from karat.show.report import Report, Section
from karat.show.terminal import progress

_COLUMNS = [field.name for field in fields(Comparison) if field.name != "rounding"]


def reproduction_report(experiment: str, options: Options, out: str, jobs: int | None) -> Report:
    """Run one experiment or all, write numbers and charts, and say how far they agree with the paper."""
    if Path(out).exists() and not Path(out).is_dir():
        raise InputError(f"--out {out!r} is a file; name a folder.")
    check_charts()
    folder = make_folder(out)
    for name in ("comparison.csv", "points.csv", "numbers.json", "index.html"):
        check_writable(folder / name)
    names = list(EXPERIMENTS) if experiment == "all" else [experiment]
    with progress("reproducing the paper") as done:
        found = reproduce(names, options, folder, jobs, done)
    data = {
        "comparison": [{name: getattr(row, name) for name in _COLUMNS} for row in found.comparison],
        "tables": found.tables,
        "options": found.options.fingerprint,
        "out": out,
    }
    _write(found, data, folder)
    return Report(_verdict(found), data, _sections(found), "", 0)


def _write(found: Reproduction, data: dict[str, Any], folder: Path) -> None:
    _file(folder / "comparison.csv", _csv(data["comparison"], _COLUMNS))
    points = [vars(point) for point in found.points]
    _file(folder / "points.csv", _csv(points, [field.name for field in fields(Point)]))
    for name, rows in found.tables.items():
        _file(folder / f"{name}.csv", _csv(rows, list(rows[0])))
    _file(folder / "numbers.json", json.dumps(plain(data | {"points": points}), allow_nan=False))
    pictures = {}
    for figure in dict.fromkeys(point.figure for point in found.points):
        specification = chart(figure, found.points, found.comparison)
        pictures[figure] = svg(specification)
        _file(folder / f"{figure}.svg", pictures[figure])
        with whole_file(folder / f"{figure}.png") as file:
            file.write(png(specification))
    _file(folder / "index.html", page(found, pictures))


def _file(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text.encode())


def _csv(rows: list[dict[str, Any]], columns: list[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _verdict(found: Reproduction) -> str:
    rows = found.comparison
    near = sum(row.agrees for row in rows)
    if found.options.variant == "text":
        return f"The text's variant, which its figures do not follow: {near} of {len(rows)} values of these agree."
    return f"{near} of {len(rows)} values of the paper's figures agree, within 3 standard errors or 3 %."


def _sections(found: Reproduction) -> list[Section]:
    by_figure: dict[str, list[Comparison]] = {}
    for row in found.comparison:
        by_figure.setdefault(row.figure, []).append(row)
    rows = [
        [name, str(len(part)), str(sum(row.agrees for row in part)), f"{max(map(_difference, part)):.1%}"]
        for name, part in by_figure.items()
    ]
    sections = [Section("Figures", ["figure", "values", "agree", "largest difference"], rows)]
    far = [
        [row.figure, row.curve, f"{row.n:,}", *(f"{value:.4g}" for value in (row.paper, row.ours, row.se))]
        for row in found.comparison
        if not row.agrees
    ]
    if far:
        headers = ["figure", "curve", "n", "paper", "ours", "standard error"]
        sections.append(Section("Values that do not agree", headers, far, texts=2))
    for name, table in found.tables.items():
        shown = [key for key in table[0] if not key.endswith(("_se", "_sd"))]
        cells = [[cell(row[key]) for key in shown] for row in table]
        sections.append(Section(name, shown, cells))
    return sections


def _difference(row: Comparison) -> float:
    return abs(row.ours / row.paper - 1)
