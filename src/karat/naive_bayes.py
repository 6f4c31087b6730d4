r"""Probabilities of the classes of each point, from its votes and a source model.

Normalised naive Bayes in log space,

    P(y | votes) = P(y) prod_g P(votes of g | y) / sum_y' P(y') prod_g P(votes of g | y'),

over groups g of sources: a source alone, or sources known to depend, taken as one. Sources are put together
in sets whose joint outputs number a few thousand; the log-likelihood of a set is looked up in a table, so a
point costs one look-up per seven binary sources rather than one per source.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from karat.errors import InputError, one_of
from karat.source_model import Floats, SourceModel, learned
from karat.votes import Votes

Denominator = Literal["model", "empirical"]
_TABLE = 4096  # entries of a table: a few of them stay in the first cache
_BLOCK = 1 << 16  # points at a time
_CHUNK = 4096  # points whose places in the tables are held at a time


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
    model = learned(model)
    if votes.sources != model.sources or votes.classes != model.classes:
        raise InputError("the votes and the model must have the same sources, in the same order, and the same classes.")
    one_of("denominator", denominator, ("model", "empirical"))
    if denominator == "empirical":
        return _paper_form(votes, model)
    from karat._kernels import THREADS, in_threads, spans

    n, K = len(votes), len(votes.classes)
    groups, tables = _tables(model)
    out = np.empty((n, K))
    parts = spans(n, 1 if n < _BLOCK else THREADS)
    in_threads(lambda part: _fill(votes.values.T, model, groups, tables, out, *parts[part]), len(parts))
    return out


def _fill(
    columns: npt.NDArray[np.int8],
    model: SourceModel,
    groups: npt.NDArray[np.int64],
    tables: Floats,
    out: Floats,
    low: int,
    high: int,
) -> None:
    """Probabilities of points low..high into `out`."""
    from karat._kernels import add_tables, two_class_probabilities

    K = len(model.classes)
    prior = np.log(model.class_balance)
    start_at = prior[1:] - prior[0] if K == 2 else prior  # of two scores only the difference matters
    silent = start_at.copy()  # what a point without any vote comes to, added up in the same order
    for g in range(len(groups)):
        silent += tables[:, g, 0]
    place = np.empty(_CHUNK, dtype=np.uint16)
    room = np.empty((K, _BLOCK))
    for start in range(low, high, _BLOCK):
        stop = min(start + _BLOCK, high)
        scores = room[:, : stop - start]
        for y in range(len(tables)):
            scores[y] = start_at[y]
            add_tables(columns, start, stop, groups, K + 1, tables[y], place, scores[y])
        candidates = np.flatnonzero(scores[0] == silent[0])
        nobody = candidates[(columns[:, start + candidates] < 0).all(axis=0)]
        scores[: len(tables), nobody] = start_at[:, None]
        if K == 2:
            odds, small = scores
            np.exp(np.negative(np.abs(odds, out=small), out=small), out=small)
            two_class_probabilities(odds, small, out[start:stop])
        else:
            scores -= scores.max(axis=0)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=0)
            out[start:stop] = scores.T


def _tables(model: SourceModel) -> tuple[npt.NDArray[np.int64], Floats]:
    """Sets of sources, shape (sets, width), and the log-likelihood of their joint outputs.

    Shape (1, sets, entries) for two classes, where it is that of class 1 over class 0, else (K, sets, entries).
    """
    K = len(model.classes)
    base = K + 1
    width = max(1, int(np.log(_TABLE) / np.log(base)))
    width = max(width, max(len(group) for group in model.groups))
    sets: list[list[int]] = [[]]  # places in model.groups
    size = 0
    for g, group in enumerate(model.groups):
        if size + len(group) > width:
            sets.append([])
            size = 0
        sets[-1].append(g)
        size += len(group)
    columns = np.full((len(sets), width), -1, dtype=np.int64)
    tables = np.zeros((1 if K == 2 else K, len(sets), base**width))
    for row, members in enumerate(sets):
        inside = [i for g in members for i in model.groups[g]]
        columns[row, : len(inside)] = inside
        logs = [_log_table(model.tables[g]) for g in members]
        joint = reduce(lambda a, b: (a[:, :, None] + b[:, None, :]).reshape(K, -1), logs)
        tables[:, row, : joint.shape[1]] = joint[1] - joint[0] if K == 2 else joint
    return columns, tables


def _log_table(table: Floats) -> Floats:
    """Log-likelihoods of a group's outputs, shape (K, outputs); 0 where an output never occurs."""
    flat = table.reshape(len(table), -1)
    return np.log(np.where(flat > 0, flat, 1))


def _paper_form(votes: Votes, model: SourceModel) -> Floats:
    """Equation (inference) of the paper: the numerator over the empirical probability of the votes."""
    patterns = votes.patterns
    score = np.tile(np.log(model.class_balance), (len(patterns), 1))
    for group, table in zip(model.groups, model.tables, strict=True):
        output = np.ravel_multi_index(tuple(patterns.values[:, i] + 1 for i in group), table.shape[1:])
        score = score + _log_table(table)[:, output].T
    return np.exp(score - np.log(patterns.counts / len(votes))[:, None])[patterns.inverse]
