"""Charts of the paper's figures: our curve with a band, the paper's points over it. Needs ``karat[charts]``."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from karat.errors import InputError
from karat.experiments.parts import Point
from karat.experiments.run import Comparison, Reproduction

TITLES = {
    "excess_error": ("Excess error against the number of points", "excess error", "log"),
    "data_value_ratio": ("Unlabeled points that do as well as one gold label", "data value ratio", "linear"),
    "combined_error": ("Gold and unlabeled points together", "excess error", "linear"),
    "combined_weight_on_unlabeled": ("Weight of the unlabeled estimate", "weight", "linear"),
    "imdb_test_loss": ("IMDB: test loss against the number of points", "log loss", "linear"),
    "imdb_data_value_ratio": ("IMDB: unlabeled points that do as well as one gold label", "data value ratio", "log"),
}
_COLOURS = ["#0b6e99", "#c4501b", "#3c7a3c", "#7d4f9e", "#8a6d00", "#b03060", "#4d4d4d", "#0f8b8d"]


def chart(figure: str, points: Sequence[Point], comparison: Sequence[Comparison]) -> dict[str, Any]:
    """The Vega-Lite specification of one figure, with a panel per panel of the paper."""
    alt = _altair()
    title, value, scale = TITLES[figure]
    mine: list[dict[str, Any]] = [
        {
            "panel": point.panel,
            "curve": point.curve,
            "n": point.n,
            "value": point.value,
            "low": max(point.value - 2 * point.se, 1e-9) if scale == "log" else point.value - 2 * point.se,
            "high": point.value + 2 * point.se,
        }
        for point in points
        if point.figure == figure and point.value == point.value
    ]
    paper: list[dict[str, Any]] = [
        {"panel": row.panel, "curve": row.curve, "n": row.n, "value": row.paper}
        for row in comparison
        if row.figure == figure
    ]
    curves = sorted({row["curve"] for row in mine})
    colour = alt.Color("curve:N", title=None, scale=alt.Scale(domain=curves, range=_COLOURS[: len(curves)]))
    sizes = [row["n"] for row in mine]
    wide = max(sizes) > 20 * min(sizes)
    across = alt.Scale(type="log" if wide else "linear", zero=False, nice=False)
    x = alt.X("n:Q", title="n", scale=across, axis=alt.Axis(format="~s"))
    y = alt.Scale(type=scale, zero=False)
    panels = []
    for panel in dict.fromkeys(row["panel"] for row in mine):
        ours = alt.Data(values=[row for row in mine if row["panel"] == panel])
        theirs = alt.Data(values=[row for row in paper if row["panel"] == panel])
        band = (
            alt.Chart(ours)
            .mark_area(opacity=0.2)
            .encode(x=x, y=alt.Y("low:Q", scale=y, title=value), y2="high:Q", color=colour)
        )
        line = (
            alt.Chart(ours)
            .mark_line(strokeWidth=1.5)
            .encode(x=x, y=alt.Y("value:Q", scale=y, title=value), color=colour)
        )
        dots = alt.Chart(theirs).mark_point(size=22, filled=True).encode(x=x, y=alt.Y("value:Q", scale=y), color=colour)
        panels.append(alt.layer(band, line, dots).properties(title=panel, width=300, height=230))
    whole = alt.hconcat(*panels) if len(panels) <= 3 else alt.concat(*panels, columns=2)
    described = f"{title}. Lines: karat, with a band of two standard errors. Dots: the paper."
    return whole.properties(title=title, description=described).to_dict()


def svg(specification: dict[str, Any]) -> str:
    """The chart as SVG; no browser and no network is needed."""
    return str(_convert().vegalite_to_svg(specification))


def png(specification: dict[str, Any]) -> bytes:
    """The chart as PNG."""
    return bytes(_convert().vegalite_to_png(specification, scale=2))


def page(found: Reproduction, pictures: dict[str, str]) -> str:
    """One page with all charts, what they show, and the numbers behind them; it loads nothing."""
    parts = []
    for figure, picture in pictures.items():
        rows = [row for row in found.comparison if row.figure == figure]
        agree = f"{sum(row.agrees for row in rows)} of {len(rows)} of its values agree."
        caption = f"Lines: karat, with a band of two standard errors. Dots: the paper. {agree}"
        cells = [
            [row.panel, row.curve, f"{row.n:,}", f"{row.paper:.5g}", f"{row.ours:.5g}", f"{row.se:.2g}"] for row in rows
        ]
        table = _table(["panel", "curve", "n", "paper", "ours", "standard error"], cells)
        parts.append(
            f"<section><h2>{escape(TITLES[figure][0])}</h2><figure>{picture}<figcaption>{escape(caption)}</figcaption>"
            f"</figure><details><summary>Numbers</summary>{table}</details></section>"
        )
    for name, table_rows in found.tables.items():
        cells = [[cell(value) for value in row.values()] for row in table_rows]
        parts.append(f"<section><h2>{escape(name)}</h2>{_table(list(table_rows[0]), cells)}</section>")
    style = (
        "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}"
        "svg{max-width:100%;height:auto}table{border-collapse:collapse;font-size:.8rem;display:block;overflow-x:auto}"
        "td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd}figure{margin:0}"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The paper, reproduced</title>'
        f"<style>{style}</style></head><body><h1>The paper, reproduced</h1><p>{escape(found.options.fingerprint)}</p>"
        f"{''.join(parts)}</body></html>\n"
    )


def _table(headers: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell(value: Any) -> str:
    """A value of a table, numbers with four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def check_charts() -> None:
    """Refuse before any work is done where charts cannot be drawn."""
    _altair()
    _convert()


def _altair() -> Any:
    try:
        import altair
    except ImportError:
        raise InputError("charts need Altair and vl-convert: pip install 'karat[charts]'.") from None
    return altair


def _convert() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise InputError("charts need Altair and vl-convert: pip install 'karat[charts]'.") from None
    return vl_convert
