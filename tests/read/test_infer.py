from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from run_carob import answer, carob
from simulate import draw_votes, symmetric_conditionals

from carob import InputError, LabelModel, ReadOptions, Votes, read_votes
from carob.votes.messages import Message


def words(messages: tuple[Message, ...]) -> tuple[str, ...]:
    assert {message.kind for message in messages} <= {"dropped"}
    return tuple(message.words for message in messages)


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
    assert words(votes.messages) == (
        "Set aside, no votes: id (300 different values), text (300 different values), date (dates), score (fractions), "
        "region (text). Where they are scores, say so (kinds={'score': 'score'}; --kind score=score).",
    )
    model = LabelModel(class_balance=0.5, replicates=0).fit(votes, votes.gold)
    assert model.messages_ == votes.messages
    assert (
        LabelModel(class_balance=0.5, replicates=0).fit(pd.DataFrame(other() | sources())).messages_ == votes.messages
    )


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
    assert words(votes.messages) == (
        "Set aside, no votes: region (values such as 'east', 'west'), year (numbers), site (values such as 'main'), "
        "city (values such as 'city 0', 'city 1').",
    )
    few = {name: column[:40] for name, column in (columns | {"id": np.arange(300)}).items()}
    numbered = read_votes(few | {name: [int(v == "yes") for v in few[name]] for name in "abcdy"}, gold="y")
    assert words(numbered.messages) == ("Set aside, no votes: id (40 different values).",)


def test_gold_of_a_second_file_tells_as_well() -> None:
    columns = sources(names="ab", words=("no", "yes")) | {"key": list(range(300)), "lang": ["de", "en", "fr"] * 100}
    gold = {"key": [1, 2, 3], "gold": ["no", "yes", "no"]}
    votes = read_votes(columns, drop=["y"], key="key", options=ReadOptions(gold_file=gold))
    assert votes.sources == ("a", "b")
    assert words(votes.messages) == ("Set aside, no votes: lang (values such as 'de', 'en').",)


def test_sources_that_vote_for_one_class_are_never_set_aside() -> None:
    rng = np.random.default_rng(0)
    one_sided = {f"lf{i}": np.where(rng.random(200) < 0.3, i % 5, -1) for i in range(6)}
    one_sided["z"] = np.where(rng.random(200) < 0.3, 7, -1)
    votes = read_votes(one_sided)
    assert len(votes.sources) == 7
    assert words(votes.messages) == ()
    with_text = read_votes(one_sided | {"split": ["train", "test"] * 100})
    assert with_text.sources == votes.sources
    assert words(with_text.messages) == ("Set aside, no votes: split (text).",)
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
        read_votes(columns, options=ReadOptions(**options))


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
    assert "date (dates), score (fractions)" in found["messages"][0]["words"]
    assert answer("fit", path, "--gold", "y")["messages"] == found["messages"]
    strict = carob("check", path, "--gold", "y", "--strict")
    assert strict.returncode == 2
    assert "300 different values" in strict.stderr


RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 60)


def graded(low: int, high: int) -> list[int]:
    return np.clip(
        np.round((low + high) / 2 + (high - low) / 4 * (TRUTH - 0.5) + RNG.normal(size=60)), low, high
    ).tolist()


def votes(right: float = 0.8) -> list[int]:
    return np.where(RNG.random(60) < right, TRUTH, 1 - TRUTH).tolist()


GRADES = [int(value) for value in graded(0, 9)]
SHARES = RNG.random(60).round(3).tolist()
MEASURES = (100 * RNG.random(60)).round(2).tolist()
VOTERS: dict[str, Any] = {"a": votes(), "b": votes(), "c": votes()}


def kinds(found: Votes) -> dict[str, str]:
    return {name: scale.kind for name, scale in found.coding.scales}


def test_beside_votes_plain_scores_and_probabilities_are_found() -> None:
    table = VOTERS | {"judge": GRADES, "p": SHARES, "length": MEASURES, "y": TRUTH.tolist()}
    found = read_votes(table, gold="y")
    assert kinds(found) == {"judge": "score", "p": "probability"}
    assert found.sources == ("a", "b", "c", "judge", "p")
    assert found.classes == (0, 1)
    assert "length (fractions)" in found.messages[0].words


def test_without_gold_whole_numbers_are_classes_as_ever() -> None:
    found = read_votes({"a": GRADES, "b": GRADES[::-1], "c": GRADES})
    assert kinds(found) == {}
    assert len(found.classes) > 5


def test_without_gold_other_columns_tell_that_there_are_two_classes() -> None:
    found = read_votes(VOTERS | {"judge": GRADES, "length": MEASURES})
    assert kinds(found) == {"judge": "score"}
    assert found.classes == (0, 1)
    assert "--kind length=score" in found.messages[0].words
    three = VOTERS | {"d": [2 * vote for vote in votes()]}
    assert kinds(read_votes(three | {"judge": GRADES})) == {}  # one of many classes
    assert kinds(read_votes({"a": votes(), "judge": GRADES})) == {}  # one other column is too few


def test_where_hardly_anything_votes_numbers_are_scores() -> None:
    found = read_votes({"j": MEASURES, "k": [10 * grade for grade in GRADES], "y": TRUTH.tolist()}, gold="y")
    assert kinds(found) == {"j": "score", "k": "score"}
    alone = read_votes({"j": MEASURES, "k": MEASURES[::-1]})
    assert kinds(alone) == {"j": "score", "k": "score"}
    assert alone.classes == (0, 1)


def test_what_a_user_states_wins() -> None:
    table = VOTERS | {"judge": GRADES, "length": MEASURES, "y": TRUTH.tolist()}
    assert kinds(read_votes(table, gold="y", options=ReadOptions(kinds={"length": "score"}))) == {
        "length": "score",
        "judge": "score",
    }
    with pytest.raises(InputError, match="a vote is a class, not a measurement"):
        read_votes({"p": SHARES, "q": SHARES[::-1]}, options=ReadOptions(kinds="vote"))
    stated = read_votes(table, gold="y", options=ReadOptions(kinds={"*": "score"}))
    assert set(kinds(stated)) == {"a", "b", "c", "judge", "length"}


def test_words_of_classes_may_stand_beside_scores() -> None:
    words = ["good" if y else "bad" for y in TRUTH]
    found = read_votes({"a": words, "b": words[::-1], "p": SHARES, "y": words}, gold="y")
    assert found.classes == ("bad", "good")
    assert kinds(found) == {"p": "probability"}


def test_minus_one_is_no_score() -> None:
    judge = [-1 if t % 7 == 0 else grade for t, grade in enumerate(GRADES)]
    found = read_votes(VOTERS | {"judge": judge, "y": TRUTH.tolist()}, gold="y")
    assert kinds(found) == {"judge": "score"}
    assert ((found.values[:, 3] < 0) == (np.arange(60) % 7 == 0)).all()


@pytest.mark.parametrize(
    ("column", "options", "text"),
    [
        ([1.5, float("nan"), 2.0], {"kinds": {"j": "score"}}, "column 'j' holds NaN in row 2, which is no score"),
        ([1.5, float("inf"), 2.0], {"kinds": {"j": "score"}}, "column 'j' holds infinity in row 2"),
        (
            [1.5, 11.0, 2.0],
            {"kinds": {"j": "0..10"}},
            "column 'j' holds 11.0 .first in row 2.: its scores are from 0 to",
        ),
        ([0.5, 1.2, 0.1], {"kinds": {"j": "probability"}}, "a probability is from 0 to 1"),
        (["x", "y", "z"], {"kinds": {"j": "score"}}, "column 'j' holds 'x', 'y', 'z': a score is a number"),
        ([0.5, 0.2, 0.1], {"kinds": {"k": "score"}}, "there is no source 'k' whose kind to state"),
    ],
)
def test_refusals(column: list[Any], options: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        read_votes({"a": [0, 1, 1], "j": column, "b": [1, 1, 0]}, options=ReadOptions(**options))


def test_a_score_with_one_value_is_set_aside() -> None:
    table = VOTERS | {"judge": GRADES, "same": [4.5] * 60, "y": TRUTH.tolist()}
    found = LabelModel().fit(read_votes(table, gold="y", options=ReadOptions(kinds={"same": "score"})), TRUTH)
    assert words(found.messages_) == ("Set aside, they vote the same on every point: same.",)


def test_long_tables_of_scores(tmp_path: Path) -> None:
    rows = [(t, worker, GRADES[t] + 0.5 * worker) for t in range(60) for worker in range(3)]
    table = dict(zip(("task", "worker", "label"), map(list, zip(*rows, strict=True)), strict=True))
    found = read_votes(table)
    assert set(kinds(found).values()) == {"score"}
    assert len({scale for _, scale in found.coding.scales}) == 1
    assert len(found) == 60
    model = LabelModel().fit(found)
    model.save(tmp_path / "model.json")
    again = np.array(read_and_label(tmp_path / "model.json", table))
    assert np.array_equal(again, model.predict_proba(found))


def read_and_label(path: Path, table: dict[str, list[Any]]) -> Any:
    from carob import load

    return load(path).predict_proba(table)


def test_an_empty_column_of_scores_is_set_aside() -> None:
    table = VOTERS | {"judge": [None] * 60, "y": TRUTH.tolist()}
    model = LabelModel().fit(read_votes(table, gold="y", options=ReadOptions(kinds={"judge": "score"})), TRUTH)
    assert words(model.messages_) == ("Set aside, they never vote: judge.",)


def crowd(n: int = 200, task: str = "item_id", worker: str = "annotator", label: str = "answer") -> pd.DataFrame:
    """Five workers on every task, written down a row per vote; tasks have leading zeros."""
    votes = draw_votes(np.random.default_rng(0), n, symmetric_conditionals(np.full(5, 0.8)), [0.5, 0.5])
    return pd.DataFrame(
        {
            task: np.repeat([f"{i:04d}" for i in range(n)], 5),
            worker: np.tile(list("abcde"), n),
            label: np.array(["no", "yes"])[votes.values.ravel()],
        }
    )


@pytest.mark.parametrize(
    "names", [("item_id", "annotator", "answer"), ("Question", "LF", "Vote"), ("task", "rater", "label")]
)
def test_columns_under_other_names_are_found(names: tuple[str, str, str]) -> None:
    votes = read_votes(crowd(50, *names))
    guess = f"Read as a long table: task = {names[0]}, worker = {names[1]}, label = {names[2]}."
    assert votes.messages == (Message("guess", guess),)
    assert (votes.sources, votes.key_name, len(votes)) == (tuple("abcde"), names[0], 50)
    assert votes.keys is not None
    assert votes.keys[1] == "0001"
    named = read_votes(crowd(50, *names), options=ReadOptions(task=names[0], worker=names[1], label=names[2]))
    assert np.array_equal(named.values, votes.values)
    assert named.messages == ()


def test_identifiers_of_a_file_stay_text_and_name_the_labels(tmp_path: Path) -> None:
    path, out = tmp_path / "v.csv", tmp_path / "l.csv"
    crowd().to_csv(path, index=False)
    found = answer("check", path, "--class-balance", ".5")
    guess = found["messages"][0]
    assert guess["words"] == "Read as a long table: task = item_id, worker = annotator, label = answer."
    assert guess["words"] in carob("check", path, "--class-balance", ".5").stdout
    answer("fit", path, "--class-balance", ".5", "--out", out, "--model", tmp_path / "m.json")
    assert out.read_text().splitlines()[1].startswith('"0000"')
    assert out.read_text().startswith('"item_id","label"')
    answer("label", path, "--model", tmp_path / "m.json", "--out", tmp_path / "2.csv")
    assert (tmp_path / "2.csv").read_text() == out.read_text()


def test_gold_of_a_second_file_is_matched_by_the_task_that_was_found() -> None:
    votes = read_votes(crowd(20), options=ReadOptions(gold_file={"item_id": ["0003"], "truth": ["yes"]}))
    assert votes.own_gold.values.tolist() == [-1] * 3 + [1] + [-1] * 16


def test_what_is_ambiguous_is_asked_about() -> None:
    both = crowd(200).assign(question="q")
    with pytest.raises(InputError, match=r"--long TASK WORKER LABEL\)\.$"):
        read_votes(both)
    once = crowd(30).drop_duplicates("item_id")
    assert read_votes(once).sources == ("a",)
    with pytest.raises(InputError, match=r"--long TASK WORKER LABEL"):
        read_votes(once.assign(seconds=0.5))
    with pytest.raises(InputError) as refused:
        read_votes(crowd(200), options=ReadOptions(layout="wide"))
    assert "--long" not in str(refused.value)


def test_a_wide_table_stays_wide() -> None:
    wide = pd.DataFrame(
        {"item_id": range(60), "judge": [0, 1] * 30, "rating": [0, 1, 1] * 20, "user": [1, 0, 0, 1] * 15}
    )
    assert read_votes(wide, key="item_id").sources == ("judge", "rating", "user")
    only_one = wide.drop(columns="user")
    assert read_votes(only_one, key="item_id").sources == ("judge", "rating")
    repeated = only_one.assign(item_id=np.arange(60) // 2)
    assert read_votes(repeated, sources=["judge", "rating"]).sources == ("judge", "rating")


def test_workers_who_share_no_task_with_anyone_are_read() -> None:
    alone = pd.DataFrame({"item_id": ["x", "y"], "annotator": ["hermit", "loner"], "answer": ["yes", "no"]})
    votes = read_votes(pd.concat([crowd(50), alone]))
    assert votes.sources[-2:] == ("hermit", "loner")
    assert votes.number[-2:].tolist() == [1, 1]
    with_gold = read_votes(
        pd.concat([crowd(50), alone]),
        options=ReadOptions(gold_file={"item_id": ["0001", "0002", "0003", "0004"], "gold": ["no", "yes"] * 2}),
    )
    model = LabelModel(method="labeled", replicates=0).fit(with_gold, with_gold.gold)
    assert model.predict_proba(with_gold).shape == (52, 2)


@pytest.mark.slow
def test_reading_takes_time_linear_in_the_votes() -> None:
    rng = np.random.default_rng(0)
    cells = np.unique(rng.integers(0, 70_000 * 10_000, 700_000))
    rng.shuffle(cells)
    table = pa.table({"task": cells // 10_000, "worker": cells % 10_000, "label": rng.integers(0, 2, len(cells))})
    started = perf_counter()
    votes = read_votes(table)
    assert perf_counter() - started < 6  # less than two seconds on a machine that does nothing else
    assert len(votes.sources) == 10_000
