"""`carob.check`: what `carob check` says, for votes in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from carob._types import Abstains, Label
from carob.commands.check import CheckResult, check_votes
from carob.notebook import Shown
from carob.posterior.settings import Settings
from carob.read import as_votes
from carob.show.check import check_report


@dataclass(frozen=True, eq=False, repr=False)
class Checked(CheckResult, Shown):
    """What is to be known of votes before they are used; printed, it is what `carob check` says."""

    def __repr__(self) -> str:
        from carob.show.terminal import report_text  # loads rich

        return report_text(check_report(self)).rstrip("\n")


def check(
    votes: Any,
    gold: Any = None,
    *,
    classes: Sequence[Label] | None = None,
    abstain: Abstains = None,
    **settings: Any,
) -> Checked:
    r"""Find out whether votes are fit to be learned from, how they were read, and how good each source is.

    Parameters
    ----------
    votes, gold
        As in `carob.LabelModel.fit`; where gold is not given, that which came with the votes.
    classes, abstain
        As in `carob.LabelModel`.
    **settings
        Other parameters of `carob.LabelModel`.

    Examples
    --------
    >>> import carob
    >>> found = carob.check(carob.paper.datasets.load_imdb(), class_balance=0.5, replicates=0, method="triplets")
    >>> print(str(found).partition("\n")[0])
    Ready to fit: 50,000 points, 12 sources, 2 classes, 50,000 gold labels.
    >>> found.problems
    ()
    """
    chosen = Settings(**settings)
    data = as_votes(votes, classes=classes, abstain=abstain, gold=gold, strict=chosen.strict)
    if gold is not None:
        data = replace(data, gold=data.code_gold(gold))
    return Checked(**vars(check_votes(data, chosen)))
