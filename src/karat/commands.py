"""What each command finds out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from karat.errors import InputError, NotIdentifiedError, plural
from karat.estimate.checks import pair_positions, shape_problems, source_problems
from karat.estimate.structure import DependentPair, dependent_pairs
from karat.estimate.wilson import wilson
from karat.io.formats import written_table
from karat.losses import Score, score
from karat.model import LabelModel
from karat.moments import Moments
from karat.show.report import Report, Section
from karat.show.terminal import interval, progress, share, source_rows
from karat.source_table import SourceTable
from karat.value.advice import SMALLEST
from karat.value.risk import Interval
from karat.value.votes_alone import VotesAlone
from karat.value.weigh import data_value, plan
from karat.votes import Votes

_PAIRS_SHOWN = 5
_DEMO_GOLD = 200


def _fit(model: LabelModel, votes: Votes) -> LabelModel:
    with progress("learning the sources") as done:
        return model.fit(votes, votes.gold, progress=done)


def _size(votes: Votes) -> str:
    gold = "" if votes.gold is None else f", {plural(int(votes.gold.known.sum()), 'gold label')}"
    return f"{plural(len(votes), 'point')}, {plural(len(votes.sources), 'source')}, {len(votes.classes)} classes{gold}"


def _data(votes: Votes, source_table: SourceTable) -> dict[str, Any]:
    return {
        "n_points": len(votes),
        "n_gold": 0 if votes.gold is None else int(votes.gold.known.sum()),
        "classes": votes.classes,
        "coding": str(votes.coding),
        "sources": source_table.rows(),
    }


def _source_section(source_table: SourceTable, votes: Votes, level: float) -> Section:
    rows = source_table.rows()
    headers, cells = source_rows(rows, votes.gold is not None)
    beyond = _contradicted(source_table, level)
    lines = []
    if beyond:
        lines.append(
            f"Gold contradicts the accuracy of {beyond} of {len(rows)} sources. Sources that depend on each other, are "
            "worse than chance, or choose which points to vote on mislead triplets, and votes alone do not show it."
        )
    return Section(f"Sources (accuracy with its {level:.0%} interval)", headers, cells, lines, texts=2)


def _contradicted(source_table: SourceTable, level: float) -> int:
    """For how many sources the interval from gold and the interval of the estimate do not meet."""
    low, high = wilson(source_table.correct, source_table.correct + source_table.incorrect, level)
    return int(((low > source_table.high) | (high < source_table.low)).sum())


def _balance(model: LabelModel) -> dict[str, Any]:
    return {
        str(label): {"value": value, "low": low, "high": high}
        for label, value, low, high in zip(
            model.source_model_.classes,
            model.class_balance_,
            model.class_balance_low_,
            model.class_balance_high_,
            strict=True,
        )
    }


def _balance_line(model: LabelModel) -> str:
    parts = [
        f"{label} {share(part['value'])}"
        + ("" if part["low"] == part["high"] else f" ({share(part['low'])} to {share(part['high'])})")
        for label, part in _balance(model).items()
    ]
    return f"Class balance: {', '.join(parts)}"


def check_votes(votes: Votes, model: LabelModel, following: str) -> Report:
    """Whether the votes can be worked with, how they were read, the sources and the pairs that depend."""
    problems: list[str] = []
    if model.method != "labeled":
        problems = shape_problems(len(votes), len(votes.sources))
    moments = None if len(votes) < len(votes.sources) else Moments.of(votes)
    if model.method != "labeled" and moments is not None:
        problems = source_problems(moments, pair_positions(model.known_pairs, votes.sources))
    pairs: list[DependentPair] = []
    exit_code = 2 if problems else 0
    if not problems:
        try:
            _fit(model, votes)
        except NotIdentifiedError as error:
            problems.append(str(error))
            exit_code = 1
    if problems:
        nothing = np.full(len(votes.sources), np.nan)
        source_table = SourceTable.of(votes, votes.gold, nothing, nothing, nothing)
        verdict = f"Not ready: {plural(len(problems), 'thing')} to mend. ({_size(votes)})"
        sections = [Section("To mend", lines=[f"- {problem}" for problem in problems])]
    else:
        source_table = model.source_table_
        if moments is not None:
            pairs = dependent_pairs(moments, model.source_model_, known_pairs=model.known_pairs)
        verdict = f"Ready to fit: {_size(votes)}."
        sections = []
    sections.append(Section("How the votes were read", lines=[f"{votes.coding}."]))
    sections.append(_source_section(source_table, votes, model.level))
    if not problems:
        sections.append(Section(_balance_line(model)))
        sections.append(_pair_section(pairs))
    data = _data(votes, source_table) | {
        "problems": problems,
        "class_balance": None if problems else _balance(model),
        "dependent_pairs": [vars(pair) for pair in pairs],
    }
    return Report(verdict, data, sections, "" if problems else following, exit_code)


def _pair_section(pairs: Sequence[Any]) -> Section:
    if not pairs:
        return Section("No two sources agree or disagree more than the class explains.")
    more = f", the strongest {_PAIRS_SHOWN}" if len(pairs) > _PAIRS_SHOWN else ""
    return Section(
        f"{plural(len(pairs), 'pair')} of sources depend on each other beyond the class{more}",
        ["pair", "correlation left over"],
        [[f"{pair.first} - {pair.second}", f"{pair.correlation:+.2f}"] for pair in pairs[:_PAIRS_SHOWN]],
    )


def fit_votes(
    votes: Votes, model: LabelModel, out: str | None, model_file: str | None, key: str, following: str
) -> Report:
    """Learn the sources, label all points, write what was asked for."""
    _fit(model, votes)
    probabilities = model.predict_proba(votes)
    with ExitStack() as both:  # neither file appears unless both can
        if out is not None:
            both.enter_context(written_table(out, label_columns(votes, probabilities, key)))
        if model_file is not None:
            model.save(model_file)
    wrote = [f"labels to {out}"] if out else []
    wrote += [f"the model to {model_file}"] if model_file else []
    gold = f" and {plural(int(votes.gold.known.sum()), 'gold label')}" if votes.gold is not None else ""
    verdict = f"Learned {plural(len(votes.sources), 'source')} from {plural(len(votes), 'point')}{gold}."
    verdict += f" Wrote {' and '.join(wrote)}." if wrote else ""
    sections = [
        _source_section(model.source_table_, votes, model.level),
        Section(_balance_line(model)),
        Section("How the model was learned", lines=model.explain().split("\n")),
    ]
    data = _data(votes, model.source_table_) | {
        "class_balance": _balance(model),
        "labels": _shares(votes, probabilities),
        "explanation": model.explain(),
    }
    if votes.gold is not None and votes.gold.known.any():
        measured = score(probabilities, votes.gold)
        data["score"] = vars(measured)
        seen = "" if model.method == "triplets" else ", which the model has learned from"
        sections.append(
            Section(
                f"On the {measured.points:,} gold points{seen}: accuracy {share(measured.accuracy)}, "
                f"log loss {share(measured.loss)}"
            )
        )
    return Report(verdict, data | {"out": out, "model": model_file}, sections, following)


def label_votes(votes: Votes, model: LabelModel, out: str, key: str) -> Report:
    """Label points with a model that was fitted before."""
    probabilities = model.predict_proba(votes)
    with written_table(out, label_columns(votes, probabilities, key)):
        shares = _shares(votes, probabilities)
    rows = [[str(label), f"{part['points']:,}", share(part["mean_probability"])] for label, part in shares.items()]
    return Report(
        f"Labeled {plural(len(votes), 'point')}; wrote {out}.",
        {"n_points": len(votes), "classes": votes.classes, "labels": shares, "out": out},
        [Section("Labels", ["class", "points", "mean probability"], rows)],
    )


def _shares(votes: Votes, probabilities: Any) -> dict[str, Any]:
    guess = np.bincount(probabilities.argmax(axis=1), minlength=len(votes.classes))
    return {
        str(label): {"points": int(guess[k]), "mean_probability": float(probabilities[:, k].mean())}
        for k, label in enumerate(votes.classes)
    }


def label_columns(votes: Votes, probabilities: Any, key: str) -> dict[str, Any]:
    """The key or row number, the label and the probability of every class of each point."""
    named = {f"p_{label}": probabilities[:, k] for k, label in enumerate(votes.classes)}
    identifier = {"row": np.arange(1, len(votes) + 1)} if votes.keys is None else {key: votes.keys}
    if set(identifier) & {"label", *named}:
        raise InputError(f"the key column {key!r} has the name of a column of the labels; rename it.")
    return identifier | {"label": np.array(votes.classes)[probabilities.argmax(axis=1)]} | named


_ESTIMATORS = {
    "labeled": "gold alone",
    "unlabeled": "votes alone, mean of triplets",
    "corrected": "votes alone, median of triplets",
    "combined": "votes and gold",
}


def value_report(votes: Votes, options: dict[str, Any], gold_command: str, plan_command: str) -> Report:
    """What a gold label is worth here, where the error comes from, and what to do next."""
    with progress("weighing gold against votes") as done:
        found = data_value(votes, votes.gold, progress=done, **options)
    code = 1 if found.kind == "cannot tell" else 0
    if isinstance(found, VotesAlone):
        lines = [
            f"Test that all sources are independent given the class: p = {found.p_value:.2g}.",
            f"Mean and median of triplets differ by up to {found.spread:.3f} in accuracy.",
            "This is weaker than what gold tells: dependence that all sources share does not show in the votes.",
        ]
        sections = [Section("What votes alone tell", lines=lines), _pair_section(list(found.pairs))]
        return Report(found.verdict, found.to_dict(), sections, gold_command, code)
    rows = []
    for name, what in _ESTIMATORS.items():
        risk, parts = found.risk[name], found.shares[name]
        cells = (risk.value, parts.standing, parts.bias, parts.variance)
        rows.append([what, *(share(cell) for cell in cells), interval(risk.low, risk.high)])
    headers = ["learned from", "log loss", "standing", "bias", "variance", f"{found.level:.0%} interval"]
    curve = [
        [f"{row['n']:,}", *(share(row[name]) for name in ("labeled", "corrected", "combined"))] for row in found.curve
    ]
    gains = [
        ["50 more gold labels, or as many as there are points", *_gain_cells(found.gains["labels"])],
        ["ten times the unlabeled points", *_gain_cells(found.gains["points"])],
        *([change.what, *_gain_cells(change.gain)] for change in found.changes),
    ]
    ratio = found.data_value_ratio
    lines = []
    if found.equivalent_labels.value <= SMALLEST:
        lines.append(f"One gold label does what {ratio.value:,.0f} unlabeled points do, or more.")
    elif ratio.value > 0:
        lines.append(
            f"One gold label does what {ratio.value:,.0f} unlabeled points do ({ratio.low:,.0f} to {ratio.high:,.0f})."
        )
    return Report(
        found.verdict,
        found.to_dict(),
        [
            Section(f"Risk now, with {found.n_gold:,} gold labels", headers, rows, lines),
            Section("What would change the log loss of votes and gold", ["change", "gain", "interval"], gains),
            Section("Predicted log loss", ["gold labels", "gold alone", "votes alone", "both"], curve),
        ],
        plan_command,
        code,
    )


def _gain_cells(gain: Interval) -> list[str]:
    return [f"{gain.value:.4f}", f"{gain.low:.4f} to {gain.high:.4f}"]


def plan_report(votes: Votes, options: dict[str, Any], following: str) -> Report:
    """How to spend a budget on gold labels and unlabeled points."""
    with progress("weighing gold against votes") as done:
        found = plan(votes, votes.gold, progress=done, **options)
    rows = [
        [f"{row.budget:,.2f}", f"{row.buy_labels:,}", f"{row.buy_points:,}", f"{row.cost:,.2f}", f"{row.risk:.4f}"]
        for row in found.frontier
    ]
    return Report(
        found.verdict,
        found.to_dict(),
        [
            Section(
                "What a budget buys",
                ["budget", "gold labels", "unlabeled points", "cost", "log loss after"],
                rows,
                texts=0,
            )
        ],
        following,
    )


def demo_report() -> Report:
    """The paper's twelve word rules on IMDB: how good they are, and how wrong labels from them are."""
    from karat.datasets import load_imdb

    votes = load_imdb()
    gold = votes.code_gold(votes.gold)
    median = _fit(LabelModel("median", method="triplets", class_balance=0.5), votes)
    few = votes.code_gold(np.where(np.random.default_rng(0).permutation(len(votes)) < _DEMO_GOLD, gold.values, -1))
    models = {
        "votes alone, median of triplets": median,
        "votes alone, mean of triplets": LabelModel("mean", class_balance=0.5, replicates=0).fit(votes),
        f"the votes and {_DEMO_GOLD} gold labels": LabelModel(class_balance=0.5, replicates=0).fit(votes, few),
        "gold for all points": LabelModel(method="labeled", class_balance=0.5).fit(votes, gold),
    }
    scores: dict[str, Score] = {name: score(model.predict_proba(votes), gold) for name, model in models.items()}
    with progress("weighing gold against votes") as done:
        value = data_value(votes, few, class_balance=0.5, progress=done)
    first = next(iter(scores.values()))
    pairs = dependent_pairs(Moments.of(votes), median.source_model_)
    rows = [[name, share(found.accuracy), f"{100 * found.f1:.1f}", share(found.loss)] for name, found in scores.items()]
    return Report(
        f"Without a single gold label, twelve word rules label {first.accuracy:.0%} of 50,000 IMDB reviews right.",
        _data(votes, median.source_table_)
        | {
            "scores": {name: vars(found) for name, found in scores.items()},
            "dependent_pairs": [vars(pair) for pair in pairs],
            "value": value.to_dict(),
        },
        [
            _source_section(median.source_table_, votes, median.level),
            Section("How wrong the labels are", ["learned from", "accuracy", "F1", "log loss"], rows),
            Section(f"What to do next, told from {_DEMO_GOLD} gold labels", lines=[value.verdict]),
            _pair_section(pairs),
        ],
        "karat check YOUR_VOTES.csv",
    )
