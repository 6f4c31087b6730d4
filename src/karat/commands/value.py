"""`karat value`: what a gold label is worth, where the error comes from, and what to do next."""

from __future__ import annotations

from karat.commands.inputs import VotesFile, votes_and_gold
from karat.commands.progress import Progress, silent, started
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
    votes = data.open(settings, progress)
    return weigh(*votes_and_gold(votes), settings, worth, started(progress, "value"))
