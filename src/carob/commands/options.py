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

_DIGITS = 100  # a number of more is no class
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _all_of(*options: Decorator) -> Decorator:
    """One decorator from several."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
html_option = click.option(
    "--html", "html_file", metavar="FILE", help="Write the same with charts, as one page that needs no network."
)
table_options = _all_of(
    click.option("--wide", is_flag=True, help="All columns of the table of sources."),
    click.option("--all", "every", is_flag=True, help="All sources, not only those that tell most."),
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all randomness."
)
leave_uncovered_option = click.option(
    "--leave-uncovered", is_flag=True, help="No label for points without any vote, rather than the class balance."
)
keep_option = click.option(
    "--keep", metavar="COL,...", multiple=True, help="Columns of the votes to write beside the labels. Repeatable."
)
labels_help = "Write a probability per point: .parquet, .csv or .jsonl"

input_options = _all_of(
    click.argument("votes"),
    click.option("--key", metavar="COL", help="Column that identifies points."),
    click.option("--task", metavar="COL", default="task", show_default=True, help="Long files: the point."),
    click.option("--worker", metavar="COL", default="worker", show_default=True, help="Long files: the source."),
    click.option("--label", metavar="COL", default="label", show_default=True, help="Long files: the vote."),
    click.option(
        "--repeats",
        type=click.Choice(["refuse", "first", "last"]),
        default="refuse",
        show_default=True,
        help="A worker votes twice on a task: refuse, or keep one.",
    ),
    json_option,
)
gold_options = _all_of(
    click.option("--gold", metavar="COL", help="Column of gold labels; may be mostly empty."),
    click.option("--gold-file", metavar="FILE", help="A second file with key and gold label."),
    click.option("--chance", metavar="COL", help="Column beside gold that `carob pick` wrote: how likely a point was."),
)
learning_options = _all_of(
    gold_options,
    click.option(
        "--drop", metavar="COL,...", multiple=True, help="Columns (or workers) that are no sources. Repeatable."
    ),
    click.option("--sources", metavar="COL,...", multiple=True, help="The columns (or workers) that are the sources."),
    click.option("--classes", metavar="A,B,...", help="The classes in order; otherwise found."),
    click.option(
        "--abstain", metavar="VALUE", multiple=True, help="A value that means 'no vote'; otherwise found. Repeatable."
    ),
    click.option("--ignore-case", is_flag=True, help="Classes that differ only in case are the same."),
    click.option(
        "--map", "mapping", metavar="VALUE=CLASS", multiple=True, help="Read a value as another: no.=no. Repeatable."
    ),
    click.option("--scores", is_flag=True, help="All sources give numbers, not classes."),
    click.option(
        "--kind",
        "kinds",
        metavar="COL=KIND",
        multiple=True,
        help="What a column holds: vote, score, probability, or a range such as 0..10. Repeatable.",
    ),
    click.option("--class-balance", metavar="P", help="Share of the last class, or of every class: .2,.5,.3"),
    click.option(
        "--symmetric/--class-conditional",
        default=None,
        help="One accuracy per source, or one per source and class; otherwise chosen by the data.",
    ),
    click.option(
        "--signs",
        type=click.Choice(["positive", "data"]),
        default="positive",
        show_default=True,
        help="Take sources to be better than chance, or find out.",
    ),
    click.option(
        "--known-pair",
        "known_pairs",
        nargs=2,
        multiple=True,
        metavar="A B",
        help="Sources known to depend on each other. Repeatable.",
    ),
    click.option("--strict", is_flag=True, help="Refuse what is no source rather than set it aside."),
    click.option("--level", type=float, default=0.9, show_default=True, help="Level of the intervals."),
    seed_option,
)


def _aggregate_option(*choices: str) -> Decorator:
    return click.option(
        "--aggregate",
        type=click.Choice(choices),
        help="How estimates of all triplets become one; median where not said.",
    )


fitting_options = _all_of(
    _aggregate_option("median", "mean", "random"),
    click.option(
        "--method",
        type=click.Choice(["auto", "consensus", "triplets", "labeled", "combined", "tensors"]),
        default="auto",
        show_default=True,
        help="Learn from what all votes say together and from gold (consensus, which auto is unless an option of "
        "triplets is given), or as the paper does: triplets of sources, gold alone, both, or tensors, which learn "
        "how each source votes in each of many classes.",
    ),
)
weighing_options = _aggregate_option("median", "mean")

_READING = ("key", "task", "worker", "label", "repeats")
_GOLD = ("gold", "gold_file", "chance", "by", "drop", "ignore_case", "strict")
_NOT_AGAIN = ("votes", "as_json", "out", "model_file", "html_file", "wide", "every")  # in another command
_LEARNING = ("aggregate", "method", "symmetric", "known_pairs", "signs", "level", "strict")


def votes_file(options: dict[str, Any]) -> VotesFile:
    """Where the votes are and how to read them, from what was written on the command line."""
    from carob.commands.inputs import VotesFile
    from carob.read.table import Reading

    names = [name for name in (*_READING, *_GOLD) if name in options]
    classes = options.get("classes")
    reading = Reading(
        sources=options.get("sources") or None,
        abstain=[_abstain(value) for value in options.get("abstain", ())] or None,
        mapping=dict(_mapped(item) for item in options.get("mapping", ())),
        kinds=_kinds(options),
        **{name: options[name] for name in names},
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
    return Settings(class_balance=_balance(options["class_balance"]), rng=options["seed"], **chosen)


def _mapped(text: str) -> tuple[str, Any]:
    """A value and what to read instead."""
    value, equals, label = text.rpartition("=")
    if not equals or not value or not label:
        raise InputError(f"--map takes a value and what to read instead, as in no.=no; not {text!r}.")
    return value, _label(label)


def _kinds(options: dict[str, Any]) -> dict[str, str]:
    """What columns hold, as far as that was written."""
    from carob.votes.scales import ALL

    found = {ALL: "score"} if options.get("scores") else {}
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
        return int(text) if len(text) < _DIGITS else text
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
    """Another command with the votes and the options of this one, as the user gave them, `without` some.

    `words` and `more` are options that are new: as they are typed, and by name.
    """
    given = [*_given(lambda name: name not in (*_NOT_AGAIN, *without)), *words]
    return _line(command, click.get_current_context().params["votes"], given, more)


def pick_next(number: int, without: tuple[str, ...] = ()) -> str:
    """The command that picks so many points to be labeled."""
    return again("pick", ("method", "aggregate", *without), ["-n", str(number)], out="to_label.csv")


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
