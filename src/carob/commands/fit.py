"""`carob fit`: learn the sources, label all points, write what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from carob.commands.clusters import Engine, check_folder, open_on_cluster, write_folder
from carob.commands.inputs import VotesFile, learn, whole_part
from carob.commands.outputs import Histogram, Labels, LabelShare, check_different
from carob.commands.progress import Progress, silent, started
from carob.commands.summary import ClassShare, DataSummary, class_shares
from carob.count.digest import Digest
from carob.engines.labels import LabelPart
from carob.label.cross_validation import CrossScore
from carob.model.label_model import LabelModel
from carob.posterior.losses import Score, score
from carob.posterior.settings import Settings
from carob.read.files import check_writable
from carob.read.formats import check_output, written_table
from carob.votes import Votes


@dataclass(frozen=True, eq=False)
class FitResult:
    """What was learned and written.

    Parameters
    ----------
    data : DataSummary
    class_balance : tuple of ClassShare
    labels : tuple of LabelShare
    n_labeled : int
        Points that these are of: all, or, where labels of very many points are not asked for, those learned from.
    histogram : Histogram or None
        How sure the labels are.
    explanation : str
        What went into the model.
    worse : tuple of str
        Sources that are worse than chance.
    scores : tuple of CrossScore
        Of majority vote, votes alone, gold alone and both, on gold that each has not seen; empty with little gold.
    score : Score or None
        On the gold points, where there are some and the method has no scores of its own.
    learned_from_gold : bool
        Whether the sources were learned from gold, which the score then flatters.
    out, model_file : str or None
        Files that were written.
    """

    data: DataSummary
    class_balance: tuple[ClassShare, ...]
    labels: tuple[LabelShare, ...]
    explanation: str
    worse: tuple[str, ...]
    scores: tuple[CrossScore, ...]
    score: Score | None
    learned_from_gold: bool
    out: str | None
    model_file: str | None
    histogram: Histogram | None = None
    n_labeled: int = 0


def fit_votes(
    data: VotesFile,
    settings: Settings,
    out: str | None = None,
    model_file: str | None = None,
    progress: Progress = silent,
    leave_uncovered: bool = False,
    keep: Sequence[str] = (),
    engine: Engine = "local",
    master: str | None = None,
) -> FitResult:
    """Learn the sources and label all points.

    Parameters
    ----------
    out : str, optional
        Where to write a probability per point.
    model_file : str, optional
        Where to write the model.
    leave_uncovered : bool
        Write no label for points without a vote.
    keep : sequence of str
        Columns of the votes to write beside the labels.
    engine : {"local", "spark", "dask"}
        Who reads the votes; a cluster writes labels as a folder of Parquet files.
    master : str, optional
        Where the cluster is.
    """
    if engine != "local":
        return _fit_on_cluster(data, settings, out, model_file, leave_uncovered, keep, engine, master)
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
        parts = votes.parts(known, keep, started(progress, "labels"))
        if out is None:  # nobody asks for labels
            parts = iter([LabelPart(votes.digest.sample)])
    labels = Labels(model, leave_uncovered)
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


def _fit_on_cluster(
    data: VotesFile,
    settings: Settings,
    out: str | None,
    model_file: str | None,
    leave_uncovered: bool,
    keep: Sequence[str],
    engine: Engine,
    master: str | None,
) -> FitResult:
    """The same with votes that Spark or Dask reads, and labels that it writes."""
    if out is not None:
        check_folder(out, data.votes)
    if model_file is not None:
        check_writable(model_file)
    data = data.apart_from(check_different(out, model_file))
    votes = open_on_cluster(engine, master, data, settings, keep, leave_uncovered)
    model = LabelModel.of_settings(settings).fit(votes.digest)
    labels = Labels(model, leave_uncovered)
    labels.add(votes.digest.sample)
    if out is not None:
        write_folder(votes, model, out)
    if model_file is not None:
        model.save(model_file)
    return fit_result(votes.digest, model, labels, out, model_file)


def fit_result(
    votes: Votes | Digest,
    model: LabelModel,
    labels: Labels,
    out: str | None = None,
    model_file: str | None = None,
) -> FitResult:
    """What is to be told of a model, and of the labels that it gives."""
    origin = model.fitted_.origin
    measured = None
    if isinstance(votes, Votes) and votes.gold is not None and votes.gold.known.any() and model.fitted_.pool is None:
        rows = np.flatnonzero(votes.gold.known)
        measured = score(model.predict_proba(votes.take(rows)), votes.gold.take(rows))
    return FitResult(
        data=DataSummary.of(
            votes, model.source_table_, model.level, model.aside_, gold_seen=model.fitted_.pool is not None
        ),
        class_balance=class_shares(model),
        labels=labels.counter.shares,
        explanation=model.explain(),
        worse=() if origin is None else origin.worse,
        scores=model.fitted_.scores,
        score=measured,
        learned_from_gold=_learned_from_gold(model),
        out=out,
        model_file=model_file,
        histogram=labels.counter.histogram,
        n_labeled=labels.counter.points,
    )


def _learned_from_gold(model: LabelModel) -> bool:
    """Whether gold told of the sources: triplets take it for the class balance alone."""
    origin = model.fitted_.origin
    return origin is not None and origin.method != "triplets" and origin.gold > 0
