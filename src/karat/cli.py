"""The command line: thin, and slow imports only where a command needs them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from karat import __version__
from karat.errors import InputError, NotIdentifiedError

if TYPE_CHECKING:
    from karat.coding import Label
    from karat.votes import Votes


class _Group(click.Group):
    """Examples first, then the commands in the order they are written."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)


def main() -> None:
    """Run a command; 0 fine, 1 ran but cannot tell, 2 bad input."""
    try:
        code = cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (InputError, NotIdentifiedError) as error:
        click.echo(f"karat: {_printable(error)}", err=True)
        code = 2 if isinstance(error, InputError) else 1
    except (KeyboardInterrupt, click.Abort):
        click.echo("karat: interrupted; nothing was written.", err=True)
        code = 130
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has seen enough
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _printable(error: Exception) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(error))


@click.group(
    cls=_Group,
    epilog="Every command takes --json. Exit code 0: fine; 1: ran but cannot tell; 2: bad input.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="karat")
def cli() -> None:
    """Weigh gold labels against unlabeled data.

    \b
    karat demo                                        what twelve word rules are worth on 50,000 reviews
    karat check votes.parquet                         is my input healthy, how good is each source
    karat fit votes.csv --gold y --out labels.csv     a probability for every point
    karat label new.csv --model model.json --out labels.csv
    """


def _input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of every command that reads votes."""
    for option in reversed(
        [
            click.argument("votes"),
            click.option("--key", metavar="COL", help="Column that identifies points."),
            click.option(
                "--drop", metavar="COL", multiple=True, help="Column (or worker) that is no source. Repeatable."
            ),
            click.option("--classes", metavar="A,B,...", help="The classes in order; otherwise found."),
            click.option("--abstain", metavar="VALUE", help="The value that means 'no vote'; otherwise found."),
            click.option("--task", metavar="COL", default="task", show_default=True, help="Long files: the point."),
            click.option(
                "--worker", metavar="COL", default="worker", show_default=True, help="Long files: the source."
            ),
            click.option("--label", metavar="COL", default="label", show_default=True, help="Long files: the vote."),
            click.option(
                "--repeats",
                type=click.Choice(["refuse", "first", "last"]),
                default="refuse",
                show_default=True,
                help="A worker votes twice on a task: refuse, or keep one.",
            ),
            click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout."),
        ]
    ):
        command = option(command)
    return command


def _gold_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--gold-file", metavar="FILE", help="A second file with key and gold label.")(command)
    return click.option("--gold", metavar="COL", help="Column of gold labels; may be mostly empty.")(command)


def _model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of every command that learns the sources."""
    for option in reversed(
        [
            click.option(
                "--method",
                type=click.Choice(["triplets", "labeled"]),
                default="triplets",
                show_default=True,
                help="Learn the sources without gold, or from gold alone.",
            ),
            click.option(
                "--aggregate",
                type=click.Choice(["median", "mean", "random"]),
                default="median",
                show_default=True,
                help="How estimates of all triplets become one.",
            ),
            click.option("--class-balance", metavar="P", help="Share of the last class, or of every class: .2,.5,.3"),
            click.option(
                "--symmetric/--class-conditional",
                default=None,
                help="One accuracy per source, or one per source and class (the default for two classes).",
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
            click.option("--level", type=float, default=0.9, show_default=True, help="Level of the intervals."),
            click.option("--seed", type=int, default=0, show_default=True, help="Seed of all randomness."),
        ]
    ):
        command = option(command)
    return command


@cli.command()
@_input_options
@_gold_options
@_model_options
def check(votes: str, as_json: bool, **options: Any) -> int:
    """Is my input healthy, how was it read, how good is each source, who copies whom.

    \b
    karat check votes.parquet
    karat check votes.csv --gold y --drop text
    karat check "SELECT * FROM 'votes/*.parquet'"
    """
    from karat.commands import check_votes

    data = _read(votes, options)
    report = check_votes(data, _label_model(options), _next("fit", votes, options, out="labels.csv"))
    return _show(report, as_json)


@cli.command()
@_input_options
@_gold_options
@_model_options
@click.option("--out", metavar="FILE", help="Write a probability per point: .parquet, .csv or .jsonl")
@click.option("--model", "model_file", metavar="FILE", help="Save the model as JSON.")
def fit(votes: str, as_json: bool, out: str | None, model_file: str | None, **options: Any) -> int:
    """Learn the sources and give every point a probability for each class.

    \b
    karat fit votes.csv --out labels.csv
    karat fit votes.csv --gold y --out labels.parquet --model model.json
    karat fit answers.jsonl --gold-file truth.csv --out labels.csv
    """
    from karat.commands import fit_votes
    from karat.files import check_writable
    from karat.formats import check_output

    if out is not None:
        check_output(out)
    if model_file is not None:
        check_writable(model_file)
    data = _read(votes, options)
    following = (
        _next("label", "NEW_VOTES", {}, model=model_file, out="labels.csv")
        if model_file
        else _next("fit", votes, options, out=out or "labels.csv", model="model.json")
    )
    report = fit_votes(data, _label_model(options), out, model_file, _key_name(options), following)
    return _show(report, as_json)


@cli.command()
@_input_options
@click.option("--model", "model_file", metavar="FILE", required=True, help="A model that `karat fit` saved.")
@click.option("--out", metavar="FILE", required=True, help="Write a probability per point: .parquet, .csv or .jsonl")
def label(votes: str, as_json: bool, model_file: str, out: str, **options: Any) -> int:
    """Label points with a saved model.

    \b
    karat label new.csv --model model.json --out labels.csv
    """
    from karat.commands import label_votes
    from karat.formats import check_output
    from karat.model import load

    check_output(out)
    model = load(model_file)
    learned = model.source_model_
    settled = {
        "sources": learned.sources,
        "classes": learned.classes,
        "abstain": next(iter(model.coding_.abstain), None),
    }
    data = _read(votes, options, **settled)
    return _show(label_votes(data, model, out, _key_name(options)), as_json)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def demo(as_json: bool) -> int:
    """The main job on 50,000 IMDB reviews: how good are twelve word rules, and how wrong are the labels.

    \b
    karat demo
    """
    from karat.commands import demo_report

    return _show(demo_report(), as_json)


def _read(votes: str, options: dict[str, Any], **settled: Any) -> Votes:
    from karat.tables import read_votes

    reading = {
        "key": options["key"],
        "drop": options["drop"],
        "task": options["task"],
        "worker": options["worker"],
        "label": options["label"],
        "repeats": options["repeats"],
        "gold": options.get("gold"),
        "gold_file": options.get("gold_file"),
        "classes": None if options["classes"] is None else [_value(part) for part in options["classes"].split(",")],
        "abstain": None if options["abstain"] is None else _value(options["abstain"]),
    }
    return read_votes(votes, **reading | settled)


def _value(text: str) -> Label | float:
    """A class or abstain value as written on the command line."""
    text = text.strip()
    if text.lower() == "nan":
        return float("nan")
    try:
        return int(text)
    except ValueError:
        return text


def _label_model(options: dict[str, Any]) -> Any:
    from karat.model import LabelModel

    balance = options["class_balance"]
    if balance is not None:
        try:
            parts = [float(part) for part in balance.split(",")]
        except ValueError:
            raise InputError(
                f"--class-balance takes a number, or one per class between commas, not {balance!r}."
            ) from None
        balance = parts[0] if len(parts) == 1 else parts
    names = ("aggregate", "method", "symmetric", "known_pairs", "signs", "level")
    return LabelModel(class_balance=balance, rng=options["seed"], **{name: options[name] for name in names})


def _key_name(options: dict[str, Any]) -> str:
    return options["key"] or options["task"]


def _next(command: str, votes: str, options: dict[str, Any], **more: str | None) -> str:
    """The command to run next, with the input options of this one."""
    words = ["karat", command, votes]
    for name in ("gold", "gold_file", "key", "classes", "abstain"):
        if options.get(name) is not None:
            words += [f"--{name.replace('_', '-')}", options[name]]
    for name in options.get("drop", ()):
        words += ["--drop", name]
    for name, value in more.items():
        if value is not None:
            words += [f"--{name}", value]
    return " ".join(shlex.quote(word) for word in words)


def _show(report: Any, as_json: bool) -> int:
    if as_json:
        import json

        click.echo(json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        report.print()
    return int(report.exit_code)
