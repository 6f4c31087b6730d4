from __future__ import annotations

import pytest

from carob.commands.demo import DemoResult, run_demo
from carob.commands.progress import Stage


@pytest.fixture(scope="module")
def seen() -> list[Stage]:
    return []


@pytest.fixture(scope="module")
def found(seen: list[Stage]) -> DemoResult:
    return run_demo(lambda stage, done, total: seen.append(stage))


def test_known_answer_the_paper(found: DemoResult) -> None:
    assert found.data.n_points == 50_000
    assert len(found.data.sources.source) == 12
    assert found.scores["labeled"].loss == pytest.approx(0.564, abs=0.003)
    assert found.scores["corrected"].f1 == pytest.approx(0.677, abs=0.01)
    losses = [found.scores[name].loss for name in ("labeled", "combined", "corrected", "unlabeled")]
    assert losses == sorted(losses)


def test_what_to_do_next_is_told_from_few_gold_labels(found: DemoResult) -> None:
    assert found.value.n_gold == found.n_gold == 200
    assert found.value.kind == "buy labels"
    assert (found.pairs[0].first, found.pairs[0].second) == ("good", "bad")


def test_both_stages_are_told(found: DemoResult, seen: list[Stage]) -> None:
    assert list(dict.fromkeys(seen)) == ["sources", "value"]
