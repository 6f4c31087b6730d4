"""`carob rate`: how common each class is, such as a pass rate, and what votes were worth for it."""

from __future__ import annotations

from dataclasses import replace

from carob.commands.inputs import VotesFile
from carob.commands.summary import to_look_at
from carob.posterior.settings import Settings
from carob.value.rate import Rate, rate_votes


def rate_file(data: VotesFile, settings: Settings, beyond: bool = False) -> Rate:
    """Shares of the classes, of all points and of the groups that were asked for.

    Parameters
    ----------
    beyond : bool
        Intervals for points like these rather than for these points.
    """
    votes = data.read()
    found = rate_votes(votes, votes.gold, votes.by, settings, beyond)
    return replace(found, messages=(*to_look_at(votes), *found.messages))
