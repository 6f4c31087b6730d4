"""Digests as plain values, and back; what does not fit together is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from carob import Gold, InputError, Votes
from carob.count.digest import Digest
from carob.count.digest_content import digest_content, digest_of, packed, unpacked


def digests() -> list[Digest]:
    rng = np.random.default_rng(0)
    dense = Votes.from_array(rng.integers(0, 3, (200, 4)))
    gold = Gold(np.where(np.arange(200) % 9 == 0, 2, -1).astype(np.int8), dense.classes)
    picked = Gold(gold.values, dense.classes, chances=np.where(np.arange(200) % 2 == 0, 0.1, np.nan))
    crowd = Votes.from_array(
        np.where(rng.random((200, 150)) < 0.03, rng.integers(0, 2, (200, 150)), -1), classes=[0, 1]
    )
    return [
        Digest.of(dense, gold, 7, pairs=True),
        Digest.of(dense, picked),
        Digest.of(crowd),
        Digest.of(crowd).after(9),
    ]


def test_invariant_there_and_back() -> None:
    for digest in digests():
        content = json.loads(json.dumps(digest_content(digest)))
        again = digest_of(content, digest.kept.coding)
        assert again == digest
        assert digest_content(again) == content


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("n", 199, "counts that do not add up"),
        ("sources", ["s0", "other"], "sources that it does not know"),
        ("all_sources", 3, "names are due"),
        ("rows", packed(np.zeros(200, dtype=np.int64)), "out of order"),
        ("gold", packed(np.full(200, 9, dtype=np.int8)), "gold of classes"),
        ("votes", {"columns": packed(np.full((4, 200), 9, dtype=np.int8))}, "votes for classes"),
        ("prints", packed(np.zeros(3, dtype=np.uint64)), "reshape"),
        ("cast", "no base64!", "base64"),
        ("rows", packed(np.arange(200))[:20], "cut off"),
        ("rows", "B" + packed(np.arange(200))[1:], "damaged"),
    ],
)
def test_refusals(name: str, value: Any, words: str) -> None:
    digest = digests()[0]
    content = digest_content(digest) | {name: value}
    with pytest.raises((InputError, ValueError), match=words):
        digest_of(content, digest.kept.coding)


def test_refusal_of_votes_that_nobody_has() -> None:
    digest = digests()[2]
    content = digest_content(digest)
    votes = content["votes"]
    value = unpacked(votes["value"], np.int8)
    content["votes"] = votes | {"value": packed(np.full(len(value), 5, dtype=np.int8))}
    with pytest.raises(InputError, match="votes of sources or for classes"):
        digest_of(content, digest.kept.coding)
