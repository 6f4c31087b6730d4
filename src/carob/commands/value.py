"""`carob value`: what a gold label is worth, where the error comes from, and what to do next."""

from __future__ import annotations

from dataclasses import replace

from carob.commands.inputs import VotesFile, digest_of
from carob.commands.progress import Progress, silent, started
from carob.commands.summary import to_look_at
from carob.posterior.settings import Settings
from carob.value.advice import DataValue
from carob.value.data_value import weigh
from carob.value.decision import check_worth
from carob.value.votes_alone import VotesAlone


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
    digest = digest_of(data.open(settings, progress), settings)
    found, _ = weigh(digest, settings, worth, started(progress, "value"))
    return replace(found, messages=(*to_look_at(digest), *found.messages))
