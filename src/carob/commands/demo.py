"""`carob demo`: the paper's twelve word rules on IMDB, how good they are, and how wrong labels from them are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob.commands.inputs import learn
from carob.commands.progress import Progress, silent, started
from carob.commands.summary import DataSummary, Dependence
from carob.count.moments import Moments
from carob.model.label_model import LabelModel
from carob.paper.datasets import load_imdb
from carob.paper.structure import DependentPair
from carob.paper.triplet_fit import triplets
from carob.posterior.losses import Score, score
from carob.posterior.naive_bayes import posterior
from carob.posterior.settings import Settings
from carob.value.advice import DataValue
from carob.value.data_value import data_value
from carob.value.votes_alone import VotesAlone

_GOLD = 200  # gold labels that a user might have
_BALANCE = 0.5  # of the reviews, as the paper has it


@dataclass(frozen=True, eq=False)
class DemoResult:
    """What the demo shows."""

    data: DataSummary  # with accuracies from votes alone
    # how wrong labels are that were learned by "corrected" (votes alone, median of triplets), "unlabeled" (their
    # mean), "votes" (votes alone, as `carob fit` learns), "combined" (the same and `n_gold` gold labels) and
    # "labeled" (gold for all points)
    scores: dict[str, Score]
    n_gold: int
    value: DataValue | VotesAlone  # what the votes are worth, told from `n_gold` gold labels
    dependence: Dependence  # how often sources agree, and which depend on each other

    @property
    def pairs(self) -> tuple[DependentPair, ...]:
        """Sources that depend on each other beyond the class, the strongest first."""
        return self.dependence.pairs


def run_demo(progress: Progress = silent) -> DemoResult:
    """Learn the word rules in five ways, and weigh them against a few gold labels."""
    votes = load_imdb()
    gold = votes.own_gold
    few = votes.code_gold(np.where(np.random.default_rng(0).permutation(len(votes)) < _GOLD, gold.values, -1))
    median = learn(votes, Settings(method="triplets", class_balance=_BALANCE), progress)
    models = {
        "corrected": median,
        "votes": LabelModel(class_balance=_BALANCE).fit(votes),
        "combined": LabelModel(class_balance=_BALANCE).fit(votes, few),
        "labeled": LabelModel(method="labeled", class_balance=_BALANCE).fit(votes, gold),
    }
    moments = Moments.of(votes)
    mean = triplets(moments, aggregate="mean", class_balance=_BALANCE)
    probabilities = {name: model.predict_proba(votes) for name, model in models.items()}
    probabilities["unlabeled"] = posterior(votes, mean)
    return DemoResult(
        data=DataSummary.of(votes, median.source_table_, median.level),
        scores={name: score(p, gold) for name, p in probabilities.items()},
        n_gold=_GOLD,
        value=data_value(votes, few, model=LabelModel(class_balance=_BALANCE), progress=started(progress, "value")),
        dependence=Dependence.of(moments, median.source_model_),
    )
