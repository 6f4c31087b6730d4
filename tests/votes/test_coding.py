from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from run_carob import answer, carob, warnings_of
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob import Coding, InputError, LabelModel, ReadOptions, Votes, load, read_votes
from carob.votes.columns import Column


def test_coding_in_words() -> None:
    assert str(Coding(("ham", "spam"), ("",))) == "classes 'ham', 'spam'; an empty cell is an abstain"
    assert repr(make_votes(np.zeros((2, 1)), 7)) == "Votes(2 points, 1 sources, classes 0, 1, 2, 3, 4, ...)"


def test_numbers_without_a_sign_above_two_to_the_63() -> None:
    values = np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64)
    column = Column.of(values, None, "c", None)
    assert (column.levels, column.cells.tolist()) == ([2**64 - 2, 2**64 - 1], [1, 0, 1])
    votes = Votes.from_array(np.tile(values, (4, 1)).T)
    assert votes.classes == (2**64 - 2, 2**64 - 1)


def test_texts_keep_every_letter() -> None:
    classes = ["a\0", "a", "b" * 100]
    votes = Votes.from_array([[label, classes[0], classes[1]] for label in classes] * 30)
    assert set(votes.classes) == set(classes)
    model = LabelModel(replicates=0).fit(votes)
    assert set(model.classes_.tolist()) == set(classes)
    assert set(model.predict(votes).tolist()) <= set(classes)
    with pytest.raises(InputError, match="not a number of 1,329 bits"):
        Votes.from_array([[10**400, 1], [1, 1]])


def words(n: int = 300) -> pd.DataFrame:
    """Four sources that write yes and no in many ways."""
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, n, symmetric_conditionals(np.full(4, 0.8)), [0.5, 0.5])
    spellings = np.array([["no", "No.", "NO"], ["yes", "Yes", "YES"]])
    frame = pd.DataFrame(spellings[votes.values, rng.integers(0, 3, (n, 4))], columns=list("abcd"))
    return frame.assign(y=np.array(["no", "yes"])[votes.own_gold.values])


def test_case_and_mapping_make_one_class_of_many() -> None:
    frame = {"a": ["Yes", "no", "NO."], "b": ["YES", "n/a", "yes"], "c": ["No", "?", "yes"], "y": ["YES", "No", None]}
    votes = read_votes(
        frame, gold="y", abstain=["N/A", "?"], options=ReadOptions(ignore_case=True, mapping={"no.": "no"})
    )
    assert votes.classes == ("no", "yes")
    assert votes.values.tolist() == [[1, 1, 0], [0, -1, -1], [0, 1, 1]]
    assert votes.gold is not None
    assert votes.gold.values.tolist() == [1, 0, -1]
    assert str(votes.coding).endswith("; case is ignored; 'no.' is read as 'no'")
    assert votes.code_gold(["YES", "NO.", ""]).values.tolist() == [1, 0, -1]
    given = read_votes(
        frame,
        gold="y",
        abstain=["n/A", "?"],
        classes=["YES", "NO"],
        options=ReadOptions(ignore_case=True, mapping={"NO.": "No"}),
    )
    assert given.classes == ("yes", "no")


def test_texts_become_numbers_or_numbers_texts_as_the_other_votes_are() -> None:
    numbers = read_votes(
        {"a": ["yes", "no"], "b": [1, 0], "y": [1, 0]}, gold="y", options=ReadOptions(mapping={"yes": 1, "no": 0})
    )
    assert (numbers.classes, numbers.values.tolist()) == ((0, 1), [[1, 1], [0, 0]])
    texts = read_votes({"a": ["one", "0"], "b": ["1", "0"]}, options=ReadOptions(mapping={"one": 1}))
    assert (texts.classes, texts.values.tolist()) == (("0", "1"), [[1, 1], [0, 0]])
    scores = Votes.from_array(np.array([[0, 9], [4, 5]]), mapping={str(score): int(score > 4) for score in range(10)})
    assert (scores.classes, scores.values.tolist()) == ((0, 1), [[0, 1], [0, 1]])
    assert Votes.from_array([["A", "b"], ["B", "a"]], ignore_case=True).classes == ("a", "b")


def test_a_value_that_is_given_twice() -> None:
    with pytest.raises(InputError, match="gives a value twice"):
        read_votes({"a": ["x", "y"]}, options=ReadOptions(ignore_case=True, mapping={"X": "y", "x": "z"}))


def test_a_model_reads_new_votes_as_it_read_the_old(tmp_path: Path) -> None:
    frame = words()
    votes = read_votes(frame, gold="y", options=ReadOptions(ignore_case=True, mapping={"no.": "no"}))
    LabelModel(class_balance=0.5, replicates=0).fit(votes, votes.gold).save(tmp_path / "m.json")
    model = load(tmp_path / "m.json")
    assert model.fit_.coding == votes.coding
    expected = model.predict_proba(votes)
    for data in (
        frame,
        frame[list("abcd")].to_numpy(),
        frame.drop(columns="y").apply(lambda column: column.str.upper()),
    ):
        assert np.array_equal(model.predict_proba(data), expected)


def test_options(tmp_path: Path) -> None:
    path, model = tmp_path / "v.csv", tmp_path / "m.json"
    words().to_csv(path, index=False)
    found = answer("check", path, "--gold", "y")
    assert found["verdict"].startswith(
        "Can be fitted, with 2 things to look at first: 300 points, 4 sources, 6 classes"
    )
    assert "--ignore-case --map No.=no" in warnings_of(found)[0]
    mended = ("--gold", "y", "--ignore-case", "--map", "no.=no")
    ready = answer("check", path, *mended)
    assert (ready["classes"], warnings_of(ready)) == (["no", "yes"], [])
    assert ready["verdict"].startswith("Ready to fit")
    assert "--map no.=no --ignore-case" in ready["next"]
    shown = carob("fit", path, "--gold", "y", "--out", tmp_path / "x.csv").stdout
    assert "To look at first" in shown
    assert "--ignore-case" in shown
    answer("fit", path, *mended, "--model", model, "--out", tmp_path / "1.csv")
    answer("label", path, "--model", model, "--out", tmp_path / "2.csv")
    assert (tmp_path / "1.csv").read_text() == (tmp_path / "2.csv").read_text()
