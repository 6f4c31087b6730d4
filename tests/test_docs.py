"""Pages are in the site, and say what is; the map of the paper leaves no statement of the paper out."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import carob
from carob.show.glossary import WORDS

ROOT = Path(__file__).parents[1]
MAP = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


def test_every_function_in_the_map_exists() -> None:
    names = set(re.findall(r"`(carob(?:\.\w+)+)`", MAP))
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


def test_words_are_those_of_the_command_line() -> None:
    page = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")
    assert re.findall(r"^\*\*(.*)\*\*\n: (.*)$", page, re.MULTILINE) == list(WORDS.items())


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines()
    pages = {str(path.relative_to(ROOT / "docs").with_suffix("")) for path in (ROOT / "docs").rglob("*.md")}
    assert pages - {"index"} == {line for line in contents if line in pages}


def test_every_public_name_is_in_the_reference() -> None:
    pages = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("api.md", "theory-api.md"))
    known = set(re.findall(r"carob\.(?:theory\.)?(\w+)", pages))
    values = {"Coding", "Moments", "SourceModel", "Source", "Patterns", "Topics", "Ising", "combine", "datasets"}
    assert {name for name in carob.__all__ if not name.startswith("_")} - known - values == set()
