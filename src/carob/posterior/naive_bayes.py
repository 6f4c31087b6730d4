r"""Probabilities of the classes of each point, from its votes and a source model.

Normalised naive Bayes in log space,

    P(y | votes) = P(y) prod_g P(votes of g | y) / sum_y' P(y') prod_g P(votes of g | y'),

over groups g of sources: a source alone, or sources known to depend, taken as one. Sources are put together
in sets whose joint outputs number a few thousand; the log-likelihood of a set is looked up in a table, so a
point costs one look-up per seven binary sources rather than one per source. Where votes are held sparsely, a
point costs one look-up per vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal, Protocol

import numpy as np

from carob._kernels import threads
from carob._kernels.evidence import add_tables, two_class_probabilities
from carob._types import Codes, Floats, Group, Ints, cached_property
from carob.errors import InputError, one_of
from carob.posterior.source_model import SourceModel, source_model_of
from carob.votes import Votes
from carob.votes.outputs import SILENT, joint_output
from carob.votes.storage import Dense, Sparse

Denominator = Literal["model", "empirical"]
_TABLE = 4096  # entries of a table: a few of them stay in the first cache
_BLOCK = 1 << 16  # points at a time
_FEW = 1_000  # points for which tables are not joined


def posterior(votes: Votes, model: Any, denominator: Denominator = "model") -> Floats:
    """Probability of each class for each point, shape (n, K).

    Parameters
    ----------
    votes : Votes
    model : SourceModel or fitted LabelModel
    denominator : {"model", "empirical"}
        "model" divides by the model's own probability of the votes, so each row adds up to 1. "empirical" is
        the paper's form: it divides by the share of points with the same votes; rows need not add up to 1.

    Notes
    -----
    A point without any vote gets the class balance: nobody looked at it, so that nobody voted tells nothing. An
    output that the model gives no probability for any class says nothing about the class.

    Examples
    --------
    >>> votes = Votes.from_array([[1, 1], [0, 1]])
    >>> conditionals = np.array([[[0, .8, .2], [0, .2, .8]], [[0, .6, .4], [0, .4, .6]]])
    >>> model = SourceModel.independent(votes.sources, votes.classes, np.array([.5, .5]), conditionals)
    >>> posterior(votes, model).round(3)
    array([[0.143, 0.857],
           [0.727, 0.273]])
    """
    if not isinstance(votes, Votes):
        raise TypeError(f"posterior takes Votes, not {type(votes).__name__}; LabelModel.predict_proba takes more.")
    model = source_model_of(model)
    if votes.sources != model.sources or votes.classes != model.classes:
        raise InputError("the votes and the model must have the same sources, in the same order, and the same classes.")
    if votes.outputs.sizes != model.sizes:
        raise InputError("the tables of the model do not have as many outputs as the sources of the votes.")
    one_of("denominator", denominator, ("model", "empirical"))
    if denominator == "empirical":
        return _paper_form(votes, model)
    n, K = len(votes), len(votes.classes)
    out = np.empty((n, K))
    parts = threads.spans(n, 1 if n < _BLOCK else threads.THREADS)
    evidence = _evidence(votes, model.groups, [_log_table(table) for table in model.tables])
    threads.in_threads(lambda part: _fill(evidence, model, out, *parts[part]), len(parts))
    return out


def table_sums(votes: Votes, groups: Sequence[Group], tables: Sequence[Floats]) -> Floats:
    """Sums of what tables say of the votes on each point, shape (n, C), silent sources and silent points among them.

    `groups`: each source is in one group. `tables`, shape (C, joint outputs): what each joint output of a group adds to
    each of C sums.
    """
    n, C = len(votes), len(tables[0])
    if C == 2:  # of two, evidence is the difference alone
        tables = [np.concatenate([table, np.zeros((1, table.shape[1]))]) for table in tables]
    sums = np.zeros((len(tables[0]), n))
    evidence = _evidence(votes, groups, tables)
    parts = threads.spans(n, 1 if n < _BLOCK else threads.THREADS)
    threads.in_threads(lambda part: evidence.add(*parts[part], sums[:, slice(*parts[part])]), len(parts))
    silent = sum((table[:, SILENT] for table in tables), np.zeros(len(tables[0])))
    sums[:, votes.number == 0] = silent[:, None]
    return sums[:C].T


def _evidence(votes: Votes, groups: Sequence[Group], tables: Sequence[Floats]) -> _Evidence:
    storage, sizes = votes.storage, votes.outputs.sizes
    if isinstance(storage, Sparse):
        return _SparseEvidence(storage, sizes, groups, tables)
    return _DenseEvidence(storage, sizes, groups, tables)


class _Evidence(Protocol):
    """Log-likelihoods of the votes on points; for two classes those of class 1 over class 0."""

    def add(self, low: int, high: int, scores: Floats) -> None:
        """Add those of points low..high to `scores`, shape (1, points) for two classes, else (K, points).

        To a point without any vote nothing is added, and nothing rounded.
        """
        ...


def _fill(evidence: _Evidence, model: SourceModel, out: Floats, low: int, high: int) -> None:
    """Probabilities of points low..high into `out`."""
    K = len(model.classes)
    prior = np.log(model.class_balance)
    start_at = prior[1:] - prior[0] if K == 2 else prior  # of two scores only the difference matters
    room = np.empty((K, _BLOCK))
    for start in range(low, high, _BLOCK):
        stop = min(start + _BLOCK, high)
        scores = room[:, : stop - start]
        scores[: len(start_at)] = start_at[:, None]
        evidence.add(start, stop, scores[: len(start_at)])
        if K == 2:
            odds, small = scores
            np.exp(np.negative(np.abs(odds, out=small), out=small), out=small)
            two_class_probabilities(odds, small, out[start:stop])
        else:
            scores -= scores.max(axis=0)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=0)
            out[start:stop] = scores.T


class _DenseEvidence:
    """Evidence of votes of which every cell is held.

    Tables of several groups are joined into one, as long as that is small, so that a point takes few look-ups. A few
    points are not worth the joining: what their groups say is then added in the same order, to the same bits.
    """

    def __init__(self, storage: Dense, sizes: Sequence[int], groups: Sequence[Group], tables: Sequence[Floats]) -> None:
        self._columns = storage.columns(0, storage.shape[0])
        self._sizes = np.array(sizes, dtype=np.uint16)
        self._groups, self._tables = groups, tables
        self._sets = _joined_sets([table.shape[1] for table in tables])

    def add(self, low: int, high: int, scores: Floats) -> None:
        before = scores[:, 0].copy()
        silent = before + 0.0  # what a point without any vote comes to, added up in the same order
        for places in self._sets:
            silent += _difference(reduce(np.add, (self._tables[g][:, SILENT] for g in places)))
        if high - low < _FEW:
            self._add_to_few(low, high, scores)
        else:
            sets, joined = self._joined
            for score, table in zip(scores, joined, strict=True):
                add_tables(self._columns, low, high, sets, self._sizes, table, score)
        candidates = np.flatnonzero(scores[0] == silent[0])
        nobody = candidates[(self._columns[:, low + candidates] < 0).all(axis=0)]
        scores[:, nobody] = before[:, None]

    @cached_property
    def _joined(self) -> tuple[Ints, Floats]:
        """Sources of each set, and what their joint outputs say, shape (classes, sets, entries)."""
        members = [[i for g in places for i in self._groups[g]] for places in self._sets]
        joints = []
        for places in self._sets:
            tables = [self._tables[g] for g in places]
            joint = reduce(lambda a, b: (a[:, :, None] + b[:, None, :]).reshape(len(a), -1), tables)
            joints.append(_difference(joint))
        return _padded_places(members), _padded(joints)

    def _add_to_few(self, low: int, high: int, scores: Floats) -> None:
        members, tables = _padded_places(self._groups), _padded(self._tables)
        for places in self._sets:
            of_set = slice(places[0], places[-1] + 1)
            said = np.zeros((len(tables), high - low))
            for sums, table in zip(said, tables, strict=True):
                add_tables(self._columns, low, high, members[of_set], self._sizes, table[of_set], sums)
            scores += _difference(said)


def _joined_sets(entries: Sequence[int]) -> list[range]:
    """Which tables are joined, from how many entries each has: neighbours, as long as their product is small."""
    starts, product = [], _TABLE
    for g, number in enumerate(entries):
        if product * number > _TABLE:
            starts.append(g)
            product = 1
        product *= number
    return [range(start, stop) for start, stop in zip(starts, [*starts[1:], len(entries)], strict=True)]


def _padded_places(members: Sequence[Sequence[int]]) -> Ints:
    """Sources, a row for each of some sets of them, with -1 where a set has fewer than others."""
    places = np.full((len(members), max(map(len, members))), -1, dtype=np.int64)
    for row, of_set in enumerate(members):
        places[row, : len(of_set)] = of_set
    return places


def _padded(tables: Sequence[Floats]) -> Floats:
    """Tables of shape (classes, entries) as one array, shape (classes, tables, entries)."""
    padded = np.zeros((len(tables[0]), len(tables), max(table.shape[1] for table in tables)))
    for row, table in enumerate(tables):
        padded[:, row, : table.shape[1]] = table
    return padded


def _difference(scores: Floats) -> Floats:
    """Of two classes only the difference of scores matters: class 1 over class 0, with one row; others as they are."""
    return scores[1:] - scores[:1] if len(scores) == 2 else scores


class _SparseEvidence:
    """Evidence of votes of which only those that were cast are held."""

    def __init__(
        self, storage: Sparse, sizes: Sequence[int], groups: Sequence[Group], tables: Sequence[Floats]
    ) -> None:
        self._storage = storage
        self._sizes = sizes
        self._groups: list[tuple[Group, Floats]] = []  # of several sources, with their tables
        self._first = np.concatenate([[0], np.cumsum(sizes)])
        alone = np.zeros((len(_difference(tables[0])), int(self._first[-1])))
        for group, table in zip(groups, tables, strict=True):
            found = _difference(table)
            if len(group) == 1:
                alone[:, self._first[group[0]] : self._first[group[0] + 1]] = found
            else:
                self._groups.append((group, found))
        silent = alone[:, self._first[:-1] + SILENT]
        self._silence = silent.sum(axis=1)
        self._alone = alone - np.repeat(silent, sizes, axis=1)

    def add(self, low: int, high: int, scores: Floats) -> None:
        point, source, value = self._storage.entries(low, high)
        spoken = np.zeros(high - low, dtype=bool)
        spoken[point] = True
        output = self._first[source] + value + 1
        for y, score in enumerate(scores):
            found = np.bincount(point, self._alone[y, output], minlength=high - low) + self._silence[y]
            for group, table in self._groups:
                columns = self._storage.columns(low, high, np.array(group)) + np.int64(1)
                found += table[y, joint_output(list(columns), [self._sizes[i] for i in group])]
            score += np.where(spoken, found, 0.0)


def softmax(score: Floats) -> Floats:
    """Probabilities from scores, along the last axis.

    >>> softmax(np.log([[1.0, 3.0]]))
    array([[0.25, 0.75]])
    """
    # Class by class: NumPy takes three times as long to go along rows of two or three numbers.
    odds = np.empty(score.shape)
    given, found = np.moveaxis(score, -1, 0), np.moveaxis(odds, -1, 0)
    most = reduce(np.maximum, given)
    for k in range(len(found)):
        np.subtract(given[k], most, out=found[k, ...])
    np.exp(odds, out=odds)
    total = reduce(np.add, found)
    for k in range(len(found)):
        found[k] /= total
    return odds


def log_odds(p: Floats) -> Floats:
    """Of a probability.

    >>> log_odds(np.array([0.5, 0.75])).round(3)
    array([0.   , 1.099])
    """
    return np.asarray(np.log(p) - np.log1p(-p))


def _log_table(table: Floats) -> Floats:
    """Log-likelihoods of a group's outputs, shape (K, outputs); 0 where an output never occurs."""
    flat = table.reshape(len(table), -1)
    return np.log(np.where(flat > 0, flat, 1))


def _paper_form(votes: Votes, model: SourceModel) -> Floats:
    """Equation (inference) of the paper: the numerator over the empirical probability of the votes."""
    patterns = votes.patterns
    score = np.tile(np.log(model.class_balance), (len(patterns), 1))
    given: Codes = patterns.values.T
    for group, table in zip(model.groups, model.tables, strict=True):
        output = joint_output([given[i] + np.int64(1) for i in group], table.shape[1:])
        score = score + _log_table(table)[:, output].T
    return np.exp(score - np.log(patterns.counts / len(votes))[:, None])[patterns.inverse]
