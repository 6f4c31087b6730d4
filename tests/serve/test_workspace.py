from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from carob import InputError, read_votes
from carob.commands.analysis import analyse
from carob.posterior.settings import Settings
from carob.serve.workspace import METHODS, Choices, Workspace, effect
from carob.value.advice import DataValue

MESSAGES = (Path(__file__).parents[2] / "examples" / "messages.csv").read_bytes()


def opened() -> Workspace:
    work = Workspace()
    work.open_file("messages.csv", MESSAGES)
    return work


@pytest.fixture(scope="module")
def weighed() -> Workspace:
    work = opened()
    assert work.start_analysis().wait(60)
    return work


def test_a_file_is_read_as_the_command_line_reads_it(tmp_path: Path) -> None:
    (tmp_path / "messages.csv").write_bytes(MESSAGES)
    same = read_votes(tmp_path / "messages.csv", gold="truth", key="id")
    found = opened().open_votes
    assert np.array_equal(found.values, same.values)
    assert found.sources == same.sources
    assert found.gold is not None
    assert same.gold is not None
    assert np.array_equal(found.gold.values, same.gold.values)


def test_what_was_misunderstood_is_corrected() -> None:
    work = opened()
    work.read(Choices(gold="", key="id", classes="spam,ham"))
    assert work.open_votes.classes == ("spam", "ham")
    assert "truth" in work.open_votes.sources
    with pytest.raises(InputError, match="no column 'nothing'"):
        work.read(Choices(gold="nothing"))
    with pytest.raises(InputError, match="no votes are open"):
        work.open_votes  # noqa: B018


def test_kinds_and_values_are_read_as_they_are_said_to_be() -> None:
    rows = "".join(f"{i % 2},{'no.' if i % 3 else 'yes'},{'no' if i % 5 else 'yes'},{i % 7}\n" for i in range(60))
    work = Workspace()
    work.open_file("judges.csv", f"a,b,c,judge\n{rows}".replace("0,", "no,").replace("1,", "yes,").encode())
    work.read(Choices(kinds="judge=0..9", mapping="no.=no"))
    assert work.open_votes.classes == ("no", "yes")
    assert [name for name, _ in work.open_votes.coding.scales] == ["judge"]
    for said, about in ((Choices(kinds="judge"), "What columns hold"), (Choices(mapping="=no"), "What to read")):
        with pytest.raises(InputError, match=f"{about} is written as .* between commas; not"):
            work.read(said)


def test_gold_of_a_second_file_is_added_to_that_of_the_first() -> None:
    work = Workspace()
    votes = "".join(f"{i:03d},{i % 2},{i % 2},{(i // 2) % 2},{i % 2 if i < 4 else ''}\n" for i in range(40))
    work.open_file("votes.csv", f"id,a,b,c,gold\n{votes}".encode())
    work.open_gold("gold.csv", b"id,truth\n007,1\n010,0\n")
    gold = work.open_votes.own_gold
    assert np.flatnonzero(gold.known).tolist() == [0, 1, 2, 3, 7, 10]
    assert gold.values[[7, 10]].tolist() == [1, 0]
    with pytest.raises(InputError, match="no key of the gold file"):
        work.open_gold("other.csv", b"id,truth\nx,1\n")
    assert work.gold_upload is not None
    assert work.gold_upload.file.name == "gold.csv"
    assert work.open_votes.own_gold.known.sum() == 6
    work.close()
    with pytest.raises(InputError, match="no file of votes is open"):
        work.open_gold("gold.csv", b"id,truth\n007,1\n")


def test_sources_that_are_off_and_labels_that_were_given() -> None:
    work = opened()
    work.choose("consensus", ["has_link"], [("all_caps", "llm_judge")], "")
    assert "has_link" not in work.chosen_votes().sources
    assert work.choices.settings().known_pairs == (("all_caps", "llm_judge"),)
    work.pick(5, "labels")
    assert work.picked is not None
    row = int(work.picked.rows[0])
    before = work.chosen_votes()
    work.give(row, "spam")
    votes = work.chosen_votes()
    assert before.gold is not None
    assert votes.gold is not None
    assert votes.gold.known.sum() == before.gold.known.sum() + 1
    assert votes.gold.chances is not None
    assert np.flatnonzero(~np.isnan(votes.gold.chances)).tolist() == [row]
    assert work.given_labels()["gold"] == ["spam"]
    assert work.points_to_label()["chance"].tolist() == work.picked.chances.tolist()
    work.give(row, "")
    assert not work.given


@pytest.mark.parametrize(
    ("do", "words"),
    [
        (lambda work: work.choose("consensus", ["nobody"], [], ""), "no source 'nobody'"),
        (lambda work: work.choose("consensus", work.open_votes.sources, [], ""), "all sources are switched off"),
        (lambda work: work.choose("magic", [], [], ""), "method must be one of"),
        (lambda work: work.choose("consensus", [], [("all_caps", "all_caps")], ""), "with itself"),
        (lambda work: work.choose("consensus", [], [], "many"), "class balance is a number"),
        (lambda work: work.pick(201, "labels"), "many to label"),
        (lambda work: work.give(1, "spam"), "was not picked"),
        (lambda work: work.labels(), "no labels yet"),
        (lambda work: work.given_labels(), "no labels were given"),
        (lambda work: work.points_to_label(), "no points were picked"),
    ],
)
def test_what_is_refused_changes_nothing(do: object, words: str) -> None:
    work = opened()
    before = work.choices
    with pytest.raises(InputError, match=words):
        do(work)  # type: ignore[operator]
    assert work.choices == before


def test_a_class_that_is_none_is_refused() -> None:
    work = opened()
    work.pick(2, "estimate")
    assert work.picked is not None
    with pytest.raises(InputError, match="'eggs' is no class"):
        work.give(int(work.picked.rows[0]), "eggs")
    work.give(int(work.picked.rows[0]), "ham")
    assert not work.chances  # random points need none


def test_what_is_found_is_what_the_library_finds(weighed: Workspace) -> None:
    assert weighed.analysis is not None
    same = analyse(weighed.chosen_votes(), Settings())
    assert isinstance(weighed.analysis.value, DataValue)
    assert same.value is not None
    assert weighed.analysis.value.verdict == same.value.verdict
    table = pa.table(weighed.labels())
    assert table.column_names == ["id", "label", "p_ham", "p_spam", "n_votes"]
    assert b'"carob model"' in weighed.model()


def test_the_effect_of_a_change(weighed: Workspace) -> None:
    assert weighed.analysis is not None
    nothing = effect(weighed.analysis, weighed.analysis)
    assert nothing is not None
    assert nothing.changed == 0
    assert nothing.before == nothing.after
    other = analyse(weighed.chosen_votes().select(["has_link", "all_caps", "long_text"]), Settings())
    found = effect(weighed.analysis, other)
    assert found is not None
    assert found.changed > 0
    assert effect(analyse(weighed.chosen_votes().take(slice(0, 300)), Settings()), other) is None


def test_points_are_shown_with_their_text_and_votes() -> None:
    work = Workspace()
    content = "key,text,a,b,c\nk1,first words,0,1,1\nk2,second words,1,,0\n" + "k{},more,0,1,0\n" * 10
    work.open_file("v.csv", content.format(*range(3, 13)).encode())
    assert work.point(1) == ("k2", "second words", [("a", 1), ("c", 0)])
    long = "task,worker,label,text\nt1,w1,a,one\nt1,w2,b,one\nt2,w1,b,two\nt2,w2,b,two\n"
    work.open_file("v.csv", long.encode())
    assert work.choices.text == "text"
    assert work.point(1) == ("t2", "two", [("w1", "b"), ("w2", "b")])


def test_the_example_has_few_gold_labels_and_closing_forgets_all() -> None:
    work = Workspace()
    work.open_example()
    assert work.open_votes.own_gold.known.sum() == 200
    assert not work.open_votes.own_gold.reference
    work.close()
    assert (work.name, work.votes) == ("", None)
    with pytest.raises(InputError, match="no file is open"):
        work.read(Choices())


def test_every_method_can_be_chosen_the_default_first() -> None:
    assert METHODS[0] == Choices().method == "consensus"
    assert set(METHODS) == {"consensus", "triplets", "labeled", "tensors"}
