"""`carob value`, `carob plan` and `carob rate`: what gold is worth, what to buy, how common each class is."""

from __future__ import annotations

from dataclasses import replace

from carob.commands.inputs import VotesFile, digest_of
from carob.commands.progress import Progress, silent, started
from carob.commands.summary import to_look_at
from carob.posterior.settings import Settings
from carob.value.advice import DataValue
from carob.value.data_value import spend, weigh
from carob.value.decision import check_worth
from carob.value.plan import Plan, check_costs
from carob.value.rate import Rate, rate_votes
from carob.value.votes_alone import VotesAlone


def value_votes(
    data: VotesFile, settings: Settings, worth: float | None = None, progress: Progress = silent
) -> DataValue | VotesAlone:
    """Weigh gold labels against unlabeled points; without enough gold, say what votes alone tell.

    `worth`: what a gain must be, in the share of right labels.
    """
    check_worth(worth)  # before anything is read
    digest = digest_of(data.open(settings, progress), settings)
    found, _ = weigh(digest, settings, worth, started(progress, "value"))
    return replace(found, messages=(*to_look_at(digest), *found.messages))


def plan_purchase(
    data: VotesFile,
    settings: Settings,
    label_cost: float,
    point_cost: float,
    budget: float,
    progress: Progress = silent,
) -> Plan:
    """Find the purchase that lowers the log loss most.

    `label_cost` and `point_cost`: price of one gold label, and of one unlabeled point with its votes. `budget`: what
    may be spent.
    """
    check_costs(label_cost, point_cost, budget)  # before anything is read
    digest = digest_of(data.open(settings, progress), settings)
    found = spend(digest, settings, label_cost, point_cost, budget, started(progress, "value"))
    return replace(found, messages=(*to_look_at(digest), *found.messages))


def rate_file(data: VotesFile, settings: Settings, beyond: bool = False) -> Rate:
    """Shares of the classes, of all points and of the groups that were asked for.

    `beyond`: intervals for points like these rather than for these points.
    """
    votes = data.read()
    found = rate_votes(votes, votes.gold, votes.by, settings, beyond)
    return replace(found, messages=(*to_look_at(votes), *found.messages))
