"""What `carob update` says."""

from __future__ import annotations

from carob.commands.update import UpdateResult
from carob.errors import plural
from carob.show.data import balance_section, message_sections, source_section
from carob.show.report import Report


def update_report(result: UpdateResult, next_command: str = "") -> Report:
    """How much was learned from, and what the sources are now."""
    gold = f" and {plural(result.n_gold_added, 'gold label')}" if result.n_gold_added else ""
    verdict = (
        f"Learned from {plural(result.n_added, 'point')}{gold} more, {result.data.n_points:,} points in all. Wrote the "
        f"model to {result.out}."
    )
    sections = [
        *message_sections(result.data.messages),
        source_section(result.data),
        balance_section(result.class_balance),
    ]
    return Report(verdict, sections, next_command)
