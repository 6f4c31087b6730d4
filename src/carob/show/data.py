"""What most reports say of the data: its size, its sources, how common each class is, and who copies whom."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from carob.commands.summary import ClassShare, DataSummary, Dependence, ScoreSummary
from carob.errors import plural
from carob.paper.structure import DependentPair
from carob.posterior.source_table import SourceTable
from carob.show.cells import Between, Cell, Correlation, Count, Percent, Share, Text
from carob.show.charts.accuracies import accuracies, how_telling
from carob.show.charts.dependence import dependence
from carob.show.report import Section
from carob.votes.messages import Message, MessageKind, of_kind

_PAIRS_SHOWN = 5
_DETAILS = (
    "Polarity: the classes that a source votes for. Coverage, overlaps, conflicts: the shares of points on which it "
    "votes, on which another votes too, and on which another votes differently."
)


def size_words(data: DataSummary) -> str:
    """How much data there is."""
    sources = plural(len(data.sources.source), "source")
    gold = "" if data.n_gold is None else f", {plural(data.n_gold, 'gold label')}"
    return f"{plural(data.n_points, 'point')}, {sources}, {len(data.classes)} classes{gold}"


def message_sections(messages: Sequence[Message], *kinds: MessageKind) -> list[Section]:
    """What to look at first, what was set aside and what was guessed, where there is something; of some kinds alone."""
    titles: dict[MessageKind, str] = {"warning": "To look at first", "dropped": "Set aside", "guess": "Guessed"}
    sections = []
    for kind in kinds or titles:
        point = "- " if kind == "warning" else ""
        lines = [point + message.words for message in of_kind(messages, kind)]
        if lines:
            sections.append(Section(titles[kind], lines=lines))
    return sections


def uncovered_lines(n_uncovered: int, n_points: int) -> list[str]:
    """How many points no source votes on, where there are some."""
    if not n_uncovered:
        return []
    return [
        f"{n_uncovered:,} of {n_points:,} points {'has' if n_uncovered == 1 else 'have'} no vote: labels there rest on "
        "the class balance that is given, else on what silence tells (`carob label --leave-uncovered` gives none)."
    ]


def source_section(data: DataSummary, alone: SourceTable | None = None, by_gold: bool = True) -> Section:
    """The table of sources; the columns on gold only where there is some.

    `alone` and `by_gold`: for the chart, as in `accuracies`.
    """
    gold = data.n_gold is not None
    headers = ["source", "votes", "accuracy", "interval", *(["gold right", "gold wrong"] if gold else [])]
    told = len(headers)
    headers += ["polarity", "coverage", "overlaps", "conflicts", *(["gold accuracy"] if gold else [])]
    rows: list[list[Cell]] = []
    for row in data.sources.rows():
        cells: list[Cell] = [Text(row["source"]), Count(round(row["coverage"] * data.n_points)), Share(row["accuracy"])]
        cells.append(Between(Share(row["low"]), Share(row["high"])))
        cells += [Count(row["correct"]), Count(row["incorrect"])] if gold else []
        cells.append(Text(", ".join(map(str, row["polarity"]))))
        cells += [Share(row[name]) for name in ("coverage", "overlaps", "conflicts")]
        cells += [Share(row["empirical_accuracy"])] if gold else []
        rows.append(cells)
    lines = uncovered_lines(data.n_uncovered, data.n_points)
    if data.contradicted:
        lines.append(
            f"Gold contradicts the accuracy of {data.contradicted} of {len(rows)} sources. Sources that depend on each "
            "other, are worse than chance, or choose which points to vote on mislead triplets, and votes alone do not "
            "show it."
        )
    title = f"Sources (accuracy with its {Percent(data.level, digits=0)} interval)"
    chart = accuracies(data, alone, by_gold)
    return Section(
        title,
        headers,
        rows,
        lines,
        charts=[chart] if chart else [],
        details=range(told, len(headers)),
        details_words=_DETAILS,
        telling=how_telling(data.sources, len(data.classes)).tolist(),
    )


def score_section(scores: Sequence[ScoreSummary]) -> Section:
    """How the numbers of each source with scores are spread, and from where on they speak for the second class."""
    rows: list[list[Cell]] = [
        [
            Text(score.source),
            *(Text(f"{number:.4g}") for number in score.quarters),
            Text("" if score.cut is None else f"{score.cut:.4g}"),
            Share(score.accuracy),
        ]
        for score in scores
    ]
    headers = ["source", "lowest", "25%", "median", "75%", "highest", "best cut", "accuracy there"]
    return Section("Scores, and how often they are on the right side of their best cut", headers, rows)


def balance_section(shares: Sequence[ClassShare]) -> Section:
    """How common each class is, with its interval where it was estimated."""
    parts = []
    for share in shares:
        certain = share.low == share.high
        interval = "" if certain else f" ({Between(Share(share.low), Share(share.high))})"
        parts.append(f"{share.label} {Share(share.value)}{interval}")
    return Section(f"Class balance: {', '.join(parts)}")


def pair_section(pairs: Sequence[DependentPair], found: Dependence | None = None) -> Section:
    """Sources that depend on each other beyond the class, with a chart where every pair was looked at."""
    chart = None if found is None else dependence(found)
    charts = [chart] if chart else []
    if not pairs:
        return Section("No two sources agree or disagree more than the class explains.", charts=charts)
    more = f", the strongest {_PAIRS_SHOWN}" if len(pairs) > _PAIRS_SHOWN else ""
    verb = "depends" if len(pairs) == 1 else "depend"
    shown, headers = pairs[:_PAIRS_SHOWN], ["pair", "correlation"]
    rows: list[list[Cell]] = [[Text(f"{pair.first} - {pair.second}"), Correlation(pair.correlation)] for pair in shown]
    lines = []
    if found is not None:
        agree = [found.agree(pair) for pair in shown]
        headers.append("agree")
        rows = [[*row, Share(share)] for row, share in zip(rows, agree, strict=True)]
        alike = [
            pair
            for pair, share in zip(shown, agree, strict=True)
            if share is not None and share > 0.95 and pair.correlation > 0.3
        ]
        lines = [
            f"Where {pair.first} only repeats {pair.second}, "
            f"--known-pair {shlex.join([pair.first, pair.second])} counts them as one."
            for pair in alike[:3]
        ]
    return Section(
        f"{plural(len(pairs), 'pair')} of sources {verb} on each other beyond the class{more}",
        headers,
        rows,
        lines,
        charts=charts,
    )
