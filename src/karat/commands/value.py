"""`karat value`: what a gold label is worth, where the error comes from, and what to do next."""

from __future__ import annotations

from dataclasses import replace

from karat.commands.inputs import VotesFile, votes_and_gold
from karat.commands.progress import Progress, silent, started
from karat.commands.summary import to_look_at
from karat.estimate.settings import Settings
from karat.value.advice import DataValue
from karat.value.data_value import weigh
from karat.value.decision import check_worth
from karat.value.votes_alone import VotesAlone


def value_votes(
    data: VotesFile, settings: Settings, worth: float | None = None, progress: Progress = silent
) -> DataValue | VotesAlone:
    """Weigh gold labels against unlabeled points; without enough gold, say what votes alone tell.

    Parameters
    ----------
    worth : float, optional
        What a gain must be, in the share of right labels.
    """
    check_worth(worth)  # before anything is read
    votes, gold = votes_and_gold(data.open(settings, progress))
    found = weigh(votes, gold, settings, worth, started(progress, "value"))
    return replace(found, aside=(*to_look_at(votes), *found.aside))
