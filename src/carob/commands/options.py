"""Options that several commands share, what they mean to a command, and how to write them down again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from carob.errors import InputError

if TYPE_CHECKING:
    from carob._types import Label
    from carob.commands.inputs import VotesFile
    from carob.posterior.settings import Settings
    from carob.read.formats import FileContent

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class GroupedOption(click.Option):
    """An option under a heading of its own in the help of a command."""

    def __init__(self, *names: Any, group: str = "", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.group = group


def _option(group: str, *names: str, **settings: Any) -> Decorator:
    return click.option(*names, cls=GroupedOption, group=group, **settings)


def _all_of(*options: Decorator) -> Decorator:
    """One decorator from several."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


TABLE, CELLS, LEARNING, RARER, RESULT = "The table", "Its cells", "Learning", "Rarer", "The result"
labels_help = "Write a probability per point: .parquet, .csv or .jsonl"
json_option = _option(RESULT, "--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
html_option = _option(
    RESULT, "--html", "html_file", metavar="FILE", help="Write the same with charts, as one page that needs no network."
)
wide_options = _all_of(
    _option(RESULT, "--wide", is_flag=True, help="All columns of the table of sources."),
    _option(RESULT, "--all", "every", is_flag=True, help="All sources, not only those that tell most."),
)
seed_option = _option(
    RARER, "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all randomness."
)
out_option = _option(RESULT, "--out", metavar="FILE", help=labels_help)
model_option = _option(RESULT, "--model", "model_file", metavar="FILE", help="Save the model as JSON.")
keep_option = _option(
    RESULT, "--keep", metavar="COL,...", multiple=True, help="Columns of the votes to write beside the labels."
)
input_options = _all_of(
    click.argument("votes"),
    _option(TABLE, "--key", metavar="COL", help="Column that identifies points."),
    _option(
        TABLE,
        "--long",
        nargs=3,
        metavar="TASK WORKER LABEL",
        help="A row per vote: the columns of the point, the source and the vote.",
    ),
    _option(
        TABLE,
        "--repeats",
        type=click.Choice(["refuse", "first", "last"]),
        default="refuse",
        show_default=True,
        help="A worker votes twice on a task: refuse, or keep one.",
    ),
    json_option,
)
gold_options = _all_of(
    _option(TABLE, "--gold", metavar="COL", help="Column of gold labels; may be mostly empty."),
    _option(TABLE, "--gold-file", metavar="FILE", help="A second file with key and gold label."),
)
learning_options = _all_of(
    gold_options,
    _option(TABLE, "--drop", metavar="COL,...", multiple=True, help="Columns (or workers) that are no sources."),
    _option(TABLE, "--sources", metavar="COL,...", multiple=True, help="The columns (or workers) that are sources."),
    _option(CELLS, "--classes", metavar="A,B,...", help="The classes in order; otherwise found."),
    _option(CELLS, "--abstain", metavar="VALUE", multiple=True, help="A value that means 'no vote'; otherwise found."),
    _option(CELLS, "--map", "mapping", metavar="VALUE=CLASS", multiple=True, help="Read a value as another: no.=no"),
    _option(CELLS, "--ignore-case", is_flag=True, help="Classes that differ only in case are the same."),
    _option(
        CELLS,
        "--kind",
        "kinds",
        metavar="COL=KIND",
        multiple=True,
        help="What a column ('*': every one) holds: vote, score, probability, or a range such as 0..10.",
    ),
    _option(LEARNING, "--class-balance", metavar="P", help="Share of the last class, or of every class: .2,.5,.3"),
    _option(
        LEARNING,
        "--known-pair",
        "known_pairs",
        nargs=2,
        multiple=True,
        metavar="A B",
        help="Sources known to depend on each other.",
    ),
)
method_option = _option(
    LEARNING,
    "--method",
    type=click.Choice(["consensus", "triplets", "labeled", "tensors"]),
    default="consensus",
    show_default=True,
    help="Learn from what all votes say together and from gold, or as the paper does: triplets of sources, gold alone, "
    "or tensors, which learn how each source votes in each of many classes.",
)
rarer_options = _all_of(
    _option(RARER, "--chance", metavar="COL", help="Column that `carob pick` wrote: how likely a gold point was."),
    _option(RARER, "--strict", is_flag=True, help="Refuse what is no source rather than set it aside."),
    _option(RARER, "--level", type=float, default=0.9, show_default=True, help="Level of the intervals."),
    seed_option,
)

_READING = ("key", "long", "repeats")
_GOLD = ("gold", "gold_file", "chance", "by", "drop", "ignore_case", "strict")
_NOT_AGAIN = ("votes", "as_json", "out", "model_file", "html_file", "wide", "every")  # in another command
_LEARNING = ("method", "known_pairs", "level", "strict")


def votes_file(options: dict[str, Any]) -> VotesFile:
    """Where the votes are and how to read them, from what was written on the command line."""
    from carob.commands.inputs import VotesFile
    from carob.read.table import ReadOptions

    given: dict[str, Any] = {name: options[name] for name in ("key", "repeats", *_GOLD) if name in options}
    if options.get("long"):
        given |= dict(zip(("task", "worker", "label"), options["long"], strict=True), layout="long")
    classes = options.get("classes")
    reading = ReadOptions(
        sources=options.get("sources") or None,
        abstain=[_abstain(value) for value in options.get("abstain", ())] or None,
        mapping=dict(_mapped(item) for item in options.get("mapping", ())),
        kinds=_kinds(options),
        **given,
    )
    parts: Any = None if classes is None else [_label(part) for part in classes.split(",")]
    return VotesFile(_standard_input() if options["votes"] == "-" else options["votes"], reading, parts)


def named(columns: tuple[str, ...]) -> list[str]:
    """Names of columns, several of which may be written in one between commas."""
    return [name.strip() for part in columns for name in part.split(",") if name.strip()]


def _standard_input() -> FileContent:
    """What standard input holds, by how it begins: Parquet, Arrow, JSON lines, else CSV."""
    from carob.read.formats import FileContent

    content = sys.stdin.buffer.read()
    if not content:
        raise InputError("standard input is empty.")
    kinds = {b"PAR1": "parquet", b"ARROW1": "arrow", b"{": "jsonl"}
    ending = next((kind for start, kind in kinds.items() if content.lstrip().startswith(start)), "csv")
    return FileContent(f"standard input.{ending}", content)


def settings(options: dict[str, Any]) -> Settings:
    """How to learn the sources, from what was written on the command line."""
    from carob.posterior.settings import Settings

    chosen = {name: options[name] for name in _LEARNING if name in options}
    return Settings(class_balance=_balance(options["class_balance"]), rng=options.get("seed", 0), **chosen)


def _mapped(text: str) -> tuple[str, Any]:
    """A value and what to read instead."""
    value, equals, label = text.rpartition("=")
    if not equals or not value or not label:
        raise InputError(f"--map takes a value and what to read instead, as in no.=no; not {text!r}.")
    return value, _label(label)


def _kinds(options: dict[str, Any]) -> dict[str, str]:
    """What columns hold, as far as that was written."""
    found = {}
    for item in options.get("kinds", ()):
        name, equals, kind = item.rpartition("=")
        if not equals or not name or not kind:
            raise InputError(f"--kind takes a column and what it holds, as in judge=score; not {item!r}.")
        found[name] = kind
    return found


def _abstain(text: str) -> Label | float:
    """A value that means "no vote"."""
    return float("nan") if text.strip().lower() == "nan" else _label(text)


def _label(text: str) -> Label:
    """A class: a whole number, or a text."""
    text = text.strip()
    try:
        return int(text) if len(text) < 100 else text  # a longer number is no class
    except ValueError:
        return text


def _balance(text: str | None) -> float | list[float] | None:
    """Class balance: a number, or one per class."""
    if text is None:
        return None
    try:
        parts = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--class-balance takes a number, or one per class between commas, not {text!r}.") from None
    return parts[0] if len(parts) == 1 else parts


def again(command: str, without: tuple[str, ...] = (), words: Sequence[str] = (), **more: str) -> str:
    """Another command with the votes and those options of this one that it has, as the user gave them, `without` some.

    `words` and `more` are options that are new: as they are typed, and by name.
    """
    group = click.get_current_context().find_root().command
    if not isinstance(group, click.Group):
        raise TypeError("commands stand in a group")
    known = {parameter.name for parameter in group.commands[command].params} - {*_NOT_AGAIN, *without}
    given = [*_given(lambda name: name in known), *words]
    return _line(command, click.get_current_context().params["votes"], given, more)


def pick_next(number: int) -> str:
    """The command that picks so many points to be labeled."""
    return again("pick", words=["-n", str(number)], out="to_label.csv")


def label_new_votes(model_file: str) -> str:
    """The command that labels other votes of the same form with a model."""
    given = _given(lambda name: name in _READING)
    return _line("label", "NEW_VOTES", given, {"model": model_file, "out": "new_labels.csv"})


def _given(wanted: Callable[[str], bool]) -> list[str]:
    """Those options that the user gave, as words."""
    context = click.get_current_context()
    words = []
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        if not given or not wanted(name):
            continue
        value = context.params[name]
        if isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
            continue
        for item in value if parameter.multiple else [value]:
            words += [parameter.opts[0], *(map(str, item) if isinstance(item, tuple) else [str(item)])]
    return words


def _line(command: str, votes: str, given: list[str], more: dict[str, str]) -> str:
    added = [word for name, value in more.items() for word in (f"--{name.replace('_', '-')}", value)]
    return " ".join(shlex.quote(word) for word in ("carob", command, votes, *given, *added))
