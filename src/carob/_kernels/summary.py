"""What each source says on points of which kind, in one pass over the votes."""

from __future__ import annotations

from carob._kernels.loops import in_pointer, lib, out_pointer
from carob._types import AnyArray, Codes, Hashes, Ints

LEFT_OUT, VOTES, SCORES = 0, 1, 2  # what a source counts for


def row_hashes(row: Ints, out: Hashes) -> None:
    """The first sixteen bits of the hash of each row number, as in `carob.votes.counts`."""
    lib.row_hashes(in_pointer(row), len(row), out_pointer(out))


def add_summary(
    columns: Codes, low: int, high: int, first_row: int, role: AnyArray, cast: Ints, prints: AnyArray, none: Ints
) -> None:
    """Add up what all sources say on points low..high.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    low, high : int
    first_row : int
        Row number of point 0 in the whole data.
    role : array of uint8, shape (m,)
        Sources whose votes make up the kind of a point, that give scores, and that do neither.
    cast : array of int64, shape (m, 3, outputs)
        Points on which source i gives output u: with one vote, with several that are the same, and with others.
    prints : array of uint64, shape (m,)
        The sum over points of a hash of the row number times the output.
    none : array of int64, shape (1,)
        Points on which no source says anything.
    """
    m, n = columns.shape
    lib.add_summary(
        in_pointer(columns), m, n, low, high, first_row, in_pointer(role), out_pointer(cast), cast.shape[2],
        out_pointer(prints), out_pointer(none),
    )  # fmt: skip
