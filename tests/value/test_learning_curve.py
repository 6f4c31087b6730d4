from __future__ import annotations

import numpy as np
import pytest

from karat.estimate.settings import Settings
from karat.value.learning_curve import LearningCurve
from karat.value.risks import Risks

SETTINGS = Settings(class_balance=0.5, symmetric=True)


def test_known_answer_corrections_between_two_numbers_of_labels(risks: Risks) -> None:
    curve = risks.labeled
    sizes_, found = zip(*curve.corrections.items(), strict=True)
    plain = LearningCurve(curve.curve, curve.points, {})
    middle = float(np.sqrt(sizes_[0] * sizes_[1]))
    added = curve.at(middle).value - plain.at(middle).value
    assert added == pytest.approx((found[0].value + found[1].value) / 2)
    assert curve.at(10**6).value - plain.at(10**6).value == pytest.approx(found[-1].value)
    assert curve.at(1).value - plain.at(1).value == pytest.approx(found[0].value)
    many = np.array([7.0, 33.0, 90.0, 5_000.0])
    np.testing.assert_allclose(curve.values(many), [curve.at(n).value for n in many])
