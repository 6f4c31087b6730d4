from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from run_carob import answer, carob
from simulate import draw_votes, symmetric_conditionals

from carob import InputError, LabelModel
from carob.commands.analysis import Analysis, Prices, analyse, report_votes
from carob.commands.inputs import VotesFile
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions
from carob.value.advice import DataValue
from carob.value.plan import Plan
from carob.value.votes_alone import VotesAlone
from carob.votes import Gold, Votes


def some_votes(n_gold: int) -> Votes:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.8, 0.7, 0.75, 0.65, 0.7]), [0.5, 0.5])
    truth = np.where(np.arange(500) < n_gold, votes.own_gold.values, -1).astype(np.int8)
    return Votes(votes.values, votes.sources, votes.coding, gold=Gold(truth, votes.classes))


def test_all_parts_are_there_with_gold() -> None:
    stages: list[str] = []
    found: Analysis = analyse(some_votes(60), Settings(), lambda stage, done, total: stages.append(stage))
    assert found.labeled is not None
    assert found.labeled.alone is not None
    assert isinstance(found.value, DataValue)
    assert len(found.by_points) == 2  # 250 and 500
    assert found.spread is not None
    assert list(dict.fromkeys(stages)) == ["sources", "value", "points"]
    model = LabelModel().fit(found.votes, found.votes.gold)
    assert np.array_equal(found.labeled.probabilities, model.predict_proba(found.votes))
    plan = found.plan(Prices(2.0, 0.1, 50.0))
    assert isinstance(plan, Plan)
    assert plan.cost <= 50


def test_without_gold_there_is_no_plan() -> None:
    found = analyse(some_votes(0), Settings())
    assert isinstance(found.value, VotesAlone)
    assert found.labeled is not None
    assert found.labeled.alone is None
    assert found.plan(Prices()) is None


def test_what_cannot_be_weighed_says_why() -> None:
    found = analyse(some_votes(0), Settings(method="triplets"))
    assert found.value is None
    assert "method='triplets' is not weighed here" in found.no_value


def test_what_cannot_be_learned_has_problems() -> None:
    found = analyse(some_votes(0).select(["s0", "s1"]), Settings(method="triplets"))
    assert found.labeled is None
    assert found.check.problems


def test_prices_are_checked() -> None:
    with pytest.raises(InputError, match="budget must be a number of 0 or more"):
        Prices(budget=-1)


def test_a_report_of_a_file(votes_csv: Path) -> None:
    data = VotesFile(str(votes_csv), ReadOptions(key="id", drop=["y"]))
    result = report_votes(data, Settings(class_balance=0.5), Prices())
    assert result.name == str(votes_csv)
    assert result.plan is None
    assert len(result.analysis.votes) == 2_000


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
