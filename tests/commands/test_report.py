from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from run_carob import answer, carob

MESSAGES = Path(__file__).parents[2] / "examples" / "messages.csv"
WORDS = ("Sources", "How sure the labels are", "What a budget buys", "Whether triplets of sources agree", "Method")


def test_a_report_is_one_file_with_all_parts(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    found = answer("report", MESSAGES, "--gold", "truth", "--key", "id", "--out", out)
    assert found["verdict"].endswith(f"Wrote {out}.")
    assert found["plan"]["cost"] <= found["prices"]["budget"] == 100
    page = out.read_text(encoding="utf-8")
    assert len(page) < 1_500_000
    assert page.count("<svg") == 9
    for word in WORDS:
        assert word in page
    assert f"carob report {MESSAGES} --gold truth" in page
    assert "made-up prices" in page
    assert "<script" not in page
    for key in ("m1<", "m17", "m999"):  # no rows
        assert key not in page


def test_prices_that_were_said(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    costs = ("--label-cost", 2, "--point-cost", 0.1, "--budget", 50)
    result = carob("report", MESSAGES, "--gold", "truth", "--key", "id", "--out", out, *costs)
    assert result.returncode in (0, 1)
    assert f"Wrote{out}." in "".join(result.stdout.split())
    assert "Prices: 2 for a gold label, 0.1 for an unlabeled point; a budget of 50." in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["check", "value", "plan"])
def test_other_commands_write_a_page_too(command: str, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    costs = ("--label-cost", 1, "--point-cost", 0.01, "--budget", 20) if command == "plan" else ()
    result = carob(command, MESSAGES, "--gold", "truth", "--key", "id", "--html", out, "--json", *costs)
    assert result.returncode in (0, 1), result.stderr
    page = out.read_text(encoding="utf-8")
    assert "<svg" in page
    assert f"<h1>carob {command}</h1>" in page
    assert str(out) not in json.loads(result.stdout)["next"]


def test_what_cannot_be_learned_is_a_report_too(tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("a,b\n" + "0,1\n1,1\n" * 20)
    out = tmp_path / "report.html"
    result = carob("report", tmp_path / "two.csv", "--method", "triplets", "--out", out)
    assert result.returncode == 2
    assert "To mend" in out.read_text(encoding="utf-8")


def test_a_report_is_never_written_over_the_votes_or_into_nowhere(tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_bytes(MESSAGES.read_bytes())
    result = carob("report", votes, "--out", votes)
    assert (result.returncode, votes.read_bytes()) == (2, MESSAGES.read_bytes())
    assert "must be different files" in result.stderr
    result = carob("fit", votes, "--out", tmp_path / "x.csv", "--html", tmp_path / "x.csv")
    assert result.returncode == 2
    assert not (tmp_path / "x.csv").exists()
    result = carob("check", votes, "--html", tmp_path / "no" / "page.html")
    assert result.returncode == 2
    assert "does not exist" in result.stderr


def test_without_the_packages_for_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    result = carob("report", MESSAGES, "--out", tmp_path / "report.html")
    assert result.returncode == 2
    assert "pip install 'carob[charts]'" in result.stderr
    assert not list(tmp_path.iterdir())
