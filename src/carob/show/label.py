"""What `carob label` says."""

from __future__ import annotations

from carob.commands.label import LabelResult
from carob.errors import plural
from carob.show.cells import Count, Share, Text
from carob.show.data import uncovered_lines
from carob.show.report import Report, Section


def label_report(result: LabelResult) -> Report:
    """How many points were labeled, and as what."""
    rows = [[Text(part.label), Count(part.points), Share(part.mean_probability)] for part in result.labels]
    lines = uncovered_lines(result.n_uncovered, result.n_points)
    section = Section("Labels", ["class", "points", "mean probability"], rows, lines)
    return Report(f"Labeled {plural(result.n_points, 'point')}; wrote {result.out}.", [section])
