from __future__ import annotations

import pytest

from carob.paper.datasets import paper_model
from carob.posterior.settings import Settings
from carob.value.risks import Risks, measure_risks
from carob.votes import GoldPoints


@pytest.fixture(scope="session")
def risks() -> Risks:
    """Risks of 1,500 points of the paper's model with five dependent pairs, told from 80 gold labels."""
    votes = paper_model(5).sample(1_500, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 80))
    return measure_risks(votes, gold, Settings(class_balance=0.5))
