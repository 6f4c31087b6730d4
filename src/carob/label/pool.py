r"""Probabilities as a mixture of ways to read the votes on a point.

Dependent sources repeat each other, so that v votes are worth fewer: v / (1 + (v - 1) r) of them where two votes on a
point have the correlation r beyond the class, the design effect of sampling in clusters. One way to read the votes is

    score_y = log P(y) + a S_y / (1 + (v - 1) r) + c log (M_y / P(y)) + b_y

with S what the votes say together (`carob.label.consensus`) and M the majority vote. Votes alone do not tell how
much they repeat each other: sources that share a weakness look like sources that share the truth. So without gold the
probabilities are the mean of three readings that bracket what real data show: all votes count in full, votes repeat
each other, and a plain majority vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from carob._kernels.threads import in_threads
from carob._types import Floats, Group, Ints, Places
from carob.label.consensus import Ballots, Consensus, Evidence, majority, matching_shift
from carob.votes import Votes

IN_FULL = 0.25  # weight of the reading in which all votes count in full
REPEATING = 0.25  # weight of the reading in which votes repeat each other
REPETITION = 0.4  # correlation of two votes on a point, where votes repeat each other
_BLOCK = 1 << 16  # points at a time
_FADES = 4  # power of the share of points with a vote that the shift to a given class balance is multiplied by
_ROUNDS = 3  # of matching a mixture, which moves a little less than its readings


@dataclass(frozen=True, eq=False)
class Pool:
    """A mixture of readings.

    Parameters
    ----------
    class_balance : array, shape (K,)
    silent : array, shape (K,)
        Probabilities of the classes where nobody votes.
    evidence : tuple of Evidence
        What the votes say, learned in one or more ways.
    weight, slope, repetition, count : arrays, shape (R,)
        Share of each reading in the mixture; a, r and c.
    shift : array, shape (R, K)
        b.
    learned : array of int, shape (R,)
        Which of `evidence` each reading takes.
    """

    class_balance: Floats
    silent: Floats
    evidence: tuple[Evidence, ...]
    weight: Floats
    slope: Floats
    repetition: Floats
    count: Floats
    shift: Floats
    learned: Places

    @property
    def once(self) -> list[Group]:
        """Sources whose votes on a point count as one."""
        return [group for group in self.evidence[0].groups if len(group) > 1]

    @property
    def kinds(self) -> dict[str, float]:
        """Weight of each kind of reading, the largest first."""
        with_gold = self.learned > 0
        kinds = {
            "sources learned with gold": with_gold,
            "majority vote": ~with_gold & (self.slope == 0),
            "votes that repeat each other": ~with_gold & (self.slope > 0) & (self.repetition > 0),
            "all votes in full": ~with_gold & (self.slope > 0) & (self.repetition == 0),
        }
        weights = {name: float(self.weight[which].sum()) for name, which in kinds.items() if which.any()}
        return dict(sorted(weights.items(), key=lambda item: -item[1]))

    @property
    def single(self) -> list[Pool]:
        """Each reading by itself."""
        return [replace(self, weight=np.eye(len(self.weight))[k]) for k in range(len(self.weight))]

    def taking(self, evidence: Sequence[Evidence]) -> Pool:
        """The same with this evidence, as far as any reading takes it."""
        used, learned = np.unique(self.learned, return_inverse=True)
        return replace(self, evidence=tuple(evidence[k] for k in used), learned=learned)

    def posterior(self, votes: Votes) -> Floats:
        """Probability of each class for each point, shape (n, K)."""
        said = [evidence.of(votes) for evidence in self.evidence]
        tally = votes.leanings(once=self.once)
        result = np.empty((len(votes), len(self.class_balance)))

        def fill(block: int) -> None:
            rows = slice(block * _BLOCK, (block + 1) * _BLOCK)
            result[rows] = self.mixed([scores[rows] for scores in said], tally[rows])

        in_threads(fill, -(-len(votes) // _BLOCK))
        return result

    def mixed(self, said: Sequence[Floats], tally: Ints | Floats) -> Floats:
        """The mixture, from what each evidence says of some points, shapes (n, K), and their votes for each class."""
        readings = zip(self.weight, self.slope, self.repetition, self.count, self.shift, self.learned, strict=True)
        # A row per class: NumPy is several times as fast along long rows as along short ones.
        prior = np.log(self.class_balance)[:, None]
        counted = np.log(np.ascontiguousarray(majority(tally, self.class_balance).T)) - prior
        number = tally.sum(axis=1)
        result = np.zeros(counted.shape)
        for weight, slope, repetition, count, shift, learned in readings:
            score = prior + shift[:, None] + count * counted
            if slope:
                score += slope * discount(number, repetition) * said[learned].T
            score = np.exp(score - score.max(axis=0))
            result += score * (weight / score.sum(axis=0))
        result /= result.sum(axis=0)
        result[:, number == 0] = self.silent[:, None]
        return np.ascontiguousarray(result.T)

    def shifted(self, shift: Floats) -> Pool:
        """The same with something added to the scores of the classes, shape (K,)."""
        return replace(self, shift=self.shift + shift)

    def meeting_balance(self, ballots: Ballots) -> tuple[Pool, Floats]:
        """The same, shifted so that where somebody votes the classes are as common as they should be; and the shift.

        The class balance is that of all points: the more of them have no vote, the less it says of the others.
        """
        some, total = ballots.some_covered, np.zeros(len(self.class_balance))
        if not len(some):
            return self, total
        votes, tally = ballots.votes.take(some), ballots.tally[some]
        said = [evidence.of(votes) for evidence in self.evidence]
        for _ in range(_ROUNDS):
            mixed = np.log(np.maximum(self.shifted(total).mixed(said, tally), 1e-300))
            total += matching_shift(mixed, self.class_balance)
        total = (total - total.mean()) * (len(ballots.covered) / len(ballots.truth)) ** _FADES
        return self.shifted(total), total


def discount(number: Ints | Floats, repetition: float | Floats) -> Floats:
    """What a vote counts for among so many that repeat each other.

    >>> discount(np.array([1, 5]), 0.4).round(3)
    array([1.   , 0.385])
    """
    return np.asarray(1 / (1 + np.maximum(number - 1, 0) * repetition))


def without_gold(consensus: Consensus, ballots: Ballots) -> Pool:
    """The mean of three readings: votes in full, votes that repeat each other, and the majority vote."""
    balance, covered = consensus.class_balance, ballots.covered
    number = ballots.tally[covered].sum(axis=1)
    prior = np.log(balance)
    repetition = np.array([0.0, REPETITION, 0.0])
    shift = np.zeros((3, len(balance)))
    if len(covered):
        for k in (0, 1):
            scores = discount(number, repetition[k])[:, None] * consensus.scores[covered]
            shift[k] = matching_shift(scores, balance) - prior
        if ballots.votes.scored.any():
            counted = np.log(majority(ballots.tally[covered], balance))
            shift[2] = matching_shift(counted, balance)
    return Pool(
        balance,
        balance,
        (consensus.evidence,),
        weight=np.array([IN_FULL, REPEATING, 1 - IN_FULL - REPEATING]),
        slope=np.array([1.0, 1.0, 0.0]),
        repetition=repetition,
        count=np.array([0.0, 0.0, 1.0]),
        shift=shift,
        learned=np.zeros(3, dtype=np.intp),
    )
