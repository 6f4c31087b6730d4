"""`karat fit`: learn the sources, label all points, write what was asked for."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from karat._types import Floats
from karat.calibrate.cross_validation import CrossScore
from karat.commands.inputs import VotesFile, learn
from karat.commands.outputs import Histogram, LabelShare, check_different, label_columns, label_shares
from karat.commands.progress import Progress, silent
from karat.commands.summary import ClassShare, DataSummary, class_shares
from karat.estimate.settings import Settings
from karat.io.files import check_writable
from karat.io.formats import check_output, written_table
from karat.losses import Score, score
from karat.model import LabelModel
from karat.votes import Votes


@dataclass(frozen=True, eq=False)
class FitResult:
    """What was learned and written.

    Parameters
    ----------
    data : DataSummary
    class_balance : tuple of ClassShare
    labels : tuple of LabelShare
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


def fit_votes(
    data: VotesFile,
    settings: Settings,
    out: str | None = None,
    model_file: str | None = None,
    progress: Progress = silent,
    leave_uncovered: bool = False,
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
    """
    if out is not None:
        check_output(out)
    if model_file is not None:
        check_writable(model_file)
    votes = data.apart_from(check_different(out, model_file)).read()
    model = learn(votes, settings, progress)
    votes = votes.select(model.source_model_.sources)
    probabilities = model.predict_proba(votes)
    with ExitStack() as both:  # neither file appears unless both can
        if out is not None:
            both.enter_context(written_table(out, label_columns(votes, probabilities, leave_uncovered)))
        if model_file is not None:
            model.save(model_file)
    return fit_result(votes, model, probabilities, out, model_file, leave_uncovered)


def fit_result(
    votes: Votes,
    model: LabelModel,
    probabilities: Floats,
    out: str | None = None,
    model_file: str | None = None,
    leave_uncovered: bool = False,
) -> FitResult:
    """What is to be told of a model, and of the probabilities that it gives to the points of the votes."""
    origin = model.fitted_.origin
    measured = None
    if votes.gold is not None and votes.gold.known.any() and model.fitted_.pool is None:
        measured = score(probabilities, votes.gold)
    return FitResult(
        data=DataSummary.of(
            votes, model.source_table_, model.level, model.aside_, gold_seen=model.fitted_.pool is not None
        ),
        class_balance=class_shares(model),
        labels=label_shares(votes, probabilities, leave_uncovered),
        explanation=model.explain(),
        worse=() if origin is None else origin.worse,
        scores=model.fitted_.scores,
        score=measured,
        learned_from_gold=_learned_from_gold(model),
        out=out,
        model_file=model_file,
        histogram=Histogram.of(votes, probabilities),
    )


def _learned_from_gold(model: LabelModel) -> bool:
    """Whether gold told of the sources: triplets take it for the class balance alone."""
    origin = model.fitted_.origin
    return origin is not None and origin.method != "triplets" and origin.gold > 0
