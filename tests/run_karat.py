"""The command line, run as its users run it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

KARAT = [str(Path(sys.executable).with_name("karat"))]


def karat(*arguments: object, cwd: Path | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*KARAT, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False, cwd=cwd, **options
    )


def answer(*arguments: object, code: int = 0) -> dict[str, Any]:
    """What a command prints with --json: one object and nothing else."""
    result = karat(*arguments, "--json")
    assert result.returncode == code, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found
