from __future__ import annotations

from results import fitted

from carob.commands.update import UpdateResult
from carob.show.as_json import as_json
from carob.show.update import update_report


def test_what_was_added_and_what_there_is_now() -> None:
    of_all = fitted()
    result = UpdateResult(of_all.data, of_all.class_balance, 500, 20, "model.json")
    report = update_report(result, "carob label new.csv")
    assert report.verdict == (
        f"Learned from 500 points and 20 gold labels more, {of_all.data.n_points:,} points in all. Wrote the model to "
        "model.json."
    )
    assert report.sections[0].title.startswith(("Sources", "Set aside"))
    assert '"n_added": 500' in as_json(result, report)
