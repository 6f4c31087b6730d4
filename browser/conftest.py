"""A real Chromium, a real server, and what every page is held to: no error, nothing from elsewhere, nobody shut out."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from looks import CAROB, PICTURES
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

_PATIENCE = 60_000  # milliseconds; a slow machine is no error
expect.set_options(timeout=_PATIENCE)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    PICTURES.mkdir(exist_ok=True)
    path = shutil.which("chromium")
    assert path, "there is no Chromium; `make test-browser` installs it"
    with sync_playwright() as playwright:
        # Root, as in a container, may not use the sandbox; only our own pages are opened.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Seen:
    """What happened while a page was open."""

    origin: str
    errors: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        def console(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self.errors.append(message.text)

        page.on("console", console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def _request(self, url: str) -> None:
        if not url.startswith((self.origin, "blob:", "data:")):
            self.elsewhere.append(url)


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages that must make no error and ask nothing of other places."""
    watched: list[Seen] = []
    contexts = []

    def make(origin: str, **options: Any) -> Page:
        context = chromium.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True, **options)
        context.set_default_timeout(_PATIENCE)
        page = context.new_page()
        seen = Seen(origin)
        seen.watch(page)
        watched.append(seen)
        contexts.append(context)
        return page

    yield make
    for context in contexts:
        context.close()
    for seen in watched:
        assert seen.errors == []
        assert seen.elsewhere == []


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a page that was started for this module."""
    process = subprocess.Popen(
        [CAROB, "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = re.findall(r"http://\S+", process.stdout.readline())[0]
    yield address
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert err == ""
