"""What every view is looked at for: everybody can use it, every chart is drawn, nothing sticks out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from playwright.sync_api import Page

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
CAROB = str(Path(sys.executable).with_name("carob"))
WIDTHS = (390, 1280)
SERIOUS = ("serious", "critical")


def check_accessible(page: Page) -> None:
    """No serious violation of what axe-core looks for."""
    page.evaluate((HERE / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    bad = [
        f"{rule['id']}: {rule['help']}: {[node['html'][:120] for node in rule['nodes'][:3]]}"
        for rule in found["violations"]
        if rule["impact"] in SERIOUS
    ]
    assert bad == [], json.dumps(bad, indent=1)


def check_charts(page: Page, at_least: int) -> None:
    """Every chart is drawn, and has a text and a table or words."""
    sizes = page.evaluate(
        "[...document.querySelectorAll('figure svg')].map(s => [s.getBoundingClientRect().width,"
        " s.querySelectorAll('path,rect,line,text').length])"
    )
    assert len(sizes) >= at_least
    assert all(width > 100 and parts > 10 for width, parts in sizes), sizes
    assert page.locator("figure [role=img][aria-label]").count() == len(sizes)
    assert page.locator("figure figcaption").count() == len(sizes)


def take_pictures(page: Page, name: str) -> None:
    """The whole view on a phone and on a desk; nothing sticks out to the side."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.screenshot(path=PICTURES / f"{name}-{width}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} wide on a screen of {width}"
    page.set_viewport_size({"width": 1280, "height": 900})
