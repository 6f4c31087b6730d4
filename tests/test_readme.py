"""What the README shows is what its commands print."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from run_karat import karat

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def shown() -> list[tuple[list[str], str]]:
    """Commands of the README and what it shows below each."""
    blocks = README.split("```console\n$ .venv/bin/karat ")[1:]
    found = [block.partition("\n```\n")[0].partition("\n") for block in blocks]
    return [(shlex.split(command), output) for command, _, output in found]


def test_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    commands = shown()
    assert commands
    for words, expected in commands:
        result = karat(*words, cwd=tmp_path)
        assert [line.rstrip() for line in result.stdout.strip().split("\n")] == expected.split("\n")


def test_the_rows_shown_are_those_of_the_example() -> None:
    first = (ROOT / "examples" / "messages.csv").read_text().splitlines()[:5]
    assert "\n".join(f"    {line}" for line in first) in README


def test_lines_fit_on_a_screen() -> None:
    lines = [line for line in README.splitlines() if not line.startswith("|")]
    assert [line for line in lines if len(line) > 120] == []
