"""Reports open offline, with every chart drawn, on a phone and on a desk, in the light and in the dark."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from looks import CAROB, check_accessible, check_charts, take_pictures
from playwright.sync_api import Page
from user_files import BAD, MESSAGES, wide

Opened = Callable[..., Page]


def carob(*arguments: object) -> None:
    result = subprocess.run([CAROB, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert result.returncode in (0, 1), result.stderr


def offline(opened: Opened, path: Path, **options: object) -> Page:
    page = opened("file://", offline=True, **options)
    page.goto(path.as_uri())
    return page


def test_the_demo(opened: Opened, tmp_path: Path) -> None:
    out = tmp_path / "demo.html"
    carob("demo", "--html", out)
    assert out.stat().st_size < 1_500_000
    page = offline(opened, out)
    check_charts(page, 4)
    check_accessible(page)
    take_pictures(page, "demo")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "report.html"
    carob("report", MESSAGES, "--gold", "truth", "--key", "id", "--out", out)
    assert out.stat().st_size < 1_500_000
    return out


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_whole_report(opened: Opened, report: Path, scheme: str) -> None:
    page = offline(opened, report, color_scheme=scheme)
    check_charts(page, 9)
    for summary in page.locator("summary").all():
        summary.click()
    check_accessible(page)
    take_pictures(page, f"report-{scheme}")
    ink, ground = page.evaluate("(e => [e.color, e.backgroundColor])(getComputedStyle(document.body))")
    assert ink != ground
    assert ("21, 24, 27" in ground) == (scheme == "dark")


def test_a_report_is_used_by_keyboard(opened: Opened, report: Path) -> None:
    page = offline(opened, report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "A"
    page.keyboard.press("Enter")
    assert "#part-" in page.url


def test_a_report_prints(opened: Opened, report: Path) -> None:
    page = offline(opened, report)
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_names_are_text(opened: Opened, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    carob("report", wide(tmp_path), "--gold", "gold", "--key", "id", "--out", out)
    page = offline(opened, out)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 0
    assert page.get_by_text(BAD).first.is_visible()
    assert "what somebody wrote" not in page.content()  # no rows
    check_accessible(page)
    take_pictures(page, "names")


def test_the_paper(opened: Opened, tmp_path: Path) -> None:
    carob("reproduce", "excess-error", "--trials", 2, "--out", tmp_path)
    page = offline(opened, tmp_path / "index.html")
    check_charts(page, 1)
    check_accessible(page)
    take_pictures(page, "paper")
