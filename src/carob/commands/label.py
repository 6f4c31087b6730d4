"""`carob label`: label points with a model that was fitted before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carob._types import Label
from carob.commands.inputs import VotesFile
from carob.commands.outputs import Labels, LabelShare
from carob.commands.progress import Progress, silent, started
from carob.engines.local import chunks_for
from carob.model.label_model import load
from carob.read.files import check_apart
from carob.read.formats import check_output, written_table


@dataclass(frozen=True)
class LabelResult:
    """What was labeled and written."""

    n_points: int
    classes: tuple[Label, ...]
    labels: tuple[LabelShare, ...]
    out: str  # the file that was written
    n_uncovered: int = 0  # points that no source votes on


def label_votes(
    data: VotesFile,
    model_file: str,
    out: str,
    leave_uncovered: bool = False,
    keep: Sequence[str] = (),
    progress: Progress = silent,
) -> LabelResult:
    """Write a label and probabilities for every point.

    Parameters
    ----------
    model_file : str
        What `carob fit` saved.
    leave_uncovered : bool
        Write no label for points without a vote.
    keep : sequence of str
        Columns of the votes to write beside the labels.
    """
    check_output(out)
    check_apart([model_file], [out])
    model = load(model_file)
    labels, told = Labels(model, leave_uncovered), started(progress, "labels")
    parts = chunks_for(model, data.votes, data.apart_from([out]).reading, keep, told)
    with written_table(out, labels.columns(parts)):
        pass
    counter = labels.counter
    return LabelResult(counter.points, model.source_model_.classes, counter.shares, out, counter.uncovered)
