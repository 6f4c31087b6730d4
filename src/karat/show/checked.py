"""`karat.check`: what `karat check` says, for votes in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from karat._types import Abstains, Label
from karat.commands.check import CheckResult, check_votes
from karat.estimate.settings import Settings
from karat.notebook import Shown
from karat.show.check import check_report
from karat.votes import as_votes


@dataclass(frozen=True, eq=False, repr=False)
class Checked(CheckResult, Shown):
    """What is to be known of votes before they are used; printed, it is what `karat check` says."""

    def __repr__(self) -> str:
        from karat.show.terminal import report_text  # loads rich

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
        As in `karat.LabelModel.fit`; where gold is not given, that which came with the votes.
    classes, abstain
        As in `karat.LabelModel`.
    **settings
        Other parameters of `karat.LabelModel`.

    Examples
    --------
    >>> import karat
    >>> found = karat.check(karat.datasets.load_imdb(), class_balance=0.5, replicates=0, method="triplets")
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
