"""What went into a model, in sentences."""

from __future__ import annotations

from karat.errors import examples
from karat.fit import Origin


def explanation(origin: Origin) -> tuple[str, ...]:
    """A sentence or two for every step of a fit.

    >>> explanation(Origin("labeled", 200, 200))
    ('The sources are learned from 200 gold labels alone.',)
    """
    if origin.method == "labeled":
        return (f"The sources are learned from {origin.gold:,} gold labels alone.",)
    notes = [f"Votes: the {origin.aggregate} of triplets, {origin.kind}, from {origin.points:,} points."]
    if origin.method == "combined":
        if origin.unknown:
            notes.append(f"No triplet can be used for {examples(origin.unknown)}: learned from gold alone.")
        notes += [
            f"Accuracies: the estimate from votes, times {origin.multiple:.2f}, blended with {origin.gold:,} gold "
            f"labels; gold has a weight of {origin.gold_weight:.2f} on average.",
            f"Probabilities: log-likelihoods times {origin.slope:.2f} on a point with one vote, and less with more "
            "votes where gold shows that votes repeat each other.",
        ]
    return tuple(notes)
