from __future__ import annotations

import numpy as np
from simulate import sample, some_gold

from carob import LabelModel
from carob.posterior.naive_bayes import posterior


def test_a_fit_of_the_paper_labels_by_naive_bayes_and_explains_votes_by_its_sources() -> None:
    votes = sample(300, abstain=0.2)
    fit = LabelModel("triplets", class_balance=0.5, replicates=0).fit(votes, np.full(300, None)).fit_
    np.testing.assert_array_equal(fit.posterior(votes), posterior(votes, fit.model))
    assert fit.class_model(votes) is fit.model


def test_which_fits_saw_gold() -> None:
    votes = sample(300)
    few = some_gold(votes, 30)
    assert not LabelModel("triplets", class_balance=0.5, replicates=0).fit(votes, few).fit_.sources_saw_gold
    assert LabelModel("labeled").fit(votes, few).fit_.sources_saw_gold
    assert LabelModel().fit(votes, few).fit_.sources_saw_gold
    assert not LabelModel().fit(votes, np.full(300, None)).fit_.sources_saw_gold
