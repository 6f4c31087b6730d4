"""What is open on the page: the votes, how they are read, what was chosen, labels that were given, and what follows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from carob._types import Label
from carob.commands.analysis import Analysis, analyse
from carob.commands.pick import CHANCE
from carob.engines.labels import label_columns, named_points
from carob.errors import InputError, examples, plural
from carob.paper.datasets import load_imdb
from carob.posterior.settings import Method, Settings
from carob.read import votes_of_source
from carob.read.formats import arrow_table
from carob.read.table import ReadOptions
from carob.serve.jobs import Job, start
from carob.serve.uploads import Limits, Upload, read_upload
from carob.value.pick import Goal, Picked, pick_points
from carob.votes import Gold, Votes

METHODS: tuple[Method, ...] = get_args(Method)
_MOST_PICKED = 200


@dataclass(frozen=True)
class Choices:
    """What a user said about the file and how to learn from it."""

    # layout, gold, key, text, task, worker, label: empty where not said
    layout: str = ""
    gold: str = ""
    key: str = ""
    text: str = ""
    task: str = ""
    worker: str = ""
    label: str = ""
    # classes, abstain: between commas
    classes: str = ""
    abstain: str = ""
    # kinds, mapping: what columns hold, and what to read instead of values, as in ``judge=score, rating=0..10``
    # and ``no.=no``
    kinds: str = ""
    mapping: str = ""
    ignore_case: bool = False
    class_balance: str = ""
    method: str = "consensus"
    off: tuple[str, ...] = ()  # sources that are switched off
    merged: tuple[tuple[str, str], ...] = ()  # sources that are taken as one

    def reading(self, long: bool, gold: Upload | None = None) -> ReadOptions:
        """How to read a file that seems to have a row per vote, or not: there a text is no column of votes.

        `gold`: a second file, with gold.
        """
        names = {name: getattr(self, name) for name in ("task", "worker", "label") if getattr(self, name)}
        return ReadOptions(
            layout=self.layout or None,  # type: ignore[arg-type]
            key=self.key or None,
            gold=self.gold or None,
            gold_file=None if gold is None else self._gold_table(gold),
            drop=[self.text] if self.text and not (self.layout == "long" or (long and not self.layout)) else (),
            abstain=_values(self.abstain) or None,
            kinds=dict(_pairs(self.kinds, "What columns hold", "judge=score")) or None,
            mapping={value: _value(label) for value, label in _pairs(self.mapping, "What to read", "no.=no")} or None,
            ignore_case=self.ignore_case,
            **names,
        )

    def _gold_table(self, gold: Upload) -> Any:
        """A second file, in which the column of gold is called as in the first, where that has one."""
        table = arrow_table(gold.file, ReadOptions(key=self.key or None, task=self.task or "task").identifiers)
        if gold.gold and self.gold and self.gold not in gold.columns:
            table = table.rename_columns([self.gold if name == gold.gold else name for name in gold.columns])
        return table

    def settings(self) -> Settings:
        """How to learn from it."""
        return Settings(method=self.method, class_balance=_balance(self.class_balance), known_pairs=self.merged)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Effect:
    """What the last change did."""

    # before, after: log loss of votes and gold
    before: float | None
    after: float | None
    # changed, points: labels that are others now, of so many
    changed: int
    points: int


@dataclass
class Workspace:
    """All that the page knows, in memory alone."""

    limits: Limits = field(default_factory=Limits)
    name: str = ""  # of what is open; empty where nothing is
    upload: Upload | None = None  # the file; None with the example
    gold_upload: Upload | None = None  # a second file, with gold
    choices: Choices = field(default_factory=Choices)
    votes: Votes | None = None  # as read, with all sources
    given: dict[int, int] = field(default_factory=dict)  # labels that were given on the page, by row
    chances: dict[int, float] = field(default_factory=dict)  # how likely those rows were to be picked
    picked: Picked | None = None
    analysis: Analysis | None = None
    effect: Effect | None = None
    job: Job | None = None
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def close(self) -> None:
        """Forget everything."""
        with self.lock:
            if self.job is not None:
                self.job.cancel()
            self.name, self.upload, self.gold_upload, self.votes, self.choices = "", None, None, None, Choices()
            self._forget()

    def _forget(self) -> None:
        """Forget what follows from the votes."""
        self.given, self.chances = {}, {}
        self.picked = self.analysis = self.effect = self.job = None

    def open_file(self, name: str, content: bytes) -> None:
        """Read a file as it seems to be meant; what is wrong with it is said, and may be corrected."""
        upload = read_upload(name, content, self.limits)
        with self.lock:
            self.close()
            self.name, self.upload = upload.file.name, upload
            self.choices = Choices(gold=upload.gold or "", key=upload.key or "", text=upload.text or "")
        self.read(self.choices)

    def open_gold(self, name: str, content: bytes) -> None:
        """Take gold from a second file, which names the points as the first one does."""
        with self.lock:
            if self.upload is None:
                raise InputError("no file of votes is open; choose one first.")
            before, self.gold_upload = self.gold_upload, read_upload(name, content, self.limits)
            try:
                self.read(self.choices)
            except InputError:
                self.gold_upload = before
                self.read(self.choices)
                raise

    def open_example(self) -> None:
        """The word rules on IMDB reviews, with a few gold labels."""
        votes = load_imdb()
        seen = np.random.default_rng(0).permutation(len(votes)) < 200  # gold labels
        values = np.where(seen, votes.own_gold.values, -1).astype(np.int8)
        with self.lock:
            self.close()
            self.name = "IMDB reviews (example)"
            self.votes = replace(votes, gold=Gold(values, votes.classes))

    def read(self, choices: Choices) -> None:
        """Read the file again, as it is meant."""
        with self.lock:
            if self.upload is None:
                raise InputError("no file is open; choose one first.")
            self.choices = choices
            self.votes = None
            self._forget()
            for name in (choices.gold, choices.key, choices.text, choices.task, choices.worker, choices.label):
                if name and name not in self.upload.columns:
                    raise InputError(f"there is no column {name!r}; there are {examples(self.upload.columns)}.")
            classes: Any = _values(choices.classes) or None
            reading = choices.reading(self.upload.long, self.gold_upload)
            self.votes = votes_of_source(self.upload.file, reading, classes)

    def choose(self, method: str, off: Sequence[str], merged: Sequence[tuple[str, str]], class_balance: str) -> None:
        """Switch sources off, take some as one, and learn otherwise; what follows is to be found out anew."""
        with self.lock:
            votes = self.open_votes
            for name in (*off, *(name for pair in merged for name in pair)):
                if name not in votes.sources:
                    raise InputError(f"there is no source {name!r}; the sources are {examples(votes.sources)}.")
            if len(set(off)) == len(votes.sources):
                raise InputError("all sources are switched off; leave some on.")
            kept = tuple(pair for pair in dict.fromkeys(merged) if not {*pair} & {*off})
            chosen = replace(
                self.choices, method=method, off=tuple(dict.fromkeys(off)), merged=kept, class_balance=class_balance
            )
            chosen.settings().pairs(votes.sources)  # which checks them
            self.choices = chosen

    @property
    def open_votes(self) -> Votes:
        """The votes that are open."""
        if self.votes is None:
            raise InputError("no votes are open; choose a file first.")
        return self.votes

    def chosen_votes(self) -> Votes:
        """The votes of the sources that are on, with all gold: that of the file and that given here."""
        votes = self.open_votes
        off = set(self.choices.off)
        gold = votes.gold
        if self.given:
            values = np.full(len(votes), -1, dtype=np.int8) if gold is None else gold.values.copy()
            chances = np.full(len(votes), np.nan)
            if gold is not None and gold.chances is not None:
                chances = gold.chances.copy()
            for row, label in self.given.items():
                values[row] = label
                chances[row] = self.chances.get(row, np.nan)
            gold = Gold(values, votes.classes, chances=chances)
        return replace(votes.select(name for name in votes.sources if name not in off), gold=gold)

    def start_analysis(self, prepare: Callable[[Analysis], object] | None = None) -> Job:
        """Find out everything, in a thread.

        `prepare`: called with what was found, still in the thread.
        """
        with self.lock:
            votes, settings = self.chosen_votes(), self.choices.settings()
            if self.job is not None:
                self.job.cancel()

            def work(job: Job) -> Callable[[], None]:
                found = analyse(votes, settings, job.tell)
                if prepare is not None:
                    prepare(found)
                return lambda: self._take_over(found, job)

            self.job = start(work)
            return self.job

    def _take_over(self, found: Analysis, job: Job) -> None:
        with self.lock:
            if self.job is job:
                self.effect = None if self.analysis is None else effect(self.analysis, found)
                self.analysis = found

    def pick(self, number: int, goal: Goal) -> None:
        """Choose points to label next."""
        with self.lock:
            if number > _MOST_PICKED:
                raise InputError(
                    f"{number:,} points are many to label on a page; pick {_MOST_PICKED} at the most, or use carob "
                    "pick."
                )
            votes = self.chosen_votes()
            self.picked = pick_points(votes, votes.gold, self.choices.settings(), number, goal)

    def give(self, row: int, label: str) -> None:
        """Label a point that was picked; an empty label takes it back."""
        with self.lock:
            votes, picked = self.open_votes, self.picked
            if picked is None or row not in picked.rows:
                raise InputError("that point was not picked; pick points first.")
            if not label:
                self.given.pop(row, None)
                return
            codes = {str(name): code for code, name in enumerate(votes.classes)}
            if label not in codes:
                raise InputError(f"{label!r} is no class; the classes are {examples(votes.classes)}.")
            self.given[row] = codes[label]
            if picked.goal == "labels":
                self.chances[row] = float(picked.chances[np.flatnonzero(picked.rows == row)[0]])

    def point(self, row: int) -> tuple[str, str, list[tuple[str, Label]]]:
        """What a point is called, its text, and the votes on it."""
        votes = self.open_votes
        name = f"row {row + 1}" if votes.keys is None else str(votes.keys[row])
        cells = votes.take(np.array([row])).values[0]
        scored = votes.scored
        cast = [
            (source, f"{votes.scales[source].centres[code]:.4g}" if scored[i] else votes.classes[code])
            for i, (source, code) in enumerate(zip(votes.sources, cells.tolist(), strict=True))
            if code >= 0
        ]
        return name, self._text(row)[:2_000], cast

    def _text(self, row: int) -> str:
        column, upload, votes = self.choices.text, self.upload, self.open_votes
        if upload is None or not column:
            return ""
        place = row
        if upload.table.num_rows != len(votes):  # a row per vote: the first on this point
            if votes.keys is None or votes.key_name not in upload.columns:
                return ""
            names = [str(name) for name in upload.table[votes.key_name].to_pylist()]
            place = names.index(str(votes.keys[row])) if str(votes.keys[row]) in names else -1
        value = upload.table[column][place].as_py() if place >= 0 else None
        return "" if value is None else str(value)

    def labels(self) -> dict[str, Any]:
        """Labels and probabilities of all points, as columns."""
        labeled = self._labeled()
        return label_columns(labeled.votes, labeled.probabilities)

    def model(self) -> bytes:
        """The model, as in its file."""
        return self._labeled().model.to_bytes()

    def points_to_label(self) -> dict[str, Any]:
        """The points that were picked, and how likely each was, as columns."""
        if self.picked is None:
            raise InputError("no points were picked yet; pick some first.")
        rows = self.picked.rows
        return named_points(self.open_votes.take(rows), rows, {CHANCE: self.picked.chances})

    def given_labels(self) -> dict[str, Any]:
        """The labels that were given here, as columns."""
        if not self.given:
            raise InputError("no labels were given here yet.")
        rows = np.array(sorted(self.given), dtype=np.intp)
        votes = self.open_votes
        labels = [votes.classes[self.given[row]] for row in rows.tolist()]
        chances = [self.chances.get(row) for row in rows.tolist()]
        return named_points(votes.take(rows), rows, {"gold": labels, CHANCE: chances})

    def _labeled(self) -> Any:
        if self.analysis is None or self.analysis.labeled is None:
            raise InputError("there are no labels yet; weigh the votes first.")
        return self.analysis.labeled


def effect(before: Analysis, after: Analysis) -> Effect | None:
    """What changed between two looks at the same points."""
    if before.labeled is None or after.labeled is None:
        return None
    if before.labeled.probabilities.shape != after.labeled.probabilities.shape:
        return None
    first, then = (found.labeled.probabilities.argmax(axis=1) for found in (before, after) if found.labeled is not None)
    return Effect(_loss(before), _loss(after), int((first != then).sum()), len(first))


def effect_words(found: Effect) -> str:
    """The same in a sentence.

    >>> effect_words(Effect(0.25, 0.22, 12, 1_000))
    'Since the last look: the log loss of votes and gold went from 0.2500 to 0.2200; 12 of 1,000 labels changed.'
    """
    loss = ""
    if found.before is not None and found.after is not None:
        loss = f"the log loss of votes and gold went from {found.before:.4f} to {found.after:.4f}; "
    return f"Since the last look: {loss}{found.changed:,} of {plural(found.points, 'label')} changed."


def _loss(analysis: Analysis) -> float | None:
    return None if analysis.risks is None else analysis.risks.scores["votes and gold"].loss


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _value(text: str) -> Label:
    """A whole number, or a text."""
    try:
        return int(text)
    except ValueError:
        return text


def _values(text: str) -> list[Label]:
    """Values between commas."""
    return [_value(part) for part in _parts(text)]


def _pairs(text: str, what: str, example: str) -> list[tuple[str, str]]:
    """Names, or values, and what is said of each, between commas."""
    found = []
    for part in _parts(text):
        name, equals, said = part.rpartition("=")
        if not (equals and name.strip() and said.strip()):
            raise InputError(f"{what} is written as {example}, between commas; not {part!r}.")
        found.append((name.strip(), said.strip()))
    return found


def _balance(text: str) -> float | list[float] | None:
    try:
        parts = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InputError(f"the class balance is a number, or one per class between commas, not {text!r}.") from None
    return None if not parts else parts[0] if len(parts) == 1 else parts
