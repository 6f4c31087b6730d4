"""What every chart has, and how it is drawn: no browser and no network is needed. Needs ``carob[charts]``."""

from __future__ import annotations

import importlib
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from carob.errors import InputError
from carob.show.cells import Cell

# Okabe and Ito's colours, which colour-blind people tell apart; a shape, a dash or a place always says it again.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d", "#8a6d00")
SHAPES = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross", "triangle-left", "triangle-right")
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3], [10, 4], [3, 1])
LEARNED_FROM = ("votes and gold", "gold alone", "votes alone")
INK, SOFT, GRID = "#222222", "#666666", "#dddddd"  # the page's style sheet turns these where it is dark
WIDTH = 360  # of what is drawn inside the axes
_CONFIG = {
    "aria": False,  # the picture as a whole has a text; its data stand beside it as a table
    "background": None,
    "font": "Arial, Helvetica, Liberation Sans, sans-serif",
    "view": {"stroke": None},
    "title": {"color": INK, "fontSize": 14, "anchor": "start", "fontWeight": "bold", "limit": 520},
    "padding": {"left": 16, "right": 8, "top": 6, "bottom": 6},
    "axis": {
        "labelColor": INK, "titleColor": INK, "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal",
        "gridColor": GRID, "domainColor": SOFT, "tickColor": SOFT, "labelLimit": 170, "tickCount": 5,
    },
    "legend": {
        "labelColor": INK, "titleColor": INK, "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal",
        "orient": "bottom", "labelLimit": 260, "titleLimit": 260, "columnPadding": 24, "symbolStrokeWidth": 2,
        "symbolOpacity": 1,
    },
    "text": {"color": INK, "fontSize": 12},
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 13},
}  # fmt: skip


@dataclass(frozen=True)
class Chart:
    """A picture with all that stands beside it."""

    name: str  # what it is about, in a word, as in the name of a file
    title: str  # what it shows: the finding, in a sentence
    description: str  # what is drawn how, for those who do not see it
    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]  # its data as a table
    plot: Callable[[Any], Any]  # draws it, given the module `altair`

    def specification(self, titled: bool = True) -> dict[str, Any]:
        """In Vega-Lite, with or without the title."""
        drawn = self.plot(_module("altair")).properties(description=f"{self.title} {self.description}")
        found: dict[str, Any] = (drawn.properties(title=textwrap.wrap(self.title, 62)) if titled else drawn).to_dict()
        return found | {"config": found.get("config", {}) | _CONFIG}

    def svg(self, titled: bool = True) -> str:
        """The picture as SVG."""
        return str(_module("vl_convert").vegalite_to_svg(self.specification(titled)))

    def png(self) -> bytes:
        """The picture as PNG, on white."""
        specification = self.specification()
        specification["config"] = specification["config"] | {"background": "white"}
        return bytes(_module("vl_convert").vegalite_to_png(specification, scale=2))


def series(alt: Any, names: Sequence[str]) -> dict[str, Any]:
    """Colour and shape of what is learned from some of `LEARNED_FROM`."""
    legend = alt.Legend(title=None, columns=2)
    return {
        "color": alt.Color("from:N", scale=_scale(alt, names, COLOURS), legend=legend),
        "shape": alt.Shape("from:N", scale=_scale(alt, names, SHAPES), legend=legend),
    }


def dashes(alt: Any, names: Sequence[str]) -> dict[str, Any]:
    """Colour and dashes of the same, as lines."""
    legend = alt.Legend(title=None, columns=2, symbolType="stroke", symbolSize=300)
    return {
        "color": alt.Color("from:N", scale=_scale(alt, names, COLOURS), legend=legend),
        "strokeDash": alt.StrokeDash("from:N", scale=_scale(alt, names, DASHES), legend=legend),
    }


def _scale(alt: Any, names: Sequence[str], looks: Sequence[Any]) -> Any:
    """How each name looks, which is the same in every chart."""
    return alt.Scale(domain=list(names), range=[looks[LEARNED_FROM.index(name)] for name in names])


def check_charts() -> None:
    """Refuse before any work is done where charts cannot be drawn."""
    _module("altair")
    _module("vl_convert")


def can_draw() -> bool:
    """Whether charts can be drawn."""
    try:
        check_charts()
    except InputError:
        return False
    return True


def _module(name: Literal["altair", "vl_convert"]) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError("charts need Altair and vl-convert: pip install 'carob[charts]'.") from None
