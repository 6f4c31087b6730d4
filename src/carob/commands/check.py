"""`carob check`: can votes be worked with, how were they read, how good are the sources, and who copies whom."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from carob.commands.inputs import VotesFile, learn
from carob.commands.progress import Progress, silent
from carob.commands.summary import ClassShare, DataSummary, Dependence, ScoreSummary, class_shares, score_summaries
from carob.count.aside import Aside, telling_problems
from carob.count.digest import Digest
from carob.count.moments import MOST_OUTPUTS, Moments
from carob.engines.local import FileVotes
from carob.engines.row_decoder import MOST_COMPARED
from carob.errors import NotIdentifiedError
from carob.model.label_model import LabelModel
from carob.paper.count import shape_problems, source_problems
from carob.paper.structure import DependentPair
from carob.posterior.settings import Settings
from carob.posterior.source_table import SourceTable
from carob.value.dependence import explaining_model
from carob.votes import GoldPoints, Votes
from carob.votes.messages import Message


@dataclass(frozen=True, eq=False)
class CheckResult:
    """What is to be known of votes before they are used.

    Parameters
    ----------
    data : DataSummary
        Its accuracies are NaN where there are problems.
    problems : tuple of str
        All that keeps sources from being learned; empty where nothing does.
    identified : bool
        False where the input is sound, and yet the data cannot tell.
    class_balance : tuple of ClassShare
        Empty where there are problems.
    dependence : Dependence or None
        How often sources agree, and which depend on each other; None where nobody looked.
    worse : tuple of str
        Sources that are worse than chance.
    findings : tuple of str
        What else stands out, a sentence each.
    scores : tuple of ScoreSummary
        Of the sources that give scores.
    model : LabelModel or None
        What was learned; None where there are problems.
    """

    data: DataSummary
    problems: tuple[str, ...] = ()
    identified: bool = True
    class_balance: tuple[ClassShare, ...] = ()
    dependence: Dependence | None = None
    worse: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    scores: tuple[ScoreSummary, ...] = ()
    model: LabelModel | None = None

    @property
    def pairs(self) -> tuple[DependentPair, ...]:
        """Sources that depend on each other beyond the class, the strongest first."""
        return () if self.dependence is None else self.dependence.pairs


def check_file(data: VotesFile, settings: Settings, progress: Progress = silent) -> CheckResult:
    """As `check_votes`, of a file or query."""
    votes = data.open(settings, progress, pairs=True)
    return (
        check_votes(votes, settings, progress) if isinstance(votes, Votes) else check_digest(votes, settings, progress)
    )


def check_votes(votes: Votes, settings: Settings, progress: Progress = silent) -> CheckResult:
    """Find out whether votes are fit to be learned from, and what they tell of their sources."""
    aside, settings = settings.set_aside(votes)
    votes = aside.votes
    triples = settings.method in ("triplets", "tensors")
    few = len(votes.sources) <= (len(votes) if triples else min(len(votes), MOST_COMPARED))
    few &= triples or len(votes.outputs.source) <= MOST_OUTPUTS
    problems = []
    if triples:
        problems = _problems(votes, Moments.of(votes) if few else None, settings)
    elif settings.strict and settings.method != "labeled":
        problems = telling_problems(votes.counts, settings.pairs(votes.sources))
    if problems:
        return CheckResult(_unlearned(aside, settings), tuple(problems))
    try:
        model = learn(votes, settings, progress)
    except NotIdentifiedError as error:
        return CheckResult(_unlearned(aside, settings), (str(error),), identified=False)
    dependence = None
    if few:
        moments = Moments.of(votes.as_voted(model.fit_.bin_classes))
        known = settings.known_pairs
        dependence = Dependence.of(moments, explaining_model(moments, model.fit_, votes, known), known)
    return replace(_learned(votes, model, settings, aside.messages, dependence), scores=score_summaries(votes, model))


def _learned(
    votes: Votes | Digest,
    model: LabelModel,
    settings: Settings,
    messages: tuple[Message, ...],
    dependence: Dependence | None,
) -> CheckResult:
    """What is to be told of votes that a model was learned from."""
    summary = DataSummary.of(
        votes, model.source_table_, settings.level, messages, gold_seen=model.fit_.sources_saw_gold
    )
    return CheckResult(
        summary,
        class_balance=class_shares(model),
        dependence=dependence,
        worse=model.fit_.worse,
        findings=model.fit_.findings,
        model=model,
    )


def check_digest(votes: FileVotes, settings: Settings, progress: Progress = silent) -> CheckResult:
    """The same of votes that are read part by part."""
    digest = votes.digest
    try:
        model = learn(votes, settings, progress)
    except NotIdentifiedError as error:
        nothing = np.full(len(digest.sources), np.nan)
        table = SourceTable.of_counts(digest.told, digest.points, nothing, nothing, nothing)
        data = DataSummary.of(digest, table, settings.level, digest.messages)
        return CheckResult(data, (str(error),), identified=False)
    dependence = None
    if digest.statistics is not None:
        known = settings.for_sources(digest.counts.sources, digest.sources).known_pairs
        moments = digest.statistics.moments
        dependence = Dependence.of(moments, explaining_model(moments, model.fit_, digest.kept, known), known)
    return _learned(digest, model, settings, digest.messages, dependence)


def _problems(votes: Votes, moments: Moments | None, settings: Settings) -> list[str]:
    """What keeps triplets from working; nothing is counted where there are more sources than points."""
    if moments is None:
        return shape_problems(len(votes), len(votes.sources))
    return source_problems(moments, settings.pairs(votes.sources))


def _unlearned(aside: Aside, settings: Settings) -> DataSummary:
    votes = aside.votes
    nothing = np.full(len(votes.sources), np.nan)
    points = None if votes.gold is None else GoldPoints.of(votes, votes.gold)
    table = SourceTable.of(votes, points, nothing, nothing, nothing)
    return DataSummary.of(votes, table, settings.level, aside.messages)
