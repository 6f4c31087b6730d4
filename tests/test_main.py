from __future__ import annotations

import subprocess
import sys

import carob


def test_the_module_is_the_command_line() -> None:
    found = subprocess.run([sys.executable, "-m", "carob", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"carob, version {carob.__version__}\n"
