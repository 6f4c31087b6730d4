"""What the README and the documentation show is what their commands print."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from run_carob import carob

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def shown(page: Path) -> list[tuple[list[str], str]]:
    """Commands of a page and what it shows below each."""
    blocks = page.read_text(encoding="utf-8").split("```console\n$ ")[1:]
    found = [block.partition("\n```\n")[0].partition("\n") for block in blocks]
    return [(shlex.split(command)[1:], output) for command, _, output in found]


def test_commands_print_what_pages_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    printed: dict[tuple[str, ...], str] = {}  # several pages show the same
    for page in PAGES:
        for words, expected in shown(page):
            if tuple(words) not in printed:
                printed[tuple(words)] = carob(*words, cwd=tmp_path).stdout
            lines = [line.rstrip() for line in printed[tuple(words)].strip().split("\n")]
            assert lines == expected.split("\n"), page
    assert len(printed) > 4


def test_the_rows_shown_are_those_of_the_example() -> None:
    first = (ROOT / "examples" / "messages.csv").read_text().splitlines()[:5]
    assert "\n".join(f"    {line}" for line in first) in README


def test_lines_fit_on_a_screen() -> None:
    lines = [line for line in README.splitlines() if not line.startswith("|")]
    assert [line for line in lines if len(line) > 120] == []
