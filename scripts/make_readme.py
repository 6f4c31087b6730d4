"""Write into the README what its commands print. Run it whenever that changes; a test compares both.

python scripts/make_readme.py
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROMPT = "    $ .venv/bin/karat "


def main() -> None:
    """Run every command of the README in a fresh folder that has the examples."""
    readme = ROOT / "README.md"
    start, *blocks = readme.read_text(encoding="utf-8").split(PROMPT)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        for place, block in enumerate(blocks):
            command, _, shown = block.partition("\n")
            lines = shown.split("\n")
            end = next((k for k, line in enumerate(lines) if line and not line.startswith("    ")), len(lines))
            script = str(Path(sys.executable).with_name("karat"))
            run = subprocess.run([script, *shlex.split(command)], cwd=folder, capture_output=True, text=True)
            print(run.stderr, end="", file=sys.stderr)
            printed = [f"    {line}".rstrip() for line in run.stdout.strip().split("\n")]
            blocks[place] = "\n".join([command, *printed, "", *lines[end:]])
    readme.write_text(PROMPT.join([start, *blocks]), encoding="utf-8")


if __name__ == "__main__":
    main()
