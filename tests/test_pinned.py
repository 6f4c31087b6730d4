from __future__ import annotations

import json
from typing import Any

import pytest
from pinned import FILE, cases, leaves, result

EXPECTED: dict[str, Any] = json.loads(FILE.read_text())


def test_every_case_is_pinned() -> None:
    assert list(EXPECTED) == cases()


@pytest.mark.parametrize("case", cases())
def test_nothing_changed_unnoticed(case: str) -> None:
    found, expected = dict(leaves(result(case))), dict(leaves(EXPECTED[case]))
    assert found.keys() == expected.keys()
    for path, value in expected.items():
        if isinstance(value, float):
            assert found[path] == pytest.approx(value, rel=1e-6, abs=1e-9), path
        else:
            assert found[path] == value, path
