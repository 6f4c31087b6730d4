"""`carob.check`: what `carob check` says, for votes in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from carob._types import Shown
from carob.commands.check import CheckResult, check_votes
from carob.model.label_model import LabelModel
from carob.show.check import check_report


@dataclass(frozen=True, eq=False, repr=False)
class Checked(CheckResult, Shown):
    """What is to be known of votes before they are used; printed, it is what `carob check` says."""

    def __repr__(self) -> str:
        from carob.show.terminal import report_text  # loads rich

        return report_text(check_report(self)).rstrip("\n")


def check(votes: Any, gold: Any = None, *, model: LabelModel | None = None) -> Checked:
    r"""Find out whether votes are fit to be learned from, how they were read, and how good each source is.

    Parameters
    ----------
    votes, gold
        As in `carob.LabelModel.fit`; where gold is not given, that which came with the votes.
    model : LabelModel, optional
        How to learn.

    Examples
    --------
    >>> import carob
    >>> found = carob.check(carob.paper.datasets.load_imdb(), model=carob.LabelModel(class_balance=0.5))
    >>> print(str(found).partition(".")[0])
    Ready to fit: 50,000 points, 12 sources, 2 classes, 50,000 gold labels
    >>> found.problems
    ()
    """
    model = LabelModel() if model is None else model
    data, truth = model.read(votes, gold)
    if truth is not None:
        data = replace(data, gold=truth)
    return Checked(**vars(check_votes(data, model.settings())))
