from __future__ import annotations

import io
import sys

import pytest

from carob.commands.progress import silent
from carob.show.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_bar() as progress:
        progress("sources", 1, 2)
    assert progress is silent
    assert stream.getvalue() == ""


def test_a_terminal_shows_the_stage_that_work_is_at(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar() as progress:
        progress("sources", 0, 0)
        progress("sources", 200, 200)
        progress("value", 0, 0)
        middle = len(stream.getvalue())
        progress("value", 1, 4)
    assert "learning the sources" in stream.getvalue()
    assert "weighing gold against votes" in stream.getvalue()
    assert "learning the sources" not in stream.getvalue()[middle:]  # a finished stage makes room
