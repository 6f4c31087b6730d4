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

from karat._kernels import threads
from karat._kernels.evidence import add_tables, two_class_probabilities
from karat._types import Codes, Floats, Group, Ints
from karat.errors import InputError, one_of
from karat.source_model import SourceModel, source_model_of
from karat.votes import Votes
from karat.votes.outputs import SILENT, joint_output
from karat.votes.storage import Dense, Sparse

Denominator = Literal["model", "empirical"]
_TABLE = 4096  # entries of a table: a few of them stay in the first cache
_BLOCK = 1 << 16  # points at a time


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


def log_likelihoods(votes: Votes, groups: Sequence[Group], tables: Sequence[Floats]) -> Floats:
    """Sums of what tables say of the votes on each point, shape (n, K); for two classes the first column is 0.

    Parameters
    ----------
    groups : sequence of tuples of int
        Each source is in one group.
    tables : sequence of arrays, shape (K, joint outputs)
        What each joint output of a group adds for each class.
    """
    n, K = len(votes), len(votes.classes)
    sums = np.zeros((K, n))
    evidence = _evidence(votes, groups, tables)
    parts = threads.spans(n, 1 if n < _BLOCK else threads.THREADS)
    threads.in_threads(
        lambda part: evidence.add(
            *parts[part], sums[1:, slice(*parts[part])] if K == 2 else sums[:, slice(*parts[part])]
        ),
        len(parts),
    )
    return sums.T


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
    """Evidence of votes of which every cell is held."""

    def __init__(self, storage: Dense, sizes: Sequence[int], groups: Sequence[Group], tables: Sequence[Floats]) -> None:
        self._columns = storage.columns(0, storage.shape[0])
        self._sizes = np.array(sizes, dtype=np.uint16)
        self._sets, self._tables = _joined_tables(groups, tables)

    def add(self, low: int, high: int, scores: Floats) -> None:
        before = scores[:, 0].copy()
        silent = before + 0.0  # what a point without any vote comes to, added up in the same order
        for g in range(len(self._sets)):
            silent += self._tables[:, g, 0]
        for score, table in zip(scores, self._tables, strict=True):
            add_tables(self._columns, low, high, self._sets, self._sizes, table, score)
        candidates = np.flatnonzero(scores[0] == silent[0])
        nobody = candidates[(self._columns[:, low + candidates] < 0).all(axis=0)]
        scores[:, nobody] = before[:, None]


def _joined_tables(groups: Sequence[Group], tables: Sequence[Floats]) -> tuple[Ints, Floats]:
    """Sets of sources, shape (sets, width), and the log-likelihood of their joint outputs.

    Shape (1, sets, entries) for two classes, where it is that of class 1 over class 0, else (K, sets, entries).
    """
    K = len(tables[0])
    sets: list[list[int]] = []  # places in groups
    entries = _TABLE
    for g, table in enumerate(tables):
        if entries * table[0].size > _TABLE:
            sets.append([])
            entries = 1
        sets[-1].append(g)
        entries *= table[0].size
    members = [[i for g in places for i in groups[g]] for places in sets]
    columns = np.full((len(sets), max(map(len, members))), -1, dtype=np.int64)
    joints = []
    for row, places in enumerate(sets):
        columns[row, : len(members[row])] = members[row]
        joint = reduce(lambda a, b: (a[:, :, None] + b[:, None, :]).reshape(K, -1), [tables[g] for g in places])
        joints.append(joint[1:] - joint[:1] if K == 2 else joint)
    joined = np.zeros((len(joints[0]), len(sets), max(joint.shape[1] for joint in joints)))
    for row, joint in enumerate(joints):
        joined[:, row, : joint.shape[1]] = joint
    return columns, joined


class _SparseEvidence:
    """Evidence of votes of which only those that were cast are held."""

    def __init__(
        self, storage: Sparse, sizes: Sequence[int], groups: Sequence[Group], tables: Sequence[Floats]
    ) -> None:
        self._storage = storage
        self._sizes = sizes
        self._groups: list[tuple[Group, Floats]] = []  # of several sources, with their tables
        self._first = np.concatenate([[0], np.cumsum(sizes)])
        alone = np.zeros((len(self._differences(tables[0])), int(self._first[-1])))
        for group, table in zip(groups, tables, strict=True):
            found = self._differences(table)
            if len(group) == 1:
                alone[:, self._first[group[0]] : self._first[group[0] + 1]] = found
            else:
                self._groups.append((group, found))
        silent = alone[:, self._first[:-1] + SILENT]
        self._silence = silent.sum(axis=1)
        self._alone = alone - np.repeat(silent, sizes, axis=1)

    @staticmethod
    def _differences(log_table: Floats) -> Floats:
        return log_table[1:] - log_table[:1] if len(log_table) == 2 else log_table

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
    score = np.exp(score - score.max(axis=-1, keepdims=True))
    return score / score.sum(axis=-1, keepdims=True)


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
