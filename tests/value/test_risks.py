from __future__ import annotations

from karat.datasets import paper_model
from karat.estimate.settings import Settings
from karat.value.risks import Risks, measure_risks
from karat.votes import GoldPoints

SETTINGS = Settings(class_balance=0.5, symmetric=True)


def test_invariant_the_same_seed_gives_the_same_bits(risks: Risks) -> None:
    votes = paper_model(5).sample(3_000, 0)
    again = measure_risks(votes, GoldPoints.of(votes, votes.own_gold).take(slice(0, 120)), SETTINGS)
    assert again.combined.curve.at(100).value == risks.combined.curve.at(100).value
    assert again.median.per_point.value == risks.median.per_point.value


def test_progress_reaches_its_end() -> None:
    votes = paper_model(0).sample(300, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 40))
    seen: list[tuple[int, int]] = []
    measure_risks(votes, gold, SETTINGS, lambda *at: seen.append(at))
    assert seen[-1][0] == seen[-1][1] == len(seen)
