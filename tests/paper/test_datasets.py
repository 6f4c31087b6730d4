from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from carob import InputError, LabelModel, Votes
from carob.paper.datasets import load_imdb, read_imdb_reviews
from carob.posterior.losses import score

REVIEWS = {
    "train/pos/0_9.txt": "I love it",
    "train/neg/1_2.txt": "the worst ö",
    "test/pos/0_10.txt": "great",
    "train/unsup/0_0.txt": "left out",
    "README": "left out",
}


def test_the_table_is_that_of_the_reviews(shared_data: Callable[[str], Path]) -> None:
    expected = pd.read_parquet(shared_data("imdb_votes.parquet")).to_numpy()
    votes = load_imdb()
    assert votes.gold is not None
    found = np.column_stack([votes.values, votes.gold.values])
    for one, two in zip(*(np.unique(rows, axis=0, return_counts=True) for rows in (found, expected)), strict=True):
        assert np.array_equal(one, two)


def test_the_table_has_2976_rows() -> None:
    votes = load_imdb()
    assert votes.gold is not None
    rows = np.unique(np.column_stack([votes.values, votes.gold.values]), axis=0)
    assert rows.shape == (2976, 13)
    assert votes.values[:, 0].sum() == 8924  # reviews with "love"


def splits(votes: Votes, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    orders = [rng.permutation(50_000) for _ in range(count)]
    return [(order[:40_000], order[40_000:]) for order in orders]


@pytest.mark.slow
def test_known_answer_case_study_over_ten_splits() -> None:
    """Mean loss and F1 over ten random splits are within two standard errors of the measured ones."""
    votes = load_imdb()
    found: dict[str, list[tuple[float, float]]] = {"labeled": [], "median": []}
    for train, test in splits(votes, 10):
        learn, held = votes.take(train), votes.take(test)
        assert held.gold is not None
        models = {
            "labeled": LabelModel("labeled", class_balance=0.5).fit(learn, learn.gold),
            "median": LabelModel("triplets", class_balance=0.5, replicates=0).fit(learn),
        }
        for name, model in models.items():
            measured = score(model.predict_proba(held), held.gold)
            found[name].append((measured.loss, 100 * measured.f1))
    for name, expected in {"labeled": (0.564, 71.5), "median": (0.681, 67.7)}.items():
        mean, error = np.mean(found[name], axis=0), np.std(found[name], axis=0, ddof=1) / np.sqrt(10)
        assert np.all(np.abs(mean - expected) <= 2 * error), (name, mean, error)


def test_folder_archive_and_table(tmp_path: Path) -> None:
    folder = tmp_path / "aclImdb"
    for name, text in REVIEWS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    archive = tmp_path / "aclImdb_v1.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for name, text in REVIEWS.items():
            info = tarfile.TarInfo(f"aclImdb/{name}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    table = tmp_path / "IMDB Dataset.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["review", "sentiment"])
        writer.writerows([["I love it", "positive"], ["the worst ö", "negative"], ["great", "positive"]])
    expected = [("I love it", 1), ("great", 1), ("the worst ö", 0)]
    for path in (folder, archive, table):
        reviews = read_imdb_reviews(path)
        assert sorted(zip(reviews.texts, reviews.labels.tolist(), strict=True)) == expected


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no reviews"):
        read_imdb_reviews(tmp_path)
    with pytest.raises(InputError, match="no file"):
        read_imdb_reviews(tmp_path / "none.csv")
    (tmp_path / "x.tar.gz").write_bytes(b"no archive")
    with pytest.raises(InputError, match="cannot read the archive"):
        read_imdb_reviews(tmp_path / "x.tar.gz")
    (tmp_path / "x.csv").write_text("text,y\ngood,maybe\n")
    with pytest.raises(InputError, match="neither positive nor negative: 'maybe'"):
        read_imdb_reviews(tmp_path / "x.csv")
    (tmp_path / "y.csv").write_text("body,y\ngood,1\n")
    with pytest.raises(InputError, match="no column of texts: review or text"):
        read_imdb_reviews(tmp_path / "y.csv")
