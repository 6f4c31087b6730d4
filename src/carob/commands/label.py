"""`carob label` and `carob update`: other votes labeled with a model that was saved, or learned from besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carob._types import Label
from carob.commands.inputs import VotesFile
from carob.commands.outputs import Labels, LabelShare
from carob.commands.progress import Progress, silent, started
from carob.commands.summary import ClassShare, DataSummary, class_shares
from carob.engines.local import chunks_for, digest_for
from carob.model.label_model import LabelModel, load
from carob.read.files import check_apart, check_writable
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

    `model_file`: what `carob fit` saved. `leave_uncovered`: write no label for points without a vote. `keep`: columns
    of the votes to write beside the labels.
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


@dataclass(frozen=True, eq=False)
class UpdateResult:
    """What was learned from more votes."""

    data: DataSummary  # of all votes that the model has learned from
    class_balance: tuple[ClassShare, ...]
    # n_added, n_gold_added: points and gold labels that are new
    n_added: int
    n_gold_added: int
    out: str  # the model file that was written


def update_model(data: VotesFile, model_file: str, out: str | None = None, progress: Progress = silent) -> UpdateResult:
    """Learn from more votes, or from those of another model.

    `data`: votes of the sources of the model, or the file of another model of them. `model_file`: what `carob fit
    --model` saved. `out`: where to write the model; over the old one where not said.
    """
    target = model_file if out is None else out
    check_writable(target)
    check_apart([data.name], [target])
    model = load(model_file)
    points, gold = _size(model)
    if data.name.endswith(".json"):
        model.update(load(data.name))
    else:
        told = started(progress, "reading")
        model.update(digest_for(model, data.votes, data.apart_from([target]).reading, told))
    model.save(target)
    digest = model.learned_digest()
    return UpdateResult(
        DataSummary.of(digest, model.source_table_, model.level, model.messages_, gold_seen=True),
        class_shares(model),
        _size(model)[0] - points,
        _size(model)[1] - gold,
        target,
    )


def _size(model: LabelModel) -> tuple[int, int]:
    """How many points and gold labels a model has learned from."""
    digest = model.learned_digest()
    return len(digest), 0 if digest.points is None else len(digest.points)
