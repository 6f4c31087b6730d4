"""The default fit: sources, class balance and probabilities from votes, and from gold where there is some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from carob._types import Codes, Floats, Places
from carob.count.aside import check_telling
from carob.count.digest import Digest
from carob.errors import examples, plural
from carob.label.cross_validation import can_validate, cross_validate
from carob.label.dependence import class_model
from carob.label.intervals import Estimates, estimates
from carob.label.model import Learned, Mixture, learn_votes
from carob.label.training import TrainingVotes, known_classes
from carob.posterior.fit import Fit
from carob.posterior.settings import Settings
from carob.posterior.source_model import SourceModel
from carob.posterior.source_table import SourceTable
from carob.votes import Gold, GoldPoints, Votes

FEW_VOTES = 5  # votes below which a source is taken to be as others are


@dataclass(frozen=True, eq=False, kw_only=True)
class MixtureFit(Fit):
    """A fit whose probabilities are a mixture of ways to read the votes."""

    mixture: Mixture

    def posterior(self, votes: Votes) -> Floats:
        """Probability of each class for each point, shape (n, K)."""
        return self.mixture.posterior(votes)

    def class_model(self, votes: Votes) -> SourceModel:
        """What the class alone explains of votes; scores as the votes that they come to."""
        voted = votes.as_voted(self.bin_classes) if votes.scored.any() else votes
        alone = tuple((i,) for i in range(len(votes.sources)))
        return class_model(TrainingVotes(voted, alone), self.posterior(votes))


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
    learned = learn_votes(kept, settings)
    mixture = learned.with_gold(truth)
    labels = known_classes(truth, learned.probabilities(mixture))
    counts_of = learned.training.counts(labels)
    bin_classes, speaks_for = _meanings(learned.training, counts_of)
    told = estimates(learned, mixture, truth, labels, speaks_for, settings.level)
    model = _expected_sources(learned.training, counts_of, labels.sum(axis=0), told.balance)
    voted = None if points is None else replace(points, votes=points.votes.as_voted(bin_classes))
    counts = kept.as_voted(bin_classes).counts if kept.scored.any() else digest.told
    worse = _worse(learned.training, speaks_for, told)
    findings = _findings(learned, worse)
    return MixtureFit(
        "consensus",
        len(digest),
        0 if points is None else len(points),
        model,
        kept.coding,
        digest.counts.sources,
        digest.messages,
        SourceTable.of_counts(counts, voted, told.accuracy, told.low, told.high),
        told.balance_low,
        told.balance_high,
        _notes(mixture, len(digest), points, settings, findings),
        findings,
        worse,
        cross_validate(learned, points, settings).scores(settings.level) if can_validate(points) else (),
        bin_classes,
        None if kept.scored.any() else digest,
        mixture=mixture,
    )


def _meanings(training: TrainingVotes, counts: Floats) -> tuple[tuple[Codes, ...], Floats]:
    """The class that each score of each source speaks for most; 1 where an output speaks for a class, (m, V, K)."""
    votes, speaks_for = training.votes, training.counts_for.copy()
    bin_classes = []
    for i in np.flatnonzero(votes.scored):
        classes = _cut(counts[i, : votes.outputs.sizes[i] - 1]).astype(np.int8)
        speaks_for[i, : len(classes)] = np.eye(training.K)[classes]
        bin_classes.append(classes)
    return tuple(bin_classes), speaks_for


def _cut(counts: Floats) -> Places:
    """The class that each bin speaks for, of counts (V, K); of two classes one on either side of the best cut."""
    if counts.shape[1] > 2:
        return counts.argmax(axis=1)
    more = np.concatenate([[0.0], np.cumsum(counts[:, 0] - counts[:, 1])])  # right below a cut, the first class there
    rising = more.max() - more[-1] >= -more.min()  # right above it, the second class there, less what is the same
    cut = int(more.argmax() if rising else more.argmin())
    return np.where((np.arange(len(counts)) < cut) == rising, 0, 1)


def _expected_sources(training: TrainingVotes, counts: Floats, of_class: Floats, balance: Floats) -> SourceModel:
    """How often each source says each thing on points of each class, of which there are so many."""
    votes = training.votes
    balance = np.maximum(balance, 1e-9)  # no class is impossible
    usual = training.cast / max(training.n, 1)
    table = (counts.transpose(0, 2, 1) + usual[:, None]) / (of_class[:, None] + 1)
    silence = np.maximum(1 - table.sum(axis=2, keepdims=True), 1e-9)
    whole = np.concatenate([silence, table], axis=2)
    tables = [of_source[:, :size] for of_source, size in zip(whole, votes.outputs.sizes, strict=True)]
    tables = [of_source / of_source.sum(axis=1, keepdims=True) for of_source in tables]
    return SourceModel.independent(votes.sources, votes.classes, balance / balance.sum(), tables)


def _worse(training: TrainingVotes, speaks_for: Floats, told: Estimates) -> tuple[str, ...]:
    """Sources whose intervals end below what random votes for the same things would get."""
    total = np.maximum(training.cast.sum(axis=1), 1)
    chance = np.einsum("mv,mvk,k->m", training.cast, speaks_for, told.balance) / total
    return tuple(np.array(training.votes.sources)[told.high < chance].tolist())


def _notes(
    mixture: Mixture, n: int, points: GoldPoints | None, settings: Settings, findings: Sequence[str]
) -> tuple[str, ...]:
    """What went into the fit, a sentence or two for every step."""
    gold = "" if points is None else f", corrected by {plural(len(points), 'gold label')}"
    dependent, spoken, silent = mixture.weights
    notes = [
        f"Sources: from what all votes say together on {plural(n, 'point')}{gold}.",
        *findings,
        f"Probabilities: an average of readings of the votes: sources repeat each other {dependent:.0%}, they work on "
        f"their own {spoken:.0%}, and that they speak tells as well {silent:.0%}.",
    ]
    if points is None and settings.class_balance is None:
        notes.append(
            "Class balance: from votes alone, which may not tell it; 20 gold labels would, or give it (class_balance=; "
            "--class-balance)."
        )
    return tuple(notes)


def _findings(learned: Learned, worse: Sequence[str]) -> tuple[str, ...]:
    """What is to be known of the sources before their labels are used."""
    training, notes = learned.training, []
    if worse:
        notes.append(f"Worse than chance, so that their votes speak against what they say: {', '.join(worse)}.")
    few = [name for name, n in zip(training.votes.sources, training.cast.sum(axis=1), strict=True) if n < FEW_VOTES]
    if few:
        notes.append(f"Too few votes to tell, taken to be as good as the others: {examples(few)}.")
    return tuple(notes)
