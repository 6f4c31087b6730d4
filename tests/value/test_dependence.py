from __future__ import annotations

import numpy as np
from simulate import sample

from carob import LabelModel, Moments, Votes
from carob.paper.datasets import paper_model
from carob.paper.structure import dependent_pairs
from carob.value.dependence import explaining_model


def blamed(votes: Votes) -> set[tuple[str, str]]:
    fit, moments = LabelModel(replicates=0).fit(votes, np.full(len(votes), None)).fit_, Moments.of(votes)
    found = dependent_pairs(moments, explaining_model(moments, fit, votes, ()))
    return {(pair.first, pair.second) for pair in found}


def test_weak_sources_in_pairs_are_told_by_triplets() -> None:
    assert blamed(paper_model(5).sample(20_000, 0)) == {(f"s{i}", f"s{i + 1}") for i in range(0, 10, 2)}


def test_independent_sources_are_not_blamed() -> None:
    assert blamed(sample(3_000)) == set()
