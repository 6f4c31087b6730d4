"""The map of the paper points to functions and tests that exist, and leaves no statement of the paper out."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAP = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


def test_every_function_in_the_map_exists() -> None:
    names = set(re.findall(r"`(karat(?:\.\w+)+)`", MAP))
    assert len(names) > 30
    for name in names:
        module, attribute = name.rsplit(".", 1)
        assert hasattr(importlib.import_module(module), attribute), name


def test_every_test_in_the_map_exists() -> None:
    tests = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", MAP))
    assert len(tests) > 25
    for path, name in tests:
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), (path, name)


def test_no_statement_of_the_paper_is_left_out(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("votes").parents[1] / "paper"
    sources = sorted(folder.glob("*.txt"))
    if not sources:
        pytest.skip("needs the paper's source in ../shared/paper, which is not part of the project")
    lines = [line for line in sources[0].read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("%")]
    labels = re.findall(r"\\label\{((?:eq|thm|lemma|prop|cor|alg):[^}]*|assumptions)\}", "\n".join(lines))
    assert len(set(labels)) > 30
    assert [label for label in labels if not re.search(rf"{re.escape(label)}(?![\w-])", MAP)] == []
