from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from run_carob import answer, carob
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob import InputError, LabelModel, Votes, data_value, load
from carob.count.aside import set_aside
from carob.votes.storage import Sparse


def drawn(n: int = 400, m: int = 4) -> Votes:
    return draw_votes(np.random.default_rng(0), n, symmetric_conditionals(np.full(m, 0.8)), [0.5, 0.5])


def sick(n: int = 400) -> npt.NDArray[np.int8]:
    """Four good sources, then a copy of the first, a constant one, a silent one, and one of a single class."""
    good = drawn(n).values
    one_class = np.where(good[:, 1] == 1, 1, -1)
    return np.column_stack([good, good[:, 0], np.ones(n), np.full(n, -1), one_class]).astype(np.int8)


def sparse(votes: Votes) -> Votes:
    point, source = np.nonzero(votes.values >= 0)
    cells = Sparse.of_entries(len(votes), len(votes.sources), point, source, votes.values[point, source])
    return Votes(cells, votes.sources, votes.coding, gold=votes.gold)


def test_each_kind_has_its_sentence_with_all_names() -> None:
    for votes in (make_votes(sick()), sparse(make_votes(sick()))):
        aside = set_aside(votes)
        assert aside.votes.sources == ("s0", "s1", "s2", "s3", "s7")
        assert (aside.silent, aside.constant, aside.copies) == (("s6",), ("s5",), (("s4", "s0"),))
        assert tuple(message.words for message in aside.messages) == (
            "Set aside, they never vote: s6.",
            "Set aside, they vote the same on every point: s5.",
            "Set aside, copies of another source: s4 (of s0).",
        )
    assert set_aside(drawn()).messages == ()
    many = make_votes(np.column_stack([drawn().values, np.full((400, 20), -1)]))
    assert all(f"s{i}" in set_aside(many).messages[0].words for i in range(4, 24))


def test_a_known_pair_stays_and_a_third_copy_does_not() -> None:
    good = drawn().values
    votes = make_votes(np.column_stack([good, good[:, 0], good[:, 0]]))
    assert set_aside(votes).copies == (("s4", "s0"), ("s5", "s0"))
    assert set_aside(votes, [(4, 0)]).copies == (("s5", "s0"),)
    assert set_aside(votes, [(0, 4), (4, 5)]).copies == (("s5", "s0"),)
    assert set_aside(votes, [(0, 4), (4, 5), (0, 5)]).copies == ()


def test_few_common_votes_make_no_copy() -> None:
    values = drawn(500, 6).values.copy()
    values[20:, 4:] = -1
    values[:20, 5] = values[:20, 4]
    assert set_aside(make_votes(values)).messages == ()
    transposed = make_votes(np.tile([[0], [1], [1]], (1, 50)))
    assert set_aside(transposed).messages == ()


def test_nothing_left_is_refused() -> None:
    with pytest.raises(InputError, match="no source is left"):
        LabelModel().fit(make_votes(np.column_stack([np.ones(300), np.full(300, -1)])))


def test_what_is_set_aside_changes_no_label() -> None:
    votes = make_votes(sick(), gold=np.where(np.arange(400) < 60, drawn().own_gold.values, -1))
    left = votes.select(("s0", "s1", "s2", "s3", "s7"))
    for gold in (None, votes.gold):
        with_all, without = (LabelModel(class_balance=0.5, replicates=0).fit(v, gold) for v in (votes, left))
        assert np.array_equal(with_all.predict_proba(votes), without.predict_proba(left))
        assert with_all.messages_ == set_aside(votes).messages
        assert without.messages_ == ()


def test_the_fitted_array_can_be_labeled_and_one_without_what_was_set_aside(tmp_path: Path) -> None:
    values = sick()
    model = LabelModel(class_balance=0.5, replicates=0, abstain=-1).fit(values)
    model.save(tmp_path / "m.json")
    left = values[:, [0, 1, 2, 3, 7]]
    for known in (model, load(tmp_path / "m.json")):
        assert np.array_equal(known.predict_proba(values), known.predict_proba(left))
        assert (known.n_features_in_, len(known.source_table_.source)) == (8, 5)
        assert known.messages_ == set_aside(make_votes(values)).messages
    with pytest.raises(InputError, match="do not fit 8 sources"):
        model.predict(values[:, :6])
    with pytest.raises(InputError, match="must be a rectangle"):
        model.predict([[0, 1], [1]])


def test_known_pairs_by_position_are_those_of_the_columns_that_were_given() -> None:
    values = np.column_stack([np.full(400, -1), drawn().values])
    by_position = LabelModel(class_balance=0.5, replicates=0, abstain=-1, known_pairs=[(1, 2), (0, 3)]).fit(values)
    by_name = LabelModel(class_balance=0.5, replicates=0, abstain=-1, known_pairs=[("s1", "s2")]).fit(values)
    assert by_position.source_model_.groups == by_name.source_model_.groups
    assert np.array_equal(by_position.predict_proba(values), by_name.predict_proba(values))


def test_strict_refuses_with_all_names() -> None:
    values = np.column_stack([sick(), np.full((400, 8), -1)])
    with pytest.raises(InputError) as refused:
        LabelModel(strict=True, class_balance=0.5, abstain=-1).fit(values)
    for words in ("'s14'", "same on every point and tell nothing: 's5'", "('s0', 's4')"):
        assert words in str(refused.value)


@pytest.mark.slow
def test_the_value_of_data_is_that_of_the_sources_that_are_left() -> None:
    votes = make_votes(sick(), gold=drawn().own_gold.values)
    left = votes.select(("s0", "s1", "s2", "s3", "s7"))
    one, two = (data_value(v, v.gold, model=LabelModel(class_balance=0.5)).to_dict() for v in (votes, left))
    assert one.pop("messages") == [vars(message) for message in set_aside(votes).messages]
    assert two.pop("messages") == []
    assert one == two


def test_commands_say_what_was_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    pd.DataFrame(sick(), columns=list("abcdkxyz")).to_csv(path, index=False)
    options = (path, "--class-balance", ".5", "--abstain", "-1")
    found = answer("check", *options)
    assert found["verdict"].startswith("Ready to fit: 400 points, 5 sources")
    assert [message["words"] for message in found["messages"] if message["kind"] == "dropped"] == [
        "Set aside, they never vote: y.",
        "Set aside, they vote the same on every point: x.",
        "Set aside, copies of another source: k (of a).",
    ]
    fitted = answer("fit", *options, "--out", tmp_path / "l.csv")
    assert fitted["messages"] == found["messages"]
    assert "copies of another source: k (of a)." in carob("check", *options).stdout
    strict = answer("check", *options, "--strict", code=2)
    assert (len(strict["problems"]), [m for m in strict["messages"] if m["kind"] == "dropped"]) == (3, [])


def test_copies_among_many_workers_are_found_in_time_linear_in_the_votes() -> None:
    rng = np.random.default_rng(0)
    n, m, number = 70_000, 10_000, 700_000
    point, source = np.divmod(np.unique(rng.integers(0, n * m, number)), m)
    votes = Votes(
        Sparse.of_entries(n, m, point, source, rng.integers(0, 2, len(point)).astype(np.int8)),
        tuple(f"w{i}" for i in range(m)),
        drawn().coding,
    )
    started = perf_counter()
    assert set_aside(votes).messages == ()
    assert perf_counter() - started < 5  # a second, on a machine that does nothing else
