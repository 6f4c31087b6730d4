from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from run_carob import answer, carob
from simulate import draw_votes, symmetric_conditionals

from carob import InputError, LabelModel, read_votes


def sources(n: int = 300, names: str = "abcd", words: tuple[Any, Any] = (0, 1)) -> dict[str, Any]:
    """Columns of sources that are right four times of five, and the truth in `y`."""
    votes = draw_votes(np.random.default_rng(0), n, symmetric_conditionals(np.full(len(names), 0.8)), [0.5, 0.5])
    columns = {name: [words[v] for v in votes.values[:, i]] for i, name in enumerate(names)}
    return columns | {"y": [words[v] for v in votes.own_gold.values]}


def other(n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {
        "id": list(range(n)),
        "text": [f"review {i}" for i in range(n)],
        "date": [date(2026, 1, 1) + timedelta(days=i) for i in range(n)],
        "score": (40 * rng.random(n)).round(3).tolist(),
        "region": rng.choice(["east", "west"], n).tolist(),
    }


def test_an_ordinary_table_is_sorted_out() -> None:
    votes = read_votes(other() | sources(), gold="y")
    assert votes.sources == ("a", "b", "c", "d")
    assert votes.aside == (
        "Set aside, no votes: id (300 different values), text (300 different values), date (dates), score (fractions), "
        "region (text). Where they are scores, say so (kinds={'score': 'score'}; --kind score=score).",
    )
    model = LabelModel(class_balance=0.5, replicates=0).fit(votes, votes.gold)
    assert model.aside_ == votes.aside
    assert LabelModel(class_balance=0.5, replicates=0).fit(pd.DataFrame(other() | sources())).aside_ == votes.aside


def test_values_that_no_other_source_has() -> None:
    columns = sources(words=("no", "yes"))
    rows = np.arange(300)
    odd = {
        "region": np.where(rows % 2, "east", "west"),
        "year": 2020 + rows % 5,
        "site": np.full(300, "main"),
        "city": [f"city {i % 40}" for i in rows],
    }
    votes = read_votes(columns | odd, gold="y")
    assert votes.sources == ("a", "b", "c", "d")
    assert votes.aside == (
        "Set aside, no votes: region (values such as 'east', 'west'), year (numbers), site (values such as 'main'), "
        "city (values such as 'city 0', 'city 1').",
    )
    few = {name: column[:40] for name, column in (columns | {"id": np.arange(300)}).items()}
    numbered = read_votes(few | {name: [int(v == "yes") for v in few[name]] for name in "abcdy"}, gold="y")
    assert numbered.aside == ("Set aside, no votes: id (40 different values).",)


def test_gold_of_a_second_file_tells_as_well() -> None:
    columns = sources(names="ab", words=("no", "yes")) | {"key": list(range(300)), "lang": ["de", "en", "fr"] * 100}
    gold = {"key": [1, 2, 3], "gold": ["no", "yes", "no"]}
    votes = read_votes(columns, drop=["y"], key="key", gold_file=gold)
    assert votes.sources == ("a", "b")
    assert votes.aside == ("Set aside, no votes: lang (values such as 'de', 'en').",)


def test_sources_that_vote_for_one_class_are_never_set_aside() -> None:
    rng = np.random.default_rng(0)
    one_sided = {f"lf{i}": np.where(rng.random(200) < 0.3, i % 5, -1) for i in range(6)}
    one_sided["z"] = np.where(rng.random(200) < 0.3, 7, -1)
    votes = read_votes(one_sided)
    assert len(votes.sources) == 7
    assert votes.aside == ()
    with_text = read_votes(one_sided | {"split": ["train", "test"] * 100})
    assert with_text.sources == votes.sources
    assert with_text.aside == ("Set aside, no votes: split (text).",)
    classes = {name: np.where(rng.random(200) < 0.3, name, "") for name in ("cat", "dog", "cow")}
    assert read_votes(classes).sources == ("cat", "dog", "cow")


@pytest.mark.parametrize(
    ("columns", "options", "text"),
    [
        (other(), {}, "'id' holds 300 different values"),
        (other() | sources(), {"gold": "y", "strict": True}, "'id' holds 300 different values"),
        (other() | sources(), {"gold": "y", "sources": ["a", "b", "text"]}, "'text' holds 300 different values"),
        (sources(names="a") | {"text": other()["text"]}, {"gold": "y"}, "'text' holds 300 different values"),
        (
            sources(names="ab") | {"c": [0.5] * 300},
            {"drop": ["y"]},
            "not a measurement",
        ),
        (sources() | {"e": [float("nan"), *[1.0] * 299]}, {"gold": "y"}, "holds NaN"),
    ],
)
def test_what_is_not_clear_is_refused(columns: dict[str, Any], options: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        read_votes(columns, **options)


def test_names_between_commas(tmp_path: Path) -> None:
    table = sources() | {"e,f": [0, 1, 1] * 100, "e": [1, 0, 1] * 100}
    assert read_votes(table, drop=["a,b", "y"]).sources == ("c", "d", "e,f", "e")
    assert read_votes(table, sources="c, a,b").sources == ("c", "a", "b")
    assert read_votes(table, drop=["e,f", "y"]).sources == ("a", "b", "c", "d", "e")
    with pytest.raises(InputError, match="no column 'zz'"):
        read_votes(table, drop=["a,zz"])
    pd.DataFrame(table).to_csv(tmp_path / "v.csv", index=False)
    options = ["--class-balance", ".5", "--gold", "y"]
    found = answer("check", tmp_path / "v.csv", *options, "--sources", "a,b,d")
    assert [row["source"] for row in found["sources"]] == ["a", "b", "d"]
    assert "--sources a,b,d" in found["next"]
    dropped = answer("check", tmp_path / "v.csv", *options, "--drop", "a,b", "--drop", "e,f")
    assert [row["source"] for row in dropped["sources"]] == ["c", "d", "e"]


def test_commands_say_which_columns_are_no_votes(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    pd.DataFrame(other() | sources()).to_csv(path, index=False)
    found = answer("check", path, "--gold", "y")
    assert found["verdict"].startswith("Ready to fit: 300 points, 4 sources")
    assert "date (dates), score (fractions)" in found["aside"][0]
    assert answer("fit", path, "--gold", "y")["aside"] == found["aside"]
    strict = carob("check", path, "--gold", "y", "--strict")
    assert strict.returncode == 2
    assert "300 different values" in strict.stderr
