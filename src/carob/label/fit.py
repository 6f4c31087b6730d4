"""The default fit: sources, class balance and probabilities from votes, and from gold where there is some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carob._types import Floats
from carob.count.aside import check_telling
from carob.count.digest import Digest
from carob.errors import examples, plural
from carob.label.agreed import Agreed, agree_on, known_groups
from carob.label.consensus import Ballots
from carob.label.cross_validation import can_validate, cross_validate
from carob.label.pool import Pool
from carob.posterior.fit import Fit
from carob.posterior.settings import Settings
from carob.posterior.source_table import SourceTable
from carob.votes import Gold, GoldPoints, Votes

FEW_VOTES = 5  # votes on points with other votes below which a source is taken to be as others are


@dataclass(frozen=True, eq=False, kw_only=True)
class MixtureFit(Fit):
    """A fit whose probabilities are a mixture of ways to read the votes.

    Parameters
    ----------
    mixture : Pool
    """

    mixture: Pool

    def posterior(self, votes: Votes) -> Floats:
        """Probability of each class for each point, shape (n, K)."""
        return self.mixture.posterior(votes)


def fit_votes(data: Votes, gold: Gold | None, settings: Settings) -> MixtureFit:
    """Learn from votes, and from gold where there is some."""
    return fit_digest(digest_of(data, gold, settings), settings)


def digest_of(data: Votes, gold: Gold | None, settings: Settings) -> Digest:
    """What is learned from: the votes of sources that tell something, and the gold."""
    aside, _ = settings.set_aside(data)
    return Digest.of(data, gold, telling=np.isin(data.sources, aside.left))


def fit_digest(digest: Digest, settings: Settings) -> MixtureFit:
    """Learn from a digest of votes, with the gold that is in it."""
    settings = settings.for_sources(digest.counts.sources, digest.sources)
    kept, points = digest.kept, digest.points
    if settings.strict:
        check_telling(digest.told, settings.pairs(digest.sources))
    truth = np.full(len(kept), -1, dtype=np.int8) if kept.gold is None else kept.gold.values
    found = agree_on(Ballots(kept, truth, known_groups(kept, settings)), points, settings)
    voted = None if points is None else GoldPoints(
        points.votes.as_voted(found.bin_classes), points.truth, points.rows, points.weights
    )  # fmt: skip
    counts = kept.as_voted(found.bin_classes).counts if kept.scored.any() else digest.told
    intervals = found.intervals
    findings = _findings(found)
    return MixtureFit(
        "consensus",
        len(digest),
        0 if points is None else len(points),
        found.model,
        kept.coding,
        digest.counts.sources,
        digest.messages,
        SourceTable.of_counts(counts, voted, found.accuracy, intervals.low, intervals.high),
        intervals.balance_low,
        intervals.balance_high,
        _notes(found, len(digest), points, settings, findings),
        findings,
        tuple(np.array(found.model.sources)[found.worse].tolist()),
        cross_validate(kept, points, settings).scores(settings.level) if can_validate(points) else (),
        tuple(found.bin_classes),
        None if kept.scored.any() else digest,
        mixture=found.pool,
    )


def _notes(
    found: Agreed, n: int, points: GoldPoints | None, settings: Settings, findings: Sequence[str]
) -> tuple[str, ...]:
    """What went into the fit, a sentence or two for every step."""
    gold = "" if points is None else f", and from {plural(len(points), 'gold label')}"
    notes = [f"Sources: from what all votes say together on {plural(n, 'point')}{gold}.", *findings]
    if len(found.pool.evidence) > 1:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in found.readings.items())
        notes.append(f"Probabilities: ways to weigh the votes, by how well they explain gold: {shares}.")
    else:
        more = "A few gold labels would tell." if points is None else "Gold labels of a second class would tell."
        notes.append(
            "Probabilities: the mean of three readings, since votes alone do not tell how much they repeat each other: "
            f"all votes in full, votes that repeat each other, and a majority vote. {more}"
        )
    if points is None and settings.class_balance is None:
        notes.append(
            "Class balance: from votes alone, which hardly tell it; give it (class_balance=; --class-balance), or some "
            "gold labels."
        )
    return tuple(notes)


def _findings(found: Agreed) -> tuple[str, ...]:
    """What is to be known of the sources before their labels are used."""
    names, notes = np.array(found.model.sources), []
    if found.copies:
        pairs = ", ".join(f"{names[i]} and {names[j]}" for i, j in found.copies)
        notes.append(f"Near copies, each pair counted as one source: {pairs}.")
    if found.worse.any():
        worse = ", ".join(names[found.worse])
        notes.append(f"Worse than chance, so that their votes speak against what they say: {worse}.")
    few = names[found.votes < FEW_VOTES]
    if len(few):
        notes.append(f"Too few votes to tell, taken to be as good as the others: {examples(few.tolist())}.")
    return tuple(notes)
