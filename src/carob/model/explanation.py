"""What went into a model, and what moved a point, in sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Label
from carob.errors import examples, plural
from carob.model.fit import Fitted, Origin
from carob.votes import Votes


def explanation(origin: Origin) -> tuple[str, ...]:
    """A sentence or two for every step of a fit.

    >>> explanation(Origin("labeled", 200, 200))
    ('The sources are learned from 200 gold labels alone.',)
    """
    if origin.method == "labeled":
        return (f"The sources are learned from {origin.gold:,} gold labels alone.",)
    if origin.method == "consensus":
        return _consensus(origin)
    if origin.method == "tensors":
        return _tensors(origin)
    notes = [f"Votes: the {origin.aggregate} of triplets, {origin.kind}, from {origin.points:,} points."]
    if origin.method == "combined":
        if origin.unknown:
            notes.append(f"No triplet can be used for {examples(origin.unknown)}: learned from gold alone.")
        notes += [
            f"Accuracies: what votes say, brought in line with {origin.gold:,} gold labels, which make up "
            f"{origin.gold_weight:.0%} of the result on average.",
            "Probabilities: as sure as gold shows them to be, and less where it shows that votes repeat each other.",
        ]
    return tuple(notes)


def _tensors(origin: Origin) -> tuple[str, ...]:
    """How views were made, and what gold did.

    >>> _tensors(Origin("tensors", 2_000, 0, "median", views=1))
    ('Votes: the median over triples of single sources, a table per source, from 2,000 points.',)
    """
    views = "single sources" if origin.views == 1 else f"pools of up to {origin.views} sources"
    notes = [
        f"Votes: the {origin.aggregate} over triples of {views}, a table per source, from {origin.points:,} points."
    ]
    if origin.gold:
        notes.append(
            f"Gold: {plural(origin.gold, 'gold label')} added to the tables, of which they make up "
            f"{origin.gold_weight:.0%} on average."
        )
    return tuple(notes)


def _consensus(origin: Origin) -> tuple[str, ...]:
    gold = f", and from {plural(origin.gold, 'gold label')}" if origin.gold else ""
    sources = f"Sources: from what all votes say together on {plural(origin.points, 'point')}{gold}."
    if origin.gold and origin.by_gold:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in origin.readings)
        probabilities = f"Probabilities: ways to weigh the votes, by how well they explain gold: {shares}."
    else:
        more = "Gold labels of a second class would tell." if origin.gold else "A few gold labels would tell."
        probabilities = (
            "Probabilities: the mean of three readings, since votes alone do not tell how much they repeat each other: "
            f"all votes in full, votes that repeat each other, and a majority vote. {more}"
        )
    balance = (
        "Class balance: from votes alone, which hardly tell it; give it (class_balance=; --class-balance), or some "
        "gold labels."
    )
    return (sources, *findings(origin), probabilities, *([balance] if origin.balance_guessed else []))


def findings(origin: Origin) -> tuple[str, ...]:
    """What is to be known of the sources before their labels are used.

    >>> findings(Origin("consensus", 200, 0, worse=("x",)))
    ('Worse than chance, so that their votes speak against what they say: x.',)
    """
    notes = []
    if origin.copies:
        pairs = ", ".join(f"{first} and {second}" for first, second in origin.copies)
        notes.append(f"Near copies, each pair counted as one source: {pairs}.")
    if origin.worse:
        notes.append(f"Worse than chance, so that their votes speak against what they say: {', '.join(origin.worse)}.")
    if origin.in_doubt:
        notes.append(
            "The sources fall into two camps that contradict each other, and the other camp is about as likely to be "
            "right: a few gold labels would tell."
        )
    if origin.by_prior:
        notes.append(f"Too few votes to tell, taken to be as good as the others: {examples(origin.by_prior)}.")
    return tuple(notes)


@dataclass(frozen=True)
class Moved:
    """What one vote does to a point.

    Parameters
    ----------
    source : str
    vote : str or int
        The class it votes for, or the numbers among which its score is.
    change : float
        How much more probable it makes the class that the point is given: with it less without it.
    score : bool
        Whether it is a score.
    """

    source: str
    vote: Label
    change: float
    score: bool = False


def moved(fitted: Fitted, point: Votes) -> tuple[Label, float, list[Moved]]:
    """The most probable class of a point, its probability, and what each vote does to that, the most first."""
    values = point.values[0]
    voters = np.flatnonzero(values >= 0)
    rows = np.repeat(values[None, :], len(voters) + 1, axis=0)
    rows[np.arange(len(voters)), voters] = -1
    probabilities = fitted.posterior(Votes(rows, point.sources, point.coding))
    label = int(probabilities[-1].argmax())
    changes = probabilities[-1, label] - probabilities[:-1, label]
    order = np.argsort(-np.abs(changes), kind="stable")
    scales = point.scales
    found = []
    for k in order.tolist():
        source, output = point.sources[voters[k]], int(values[voters[k]])
        vote = scales[source].words(output) if source in scales else point.classes[output]
        found.append(Moved(source, vote, float(changes[k]), source in scales))
    return point.classes[label], float(probabilities[-1, label]), found


def point_explanation(fitted: Fitted, point: Votes) -> str:
    """What moved a point, a line for every vote."""
    label, probability, votes = moved(fitted, point)
    if not votes:
        return f"{label!r} with probability {probability:.3f}: nobody votes on the point."
    lines = [f"{label!r} with probability {probability:.3f}; with each vote less without it:"]
    said = ((vote, f"gives {vote.vote}" if vote.score else f"votes {vote.vote!r}") for vote in votes)
    return "\n".join([*lines, *(f"{vote.change:+.3f}  {vote.source} {words}" for vote, words in said)])
