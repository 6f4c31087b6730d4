from __future__ import annotations

import json
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, symmetric_conditionals

KARAT = [str(Path(sys.executable).with_name("karat"))]


def karat(*arguments: object, cwd: Path | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*KARAT, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False, cwd=cwd, **options
    )


def answer(*arguments: object, code: int = 0) -> dict[str, Any]:
    """What a command prints with --json: one object and nothing else."""
    result = karat(*arguments, "--json")
    assert result.returncode == code, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def votes_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2,000 points, ten sources named a..j, a key, and gold for the first 300."""
    votes = draw_votes(np.random.default_rng(0), 2_000, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    assert votes.gold is not None
    path = tmp_path_factory.mktemp("data") / "votes.csv"
    lines = ["id," + ",".join("abcdefghij") + ",y"]
    for i, (row, truth) in enumerate(zip(votes.values.tolist(), votes.gold.values.tolist(), strict=True)):
        lines.append(f"p{i}," + ",".join(map(str, row)) + f",{truth if i < 300 else ''}")
    path.write_text("\n".join(lines) + "\n")
    return path


READ = ("--key", "id", "--gold", "y")


def test_check(votes_csv: Path) -> None:
    found = answer("check", votes_csv, *READ)
    assert found["verdict"] == "Ready to fit: 2,000 points, 10 sources, 2 classes, 300 gold labels."
    assert found["coding"] == "classes 0, 1; -1 or an empty cell is an abstain"
    assert [row["source"] for row in found["sources"]] == list("abcdefghij")
    assert found["problems"] == found["dependent_pairs"] == []
    balance = found["class_balance"]["1"]
    assert balance["low"] < balance["value"] < balance["high"]
    text = karat("check", votes_csv, *READ)
    assert text.returncode == 0
    assert text.stderr == ""
    assert text.stdout.splitlines()[0] == found["verdict"]
    assert text.stdout.splitlines()[-1] == f"Next: {found['next']}"
    assert found["next"] == f"karat fit {votes_csv} --key id --gold y --out labels.csv"


def test_check_lists_everything_that_keeps_it_from_fitting(tmp_path: Path) -> None:
    rows = [[i % 2, i % 2, i % 3 % 2, 1] for i in range(300)]
    path = tmp_path / "sick.csv"
    path.write_text("a,copy,b,same,silent\n" + "".join(",".join(map(str, row)) + ",\n" for row in rows))
    found = answer("check", path, code=2)
    assert found["verdict"].startswith("Not ready: 3 things to mend.")
    assert [word in " ".join(found["problems"]) for word in ("'silent'", "'same'", "('a', 'copy')")] == [True] * 3
    assert found["sources"][0]["accuracy"] is None


def test_fit_label_and_what_they_write(votes_csv: Path, tmp_path: Path) -> None:
    out, model = tmp_path / "labels.parquet", tmp_path / "model.json"
    found = answer("fit", votes_csv, *READ, "--class-balance", ".5", "--out", out, "--model", model)
    assert found["score"]["points"] == 300
    assert found["score"]["accuracy"] > 0.7
    labels = pyarrow.parquet.read_table(out)
    assert labels.column_names == ["id", "label", "p_0", "p_1"]
    assert labels["id"].to_pylist()[:2] == ["p0", "p1"]
    p = labels["p_1"].to_numpy()
    assert np.array_equal(labels["label"].to_numpy(), (p > 0.5).astype(int))
    again = tmp_path / "again.csv"
    relabeled = answer("label", votes_csv, "--key", "id", "--model", model, "--out", again)
    assert relabeled["n_points"] == 2_000
    np.testing.assert_allclose(pyarrow.csv.read_csv(again)["p_1"].to_numpy(), p, rtol=1e-12)
    assert relabeled["labels"] == found["labels"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.csv", "labels.parquet", "model.json"]


def test_fit_without_files_suggests_them(votes_csv: Path) -> None:
    text = karat("fit", votes_csv, *READ, "--method", "labeled")
    assert "which the model has learned from" in text.stdout
    assert text.stdout.splitlines()[-1].endswith("--gold y --method labeled --out labels.csv --model model.json")


def test_points_without_key_are_numbered(votes_csv: Path, tmp_path: Path) -> None:
    karat("fit", votes_csv, "--drop", "id", "--gold", "y", "--out", tmp_path / "l.jsonl")
    first = json.loads((tmp_path / "l.jsonl").read_text().splitlines()[0])
    assert list(first) == ["row", "label", "p_0", "p_1"]
    assert first["row"] == 1


def test_the_same_seed_gives_the_same_output(votes_csv: Path) -> None:
    one, two = (karat("fit", votes_csv, *READ, "--json", "--seed", "3").stdout for _ in range(2))
    assert one == two


def test_demo() -> None:
    found = answer("demo")
    scores = found["scores"]
    assert found["n_points"] == 50_000
    assert scores["gold for all points"]["loss"] == pytest.approx(0.564, abs=0.003)
    assert scores["votes alone, median of triplets"]["f1"] == pytest.approx(0.677, abs=0.01)
    assert karat("demo").stdout.startswith(found["verdict"])


@pytest.mark.parametrize("command", ["check", "fit", "label", "demo"])
def test_help_has_examples_first(command: str) -> None:
    text = karat(command, "--help").stdout
    assert 0 < text.index(f"  karat {command}") < text.index("Options:")
    assert "--json" in text
    assert karat("--version").stdout.startswith("karat, version ")


BAD: dict[str, tuple[bytes, tuple[str, ...], str]] = {
    "unknown code": (b"a,b,c\n0,1,1\n1,0,5\n", ("--classes", "0,1"), "column 'c' holds 5 (first in row 2)"),
    "nan": (b"a,b,c\n0,1,NaN\n1,0,1\n", (), "holds NaN"),
    "infinity": (b"a,b,c\n0,1,inf\n1,0,1\n", (), "holds infinity"),
    "text in numbers": (b"a,b,c\n0,1,spam\n1,0,ham\n", (), "'c' holds text"),
    "ragged": (b"a,b,c\n0,1\n1,0,1\n", (), "Expected 3 columns, got 2"),
    "empty file": (b"", (), "is empty"),
    "zero rows": (b"a,b,c\n", (), "zero rows"),
    "one source": (b"a\n0\n1\n", (), "three sources at least; there is 1"),
    "two sources": (b"a,b\n0,1\n1,1\n1,0\n", (), "three sources at least; there are 2"),
    "constant source": (b"a,b,c\n0,1,1\n1,0,1\n1,1,1\n", (), "same on every point and tell nothing: 'c'"),
    "identical sources": (b"a,b,c\n0,1,0\n1,0,1\n1,1,1\n0,1,0\n", (), "identically on all points"),
    "duplicate names": (b"a,b,a\n0,1,0\n1,0,1\n", (), "names must differ; 'a'"),
    "vote twice": (b"task,worker,label\n1,u,0\n1,u,1\n", (), "repeat a worker on a task"),
    "gold outside": (b"a,b,c,y\n0,1,1,7\n1,0,1,0\n", ("--gold", "y"), "gold column 'y' holds 7"),
    "balance 0": (b"a,b,c\n0,1,1\n1,0,1\n1,1,0\n", ("--class-balance", "0"), "strictly between 0 and 1"),
    "balance 1": (b"a,b,c\n0,1,1\n1,0,1\n1,1,0\n", ("--class-balance", "1"), "strictly between 0 and 1"),
    "balance text": (b"a,b,c\n0,1,1\n1,0,1\n1,1,0\n", ("--class-balance", "even"), "not 'even'"),
    "more sources than points": (b"a,b,c\n0,1,1\n1,0,0\n", (), "2 points for 3 sources"),
    "silent source": (b"a,b,c,d\n0,1,1,\n1,0,1,\n1,1,0,\n0,0,1,\n", (), "never vote: 'd'"),
    "not utf-8": (b"a,b,c\nyes,no,caf\xe9\nno,yes,no\n", (), "not UTF-8"),
    "no such column": (b"a,b,c\n0,1,1\n1,0,0\n", ("--gold", "z"), "no column 'z'"),
    "ambiguous": (b"a,b,c\n0,1,-1\n1,0,0\n", (), "--abstain 0"),
    "level": (b"a,b,c\n0,1,1\n1,0,0\n1,1,0\n", ("--level", "2"), "level must be between 0 and 1"),
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
    result = karat("fit", path, *options, "--out", out / "labels.csv", "--model", out / "model.json")
    assert result.returncode == 2, result
    assert text in result.stderr
    assert result.stderr.startswith("karat: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert [file.name for file in out.iterdir()] == ["labels.csv"]
    assert (out / "labels.csv").read_text() == "old"


def test_data_that_cannot_tell_has_exit_code_1(tmp_path: Path) -> None:
    from simulate import contradicting_votes

    path = tmp_path / "votes.csv"
    np.savetxt(path, contradicting_votes().values, "%d", ",", header="a,b,c", comments="")
    result = karat("fit", path, "--class-balance", ".5", "--out", tmp_path / "labels.csv")
    assert result.returncode == 1
    assert "no triplet can be used for" in result.stderr
    assert not (tmp_path / "labels.csv").exists()


def test_a_point_where_all_abstain_gets_the_class_balance(votes_csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(votes_csv.read_text() + "last" + "," * 11 + "\n")
    out = tmp_path / "labels.csv"
    assert karat("fit", path, *READ, "--class-balance", ".3", "--out", out).returncode == 0
    assert pyarrow.csv.read_csv(out)["p_1"][-1].as_py() == pytest.approx(0.3)


def test_output_folder_that_does_not_exist(votes_csv: Path, tmp_path: Path) -> None:
    for option in ("--out", "--model"):
        result = karat("fit", votes_csv, *READ, option, tmp_path / "no" / "file.csv")
        assert result.returncode == 2
        assert "does not exist" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_space_left(votes_csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "labels.csv"
    out.write_text("old")
    karat("check", votes_csv, *READ)  # compiles what has to be, which writes files too
    result = karat(
        "fit", votes_csv, *READ, "--out", out,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )  # fmt: skip
    assert result.returncode == 2, result
    assert "cannot write" in result.stderr
    assert "Traceback" not in result.stderr
    assert out.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["labels.csv"]


def test_neither_output_appears_unless_both_can(votes_csv: Path, tmp_path: Path) -> None:
    karat("check", votes_csv, *READ)
    out, model = tmp_path / "labels.parquet", tmp_path / "model.json"
    model.mkdir()
    result = karat("fit", votes_csv, *READ, "--out", out, "--model", model)
    assert result.returncode == 2
    assert not out.exists()
    limit = 45_000  # enough for the labels, too little for the model
    names = {f"source number {i} with a long name " + "x" * 400: i for i in range(60)}
    wide = draw_votes(np.random.default_rng(0), 300, symmetric_conditionals([0.8] * 60), [0.5, 0.5])
    path = tmp_path / "wide.csv"
    np.savetxt(path, wide.values, "%d", ",", header=",".join(names), comments="")
    result = karat(
        "fit", path, "--class-balance", ".5", "--out", out, "--model", tmp_path / "m.json",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert result.returncode == 2, result.stdout
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model.json", "wide.csv"]


def test_whoever_reads_may_stop_reading() -> None:
    with subprocess.Popen([*KARAT, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_names_from_data_cannot_write_on_the_terminal(tmp_path: Path) -> None:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.8] * 5), [0.5, 0.5])
    path = tmp_path / "votes.csv"
    np.savetxt(path, votes.values, "%d", ",", header='[red]x[/red],"e\x1b[31m",c,d,e', comments="")
    result = karat("check", path, "--class-balance", ".5")
    assert result.returncode == 0
    assert "[red]x[/red]" in result.stdout
    assert "\x1b" not in result.stdout
    assert r"\x1b[31m" in result.stdout
    bad = karat("check", path, "--gold", "\x1b[31m")
    assert "\x1b" not in bad.stderr


def test_sql_and_long_files(votes_csv: Path, tmp_path: Path) -> None:
    found = answer("check", f"SELECT * EXCLUDE (id) FROM '{votes_csv}'", "--gold", "y")  # noqa: S608
    assert found["n_gold"] == 300
    lines = votes_csv.read_text().splitlines()[1:]
    path = tmp_path / "answers.jsonl"
    with path.open("w") as file:
        for line in lines:
            point, *votes, _ = line.split(",")
            for name, vote in zip("abcdefghij", votes, strict=True):
                file.write(json.dumps({"item": point, "judge": name, "says": ["no", "yes"][int(vote)]}) + "\n")
    columns = ("--task", "item", "--worker", "judge", "--label", "says")
    long = answer("check", path, *columns, "--class-balance", ".5")
    assert long["classes"] == ["no", "yes"]
    assert [row["source"] for row in long["sources"]] == list("abcdefghij")


def test_label_refuses_votes_that_the_model_does_not_know(votes_csv: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model.json", tmp_path / "labels.csv"
    karat("fit", votes_csv, *READ, "--model", model)
    other = tmp_path / "other.csv"
    other.write_text("a,b,c\n0,1,1\n")
    result = karat("label", other, "--model", model, "--out", out)
    assert (result.returncode, out.exists()) == (2, False)
    assert "no column 'd'" in result.stderr
    model.write_text(model.read_text()[:100])
    result = karat("label", votes_csv, "--model", model, "--out", out)
    assert (result.returncode, out.exists()) == (2, False)
    assert "damaged" in result.stderr


def test_progress_is_shown_on_a_terminal_only(votes_csv: Path) -> None:
    main, side = pty.openpty()
    result = subprocess.run(
        [*KARAT, "check", str(votes_csv), *READ], stdout=subprocess.PIPE, stderr=side, check=True, timeout=60
    )
    os.close(side)
    seen = os.read(main, 100_000).decode()
    os.close(main)
    assert "learning the sources" in seen
    assert b"learning" not in result.stdout
    assert karat("check", votes_csv, *READ).stderr == ""


def test_usage_errors_have_exit_code_2() -> None:
    assert karat("check").returncode == 2
    assert karat("nonsense").returncode == 2
    assert karat("label", "x.csv").returncode == 2
    assert karat("fit", "nothing.csv").returncode == 2


def test_value_says_what_data_are_worth(votes_csv: Path) -> None:
    found = answer("value", votes_csv, *READ, "--symmetric")
    assert (found["n_unlabeled"], found["n_gold"]) == (2_000, 300)
    assert set(found["risk"]) == {"labeled", "unlabeled", "corrected", "combined"}
    for part in found["risk"].values():
        assert part["low"] <= part["mean"] <= part["high"]
    assert found["advice"] in ("buy labels", "buy points", "stop", "fix sources")
    assert found["equivalent_labels"]["low"] > 20
    assert [row["n"] for row in found["curve"]] == sorted(row["n"] for row in found["curve"])
    text = karat("value", votes_csv, *READ, "--symmetric")
    assert text.stdout.splitlines()[0].startswith(found["verdict"][:40])
    asked = f"karat plan {votes_csv} --key id --gold y --symmetric --label-cost 1 --point-cost 0.01 --budget 100"
    assert text.stdout.splitlines()[-1] == f"Next: {asked}"


def test_value_without_gold_cannot_tell(votes_csv: Path) -> None:
    found = answer("value", votes_csv, "--key", "id", "--drop", "y", code=1)
    assert found["risk"]["combined"]["mean"] is None
    assert "with 20 gold labels I could" in found["verdict"]
    refused = karat(
        "plan", votes_csv, "--key", "id", "--drop", "y", "--label-cost", 1, "--point-cost", 1, "--budget", 9
    )
    assert refused.returncode == 1
    assert "20 gold labels at least" in refused.stderr


def test_plan_spends_a_budget(votes_csv: Path) -> None:
    costs = ("--label-cost", ".5", "--point-cost", ".001", "--budget", "40")
    found = answer("plan", votes_csv, *READ, "--symmetric", *costs)
    assert found["cost"] <= 40
    assert found["risk_after"] <= found["risk_before"]
    assert set(found["frontier"][0]) == {"budget", "buy_labels", "buy_points", "cost", "risk"}
    assert found["next"] == f"karat fit {votes_csv} --key id --gold y --symmetric --out labels.csv"
    refused = karat("plan", votes_csv, *READ, "--label-cost", "-1", "--point-cost", "1", "--budget", "5")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "label_cost must be a number of 0 or more" in refused.stderr


def test_an_interrupted_reproduction_keeps_its_parts_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "paper"
    command = [*KARAT, "reproduce", "excess-error", "--trials", "400", "--jobs", "1", "--out", str(out)]
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
    found = answer(*command[len(KARAT) :])
    assert len(found["comparison"]) == 70
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
