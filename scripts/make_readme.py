"""Write into the README and the pages of docs/ what their commands print; a test compares.

python scripts/make_readme.py
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
START, END = "```console\n$ ", "\n```\n"


def main() -> None:
    """Run every command of every page in a fresh folder that has the examples."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        start, *blocks = page.read_text(encoding="utf-8").split(START)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "examples", Path(folder) / "examples")
            written = [_printed(block.partition(END), folder) for block in blocks]
        if written:
            page.write_text(START.join([start, *written]), encoding="utf-8")


def _printed(block: tuple[str, str, str], folder: str) -> str:
    """A block with what its command prints now."""
    shown, _, rest = block
    command = shown.partition("\n")[0]
    _, *words = shlex.split(command)
    script = str(Path(sys.executable).with_name("carob"))
    run = subprocess.run(
        [script, *words], cwd=folder, capture_output=True, text=True, env=os.environ | {"COLUMNS": "80"}
    )
    print(run.stderr, end="", file=sys.stderr)
    return "\n".join([command, *(line.rstrip() for line in run.stdout.strip().split("\n"))]) + END + rest


if __name__ == "__main__":
    main()
