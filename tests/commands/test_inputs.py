from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob import InputError, LabelModel
from carob.commands.inputs import VotesFile, learn
from carob.commands.progress import Stage, silent
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions


def test_wide_file_with_key_and_gold(votes_csv: Path) -> None:
    votes = VotesFile(str(votes_csv), ReadOptions(key="id", gold="y")).read()
    assert votes.sources == tuple("abcdefghij")
    assert votes.gold is not None
    assert votes.gold.known.sum() == 300
    assert votes.keys is not None
    assert votes.keys[:2].tolist() == ["p0", "p1"]


def test_query(votes_csv: Path) -> None:
    votes = VotesFile(f"SELECT * EXCLUDE (id, y) FROM '{votes_csv}'").read()  # noqa: S608
    assert (len(votes), votes.gold, votes.keys) == (2_000, None, None)


def test_long_file_with_other_column_names(votes_csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with path.open("w") as file:
        for line in votes_csv.read_text().splitlines()[1:]:
            point, *said, _ = line.split(",")
            for name, vote in zip("abcdefghij", said, strict=True):
                file.write(json.dumps({"item": point, "judge": name, "says": ["no", "yes"][int(vote)]}) + "\n")
    long = VotesFile(str(path), ReadOptions(task="item", worker="judge", label="says"))
    votes = long.read()
    assert votes.classes == ("no", "yes")
    assert votes.sources == tuple("abcdefghij")
    assert votes.key_name == "item"
    with pytest.raises(InputError, match="no column 'nothing'"):
        VotesFile(str(path), ReadOptions(task="item", worker="judge", label="says", gold="nothing")).read()


def test_classes_in_another_order_and_columns_that_are_no_sources(votes_csv: Path) -> None:
    votes = VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y", "a")), classes=[1, 0]).read()
    assert votes.classes == (1, 0)
    assert votes.sources == tuple("bcdefghij")


def test_the_key_of_a_wide_file_names_points(votes_csv: Path) -> None:
    assert VotesFile(str(votes_csv), ReadOptions(key="id")).read().key_name == "id"


def test_settings_hands_on_every_choice(votes_csv: Path) -> None:
    chosen = Settings(
        method="triplets",
        class_balance=0.4,
        known_pairs=[("a", "b")],
        level=0.8,
        rng=7,
    )
    votes = VotesFile(str(votes_csv), ReadOptions(key="id", gold="y")).read()
    model = learn(votes, chosen, silent)
    expected = LabelModel(
        method="triplets",
        class_balance=0.4,
        known_pairs=[("a", "b")],
        level=0.8,
        rng=7,
    )
    assert model.get_params() == expected.get_params()
    assert model.source_table_.correct.sum() > 0  # gold came with the votes


def test_settings_starts_like_a_label_model(votes_csv: Path) -> None:
    model = learn(VotesFile(str(votes_csv), ReadOptions(key="id", gold="y")).read(), Settings(), silent)
    assert model.get_params() == LabelModel().get_params()


def test_progress_tells_the_stage_and_ends_with_all_steps_done(votes_csv: Path) -> None:
    seen: list[tuple[Stage, int, int]] = []
    votes = VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))).read()
    learn(
        votes,
        Settings(method="triplets", class_balance=0.5),
        lambda stage, done, total: seen.append((stage, done, total)),
    )
    assert seen[0] == ("sources", 0, 0)
    assert {stage for stage, _, _ in seen} == {"sources"}
    _, done, total = seen[-1]
    assert done == total > 1
