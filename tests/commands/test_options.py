from __future__ import annotations

import math
from typing import Any

import pytest

from carob import InputError
from carob.commands.options import settings, votes_file

LEARNING: dict[str, Any] = {"class_balance": None, "seed": 0}


def test_what_was_written_becomes_settings() -> None:
    found = settings({"class_balance": ".2,.5,.3", "seed": 7, "method": "labeled", "level": 0.8, "key": "id"})
    assert (found.class_balance, found.rng, found.method, found.level) == ([0.2, 0.5, 0.3], 7, "labeled", 0.8)
    assert settings({**LEARNING, "class_balance": ".4"}).class_balance == 0.4
    with pytest.raises(InputError, match="--class-balance takes a number"):
        settings({**LEARNING, "class_balance": "half"})
    with pytest.raises(InputError, match="level must be"):
        settings({**LEARNING, "level": 2.0})


def test_classes_and_abstains_are_numbers_where_they_look_so() -> None:
    found = votes_file({"votes": "v.csv", "classes": "0, 1,x", "abstain": ("nan", "N/A"), "drop": ("a",), "key": "id"})
    assert found.classes == [0, 1, "x"]
    assert isinstance(found.reading.abstain, list)
    assert math.isnan(found.reading.abstain[0])
    assert found.reading.abstain[1] == "N/A"
    assert (found.reading.drop, found.reading.key) == (("a",), "id")
    plain = votes_file({"votes": "v.csv"})
    assert (plain.classes, plain.reading.abstain) == (None, None)


def test_values_to_be_read_as_others() -> None:
    found = votes_file({"votes": "v.csv", "mapping": ("no.=no", "a=b=1"), "ignore_case": True})
    assert (found.reading.mapping, found.reading.ignore_case) == ({"no.": "no", "a=b": 1}, True)
    with pytest.raises(InputError, match=r"--map takes a value.*not 'no.'"):
        votes_file({"votes": "v.csv", "mapping": ("no.",)})
