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
START, END = "```console\n$ .venv/bin/karat ", "\n```\n"


def main() -> None:
    """Run every command of the README in a fresh folder that has the examples."""
    readme = ROOT / "README.md"
    start, *blocks = readme.read_text(encoding="utf-8").split(START)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        for place, block in enumerate(blocks):
            shown, _, rest = block.partition(END)
            command = shown.partition("\n")[0]
            script = str(Path(sys.executable).with_name("karat"))
            run = subprocess.run([script, *shlex.split(command)], cwd=folder, capture_output=True, text=True)
            print(run.stderr, end="", file=sys.stderr)
            printed = [line.rstrip() for line in run.stdout.strip().split("\n")]
            blocks[place] = "\n".join([command, *printed]) + END + rest
    readme.write_text(START.join([start, *blocks]), encoding="utf-8")


if __name__ == "__main__":
    main()
