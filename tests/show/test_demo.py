from __future__ import annotations

from results import demonstrated

from carob.show.demo import demo_report, named_scores


def test_demo() -> None:
    result = demonstrated()
    report = demo_report(result)
    assert report.verdict == "Without a single gold label, twelve word rules label 93% of 2,000 IMDB reviews right."
    sources, wrong, advice, pairs = report.sections
    assert [str(cell) for cell in wrong.rows[0]] == ["votes alone, median of triplets", ".930", ".880", ".190"]
    assert advice.title == "What to do next, told from 200 gold labels"
    assert advice.lines == [result.value.verdict]
    assert sources.title.startswith("Sources")
    assert pairs.title.startswith("1 pair")
    assert (report.next_command, report.exit_code) == ("carob check YOUR_VOTES.csv", 0)


def test_names_of_the_scores() -> None:
    assert list(named_scores(demonstrated())) == [
        "votes alone, median of triplets",
        "votes alone, mean of triplets",
        "votes alone, all that they say together",
        "the same and 200 gold labels",
        "gold for all points",
    ]
