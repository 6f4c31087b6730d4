"""The command line: thin, and slow imports only where a command needs them."""

from __future__ import annotations

import io
import os
import shlex
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from carob import __version__
from carob._kernels.threads import BLAS_THREADS
from carob.commands.options import (
    CELLS,
    LEARNING,
    RARER,
    RESULT,
    TABLE,
    again,
    gold_options,
    html_option,
    input_options,
    json_option,
    keep_option,
    label_new_votes,
    labels_help,
    learning_options,
    method_option,
    model_option,
    named,
    out_option,
    pick_next,
    rarer_options,
    seed_option,
    settings,
    votes_file,
    wide_options,
)
from carob.errors import InputError, NotIdentifiedError, short

if TYPE_CHECKING:
    from carob.commands.inputs import VotesFile
    from carob.commands.progress import Progress
    from carob.show.as_json import Result
    from carob.show.report import Report
    from carob.value.pick import Goal


T = TypeVar("T")
_GROUPS = (TABLE, CELLS, LEARNING, RESULT, RARER)


class _Command(click.Command):
    """Shows options in groups; refuses one that is given twice and of which only the last would count."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(context):
            record = parameter.get_help_record(context)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "Options"), []).append(record)
        order = [*_GROUPS, *(name for name in groups if name not in _GROUPS)]
        for name in (name for name in order if name in groups):
            with formatter.section(name):
                formatter.write_dl(groups[name])

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        _, _, order = self.make_parser(context).parse_args(list(args))
        once = [found for found in order if isinstance(found, click.Option) and not (found.multiple or found.is_flag)]
        for option in once:
            if once.count(option) > 1:
                raise click.UsageError(f"{option.opts[0]} is given more than once, and takes one value.", context)
        return super().parse_args(context, args)


class _Group(click.Group):
    """Examples first, then the commands in the order they are written."""

    command_class = _Command

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)


def main() -> None:
    """Run a command; 0 fine, 1 ran but cannot tell, 2 bad input, 70 a fault of carob's own."""
    closed = [name for name in ("stdout", "stderr") if getattr(sys, name) is None]  # by who started the command
    for name in closed:
        setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may not know every letter of the data
    for name in BLAS_THREADS:  # read when NumPy is loaded, which is later
        os.environ.setdefault(name, "1")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end tidily: no half files, no processes left
    code = _run()
    for stream in (sys.stdout, sys.stderr):
        _flush(stream)
    for name in closed:
        getattr(sys, name).close()
        setattr(sys, name, None)
    sys.exit(code)


def _run() -> int:
    """The exit code of a command, whatever happens in it."""
    try:
        code = cli(prog_name="carob", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        return _refused(error.format_message(), error.exit_code, getattr(error, "ctx", None))
    except (InputError, NotIdentifiedError) as error:
        return _refused(error, 2 if isinstance(error, InputError) else 1)
    except (KeyboardInterrupt, click.Abort):
        return _refused("interrupted.", 130)
    except OSError as error:
        return _refused(error, 2)
    except MemoryError:
        return _refused("there is too little memory for these votes. Bring fewer points or sources.", 2)
    except Exception as error:
        if "--debug" in sys.argv:
            traceback.print_exc()
        return _refused(
            f"this is a fault of carob, not of your input ({type(error).__name__}: {short(str(error))}). Please report "
            f"it with the command and the version, {__version__}; `carob --debug ...` says where it happened.",
            70,
        )


def _refused(reason: object, code: int, context: click.Context | None = None) -> int:
    """Say on stderr why nothing came of a command."""
    from carob.show.terminal import visible

    usage = "" if context is None else f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n\n"
    with suppress(OSError):
        click.echo(f"{usage}carob: {visible(short(str(reason)))}", err=True)
    return code


def _flush(stream: IO[str]) -> None:
    """Write what is left to be written; where that cannot be, leave nothing for the interpreter to stumble over."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@click.group(
    cls=_Group,
    epilog="Every command takes --json. Exit code 0: fine; 1: ran but cannot tell; 2: bad input.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="carob")
@click.option("--debug", is_flag=True, help="Show where a fault of carob's own happened.")
def cli(debug: bool) -> None:
    """Weigh gold labels against unlabeled data.

    \b
    carob demo                                     what word rules are worth
    carob check votes.parquet                      how good is each source
    carob fit votes.csv --gold y --out labels.csv  a probability for every point
    carob label new.csv --model model.json --out labels.csv
    carob update model.json more.csv               more votes into a model
    carob value votes.csv --gold y                 what a gold label is worth
    carob plan votes.csv --gold y --label-cost .5 --point-cost .001 --budget 100
    carob report votes.csv --gold y --out report.html
    carob pick votes.csv -n 50 --out to_label.csv  which points to label next
    carob rate votes.csv --gold y                  how common is each class
    carob serve                                    all of it on a local page
    carob reproduce all                            the paper's figures and tables
    """


@cli.command()
@input_options
@learning_options
@method_option
@rarer_options
@wide_options
@html_option
def check(as_json: bool, html_file: str | None, **options: Any) -> int:
    """Is my input healthy, how was it read, how good is each source, who copies whom.

    \b
    carob check votes.parquet
    carob check votes.csv --gold y --drop text
    carob check "SELECT * FROM 'votes/*.parquet'"
    """
    from carob.commands.check import check_file
    from carob.show.check import check_report

    data = _apart(options, html_file)
    result = _watched(lambda progress: check_file(data, settings(options), progress))
    mended = again("check", words=result.data.mending) if result.data.mending else ""
    return _show(result, check_report(result, mended or again("fit", out="labels.csv")), as_json, html_file)


@cli.command()
@input_options
@learning_options
@method_option
@out_option
@model_option
@keep_option
def fit(as_json: bool, out: str | None, model_file: str | None, keep: tuple[str, ...], **options: Any) -> int:
    """Learn the sources and give every point a probability for each class.

    \b
    carob fit votes.csv --out labels.csv
    carob fit votes.csv --gold y --out labels.parquet --model model.json
    carob fit answers.jsonl --gold-file truth.csv --out labels.csv
    """
    from carob.commands.fit import fit_votes
    from carob.show.fit import fit_report

    data = _apart(options, None, out, model_file)
    result = _watched(lambda progress: fit_votes(data, settings(options), out, model_file, progress, named(keep)))
    if result.data.mending:
        following = again("check", words=result.data.mending)
    elif model_file:
        following = label_new_votes(model_file)
    elif out is None:
        following = again("fit", out="labels.csv", model="model.json")
    elif result.data.n_gold:
        following = again("value")
    else:
        following = pick_next(50)
    return _show(result, fit_report(result, following), as_json)


@cli.command()
@input_options
@click.option("--model", "model_file", metavar="FILE", required=True, help="A model that `carob fit` saved.")
@click.option("--out", metavar="FILE", required=True, help=labels_help)
@click.option(
    "--leave-uncovered", is_flag=True, help="No label for points without any vote, rather than the class balance."
)
@keep_option
def label(
    as_json: bool, model_file: str, out: str, leave_uncovered: bool, keep: tuple[str, ...], **options: Any
) -> int:
    """Label points with a saved model.

    \b
    carob label new.csv --model model.json --out labels.csv
    """
    from carob.commands.label import label_votes
    from carob.show.fit import label_report

    data, columns = votes_file(options), named(keep)
    result = _watched(lambda progress: label_votes(data, model_file, out, leave_uncovered, columns, progress))
    return _show(result, label_report(result), as_json)


@cli.command()
@click.argument("model_file", metavar="MODEL")
@input_options
@gold_options
@click.option("--out", metavar="FILE", help="Write the model there, not over the old one.")
@wide_options
def update(as_json: bool, model_file: str, out: str | None, **options: Any) -> int:
    """Learn from more votes of the same sources, without those that the model was learned from.

    \b
    carob update model.json more.parquet
    carob update model.json more.csv --gold y --out newer.json
    carob update model.json other-model.json
    """
    from carob.commands.label import update_model
    from carob.show.fit import update_report

    result = _watched(lambda progress: update_model(votes_file(options), model_file, out, progress))
    return _show(result, update_report(result, label_new_votes(result.out)), as_json)


@cli.command()
@input_options
@learning_options
@rarer_options
@click.option(
    "--worth",
    type=float,
    metavar="X",
    help="What a gain must be, in the share of right labels: .01 is one in a hundred.",
)
@html_option
def value(as_json: bool, worth: float | None, html_file: str | None, **options: Any) -> int:
    """What is a gold label worth here, where does the error come from, and what to buy or fix next.

    \b
    carob value votes.csv --gold y
    carob value votes.parquet --gold y --class-balance .5
    carob value votes.csv --gold y --worth .005
    """
    from carob.commands.value import value_votes
    from carob.show.value import value_report

    data = _apart(options, html_file)
    result = _watched(lambda progress: value_votes(data, settings(options), worth, progress))
    plan_command = again("plan", label_cost="1", point_cost="0.01", budget="100")
    report = value_report(result, pick_next(20), plan_command)  # so few tell something
    return _show(result, report, as_json, html_file)


@cli.command()
@input_options
@learning_options
@rarer_options
@click.option("--label-cost", type=float, required=True, metavar="X", help="Price of one gold label.")
@click.option("--point-cost", type=float, required=True, metavar="Y", help="Price of one unlabeled point with votes.")
@click.option("--budget", type=float, required=True, metavar="B", help="What may be spent.")
@html_option
def plan(
    as_json: bool, label_cost: float, point_cost: float, budget: float, html_file: str | None, **options: Any
) -> int:
    """How many gold labels and unlabeled points to buy with a budget.

    \b
    carob plan votes.csv --gold y --label-cost .5 --point-cost .001 --budget 100
    """
    from carob.commands.value import plan_purchase
    from carob.show.value import plan_report

    data = _apart(options, html_file)
    result = _watched(lambda progress: plan_purchase(data, settings(options), label_cost, point_cost, budget, progress))
    bought = result.buy_labels
    following = pick_next(bought) if bought else again("fit", out="labels.csv")
    return _show(result, plan_report(result, following), as_json, html_file)


@cli.command()
@input_options
@learning_options
@method_option
@rarer_options
@click.option("--out", metavar="FILE", default="report.html", show_default=True, help="The page that is written.")
@click.option("--label-cost", type=float, metavar="X", help="Price of one gold label; 1 where not said.")
@click.option("--point-cost", type=float, metavar="Y", help="Price of one unlabeled point; .01 where not said.")
@click.option("--budget", type=float, metavar="B", help="What may be spent; 100 where not said.")
def report(as_json: bool, out: str, **options: Any) -> int:
    """Everything at once, with charts, as one page to mail around: it needs no network and holds no rows.

    \b
    carob report votes.csv --gold y --out report.html
    carob report votes.csv --gold y --label-cost .5 --point-cost .001 --budget 100
    """
    from carob.commands.analysis import Prices, report_votes
    from carob.show.whole import title, whole_report

    data = _apart(options, out)
    said = {name: options.pop(name) for name in ("label_cost", "point_cost", "budget")}
    given = {name: value for name, value in said.items() if value is not None}
    prices = Prices(**given, example=not given)
    result = _watched(lambda progress: report_votes(data, settings(options), prices, progress))
    bought = 0 if result.plan is None else result.plan.buy_labels
    following = pick_next(bought) if bought else again("fit", out="labels.csv")
    found = whole_report(result, following)
    _write_html(out, title(result.name), found)
    return _show(result, replace(found, verdict=f"{found.verdict} Wrote {out}.", sections=()), as_json)


@cli.command()
@input_options
@learning_options
@rarer_options
@click.option("-n", "number", type=int, default=50, show_default=True, help="How many points.")
@click.option(
    "--for",
    "goal",
    type=click.Choice(["labels", "estimate"]),
    default="labels",
    show_default=True,
    help="Better labels: uncertain points more often. Or an honest estimate: random points.",
)
@click.option("--out", metavar="FILE", help="Write the points, to be labeled: .parquet, .csv or .jsonl")
def pick(as_json: bool, number: int, goal: Goal, out: str | None, **options: Any) -> int:
    """Which points to label next. Works without any gold, too.

    \b
    carob pick votes.csv --key id -n 50 --out to_label.csv
    carob fit votes.csv --key id --gold-file to_label.csv --gold y
    """
    from carob.commands.pick import LABEL, pick_votes
    from carob.show.pick import pick_report

    result = pick_votes(votes_file(options), settings(options), number, goal, out)
    following = ""
    if out and options["gold_file"]:
        following = again("fit")
    elif out and options["key"]:
        named = {} if options["gold"] else {"gold": LABEL}
        following = again("fit", (), (), gold_file=out, **named)
    return _show(result, pick_report(result, following, options["gold_file"]), as_json)


@cli.command()
@input_options
@learning_options
@rarer_options
@click.option("--by", metavar="COL", help="Column that tells groups of points apart, such as the system.")
@click.option("--beyond", is_flag=True, help="Intervals for points like these, not only for these points.")
def rate(as_json: bool, beyond: bool, **options: Any) -> int:
    """How common is each class, such as a pass rate, with an interval that holds however good the votes are.

    \b
    carob rate votes.csv --gold y
    carob rate votes.csv --gold y --by system
    """
    from carob.commands.value import rate_file
    from carob.show.rate import rate_report

    result = rate_file(votes_file(options), settings(options), beyond)
    following = again("pick", out="to_label.csv") + " --for estimate"
    return _show(result, rate_report(result, following), as_json)


@cli.command()
@click.argument(
    "experiment", type=click.Choice(["excess-error", "data-value-ratio", "combined", "imdb", "theory", "all"])
)
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
@seed_option
@json_option
def reproduce(experiment: str, out: str, jobs: int | None, as_json: bool, **options: Any) -> int:
    """The figures and tables of the paper that carob implements, ours beside the paper's.

    Finished parts are kept: after Ctrl-C the same command goes on where it was.

    \b
    carob reproduce all
    carob reproduce imdb --trials 200 --out imdb
    carob reproduce theory    bounds beside what they bound
    """
    from carob.commands.reproduce import reproduce_paper
    from carob.paper.experiments.parts import Options
    from carob.show.reproduce import check_pictures, reproduce_report, write_pictures

    check_pictures(out)
    result = _watched(lambda progress: reproduce_paper(experiment, Options(**options), out, jobs, progress))
    write_pictures(result)
    return _show(result, reproduce_report(result), as_json)


@cli.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any that is free."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen. Anything else opens your data to a network.",
)
@click.option("--name", "names", multiple=True, help="Another name under which the page is reached. Repeatable.")
@click.option(
    "--max-mb", type=click.IntRange(min=1), default=200, show_default=True, help="Largest file that is taken."
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
def serve(port: int, host: str, names: tuple[str, ...], max_mb: int, open_browser: bool) -> int:
    """A page on this machine: drop a file, see what it is worth, plan, label points, download.

    Nothing leaves the machine, and nothing is kept when it ends.

    \b
    carob serve
    carob serve --port 0 --open
    """
    from carob.serve import check_server
    from carob.serve.uploads import Limits
    from carob.show.charts.chart import check_charts

    check_server()
    check_charts()
    from carob.serve.run import serve as run_server  # loads Starlette

    run_server(host, port, names, Limits(max_mb), open_browser)
    return 0


@cli.command()
@json_option
@wide_options
@html_option
def demo(as_json: bool, html_file: str | None, **tables: bool) -> int:
    """The main job on 50,000 IMDB reviews: how good are twelve word rules, and how wrong are the labels.

    \b
    carob demo
    """
    from carob.commands.demo import run_demo
    from carob.show.demo import demo_report

    _check_html(html_file)
    result = _watched(lambda progress: run_demo(progress))
    return _show(result, demo_report(result), as_json, html_file)


@cli.command("help")
@click.argument("topic", required=False)
@click.pass_context
def show_help(context: click.Context, topic: str | None) -> int:
    """What a command does, or what carob's words mean.

    \b
    carob help fit
    carob help words
    """
    from carob.show.glossary import glossary_text

    if topic == "words":
        click.echo(glossary_text(), nl=False)
    elif topic is None or topic in cli.commands:
        command: click.Command = cli if topic is None else cli.commands[topic]
        name = "carob" if topic is None else f"carob {topic}"
        click.echo(command.get_help(click.Context(command, info_name=name, max_content_width=100)))
    else:
        raise InputError(f"there is no help on {topic!r}: name a command ({', '.join(cli.commands)}), or words.")
    return 0


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print what makes a shell complete carob's commands and options.

    \b
    carob completion bash >> ~/.bashrc
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise InputError(f"{shell} is not known to complete.")
    click.echo(found(cli, {}, "carob", "_CAROB_COMPLETE").source())
    return 0


def _watched(work: Callable[[Progress], T]) -> T:
    """The result of some work, with a bar where somebody watches."""
    from carob.show.progress import progress_bar

    with progress_bar() as progress:
        return work(progress)


def _apart(options: dict[str, Any], html_file: str | None, *written: str | None) -> VotesFile:
    """The votes, apart from the page and the other files that will be written."""
    from carob.commands.outputs import check_different

    _check_html(html_file)
    return votes_file(options).apart_from(check_different(html_file, *written))


def _check_html(path: str | None) -> None:
    """Refuse, before any work is done, a page that cannot be made or written."""
    if path is None:
        return
    from carob.read.files import check_writable
    from carob.show.charts.chart import check_charts

    check_charts()
    check_writable(path)


def _write_html(path: str, title: str, report: Report) -> None:
    """Write a report as one page."""
    from carob.read.files import whole_file
    from carob.show.html import report_document

    page = report_document(title, report, shlex.join(["carob", *sys.argv[1:]]), __version__)
    with whole_file(path) as file:
        file.write(page.encode())


def _show(result: Result, report: Report, as_json: bool, html_file: str | None = None) -> int:
    """Print a result, as JSON or for people, and write it as a page where that was asked for; returns the exit code."""
    if html_file is not None:
        _write_html(html_file, f"carob {click.get_current_context().command.name}", report)

    try:
        if as_json:
            from carob.show.as_json import as_json as json_text

            click.echo(json_text(result, report))
        else:
            from carob.show.terminal import print_report

            given = click.get_current_context().params
            print_report(report, wide=given.get("wide", False), every=given.get("every", False))
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has seen enough
        return 0
    except OSError as error:
        raise InputError(
            f"cannot print the result: {error.strerror or error}. What was to be written into files is there."
        ) from error
    return report.exit_code


if __name__ == "__main__":
    main()
