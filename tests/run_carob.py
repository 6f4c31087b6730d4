"""The command line, run as its users run it.

`carob` runs it in this process, which saves the second that Python takes to load everything; what is about processes
themselves (signals, limits, pipes) starts one.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from carob.__main__ import main

CAROB = [str(Path(sys.executable).with_name("carob"))]


def carob(*arguments: object, cwd: Path | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command; in a process of its own where there are options for `subprocess.run`."""
    words = list(map(str, arguments))
    if options:
        return subprocess.run(
            [*CAROB, *words], capture_output=True, text=True, timeout=120, check=False, cwd=cwd, **options
        )
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True) for _ in range(2))
    code: Any = 0
    told = mock.patch.object(sys, "argv", ["carob", *words])
    with _as_it_was(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), told:
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    return subprocess.CompletedProcess(words, code, _text(out), _text(err))


def answer(*arguments: object, code: int = 0) -> dict[str, Any]:
    """What a command prints with --json: one object and nothing else."""
    result = carob(*arguments, "--json")
    assert result.returncode == code, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@contextlib.contextmanager
def _as_it_was(cwd: Path | None) -> Iterator[None]:
    """Somewhere else, perhaps; afterwards folder and signals are what they were."""
    before, ended = os.getcwd(), signal.getsignal(signal.SIGTERM)
    try:
        if cwd is not None:
            os.chdir(cwd)
        yield
    finally:
        os.chdir(before)
        signal.signal(signal.SIGTERM, ended)


def _text(stream: io.TextIOWrapper) -> str:
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode()


def warnings_of(found: dict[str, Any]) -> list[str]:
    """The words of what to look at first, of an answer as JSON."""
    return [message["words"] for message in found["messages"] if message["kind"] == "warning"]
