"""`carob plan`: how to spend a budget on gold labels and unlabeled points."""

from __future__ import annotations

from dataclasses import replace

from carob.commands.inputs import VotesFile, digest_of
from carob.commands.progress import Progress, silent, started
from carob.commands.summary import to_look_at
from carob.posterior.settings import Settings
from carob.value.data_value import spend
from carob.value.plan import Plan, check_costs


def plan_purchase(
    data: VotesFile,
    settings: Settings,
    label_cost: float,
    point_cost: float,
    budget: float,
    progress: Progress = silent,
) -> Plan:
    """Find the purchase that lowers the log loss most.

    Parameters
    ----------
    label_cost, point_cost : float
        Price of one gold label, and of one unlabeled point with its votes.
    budget : float
        What may be spent.
    """
    check_costs(label_cost, point_cost, budget)  # before anything is read
    digest = digest_of(data.open(settings, progress), settings)
    found = spend(digest, settings, label_cost, point_cost, budget, started(progress, "value"))
    return replace(found, messages=(*to_look_at(digest), *found.messages))
