"""`carob fit`: learn the sources, label all points, write what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from carob.commands.inputs import VotesFile, learn, whole_part
from carob.commands.outputs import Histogram, Labels, LabelShare, check_different
from carob.commands.progress import Progress, silent, started
from carob.commands.summary import ClassShare, DataSummary, class_shares
from carob.count.digest import Digest
from carob.engines.labels import Chunk
from carob.model.label_model import LabelModel
from carob.posterior.losses import CrossScore, Score, score
from carob.posterior.settings import Settings
from carob.read.files import check_writable
from carob.read.formats import check_output, written_table
from carob.votes import Votes


@dataclass(frozen=True, eq=False)
class FitResult:
    """What was learned and written."""

    data: DataSummary
    class_balance: tuple[ClassShare, ...]
    labels: tuple[LabelShare, ...]
    explanation: str  # what went into the model
    worse: tuple[str, ...]  # sources that are worse than chance
    # of majority vote, votes alone, gold alone and both, on gold that each has not seen; empty with little gold
    scores: tuple[CrossScore, ...]
    score: Score | None  # on the gold points, where there are some and the method has no scores of its own
    learned_from_gold: bool  # whether the sources were learned from gold, which the score then flatters
    # out, model_file: files that were written
    out: str | None
    model_file: str | None
    histogram: Histogram | None = None  # how sure the labels are
    # points that these are of: all, or, where labels of very many points are not asked for, those learned from
    n_labeled: int = 0


def fit_votes(
    data: VotesFile,
    settings: Settings,
    out: str | None = None,
    model_file: str | None = None,
    progress: Progress = silent,
    keep: Sequence[str] = (),
) -> FitResult:
    """Learn the sources and label all points.

    `out`: where to write a probability per point. `model_file`: where to write the model. `keep`: columns of the votes
    to write beside the labels.
    """
    if out is not None:
        check_output(out)
    if model_file is not None:
        check_writable(model_file)
    data = data.apart_from(check_different(out, model_file))
    votes = data.open(settings, progress)
    model = learn(votes, settings, progress)
    known = model.source_model_.sources
    if isinstance(votes, Votes):
        parts = whole_part(data, votes.select(known), keep)
    else:
        parts = votes.chunks(known, keep, started(progress, "labels"))
        if out is None:  # nobody asks for labels
            parts = iter([Chunk(votes.digest.sample)])
    labels = Labels(model)
    with ExitStack() as both:  # neither file appears unless both can
        if out is not None:
            both.enter_context(written_table(out, labels.columns(parts)))
        else:
            for part in parts:
                labels.add(part.votes)
        if model_file is not None:
            model.save(model_file)
    told = votes.select(known) if isinstance(votes, Votes) else votes.digest
    return fit_result(told, model, labels, out, model_file)


def fit_result(
    votes: Votes | Digest,
    model: LabelModel,
    labels: Labels,
    out: str | None = None,
    model_file: str | None = None,
) -> FitResult:
    """What is to be told of a model, and of the labels that it gives."""
    fit = model.fit_
    measured = None
    if isinstance(votes, Votes) and votes.gold is not None and votes.gold.known.any() and fit.method != "consensus":
        rows = np.flatnonzero(votes.gold.known)
        measured = score(model.predict_proba(votes.take(rows)), votes.gold.take(rows))
    return FitResult(
        data=DataSummary.of(votes, fit.sources, model.level, fit.messages, gold_seen=fit.sources_saw_gold),
        class_balance=class_shares(model),
        labels=labels.counter.shares,
        explanation=model.explain(),
        worse=fit.worse,
        scores=fit.scores,
        score=measured,
        learned_from_gold=fit.sources_saw_gold,
        out=out,
        model_file=model_file,
        histogram=labels.counter.histogram,
        n_labeled=labels.counter.points,
    )
