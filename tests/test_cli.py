"""What is about the command line alone: exit codes, streams, help, files under stress, the next command."""

from __future__ import annotations

import errno
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from run_carob import CAROB, answer, carob
from simulate import contradicting_votes, draw_votes, symmetric_conditionals

READ = ("--key", "id", "--gold", "y")
EXAMPLES = Path(__file__).parents[1] / "examples"
COSTS = ("--label-cost", ".5", "--point-cost", ".001", "--budget", "40")
COMMANDS = ("check", "fit", "label", "value", "plan", "pick", "rate", "reproduce", "demo")


def test_the_verdict_comes_first_and_the_next_command_last(votes_csv: Path) -> None:
    found = answer("check", votes_csv, *READ)
    first, *_, last = found
    assert (first, last) == ("verdict", "next")
    text = carob("check", votes_csv, *READ)
    assert text.returncode == 0
    assert text.stderr == ""
    assert text.stdout.splitlines()[0] == found["verdict"]
    assert text.stdout.splitlines()[-1] == f"Next: {found['next']}"


def test_the_next_command_has_the_options_of_this_one(votes_csv: Path, tmp_path: Path) -> None:
    plain = f"{votes_csv} --key id --gold y"
    assert answer("check", votes_csv, *READ)["next"] == f"carob fit {plain} --out labels.csv"
    more = "--known-pair a b --known-pair c d --method triplets"  # as commands declare them
    fitted = answer("fit", votes_csv, *READ, *more.split())
    assert fitted["next"] == f"carob fit {plain} {more} --out labels.csv --model model.json"
    written = answer("fit", votes_csv, *READ, *more.split(), "--out", tmp_path / "l.csv")
    assert written["next"] == f"carob value {plain} {more.removesuffix(' --method triplets')}"
    without_gold = answer("fit", votes_csv, "--key", "id", "--drop", "y", "--out", tmp_path / "l.csv")
    assert without_gold["next"] == f"carob pick {votes_csv} --key id --drop y -n 50 --out to_label.csv"
    saved = answer("fit", votes_csv, *READ, *more.split(), "--model", tmp_path / "m.json")
    assert saved["next"] == f"carob label NEW_VOTES --key id --model {tmp_path}/m.json --out new_labels.csv"
    labeled = answer("label", votes_csv, "--key", "id", "--model", tmp_path / "m.json", "--out", tmp_path / "n.csv")
    assert labeled["next"] == ""


def test_next_commands_of_value_and_plan(votes_csv: Path) -> None:
    plain = f"{votes_csv} --key id --gold y --seed 3"
    value = answer("value", votes_csv, *READ, "--seed", 3, "--worth", ".3")
    assert value["advice"] == "stop"
    assert value["next"] == f"carob plan {plain} --label-cost 1 --point-cost 0.01 --budget 100"
    plan = answer("plan", votes_csv, *READ, "--seed", 3, *COSTS)
    assert plan["next"] == f"carob pick {plain} -n {plan['buy_labels']} --out to_label.csv"


def test_what_cannot_be_told_has_exit_code_1(votes_csv: Path, tmp_path: Path) -> None:
    without = ("--key", "id", "--drop", "y")
    value = answer("value", votes_csv, *without, code=1)
    assert "with 20 gold labels I could" in value["verdict"]
    assert value["next"] == f"carob pick {votes_csv} --key id --drop y -n 20 --out to_label.csv"
    plan = carob("plan", votes_csv, *without, *COSTS)
    assert (plan.returncode, plan.stdout) == (1, "")
    assert "20 gold labels at least" in plan.stderr
    path = tmp_path / "votes.csv"
    np.savetxt(path, contradicting_votes().values, "%d", ",", header="a,b,c", comments="")
    options = (path, "--class-balance", ".5", "--method", "triplets")
    fit = carob("fit", *options, "--out", tmp_path / "labels.csv")
    assert (fit.returncode, fit.stdout) == (1, "")
    assert "no triplet can be used for" in fit.stderr
    assert not (tmp_path / "labels.csv").exists()
    check = answer("check", *options, code=1)
    assert check["verdict"].startswith("Not ready: 1 thing to mend.")


def test_an_option_of_which_only_the_last_would_count_is_refused(votes_csv: Path) -> None:
    twice = carob("fit", votes_csv, "--key", "id", "--gold-file", "a.csv", "--gold-file", "b.csv")
    assert (twice.returncode, twice.stdout) == (2, "")
    assert "--gold-file is given more than once, and takes one value." in twice.stderr
    assert (
        carob("check", votes_csv, "--key", "id", "--drop", "a", "--drop", "y", "--strict", "--strict").returncode == 0
    )


def test_check_of_bad_input_has_exit_code_2_and_a_report(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("a,b\n0,1\n1,1\n1,0\n")
    found = answer("check", path, "--method", "triplets", code=2)
    assert found["problems"] == ["Triplets need three sources at least; there are 2."]
    assert found["next"] == ""


def test_the_default_needs_neither_three_sources_nor_as_many_points(tmp_path: Path) -> None:
    for name, content in (("one", "a\n0\n1\n"), ("two", "a,b\n0,1\n1,1\n1,0\n"), ("wide", "a,b,c\n0,1,1\n1,0,0\n")):
        path, out = tmp_path / f"{name}.csv", tmp_path / f"{name}_labels.csv"
        path.write_text(content)
        assert answer("check", path)["problems"] == []
        fitted = answer("fit", path, "--out", out)
        assert fitted["n_points"] == len(out.read_text().splitlines()) - 1 == content.count("\n") - 1


def test_the_same_seed_gives_the_same_output(votes_csv: Path) -> None:
    one, two = (carob("fit", votes_csv, *READ, "--json", "--seed", "3").stdout for _ in range(2))
    assert one == two


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_first(command: str) -> None:
    text = carob(command, "--help").stdout
    assert 0 < text.index(f"  carob {command}") < text.index("Options:")
    assert "--json" in text


@pytest.mark.parametrize(("columns", "widest"), [("60", None), ("80", 80), ("300", 100)])
def test_help_fits_its_width(columns: str, widest: int | None) -> None:
    for words in ((), *((command,) for command in COMMANDS)):
        text = carob(*words, "--help", env=os.environ | {"COLUMNS": columns}).stdout
        assert text.startswith("Usage: carob")
        if widest is None:  # examples are not wrapped, and still no longer than on a usual screen
            widest_example = max(len(line) for line in text.splitlines() if line.startswith("  carob "))
            assert widest_example <= 80
        else:
            assert [line for line in text.splitlines() if len(line) > widest] == []


def test_version() -> None:
    assert carob("--version").stdout.startswith("carob, version ")


BAD: dict[str, tuple[bytes, tuple[str, ...], str]] = {
    "unknown code": (b"a,b,c\n0,1,1\n1,0,5\n", ("--classes", "0,1"), "column 'c' holds 5 (first in row 2)"),
    "nan": (b"a,b,c\n0,1,NaN\n1,0,1\n", (), "holds NaN"),
    "infinity": (b"a,b,c\n0,1,inf\n1,0,1\n", (), "holds infinity"),
    "text in numbers": (b"a,b,c\n0,1,spam\n1,0,ham\n", (), "'c' holds text"),
    "ragged": (b"a,b,c\n0,1\n1,0,1\n", (), "Expected 3 columns, got 2"),
    "empty file": (b"", (), "is empty"),
    "zero rows": (b"a,b,c\n", (), "zero rows"),
    "one source": (b"a\n0\n1\n", ("--method", "triplets"), "three sources at least; there is 1"),
    "two sources": (b"a,b\n0,1\n1,1\n1,0\n", ("--method", "triplets"), "three sources at least; there are 2"),
    "duplicate names": (b"a,b,a\n0,1,0\n1,0,1\n", (), "names must differ; 'a'"),
    "vote twice": (b"task,worker,label\n1,u,0\n1,u,1\n", (), "repeat a worker on a task"),
    "gold outside": (b"a,b,c,y\n0,1,1,7\n1,0,1,0\n", ("--gold", "y"), "gold column 'y' holds 7"),
    "balance 0": (b"a,b,c\n0,1,1\n1,0,1\n1,1,0\n", ("--class-balance", "0"), "strictly between 0 and 1"),
    "balance 1": (b"a,b,c\n0,1,1\n1,0,1\n1,1,0\n", ("--class-balance", "1"), "strictly between 0 and 1"),
    "balance text": (b"a,b,c\n0,1,1\n1,0,1\n1,1,0\n", ("--class-balance", "even"), "not 'even'"),
    "balance of three": (b"a,b,c\n0,1,1\n1,0,1\n1,1,0\n", ("--class-balance", ".2,.3,.5"), "not [0.2, 0.3, 0.5]"),
    "more sources than points": (b"a,b,c\n0,1,1\n1,0,0\n", ("--method", "triplets"), "2 points for 3 sources"),
    "not utf-8": (b"a,b,c\nyes,no,caf\xe9\nno,yes,no\n", (), "not UTF-8"),
    "no such column": (b"a,b,c\n0,1,1\n1,0,0\n", ("--gold", "z"), "no column 'z'"),
    "ambiguous": (b"a,b,c\n0,1,-1\n1,0,0\n", (), "--abstain 0"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_explained_and_changes_nothing(case: str, tmp_path: Path) -> None:
    content, options, text = BAD[case]
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "votes.csv"
    path.write_bytes(content)
    out = tmp_path / "out"
    out.mkdir()
    (out / "labels.csv").write_text("old")
    result = carob("fit", path, *options, "--out", out / "labels.csv", "--model", out / "model.json")
    assert result.returncode == 2, result
    assert text in result.stderr
    assert result.stderr.startswith("carob: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert [file.name for file in out.iterdir()] == ["labels.csv"]
    assert (out / "labels.csv").read_text() == "old"


def test_what_is_strict_and_a_level_are_for_check(tmp_path: Path) -> None:
    for content, options, text in (
        (b"a,b,c\n0,1,1\n1,0,1\n1,1,1\n", ("--strict",), "same on every point and tell nothing: 'c'"),
        (b"a,b,c\n0,1,0\n1,0,1\n1,1,1\n0,1,0\n", ("--strict",), "identically on all points"),
        (b"a,b,c,d\n0,1,1,\n1,0,1,\n1,1,0,\n0,0,1,\n", ("--strict",), "never vote: 'd'"),
        (b"a,b,c\n0,1,1\n1,0,0\n1,1,0\n", ("--level", "2"), "level must be between 0 and 1"),
    ):
        (tmp_path / "votes.csv").write_bytes(content)
        result = carob("check", tmp_path / "votes.csv", *options)
        assert result.returncode == 2
        assert text in " ".join((result.stdout + result.stderr).split())


def test_tensors_are_a_method_of_fit(tmp_path: Path) -> None:
    votes = draw_votes(np.random.default_rng(0), 1_500, symmetric_conditionals([0.8] * 5, 3), [0.2, 0.3, 0.5])
    table = tmp_path / "votes.csv"
    np.savetxt(table, votes.values, "%d", ",", header="a,b,c,d,e", comments="")
    found = answer("fit", table, "--method", "tensors", "--out", tmp_path / "labels.csv")
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 1_501
    assert "tensors" in found["next"]
    few = carob("fit", table, "--method", "tensors", "--drop", "c,d,e")
    assert few.returncode == 2
    assert "Traceback" not in few.stderr


def test_usage_errors_have_exit_code_2() -> None:
    assert carob("check").returncode == 2
    assert carob("nonsense").returncode == 2
    assert carob("label", "x.csv").returncode == 2
    assert carob("fit", "nothing.csv").returncode == 2


def test_classes_and_abstain_as_written(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = "".join(f"{i % 2},{i % 3 % 2},{(i + 1) % 5 % 2},NaN\n" for i in range(60))
    path.write_text(f"a,b,c,d\n{rows}")
    found = carob("check", path, "--classes", "1, 0", "--abstain", "nan", "--class-balance", ".5", "--json")
    assert '"classes": [1, 0]' in found.stdout, found


def test_no_space_left(votes_csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "labels.csv"
    out.write_text("old")
    carob("check", votes_csv, *READ)  # compiles what has to be, which writes files too
    result = carob(
        "fit", votes_csv, *READ, "--out", out,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )  # fmt: skip
    assert result.returncode == 2, result
    assert "cannot write" in result.stderr
    assert "Traceback" not in result.stderr
    assert out.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["labels.csv"]


def test_neither_output_appears_unless_both_can(votes_csv: Path, tmp_path: Path) -> None:
    carob("check", votes_csv, *READ)
    out, model = tmp_path / "labels.parquet", tmp_path / "model.json"
    model.mkdir()
    result = carob("fit", votes_csv, *READ, "--out", out, "--model", model)
    assert result.returncode == 2
    assert not out.exists()
    limit = 45_000  # enough for the labels, too little for the model
    names = {f"source number {i} with a long name " + "x" * 400: i for i in range(60)}
    wide = draw_votes(np.random.default_rng(0), 300, symmetric_conditionals([0.8] * 60), [0.5, 0.5])
    path = tmp_path / "wide.csv"
    np.savetxt(path, wide.values, "%d", ",", header=",".join(names), comments="")
    result = carob(
        "fit", path, "--class-balance", ".5", "--out", out, "--model", tmp_path / "m.json",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert result.returncode == 2, result.stdout
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model.json", "wide.csv"]


def test_whoever_reads_may_stop_reading() -> None:
    with subprocess.Popen([*CAROB, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("shell", "code"),
    [
        ("{carob} check {votes} --json | true; exit ${{PIPESTATUS[0]}}", 0),
        ("{carob} fit {votes} --out {out} > /dev/full", 2),
        ("{carob} fit {votes} --out {out} >&-", 0),
        ("{carob} check {votes} >&- 2>&-", 0),
        ("{carob} check nothing.csv 2> /dev/full", 2),
        ("HOME=/nowhere XDG_CACHE_HOME=/proc/nowhere {carob} check {votes} > /dev/null", 0),
        ("ln -s out.csv {out}; {carob} fit {votes} --model {out}", 2),
        ("ln -s loop.csv {folder}/loop.csv; {carob} check {folder}/loop.csv", 2),
    ],
)
def test_streams_that_are_closed_or_full_and_folders_that_are_not_there(
    shell: str, code: int, votes_csv: Path, tmp_path: Path
) -> None:
    line = shell.format(carob=CAROB[0], votes=votes_csv, out=tmp_path / "out.csv", folder=tmp_path)
    result = subprocess.run(
        ["bash", "-c", line],  # noqa: S607
        capture_output=True, text=True, timeout=120, check=False, env=os.environ | {"PYTHONWARNINGS": "error"},
    )  # fmt: skip
    assert result.returncode == code, result
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr
    assert len(result.stderr.splitlines()) <= 1


def test_a_fault_of_our_own_is_called_so(votes_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_it(*arguments: object) -> None:
        raise ZeroDivisionError("a\x1b[31mb" * 1_000)

    monkeypatch.setattr("carob.commands.check.check_file", break_it)
    result = carob("check", votes_csv)
    assert (result.returncode, result.stdout) == (70, "")
    assert "fault of carob" in result.stderr
    assert "Traceback" not in result.stderr
    assert "\x1b" not in result.stderr
    assert len(result.stderr) < 1_500
    assert "in break_it" in carob("--debug", "check", votes_csv).stderr


@pytest.mark.parametrize("level", [".9999999999999999", "1e-300", "0", "1", "nan", "-1"])
def test_levels_that_no_interval_can_have(level: str, votes_csv: Path) -> None:
    result = carob("check", votes_csv, "--gold", "y", "--key", "id", "--level", level)
    assert result.returncode == 2
    assert "level must be between 0 and 1" in result.stderr


@pytest.mark.slow
def test_one_core_and_all_give_the_same_bits(votes_csv: Path) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two cores")
    value = ("value", votes_csv, "--key", "id", "--gold", "y", "--json")
    alone = carob(*value, preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    assert alone.returncode in (0, 1), alone.stderr
    assert carob(*value, env=dict(os.environ)).stdout == alone.stdout


def test_nan_is_no_class(votes_csv: Path) -> None:
    result = carob("check", votes_csv, "--key", "id", "--gold", "y", "--classes", "nan,1")
    assert result.returncode == 2
    assert "neither a class nor an abstain: classes 'nan', 1" in result.stderr


def test_names_from_data_cannot_write_on_the_terminal(tmp_path: Path) -> None:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.8] * 5), [0.5, 0.5])
    path = tmp_path / "votes.csv"
    np.savetxt(path, votes.values, "%d", ",", header='[red]x[/red],"e\x1b[31m",c,d,e', comments="")
    result = carob("check", path, "--class-balance", ".5")
    assert result.returncode == 0
    assert "[red]x[/red]" in result.stdout
    assert "\x1b" not in result.stdout
    assert r"\x1b[31m" in result.stdout
    bad = carob("check", path, "--gold", "\x1b[31m")
    assert "\x1b" not in bad.stderr
    assert r"\x1b[31m" in bad.stderr


def test_progress_is_shown_on_a_terminal_only(votes_csv: Path) -> None:
    main, side = pty.openpty()
    command = [*CAROB, "check", str(votes_csv), *READ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=side, text=True) as running:
        os.close(side)
        seen = b"".join(_all_of(main)).decode()
        assert running.stdout is not None
        printed = running.stdout.read()
    os.close(main)
    assert running.returncode == 0
    assert "learning the sources" in seen
    assert "learning" not in printed
    assert carob("check", votes_csv, *READ).stderr == ""


def _all_of(terminal: int) -> Iterator[bytes]:
    """All that is written on a terminal, in pieces, until its last writer closes it (Linux then says EIO)."""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError as closed:
            if closed.errno != errno.EIO:
                raise
            return
        yield piece


def test_reproduce_refuses_before_the_long_work(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    refused = carob("reproduce", "excess-error", "--out", file)
    assert refused.returncode == 2
    assert "is a file; name a folder" in refused.stderr
    taken = tmp_path / "taken"
    (taken / "index.html").mkdir(parents=True)
    refused = carob("reproduce", "excess-error", "--out", taken)
    assert refused.returncode == 2
    assert "it is a folder" in refused.stderr
    assert not (taken / "parts").exists()


def test_an_interrupted_reproduction_keeps_its_parts_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "paper"
    command = [*CAROB, "reproduce", "excess-error", "--trials", "400", "--jobs", "1", "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while running.poll() is None and len(list(out.glob("parts/*/*.json"))) < 3:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, complaint = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "interrupted" in complaint
    assert "Traceback" not in complaint
    kept = {path: path.stat().st_mtime_ns for path in out.glob("parts/*/*.json")}
    assert 3 <= len(kept) < 20
    assert not (out / "comparison.csv").exists()
    found = answer(*command[len(CAROB) :])
    assert len(found["comparison"]) == 70
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert (out / "index.html").stat().st_size > 0


def test_pick_and_rate(votes_csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "to_label.csv"
    picked = answer("pick", votes_csv, "--key", "id", "--drop", "y", "-n", "7", "--for", "estimate", "--out", out)
    assert (picked["n_picked"], picked["out"]) == (7, str(out))
    following = f"carob fit {votes_csv} --key id --drop y --gold-file {out} --gold y"
    assert picked["next"] == following
    found = answer("rate", votes_csv, *READ)
    assert found["worth"] > found["n_gold"] == 300
    assert found["next"] == f"carob pick {votes_csv} --key id --gold y --out to_label.csv --for estimate"
    refused = carob("rate", votes_csv, *READ, "--chance", "a")  # votes 0 and 1 are no chances
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "above 0 and at most 1, not 0.0" in refused.stderr


def test_standard_input(votes_csv: Path, tmp_path: Path) -> None:
    table = pyarrow.csv.read_csv(votes_csv)
    pyarrow.parquet.write_table(table, tmp_path / "votes.parquet")
    expected = answer("check", votes_csv, *READ)
    for file in (votes_csv, tmp_path / "votes.parquet"):
        command = [sys.executable, "-m", "carob", "check", "-", *READ, "--json"]
        found = json.loads(subprocess.run(command, input=file.read_bytes(), capture_output=True, check=True).stdout)
        assert {**found, "next": ""} == {**expected, "next": ""}
    nothing = subprocess.run([sys.executable, "-m", "carob", "check", "-"], input=b"", capture_output=True)
    assert (nothing.returncode, nothing.stderr) == (2, b"carob: standard input is empty.\n")


def test_help_on_commands_and_words() -> None:
    assert carob("help").stdout == carob("--help").stdout
    assert carob("help", "fit").stdout == carob("fit", "--help").stdout
    assert "log loss\n    How wrong probabilities are" in carob("help", "words").stdout
    unknown = carob("help", "nonsense")
    assert unknown.returncode == 2
    assert "there is no help on 'nonsense': name a command (check, fit, label" in unknown.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    assert "_CAROB_COMPLETE" in carob("completion", shell).stdout


@pytest.mark.parametrize("columns", [80, 100])
def test_reports_fit_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    votes = (EXAMPLES / "messages.csv", "--key", "id", "--gold", "truth")
    commands: list[tuple[object, ...]] = [
        ("check", *votes),
        ("check", EXAMPLES / "answers.csv", "--key", "id"),
        ("fit", *votes, "--method", "triplets"),
        ("value", *votes),
        ("plan", *votes, "--label-cost", 1, "--point-cost", 0.01, "--budget", 100),
        ("rate", *votes),
        ("pick", *votes),
        ("help", "words"),
    ]
    for command in commands:
        lines = [line for line in carob(*command).stdout.splitlines() if not line.startswith("Next: ")]
        assert lines
        assert max(map(len, lines)) <= columns, command
