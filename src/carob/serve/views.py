"""The views of the page, as HTML. All that comes from data is escaped, by the parts that reports are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from weakref import WeakKeyDictionary

from carob.commands.analysis import Analysis, Prices
from carob.errors import InputError, examples, plural
from carob.serve.workspace import METHODS, Choices, Workspace, effect_words
from carob.show.data import size_words
from carob.show.html import lines_html, section_html, sections_html, text, verdict_html
from carob.show.report import Section
from carob.show.whole import (
    error_sections,
    evidence_sections,
    first_sections,
    method_section,
    plan_sections,
    source_sections,
    value_sections,
    verdict,
)
from carob.value.plan import best_plan
from carob.value.words import purchase_sentence
from carob.votes.messages import of_kind
from carob.votes.scales import score_words

FORMATS = ".csv,.tsv,.parquet,.jsonl,.ndjson,.arrow,.feather,.gz"
_NAMES_SHOWN = 12
_METHOD_WORDS = {
    "consensus": "what all votes say together, and gold (the usual)",
    "triplets": "triplets of sources, votes alone",
    "labeled": "gold alone",
    "tensors": "tensors: a table per source",
}
_DOWNLOADS = {
    "labels.csv": "Labels (CSV)",
    "labels.parquet": "Labels (Parquet)",
    "model.json": "The model",
    "report.html": "The report",
}


def shell(token: str, body: str) -> str:
    """The page around a view."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>carob</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="carob-token" content="{text(token)}">'
        '<link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/style.css">'
        '<link rel="stylesheet" href="/page.css"><script src="/page.js" defer></script></head>'
        '<body><a class="skip" href="#main">Skip to the content</a>'
        '<header class="top"><p class="brand">carob</p><p id="status" role="status"></p></header>'
        f'<main id="main">{body}</main>'
        "<footer><p>Everything stays in the memory of this machine, and is gone when carob serve ends.</p></footer>"
        "</body></html>\n"
    )


class Views:
    """Views of a workspace; what takes long to draw is drawn once."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._drawn: WeakKeyDictionary[Analysis, str] = WeakKeyDictionary()

    def draw(self, analysis: Analysis) -> str:
        """What was found, with its charts."""
        if analysis not in self._drawn:
            self._drawn[analysis] = _found(analysis)
        return self._drawn[analysis]

    def main(self, error: str = "") -> str:
        """All that stands between head and foot of the page."""
        work = self.workspace
        with work.lock:
            if not work.name:
                return _start(error)
            parts = [
                f'<div class="bar"><h1>{text(work.name)}</h1>'
                '<form data-action="close"><button class="quiet">Open another file</button></form></div>',
                _understood(work, error),
            ]
            if work.votes is not None:
                parts.append(_learning(work))
            parts.append(_progress(work))
            if work.analysis is not None:
                parts.append(self._results(work, work.analysis))
            return "".join(parts)

    def _results(self, work: Workspace, analysis: Analysis) -> str:
        changed = "" if work.effect is None else f'<p class="effect">{text(effect_words(work.effect))}</p>'
        planner = _planner(analysis)
        after = ""
        if analysis.labeled is not None:
            after = _labeling(work) + _downloads(work) + section_html(method_section(analysis), "method")
        return (
            f'<div id="found">{verdict_html(verdict(analysis))}{changed}{_links(bool(planner), analysis)}'
            f"{self.draw(analysis)}{planner}{after}</div>"
        )

    def plan(self, prices: Prices, labels: int) -> str:
        """The planner's answer."""
        analysis = self.workspace.analysis
        if analysis is None or analysis.risks is None:
            raise InputError("a plan needs 20 gold labels at least; label some points below first.")
        risks = analysis.risks
        level = risks.settings.level
        lacking = risks.prospects.loss
        labels = min(max(labels, 0), len(risks.votes) - len(risks.points))
        lines = []
        if labels:
            gain = lacking.by_labels(labels).interval(level)
            lines.append(
                "If you buy labels alone: "
                + purchase_sentence(labels, 0, labels * prices.label_cost, risks.scores["votes and gold"].loss, gain)
            )
        plan = best_plan(risks, prices.label_cost, prices.point_cost, prices.budget)
        (section,) = plan_sections(plan, prices)
        shown = section_html(replace(section, lines=()), "plan-table", 3)
        return f"{verdict_html(plan.verdict)}{lines_html(lines)}{shown}"


def _start(error: str) -> str:
    return (
        "<h1>Weigh gold labels against unlabeled data</h1>"
        "<p>Sources vote on points: rules, models, people, judges. A few points have gold labels. See how good each "
        "source is, what each label is, how wrong that is, and whether to buy labels or points.</p>"
        '<form data-action="open" id="open"><div class="drop" id="drop">'
        '<label for="file">Choose a file with votes, or drop it here</label>'
        f'<input type="file" id="file" name="file" accept="{FORMATS}" aria-describedby="formats">'
        '<p id="formats" class="facts">A row per point and a column per source, or a row per vote (task, worker, '
        "label). CSV, TSV, Parquet, JSON lines, Arrow or Feather; text also in .gz.</p></div>"
        f"{_error('open', error)}</form>"
        '<form data-action="example"><button>Start with the IMDB example</button> '
        '<span class="facts">Twelve word rules on 50,000 film reviews, with 200 gold labels.</span></form>'
    )


def _error(name: str, sentence: str = "") -> str:
    return f'<p class="error" data-error="{name}" role="alert">{text(sentence)}</p>'


def _understood(work: Workspace, error: str) -> str:
    votes = work.votes
    facts = ""
    if votes is not None:
        gold = 0 if votes.gold is None else int(votes.gold.known.sum())
        from_column = f" in column {work.choices.gold}" if work.choices.gold else ""
        if work.gold_upload is not None:
            from_column = f", with those of {work.gold_upload.file.name}"
        names = ", ".join(votes.sources[:_NAMES_SHOWN])
        more = len(votes.sources) - _NAMES_SHOWN
        rows = {
            "Points": f"{len(votes):,}",
            "Sources": f"{len(votes.sources):,}: {names}{f' and {more:,} more' if more > 0 else ''}",
            "Classes": examples(votes.classes, 12),
            "Written so": f"{votes.coding}.",
            "Gold labels": f"{gold:,}{from_column}"
            if gold
            else "none; choose the column of gold labels, if there is one",
        }
        for guess in of_kind(votes.messages, "guess"):
            rows["Layout"] = guess.words
        listed = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in rows.items())
        dropped = [message.words for message in of_kind(votes.messages, "dropped")]
        facts = f"<dl>{listed}</dl>{lines_html([*score_words(votes.coding.scales), *dropped])}"
    correct = "" if work.upload is None else _correct(work, opened=votes is None) + _second_file()
    return (
        '<section id="understood" aria-labelledby="understood-title"><h2 id="understood-title">What was understood</h2>'
        f"{facts}{_error('read', error)}{correct}</section>"
    )


def _correct(work: Workspace, opened: bool) -> str:
    columns = () if work.upload is None else work.upload.columns
    chosen = work.choices
    fields = [
        _select("gold", "Gold labels", columns, chosen.gold),
        _select("key", "Names of points", columns, chosen.key),
        _select("text", "Text to read", columns, chosen.text),
        _select("layout", "Layout", ("wide", "long"), chosen.layout, "found out"),
        _select("task", "Point (a row per vote)", columns, chosen.task, "found out"),
        _select("worker", "Source (a row per vote)", columns, chosen.worker, "found out"),
        _select("label", "Vote (a row per vote)", columns, chosen.label, "found out"),
        _input("classes", "Classes, in order", chosen.classes, "found out"),
        _input("abstain", "Values that mean no vote", chosen.abstain, "found out"),
        _input("kinds", "What columns hold", chosen.kinds, "judge=score, p=probability, rating=0..10"),
        _input("mapping", "Values to read as others", chosen.mapping, "no.=no, yess=yes"),
        '<p><label><input type="checkbox" name="ignore_case"'
        f"{' checked' if chosen.ignore_case else ''}> Capital and small letters are the same</label></p>",
    ]
    return (
        f'<details{" open" if opened else ""}><summary>Correct it</summary><form data-action="read" class="fields">'
        f"{''.join(fields)}<p><button>Read it so</button></p></form></details>"
    )


def _second_file() -> str:
    return (
        '<details><summary>Add gold labels from a second file</summary><form data-action="gold">'
        '<p><label for="gold-file">A file with the names of points and their gold labels</label>'
        f'<input type="file" id="gold-file" name="file" accept="{FORMATS}"></p>'
        '<p class="facts">Points are matched by the column that names them, in both files.</p>'
        f"</form></details>{_error('gold')}"
    )


def _select(name: str, label: str, values: Sequence[str], chosen: str, nothing: str = "none") -> str:
    options = "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{text(value)}</option>'
        for value in values
    )
    return (
        f'<p><label for="field-{name}">{text(label)}</label><select id="field-{name}" name="{name}">'
        f'<option value="">{text(nothing)}</option>{options}</select></p>'
    )


def _input(name: str, label: str, value: str, hint: str = "") -> str:
    return (
        f'<p><label for="field-{name}">{text(label)}</label>'
        f'<input id="field-{name}" name="{name}" value="{escape(value)}" placeholder="{text(hint)}"></p>'
    )


def _learning(work: Workspace) -> str:
    sources, chosen = work.open_votes.sources, work.choices
    boxes = "".join(
        f'<li><label><input type="checkbox" name="on" value="{escape(name)}"'
        f"{'' if name in chosen.off else ' checked'}> {text(name)}</label></li>"
        for name in sources
    )
    methods = "".join(
        f'<option value="{name}"{" selected" if name == chosen.method else ""}>{_METHOD_WORDS[name]}</option>'
        for name in METHODS
    )
    return (
        '<section id="learn" aria-labelledby="learn-title"><h2 id="learn-title">Sources and how to learn them</h2>'
        '<form data-action="choose"><div class="columns"><fieldset><legend>Sources that are on</legend>'
        f'<ul class="boxes" tabindex="0" aria-label="Sources">{boxes}</ul></fieldset>'
        f"<fieldset><legend>Count two as one</legend>{_merging(sources, chosen)}</fieldset>"
        '<div><p><label for="field-method">Learn from</label>'
        f'<select id="field-method" name="method">{methods}</select></p>'
        f"{_input('class_balance', 'Share of the last class', chosen.class_balance, 'found out')}</div></div>"
        f'<p><button class="main">Weigh</button></p>{_error("choose")}</form></section>'
    )


def _merging(sources: Sequence[str], chosen: Choices) -> str:
    listed = "".join(
        f'<li><label><input type="checkbox" name="merged" value="{k}" checked> {text(first)} with {text(second)}'
        "</label></li>"
        for k, (first, second) in enumerate(chosen.merged)
    )
    kept = f'<ul class="boxes">{listed}</ul>' if listed else ""
    first = _select("first", "This source", sources, "", "choose")
    return f"{kept}{first}{_select('second', 'with this one', sources, '', 'choose')}"


def _progress(work: Workspace) -> str:
    job = work.job
    running = job is not None and job.state == "running"
    failed = job.error if job is not None and job.state == "failed" else ""
    return (
        f'<div id="progress"{"" if running else " hidden"} data-running="{"yes" if running else "no"}">'
        '<p id="progress-words">Working</p><progress aria-labelledby="progress-words"></progress>'
        f'<form data-action="cancel"><button class="quiet">Cancel</button></form></div>{_error("analysis", failed)}'
    )


def _links(planned: bool, analysis: Analysis) -> str:
    parts = {"sources": "Sources", "evidence": "Dependence", "error": "Error", "value": "Value", "planner": "Planner"}
    parts |= {"labeling": "Label points", "downloads": "Download", "method": "Method"}
    if not planned:
        parts.pop("planner")
    if analysis.labeled is None:
        return ""
    links = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words in parts.items())
    return f'<nav aria-label="Parts of this page"><ul>{links}</ul></nav>'


def _found(analysis: Analysis) -> str:
    if analysis.labeled is None:
        mend = Section("To mend", lines=[f"- {problem}" for problem in analysis.check.problems])
        return sections_html([mend, *first_sections(analysis)], "check")
    first = [section for section in first_sections(analysis) if section.title != "How the votes were read"]
    parts = {
        "first": first,
        "sources": source_sections(analysis),
        "evidence": evidence_sections(analysis),
        "error": error_sections(analysis),
        "value": value_sections(analysis),
    }
    size = f'<p class="facts">{text(size_words(analysis.check.data))}</p>'
    return size + "".join(
        f'<div id="{name}" class="part">{sections_html(sections, name)}</div>' for name, sections in parts.items()
    )


def _planner(analysis: Analysis) -> str:
    if analysis.risks is None:
        return ""
    prices = Prices()
    fields = {
        "label_cost": ("Price of a gold label", prices.label_cost),
        "point_cost": ("Price of an unlabeled point", prices.point_cost),
        "budget": ("Budget", prices.budget),
        "labels": ("Gold labels, if you buy them alone", 50),
    }
    inputs = "".join(
        f'<p><label for="plan-{name}">{label}</label><input type="number" min="0" step="any" id="plan-{name}" '
        f'name="{name}" value="{value:g}"></p>'
        for name, (label, value) in fields.items()
    )
    return (
        '<section id="planner" aria-labelledby="planner-title"><h2 id="planner-title">Planner</h2>'
        f'<form data-planner class="fields">{inputs}</form>{_error("plan")}<div id="plan" aria-live="polite"></div>'
        "</section>"
    )


def _labeling(work: Workspace) -> str:
    points = ""
    if work.picked is not None:
        items = "".join(_point(work, row) for row in work.picked.rows.tolist())
        points = f'<ol class="points">{items}</ol>'
    return (
        '<section id="labeling" aria-labelledby="labeling-title"><h2 id="labeling-title">Label points</h2>'
        '<form data-action="pick" class="fields"><p><label for="field-number">How many points</label>'
        '<input type="number" id="field-number" name="number" min="1" max="200" '
        f'value="{10 if work.picked is None else len(work.picked)}"></p>'
        '<p><label for="field-goal">For</label><select id="field-goal" name="goal">'
        '<option value="labels">better labels: uncertain points more often</option>'
        '<option value="estimate">an honest estimate: random points</option></select></p>'
        f"<p><button>Pick points</button></p></form>{_error('pick')}{points}{_error('label')}"
        f'<div id="given">{given(work)}</div></section>'
    )


def given(work: Workspace) -> str:
    """How many labels were given, and what to do with them."""
    if not work.given:
        return ""
    return (
        f"<p>{plural(len(work.given), 'label')} given here.</p>"
        '<form data-action="weigh"><button class="main">Weigh again with these labels</button></form>'
    )


def _point(work: Workspace, row: int) -> str:
    name, words, cast = work.point(row)
    shown = f'<p class="text">{text(words)}</p>' if words else ""
    votes = ", ".join(f"{source}: {vote}" for source, vote in cast[:40]) or "no votes"
    said = work.given.get(row)
    classes = work.open_votes.classes
    if len(classes) <= 8:  # each has a button of its own
        choices = "".join(
            f'<label><input type="radio" name="point-{row}" data-row="{row}" value="{escape(str(label))}"'
            f"{' checked' if said == code else ''}> {text(label)}</label> "
            for code, label in enumerate(classes)
        )
    else:
        options = "".join(
            f'<option value="{escape(str(label))}"{" selected" if said == code else ""}>{text(label)}</option>'
            for code, label in enumerate(classes)
        )
        choices = f'<label>Class <select data-row="{row}"><option value="">none yet</option>{options}</select></label>'
    return (
        f'<li><fieldset><legend>{text(name)}</legend>{shown}<p class="facts">{text(votes)}</p>'
        f'<div class="classes">{choices}</div></fieldset></li>'
    )


def _downloads(work: Workspace) -> str:
    files = dict(_DOWNLOADS)
    if work.picked is not None:
        files["to_label.csv"] = "The points to label"
    if work.given:
        files["gold.csv"] = "The labels given here"
    links = "".join(f'<li><a href="/download/{name}" download>{words}</a></li>' for name, words in files.items())
    return (
        '<section id="downloads" aria-labelledby="downloads-title"><h2 id="downloads-title">Download</h2>'
        f"<ul>{links}</ul></section>"
    )
