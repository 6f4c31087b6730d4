from __future__ import annotations

from karat.explanation import explanation
from karat.fit import Origin


def test_every_way_to_learn_is_explained() -> None:
    votes = explanation(Origin("triplets", 1_000, 9, "median", "one accuracy per source"))
    assert votes == ("Votes: the median of triplets, one accuracy per source, from 1,000 points.",)
    origin = Origin("combined", 1_000, 50, "mean", "one accuracy per source", ("a", "b"), 0.8, 0.25, 1.5)
    first, unknown, accuracies, probabilities = explanation(origin)
    assert first == "Votes: the mean of triplets, one accuracy per source, from 1,000 points."
    assert unknown == "No triplet can be used for 'a', 'b': learned from gold alone."
    assert "times 0.80, blended with 50 gold labels; gold has a weight of 0.25" in accuracies
    assert "log-likelihoods times 1.50" in probabilities
    assert len(explanation(Origin("combined", 1, 50))) == 3
