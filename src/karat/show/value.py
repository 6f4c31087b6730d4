"""What `karat value` says."""

from __future__ import annotations

from karat.show.cells import Between, Cell, Count, Loss, Nats, Percent, Text
from karat.show.data import aside_sections, pair_section
from karat.show.report import Report, Section
from karat.value.advice import DataValue
from karat.value.jackknife import Interval
from karat.value.votes_alone import VotesAlone
from karat.value.words import change_words, purchase_words, ratio_words

ESTIMATORS = {
    "labeled": "gold alone",
    "unlabeled": "votes alone, mean of triplets",
    "corrected": "votes alone, median of triplets",
    "combined": "votes and gold",
}
_CURVES = {"labeled": "gold alone", "corrected": "votes alone", "combined": "both"}


def value_report(found: DataValue | VotesAlone, check_command: str = "", plan_command: str = "") -> Report:
    """What to do next and why.

    Parameters
    ----------
    check_command, plan_command : str
        What to run next without and with enough gold.
    """
    exit_code = 1 if found.kind == "cannot tell" else 0
    if isinstance(found, VotesAlone):
        sections = [_votes_alone_section(found), pair_section(found.pairs), *aside_sections(found.aside)]
        return Report(found.verdict, sections, check_command, exit_code)
    sections = [_risk_section(found), _gain_section(found), _curve_section(found), *aside_sections(found.aside)]
    return Report(found.verdict, sections, plan_command, exit_code)


def _votes_alone_section(found: VotesAlone) -> Section:
    lines = [
        f"Test that all sources are independent given the class: p = {found.p_value:.2g}.",
        f"Mean and median of triplets differ by up to {found.spread:.3f} in accuracy.",
        "This is weaker than what gold tells: dependence that all sources share does not show in the votes.",
    ]
    return Section("What votes alone tell", lines=lines)


def _risk_section(found: DataValue) -> Section:
    rows: list[list[Cell]] = []
    for name, what in ESTIMATORS.items():
        risk, parts = found.risk[name], found.shares[name]
        losses = (risk.value, parts.standing, parts.bias, parts.variance)
        rows.append([Text(what), *map(Loss, losses), Between(Loss(risk.low), Loss(risk.high))])
    interval = f"{Percent(found.level, digits=0)} interval"
    headers = ["learned from", "log loss", "standing", "bias", "variance", interval]
    ratio = ratio_words(found.data_value_ratio, found.equivalent_labels)
    return Section(f"Risk now, with {found.n_gold:,} gold labels", headers, rows, [ratio] if ratio else [])


def _gain_section(found: DataValue) -> Section:
    gains = [(what, found.gains[name]) for name, what in purchase_words().items()]
    gains += [(change_words(change), change.gain) for change in found.changes]
    rows = [[Text(what), *_gain_cells(gain)] for what, gain in gains]
    return Section("What would change the log loss of votes and gold", ["change", "gain", "interval"], rows)


def _gain_cells(gain: Interval) -> list[Cell]:
    return [Nats(gain.value), Between(Nats(gain.low), Nats(gain.high))]


def _curve_section(found: DataValue) -> Section:
    rows = [[Count(int(row["n"])), *(Loss(row[name]) for name in _CURVES)] for row in found.curve]
    return Section("Predicted log loss", ["gold labels", *_CURVES.values()], rows)
