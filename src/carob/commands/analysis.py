"""`carob report`: everything at once, from a file or query, or, for the local page, from votes that were read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from carob._types import Floats
from carob.commands.check import CheckResult, check_votes
from carob.commands.fit import FitResult, fit_result
from carob.commands.inputs import VotesFile, digest_of, model_of
from carob.commands.outputs import Labels
from carob.commands.progress import Progress, silent, started
from carob.count.moments import Moments
from carob.errors import InputError, NotIdentifiedError
from carob.model.label_model import LabelModel
from carob.paper.triplet_fit import TripletSpread, widest_spread
from carob.posterior.settings import Settings
from carob.posterior.source_table import SourceTable
from carob.value.advice import DataValue
from carob.value.by_points import ValueAt, value_by_points
from carob.value.data_value import weigh
from carob.value.plan import Plan, best_plan, check_costs
from carob.value.risks import Risks
from carob.value.votes_alone import VotesAlone
from carob.votes import Votes


@dataclass(frozen=True)
class Prices:
    """What data cost, and what may be spent."""

    label_cost: float = 1.0
    point_cost: float = 0.01
    budget: float = 100.0
    example: bool = True  # nobody said what data cost: these are made up

    def __post_init__(self) -> None:
        check_costs(self.label_cost, self.point_cost, self.budget)


@dataclass(frozen=True, eq=False)
class Labeled:
    """A model, and the labels that it gives to all points."""

    model: LabelModel
    votes: Votes  # of the sources that the model knows
    probabilities: Floats  # shape (n, K)
    result: FitResult  # what is to be told of both
    alone: SourceTable | None  # what votes alone say of the sources, where there is gold


@dataclass(frozen=True, eq=False)
class Analysis:
    """All that can be told of votes and gold."""

    votes: Votes
    settings: Settings
    check: CheckResult
    labeled: Labeled | None = None  # None where problems keep sources from being learned
    value: DataValue | VotesAlone | None = None
    no_value: str = ""  # why there is no value, where there is none
    risks: Risks | None = None  # what the value rests on; None without enough gold
    by_points: tuple[ValueAt, ...] = ()  # what fewer points would be worth
    spread: TripletSpread | None = None  # of the source on which triplets differ most

    def plan(self, prices: Prices) -> Plan | None:
        """How to spend a budget; None without enough gold."""
        if self.risks is None:
            return None
        return best_plan(self.risks, prices.label_cost, prices.point_cost, prices.budget)


def analyse(votes: Votes, settings: Settings, progress: Progress = silent) -> Analysis:
    """Check votes, label all points, and weigh gold against points."""
    check = check_votes(votes, settings, progress)
    found = Analysis(votes, settings, check)
    if check.model is None:
        return found
    found = replace(found, labeled=_labeled(votes, check.model, settings, progress))
    try:
        value, risks = weigh(digest_of(votes, settings), settings, progress=started(progress, "value"))
    except (InputError, NotIdentifiedError) as error:
        return replace(found, no_value=str(error))
    by_points: tuple[ValueAt, ...] = ()
    if risks is not None:
        by_points = value_by_points(risks, started(progress, "points"))
    return replace(found, value=value, risks=risks, by_points=by_points, spread=_spread(votes, settings))


def _labeled(votes: Votes, model: LabelModel, settings: Settings, progress: Progress) -> Labeled:
    known = votes.select(model.source_model_.sources)
    probabilities = model.predict_proba(known)
    alone = None
    if votes.gold is not None and votes.gold.known.any() and settings.method not in ("labeled", "triplets"):
        without = replace(votes, gold=None)
        alone = model_of(settings).fit(without, progress=started(progress, "sources")).source_table_
    labels = Labels(model)
    labels.counter.add(known, probabilities)
    return Labeled(model, known, probabilities, fit_result(known, model, labels), alone)


def _spread(votes: Votes, settings: Settings) -> TripletSpread | None:
    aside, settings = settings.set_aside(votes)
    left = aside.votes
    if not 3 <= len(left.sources) <= min(100, len(left)) or left.scored.any():  # each has (m - 1)(m - 2) / 2 triplets
        return None
    return widest_spread(Moments.of(left), settings.pairs(left.sources))


@dataclass(frozen=True, eq=False)
class ReportResult:
    """All that can be told, and a plan."""

    name: str  # what the votes are called
    analysis: Analysis
    prices: Prices
    plan: Plan | None  # None without enough gold


def report_votes(data: VotesFile, settings: Settings, prices: Prices, progress: Progress = silent) -> ReportResult:
    """Find out all that a report shows."""
    analysis = analyse(data.read(), settings, progress)
    return ReportResult(data.name, analysis, prices, analysis.plan(prices))
