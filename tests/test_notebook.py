from __future__ import annotations

from karat.notebook import Shown
from karat.value.advice import DataValue
from karat.value.pick import Picked
from karat.value.plan import Plan
from karat.value.rate import Rate
from karat.value.votes_alone import VotesAlone


def test_all_results_and_models_are_shown_in_notebooks() -> None:
    import karat
    from karat.show.checked import Checked

    for kind in (karat.LabelModel, Checked, DataValue, VotesAlone, Plan, Picked, Rate):
        assert issubclass(kind, Shown)
