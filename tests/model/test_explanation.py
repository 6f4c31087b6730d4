from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, sample, some_gold, symmetric_conditionals

from carob import InputError, LabelModel, Votes
from carob.errors import NotFittedError
from carob.model.explanation import moved


def test_a_fit_is_explained_by_what_it_found() -> None:
    votes = sample(400)
    assert LabelModel().fit(votes).explain().startswith("Sources: from what all votes say together on 400 points.")
    assert "corrected by 30 gold labels." in LabelModel().fit(votes, some_gold(votes, 30)).explain()
    triplets = LabelModel(method="triplets", replicates=0).fit(votes).explain()
    assert triplets.startswith("Votes: the median of triplets")


@pytest.mark.parametrize("method", ["consensus", "triplets"])
def test_a_point_is_explained_however_it_is_given(method: str) -> None:
    conditionals = symmetric_conditionals([0.9, 0.8, 0.7, 0.6], abstain=0.2)
    votes = draw_votes(np.random.default_rng(0), 2_000, conditionals, [0.5, 0.5])
    model = LabelModel(method=method, class_balance=0.5, replicates=0).fit(votes)  # type: ignore[arg-type]
    values = [1, 0, -1, 1]
    said = model.explain(values)
    assert model.explain(np.array(values)) == said
    assert model.explain({"s0": 1, "s1": 0, "s3": 1}) == said
    assert model.explain({"s3": 1, "s2": None, "s1": 0, "s0": 1}) == said
    assert model.explain(Votes(np.array([values], dtype=np.int8), votes.sources, votes.coding)) == said
    first, *lines = said.splitlines()
    p = model.predict_proba([values])[0]
    assert first == f"1 with probability {p[1]:.3f}; with each vote less without it:"
    # Each line is the probability with the vote less that without it, the largest first.
    for line in lines:
        change, source, _, vote = line.split()
        without = [-1 if f"s{i}" == source else value for i, value in enumerate(values)]
        assert int(vote) == values[int(source[1])]
        assert float(change) == pytest.approx(p[1] - model.predict_proba([without])[0, 1], abs=6e-4)
    assert lines[0].split()[1] == "s0"
    sizes = [abs(float(line.split()[0])) for line in lines]
    assert sizes == sorted(sizes, reverse=True)
    assert len(lines) == 3


def test_votes_for_the_label_raise_it_and_others_lower_it() -> None:
    votes = draw_votes(np.random.default_rng(0), 2_000, symmetric_conditionals([0.8] * 5), [0.5, 0.5])
    model = LabelModel(class_balance=0.5).fit(votes)
    label, probability, changes = moved(model.fit_, votes.take(slice(3, 4)))
    assert label == model.predict(votes)[3]
    assert probability == pytest.approx(model.predict_proba(votes)[3].max())
    assert all((change.vote == label) == (change.change > 0) for change in changes)


def test_a_point_without_votes_and_what_is_no_point() -> None:
    votes = sample(300, abstain=0.2)
    model = LabelModel(class_balance=0.3).fit(votes)
    assert model.explain([-1] * 10) == "0 with probability 0.700: nobody votes on the point."
    assert model.explain({}) == model.explain([-1] * 10)
    with pytest.raises(InputError, match="explain takes one point, not 300"):
        model.explain(votes)
    with pytest.raises(NotFittedError):
        LabelModel().explain([0, 1])


def test_classes_in_words() -> None:
    words = np.where(sample(300).values == 1, "spam", "ham")
    said = LabelModel(class_balance=0.5).fit(words).explain(["spam"] * 10)
    assert said.startswith("'spam' with probability 0.9")
    assert "votes 'spam'" in said
