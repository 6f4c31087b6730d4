from __future__ import annotations

from carob._types import Shown
from carob.value.advice import DataValue
from carob.value.pick import Picked
from carob.value.plan import Plan
from carob.value.rate import Rate
from carob.value.votes_alone import VotesAlone


def test_all_results_and_models_are_shown_in_notebooks() -> None:
    import carob
    from carob.show.check import Checked

    for kind in (carob.LabelModel, Checked, DataValue, VotesAlone, Plan, Picked, Rate):
        assert issubclass(kind, Shown)
