from __future__ import annotations

import sys

import numpy as np
import pytest
from results import planned, valued, votes_alone

import carob
from carob.show.notebook import html


def test_results_show_their_verdict_and_charts() -> None:
    for result, charts in ((valued(), 1), (planned(), 1), (votes_alone(), 0)):
        found = result._repr_html_()
        assert found.startswith('<div class="carob"><style>@scope {')
        assert carob.show.html.text(result.verdict) in found
        assert found.count("<figure") == charts


def test_a_model_shows_its_sources() -> None:
    model = carob.LabelModel(replicates=0)
    assert "not fitted yet" in model._repr_html_()
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    votes = np.where(rng.random((4, 300)) < 0.8, truth, 1 - truth).T
    found = model.fit(votes)._repr_html_()
    assert "Learned 4 sources from 300 points." in found
    assert ">s3</th>" in found
    assert "<svg" in found
    picked = carob.pick(votes, n=10)
    assert "Picked 10 of 300 points" in picked._repr_html_()
    assert "<svg" in carob.check(votes)._repr_html_()


def test_without_the_packages_for_charts_words_and_tables_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    found = planned()._repr_html_()
    assert "<table" in found
    assert "<figure" not in found


def test_nothing_else_is_shown() -> None:
    with pytest.raises(TypeError, match="no report on int"):
        html(3)
