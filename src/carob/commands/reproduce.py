"""`carob reproduce`: the paper's figures and tables, as numbers beside the paper's."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from carob.commands.progress import Progress, silent, started
from carob.errors import InputError
from carob.paper.experiments.parts import Options, Point
from carob.paper.experiments.run import EXPERIMENTS, Comparison, Reproduction, reproduce
from carob.read.files import check_writable, make_folder, whole_file
from carob.read.model_file import plain

_COLUMNS = [field.name for field in fields(Comparison) if field.name != "rounding"]


@dataclass(frozen=True, eq=False)
class ReproduceResult:
    """What was reproduced."""

    found: Reproduction
    out: str  # the folder that the numbers were written to

    @property
    def numbers(self) -> dict[str, Any]:
        """Our values beside the paper's, and the rows of its tables."""
        return {
            "comparison": [{name: getattr(row, name) for name in _COLUMNS} for row in self.found.comparison],
            "tables": self.found.tables,
            "options": self.found.options.fingerprint,
            "out": self.out,
        }


def reproduce_paper(
    experiment: str, options: Options, out: str, jobs: int | None = None, progress: Progress = silent
) -> ReproduceResult:
    """Run one experiment or all, and write their numbers.

    `experiment`: one of `EXPERIMENTS`, or "all". `out`: a folder, which is made where it is not there. Finished parts
    are kept in it. `jobs`: processes.
    """
    if Path(out).exists() and not Path(out).is_dir():
        raise InputError(f"--out {out!r} is a file; name a folder.")
    folder = make_folder(out)
    for name in ("comparison.csv", "points.csv", "numbers.json"):
        check_writable(folder / name)
    names = list(EXPERIMENTS) if experiment == "all" else [experiment]
    result = ReproduceResult(reproduce(names, options, folder, jobs, started(progress, "paper")), out)
    _write(result, folder)
    return result


def _write(result: ReproduceResult, folder: Path) -> None:
    numbers, points = result.numbers, [vars(point) for point in result.found.points]
    _write_csv(folder / "comparison.csv", numbers["comparison"], _COLUMNS)
    _write_csv(folder / "points.csv", points, [field.name for field in fields(Point)])
    for name, rows in result.found.tables.items():
        _write_csv(folder / f"{name}.csv", rows, list(rows[0]))
    with whole_file(folder / "numbers.json") as file:
        file.write(json.dumps(plain(numbers | {"points": points}), allow_nan=False).encode())


def _write_csv(path: Path, rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with whole_file(path) as file:
        file.write(text.getvalue().encode())
