from __future__ import annotations

import subprocess
import sys

import karat


def test_the_module_is_the_command_line() -> None:
    found = subprocess.run([sys.executable, "-m", "karat", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"karat, version {karat.__version__}\n"
