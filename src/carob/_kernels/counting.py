"""Counts of what sources say: pairs of outputs, tallies, pools of sources, and all that a digest holds."""

from __future__ import annotations

import numpy as np

from carob._kernels.loops import in_pointer, lib, out_pointer
from carob._types import AnyArray, Codes, Floats, Hashes, Ints, Places

_BLOCK = 1 << 17  # points whose bits are held at a time
_CHUNK = 4096  # points that are turned into bits at a time, as in loops.c


def pair_counts(columns: Codes, source: Places, value: Codes, low: int, high: int) -> Ints:
    """On how many of the points low..high two features hold, upper triangle, shape (f, f).

    Feature f is ``columns[source[f]] == value[f]``. Each becomes a vector of bits, a block of points at a time so that
    all of them stay in a core's own cache; a pair count is a popcount of an AND.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
    source : array of int, shape (f,)
        Features of one source stand together.
    value : array of int8, shape (f,)
    """
    features = len(source)
    counts = np.zeros((features, features), dtype=np.int64)
    chunks = -(-min(high - low, _BLOCK) // _CHUNK)
    planes = np.empty((features, chunks * _CHUNK // 64), dtype=np.uint64)
    live = np.empty(features, dtype=np.uint64)
    for start in range(low, high, _BLOCK):
        stop = min(start + _BLOCK, high)
        lib.pack(
            in_pointer(columns), columns.shape[1], start, stop, in_pointer(source), in_pointer(value), features,
            out_pointer(planes.view(np.uint8)), 8 * planes.shape[1],
        )  # fmt: skip
        words = -(-(stop - start) // 64)
        lib.add_common_bits(
            in_pointer(planes), features, planes.shape[1], words, out_pointer(live), out_pointer(counts)
        )
    return counts


def add_entry_pairs(start: Ints, feature: Ints, points: Ints, counts: Ints) -> None:
    """Add to ``counts[a, b]``, a <= b, on how many of the points both features hold.

    Parameters
    ----------
    start : array of int64, shape (n + 1,)
        The features of point t are ``feature[start[t]:start[t + 1]]``, increasing.
    points : array of int64
        The points that are counted.
    """
    lib.add_entry_pairs(
        in_pointer(start), in_pointer(feature), in_pointer(points), len(points), out_pointer(counts), len(counts)
    )


def add_weights(columns: Codes, weights: Floats, total: Floats) -> None:
    """Add to ``total[i, u, y]`` what ``weights[y, t]`` of the points t come to on which source i gives output u.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    weights : array of float64, shape (K, n)
    total : array of float64, shape (m, outputs, K)
    """
    (m, n), K = columns.shape, len(weights)
    lib.add_weights(in_pointer(columns), m, in_pointer(weights), n, K, out_pointer(total), total.shape[1])


def add_tally(columns: Codes, low: int, high: int, tally: Ints) -> None:
    """Add to ``tally[t - low, y]`` how many sources vote for class y on point t.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    low, high : int
    tally : array of int64, shape (high - low, K)
    """
    m, n = columns.shape
    lib.add_tally(in_pointer(columns), m, n, low, high, out_pointer(tally), tally.shape[1])


def add_joint(said: Codes, block: AnyArray, outputs: int, rows: Ints, counts: Ints) -> None:
    """Add to ``counts[b, place]`` how many points of block b there are on which some rows say what `place` stands for.

    What they say are the digits of the place, as in `carob.votes.outputs.joint_output`.

    Parameters
    ----------
    said : array of int8, shape (r, n)
        Outputs, from 0 on.
    block : array of uint8, shape (n,)
    outputs : int
        How many every row has.
    rows : array of int64, shape (w,)
    counts : array of int64, shape (B, outputs^w)
    """
    lib.add_joint(
        in_pointer(said),
        in_pointer(block),
        len(block),
        outputs,
        in_pointer(rows),
        len(rows),
        out_pointer(counts),
        counts.shape[1],
    )  # fmt: skip


def pool_votes(columns: Codes, pool: Ints, K: int, said: Codes) -> None:
    """Into ``said[t]``, the output with most votes among the sources of a pool: 0 where nobody votes.

    Of classes with equally many votes, the one that the first of the pool's sources votes for.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    pool : array of int64
        Sources, in the order that decides.
    K : int
        Number of classes.
    said : array of int8, shape (n,)
    """
    n = columns.shape[1]
    tally, most = np.empty((K, n), dtype=np.uint16), np.empty(n, dtype=np.uint16)
    lib.pool_votes(
        in_pointer(columns), n, in_pointer(pool), len(pool), out_pointer(tally), K, out_pointer(most), out_pointer(said)
    )


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
