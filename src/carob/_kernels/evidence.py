"""Sums of what tables say of the votes on each point."""

from __future__ import annotations

from carob._kernels.loops import in_pointer, lib, out_pointer
from carob._types import AnyArray, Codes, Floats, Ints


def add_tables(
    columns: Codes, low: int, high: int, groups: Ints, sizes: AnyArray, tables: Floats, total: Floats
) -> None:
    """Add to ``total[t - low]`` what each table holds for the outputs of its group of sources on point t.

    The outputs are the digits of the place in the table, as in `carob.votes.outputs.joint_output`.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    low, high : int
    groups : array of int64, shape (g, w)
        Sources of each group, -1 where a group has fewer than w.
    sizes : array of uint16, shape (m,)
        Number of outputs of each source.
    tables : array of float64, shape (g, entries)
    total : array of float64, shape (high - low,)
    """
    number, width = groups.shape
    lib.add_tables(
        in_pointer(columns), columns.shape[1], low, high, in_pointer(groups), number, width, in_pointer(sizes),
        in_pointer(tables), tables.shape[1], out_pointer(total),
    )  # fmt: skip


def two_class_probabilities(odds: Floats, small: Floats, out: Floats) -> None:
    """Probabilities of both classes from log odds and ``small = exp(-|odds|)``, exact mirror images of each other."""
    lib.two_class_probabilities(in_pointer(odds), in_pointer(small), len(odds), out_pointer(out))
