"""What a digest is as plain values, in a model file or on its way from one machine to another, and back."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from carob._types import AnyArray
from carob.count.digest import Digest
from carob.count.moments import Moments
from carob.count.statistics import Statistics
from carob.errors import InputError
from carob.votes import Gold, Votes
from carob.votes.coding import Coding
from carob.votes.counts import VoteCounts
from carob.votes.messages import messages_of
from carob.votes.outputs import Outputs
from carob.votes.storage import Sparse


def digest_content(digest: Digest) -> dict[str, Any]:
    """A digest of votes for classes as plain values; arrays are packed bytes, as text."""
    counts, kept, gold = digest.counts, digest.kept, digest.kept.gold
    storage = kept.storage
    if isinstance(storage, Sparse):
        votes = {
            "start": packed(np.diff(storage.start)),
            "source": packed(storage.source),
            "value": packed(storage.value),
        }
    else:
        votes = {"columns": packed(storage.values.T)}
    return {
        "n": counts.n,
        "all_sources": list(counts.sources),
        "sources": list(kept.sources),
        "cast": packed(counts.cast),
        "prints": packed(counts.prints),
        "uncovered": counts.uncovered,
        "rows": packed(np.diff(digest.rows, prepend=0)),
        "hashes": None if digest.hashes is None else packed(digest.hashes),
        "votes": votes,
        "gold": None if gold is None else packed(gold.values),
        "chances": None if gold is None or gold.chances is None else packed(gold.chances),
        "messages": [vars(message) for message in kept.messages],
        "statistics": None if digest.statistics is None else _statistics_content(digest.statistics),
    }


def digest_of(content: dict[str, Any], coding: Coding) -> Digest:
    """The digest that plain values are, with the coding of its votes; values that do not fit together are refused."""
    names, left = (_names(content[name]) for name in ("all_sources", "sources"))
    m, K, n = len(names), len(coding.classes), int(content["n"])
    if not {*left} <= {*names} or not left or n < 1:
        raise InputError("its digest has sources that it does not know, or no points")
    cast = unpacked(content["cast"], np.int64, (m, 3, K + 1))
    prints = unpacked(content["prints"], np.uint64, (m,))
    counts = VoteCounts(n, names, coding.classes, np.zeros(m, dtype=bool), cast, prints, int(content["uncovered"]))
    if (cast < 0).any() or (cast.sum(axis=(1, 2)) != n).any() or not 0 <= counts.uncovered <= n:
        raise InputError("its digest has counts that do not add up")
    rows = np.cumsum(unpacked(content["rows"], np.int64)).astype(np.intp)
    if (np.diff(rows) <= 0).any() or (len(rows) and rows[0] < 0):
        raise InputError("its digest has rows that are out of order")
    votes = content["votes"]
    cells: Any
    if "columns" in votes:
        cells = unpacked(votes["columns"], np.int8, (len(left), len(rows))).T
        if ((cells < -1) | (cells >= K)).any():
            raise InputError("its digest has votes for classes that it does not have")
    else:
        cells = _sparse(votes, len(rows), len(left), K)
    gold = None
    if content["gold"] is not None:
        values = unpacked(content["gold"], np.int8, (len(rows),))
        if ((values < -1) | (values >= K)).any():
            raise InputError("its digest has gold of classes that it does not have")
        chances = None if content["chances"] is None else unpacked(content["chances"], np.float64, (len(rows),))
        gold = Gold(values, coding.classes, chances=chances)
    kept = Votes(
        cells,
        left,
        coding,
        gold=gold,
        messages=messages_of(content["messages"] if "messages" in content else content["aside"]),
    )
    found = content["statistics"]
    hashes = None if content["hashes"] is None else unpacked(content["hashes"], np.uint16, (len(rows),))
    return Digest(counts, kept, rows, None if found is None else _statistics(found, left, coding), hashes)


def _names(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(name, str) for name in values):
        raise InputError("it holds something else where names are due")
    return tuple(values)


def _sparse(votes: dict[str, Any], n: int, m: int, K: int) -> Sparse:
    number = unpacked(votes["start"], np.int64, (n,))
    start = np.concatenate([[0], np.cumsum(number)]).astype(np.int64)
    source = unpacked(votes["source"], np.int32, (int(start[-1]),))
    value = unpacked(votes["value"], np.int8, (int(start[-1]),))
    if (number < 0).any() or ((source < 0) | (source >= m) | (value < 0) | (value >= K)).any():
        raise InputError("its digest has votes of sources or for classes that it does not have")
    return Sparse(start, source, value, m)


def _statistics_content(statistics: Statistics) -> dict[str, Any]:
    return {
        "n": packed(np.array([block.n for block in statistics.blocks], dtype=np.int64)),
        "pairs": packed(np.stack([block.pairs for block in statistics.blocks])),
    }


def _statistics(content: dict[str, Any], sources: tuple[str, ...], coding: Coding) -> Statistics:
    outputs = Outputs.of_votes(len(sources), len(coding.classes))
    F = len(outputs.source)
    sizes = unpacked(content["n"], np.int64)
    pairs = unpacked(content["pairs"], np.int64, (len(sizes), F, F))
    return Statistics(
        tuple(
            Moments(int(n), np.diagonal(of_block).copy(), of_block, sources, coding.classes, outputs)
            for n, of_block in zip(sizes, pairs, strict=True)
        )
    )


def packed(array: AnyArray) -> str:
    """An array as text.

    >>> unpacked(packed(np.array([[1, 2], [3, 4]])), np.int64, (2, 2)).tolist(), len(packed(np.zeros(1000))) < 50
    ([[1, 2], [3, 4]], True)
    """
    whole = np.ascontiguousarray(array)
    return base64.b64encode(zlib.compress(whole.astype(whole.dtype.newbyteorder("<")).tobytes(), 6)).decode()


def unpacked(text: str, dtype: Any, shape: tuple[int, ...] | None = None) -> AnyArray:
    """The array that a text is, of this type and shape."""
    opened = zlib.decompressobj()
    try:
        content = opened.decompress(base64.b64decode(text, validate=True), 1 << 31)  # more is not believed
    except zlib.error as error:
        raise InputError("it holds packed numbers that are damaged") from error
    if opened.unconsumed_tail or not opened.eof:
        raise InputError("it holds packed numbers that are too many, or cut off")
    found = np.frombuffer(content, dtype=np.dtype(dtype).newbyteorder("<")).astype(dtype)
    return found if shape is None else found.reshape(shape)
