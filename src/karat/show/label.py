"""What `karat label` says."""

from __future__ import annotations

from karat.commands.label import LabelResult
from karat.errors import plural
from karat.show.cells import Count, Share, Text
from karat.show.data import uncovered_lines
from karat.show.report import Report, Section


def label_report(result: LabelResult) -> Report:
    """How many points were labeled, and as what."""
    rows = [[Text(part.label), Count(part.points), Share(part.mean_probability)] for part in result.labels]
    lines = uncovered_lines(result.n_uncovered, result.n_points)
    section = Section("Labels", ["class", "points", "mean probability"], rows, lines)
    return Report(f"Labeled {plural(result.n_points, 'point')}; wrote {result.out}.", [section])
