from __future__ import annotations

from results import fitted, labeled, summary

from carob.commands.label import UpdateResult
from carob.posterior.losses import CrossScore
from carob.show.as_json import as_json
from carob.show.fit import fit_report, label_report, update_report


def test_what_was_learned_from_what() -> None:
    report = fit_report(fitted(), "carob label")
    assert report.verdict == "Learned 2 sources from 2,000 points and 100 gold labels."
    assert (report.next_command, report.exit_code) == ("carob label", 0)
    assert report.sections[2].lines == ["Votes: so.", "Gold: so."]
    without = fit_report(fitted(data=summary(None), score=None, learned_from_gold=False))
    assert without.verdict == "Learned 2 sources from 2,000 points."
    assert len(without.sections) == 3


def test_what_was_written() -> None:
    start = "Learned 2 sources from 2,000 points and 100 gold labels. Wrote"
    assert fit_report(fitted(out="l.csv")).verdict == f"{start} labels to l.csv."
    assert fit_report(fitted(model_file="m.json")).verdict == f"{start} the model to m.json."
    both = fit_report(fitted(out="l.csv", model_file="m.json"))
    assert both.verdict == f"{start} labels to l.csv and the model to m.json."


def test_a_score_on_gold_says_whether_the_model_has_learned_from_it() -> None:
    learned = fit_report(fitted()).sections[-1].title
    assert learned == "On the 100 gold points, which the model has learned from: accuracy .930, log loss .190"
    fresh = fit_report(fitted(learned_from_gold=False)).sections[-1].title
    assert fresh == "On the 100 gold points: accuracy .930, log loss .190"


def test_scores_on_gold_that_labels_were_not_learned_from_are_a_table() -> None:
    score = CrossScore("votes and gold", 0.9, 0.85, 0.94, 0.25, 0.2, 0.3)
    section = fit_report(fitted(scores=(score,), score=None)).sections[-1]
    assert section.title == "How good labels are, on 100 gold labels that they were not learned from"
    assert [str(cell) for cell in section.rows[0]] == ["votes and gold", ".900", ".850 to .940", ".250", ".200 to .300"]


def test_sources_worse_than_chance_are_in_the_verdict() -> None:
    assert fit_report(fitted(worse=("a", "b"))).verdict.endswith("100 gold labels. Worse than chance: 'a', 'b'.")


def test_labels() -> None:
    report = label_report(labeled())
    assert report.verdict == "Labeled 2,000 points; wrote labels.csv."
    (section,) = report.sections
    assert [[str(cell) for cell in row] for row in section.rows] == [["ham", "1,200", ".610"], ["spam", "800", ".390"]]
    assert (report.next_command, report.exit_code) == ("", 0)


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
