"""The command line: thin, and slow imports only where a command needs them."""

from __future__ import annotations

import io
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat import __version__
from karat.errors import InputError, NotIdentifiedError

if TYPE_CHECKING:
    from karat.io.coding import Label
    from karat.votes import Votes


class _Group(click.Group):
    """Examples first, then the commands in the order they are written."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)


def main() -> None:
    """Run a command; 0 fine, 1 ran but cannot tell, 2 bad input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may not know every letter of the data
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end tidily: no half files, no processes left
    try:
        code = cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (InputError, NotIdentifiedError) as error:
        click.echo(f"karat: {_printable(error)}", err=True)
        code = 2 if isinstance(error, InputError) else 1
    except (KeyboardInterrupt, click.Abort):
        click.echo("karat: interrupted.", err=True)
        code = 130
    except OSError as error:
        click.echo(f"karat: {_printable(error)}", err=True)
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _printable(error: Exception) -> str:
    from karat.show.terminal import visible

    return visible(error)


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
    karat value votes.csv --gold y                    what a gold label is worth, and what to buy next
    karat plan votes.csv --gold y --label-cost .5 --point-cost .001 --budget 100
    karat reproduce all                               the paper's figures and tables
    """


def _options(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """One decorator from several."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_input_options = _options(
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
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout."),
)
_learn_options = _options(
    click.option("--gold", metavar="COL", help="Column of gold labels; may be mostly empty."),
    click.option("--gold-file", metavar="FILE", help="A second file with key and gold label."),
    click.option("--drop", metavar="COL", multiple=True, help="Column (or worker) that is no source. Repeatable."),
    click.option("--classes", metavar="A,B,...", help="The classes in order; otherwise found."),
    click.option("--abstain", metavar="VALUE", help="The value that means 'no vote'; otherwise found."),
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
    click.option("--level", type=float, default=0.9, show_default=True, help="Level of the intervals."),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all randomness."),
)


def _aggregate_option(*choices: str) -> Callable[..., Any]:
    """The option --aggregate."""
    return click.option(
        "--aggregate",
        type=click.Choice(choices),
        default="median",
        show_default=True,
        help="How estimates of all triplets become one.",
    )


_all_aggregates = _aggregate_option("median", "mean", "random")
_method_option = click.option(
    "--method",
    type=click.Choice(["auto", "triplets", "labeled", "combined"]),
    default="auto",
    show_default=True,
    help="Learn from votes alone, from gold alone, or from both; auto: both where there is gold.",
)


@cli.command()
@_input_options
@_learn_options
@_all_aggregates
@_method_option
def check(votes: str, as_json: bool, **options: Any) -> int:
    """Is my input healthy, how was it read, how good is each source, who copies whom.

    \b
    karat check votes.parquet
    karat check votes.csv --gold y --drop text
    karat check "SELECT * FROM 'votes/*.parquet'"
    """
    from karat.commands import check_votes

    data = _read(votes, options)
    report = check_votes(data, _label_model(options), _again("fit", out="labels.csv"))
    return _show(report, as_json)


@cli.command()
@_input_options
@_learn_options
@_all_aggregates
@_method_option
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
    from karat.io.files import check_writable
    from karat.io.formats import check_output

    if out is not None:
        check_output(out)
    if model_file is not None:
        check_writable(model_file)
    _check_different([votes, options["gold_file"]], [out, model_file])
    data = _read(votes, options)
    if model_file:
        following = _again("label", "NEW_VOTES", only=_READING, model=model_file, out="new_labels.csv")
    else:
        following = _again("fit", out=out or "labels.csv", model="model.json")
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
    from karat.io.formats import check_output
    from karat.model import load
    from karat.votes import read_for_model

    check_output(out)
    _check_different([votes, model_file], [out])
    model = load(model_file)
    names = {name: options[name] for name in _READING}
    data = read_for_model(votes, model.source_model_.sources, model.coding_, **names)
    return _show(label_votes(data, model, out, _key_name(options)), as_json)


@cli.command()
@_input_options
@_learn_options
@_aggregate_option("median", "mean")
def value(votes: str, as_json: bool, **options: Any) -> int:
    """What is a gold label worth here, where does the error come from, and what to buy or fix next.

    \b
    karat value votes.csv --gold y
    karat value votes.parquet --gold y --class-balance .5
    """
    from karat.commands import value_report

    data = _read(votes, options)
    plan_command = _again("plan", label_cost="1", point_cost="0.01", budget="100")
    gold_command = _again("check")
    return _show(value_report(data, _value_options(options), gold_command, plan_command), as_json)


@cli.command()
@_input_options
@_learn_options
@_aggregate_option("median", "mean")
@click.option("--label-cost", type=float, required=True, metavar="X", help="Price of one gold label.")
@click.option("--point-cost", type=float, required=True, metavar="Y", help="Price of one unlabeled point with votes.")
@click.option("--budget", type=float, required=True, metavar="B", help="What may be spent.")
def plan(votes: str, as_json: bool, label_cost: float, point_cost: float, budget: float, **options: Any) -> int:
    """How many gold labels and unlabeled points to buy with a budget.

    \b
    karat plan votes.csv --gold y --label-cost .5 --point-cost .001 --budget 100
    """
    from karat.commands import plan_report
    from karat.value.plan import check_costs

    check_costs(label_cost, point_cost, budget)
    data = _read(votes, options)
    costs = {"label_cost": label_cost, "point_cost": point_cost, "budget": budget}
    following = _again("fit", without=tuple(costs), out="labels.csv")
    return _show(plan_report(data, costs | _value_options(options), following), as_json)


@cli.command()
@click.argument("experiment", type=click.Choice(["excess-error", "data-value-ratio", "combined", "imdb", "all"]))
@click.option(
    "--trials", type=click.IntRange(min=2), default=1000, show_default=True, help="Samples behind every mean."
)
@click.option("--out", metavar="DIR", default="paper-reproduced", show_default=True, help="Numbers, charts and a page.")
@click.option("--full", is_flag=True, help="Every number of dependencies, not only those of the figures.")
@click.option(
    "--variant",
    type=click.Choice(["figures", "text"]),
    default="figures",
    show_default=True,
    help="The choices behind the paper's figures, or those that its text describes.",
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; they change no number.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all randomness.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def reproduce(experiment: str, out: str, jobs: int | None, as_json: bool, **options: Any) -> int:
    """The figures and tables of the paper that karat implements, ours beside the paper's.

    Finished parts are kept: after Ctrl-C the same command goes on where it was.

    \b
    karat reproduce all
    karat reproduce imdb --trials 200 --out imdb
    """
    from karat.experiments.parts import Options
    from karat.reproduction import reproduction_report

    return _show(reproduction_report(experiment, Options(**options), out, jobs), as_json)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def demo(as_json: bool) -> int:
    """The main job on 50,000 IMDB reviews: how good are twelve word rules, and how wrong are the labels.

    \b
    karat demo
    """
    from karat.commands import demo_report

    return _show(demo_report(), as_json)


def _check_different(read: list[str | None], written: list[str | None]) -> None:
    """Refuse to write over what is read, or two outputs into one file."""
    from karat.io.formats import is_query

    outputs = [Path(path).resolve() for path in written if path is not None]
    queries = [path for path in read if path is not None and is_query(path)]
    inputs = [Path(path).resolve() for path in read if path is not None and path not in queries]
    # A query names its files somewhere in its text.
    named = any(output.exists() and output.name in query for output in outputs for query in queries)
    if named or len(set(outputs)) < len(outputs) or set(inputs) & set(outputs):
        raise InputError("inputs and outputs must be different files; give another name to what is written.")


def _read(votes: str, options: dict[str, Any]) -> Votes:
    from karat.votes import read_votes

    names = ("key", "drop", "task", "worker", "label", "repeats", "gold", "gold_file")
    classes: Any = None if options["classes"] is None else [_value(part) for part in options["classes"].split(",")]
    abstain = None if options["abstain"] is None else _value(options["abstain"])
    return read_votes(votes, classes=classes, abstain=abstain, **{name: options[name] for name in names})


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

    names = ("aggregate", "method", "symmetric", "known_pairs", "signs", "level")
    balance = _balance(options["class_balance"])
    return LabelModel(class_balance=balance, rng=options["seed"], **{name: options[name] for name in names})


def _value_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options of `karat.data_value` and `karat.plan`."""
    names = ("aggregate", "symmetric", "known_pairs", "signs", "level")
    balance = _balance(options["class_balance"])
    return {"class_balance": balance, "rng": options["seed"], **{name: options[name] for name in names}}


def _balance(balance: Any) -> Any:
    """Class balance as written on the command line."""
    if balance is not None:
        try:
            parts = [float(part) for part in balance.split(",")]
        except ValueError:
            raise InputError(
                f"--class-balance takes a number, or one per class between commas, not {balance!r}."
            ) from None
        balance = parts[0] if len(parts) == 1 else parts
    return balance


_READING = ("key", "task", "worker", "label", "repeats")


def _key_name(options: dict[str, Any]) -> str:
    return options["key"] or options["task"]


def _again(
    command: str,
    votes: str | None = None,
    only: tuple[str, ...] | None = None,
    without: tuple[str, ...] = (),
    **more: str,
) -> str:
    """Another command with the votes and the options of this one, as the user gave them; `only` or `without` some."""
    context = click.get_current_context()
    words = [context.params["votes"] if votes is None else votes]
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        skipped = name in ("votes", "as_json", "out", "model_file", *without)
        if not given or skipped or (only is not None and name not in only):
            continue
        value = context.params[name]
        if isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
            continue
        for item in value if parameter.multiple else [value]:
            words += [parameter.opts[0], *(map(str, item) if isinstance(item, tuple) else [str(item)])]
    for name, value in more.items():
        words += [f"--{name.replace('_', '-')}", value]
    return " ".join(shlex.quote(word) for word in ("karat", command, *words))


def _show(report: Any, as_json: bool) -> int:
    if as_json:
        import json

        click.echo(json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        report.print()
    return int(report.exit_code)
