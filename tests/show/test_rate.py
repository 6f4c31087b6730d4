from __future__ import annotations

from carob.show.rate import rate_report
from carob.value.rate import ClassRate, GroupRate, Rate
from carob.votes.messages import Message


def told(**options: object) -> Rate:
    shares = (
        ClassRate("fail", 0.38, 0.3, 0.46, 0.35, 0.25, 0.46, 1.0),
        ClassRate("pass", 0.62, 0.54, 0.7, 0.65, 0.54, 0.75, 1.0),
    )
    groups = (GroupRate("a", 500, 60, shares, 120.4), GroupRate("b", 500, 3), GroupRate("", 9, 2))
    return Rate(GroupRate(None, 50_000, 200, shares, 640.0), groups, 0.9, False, **options)  # type: ignore[arg-type]


def test_shares_with_their_intervals_and_what_votes_were_worth() -> None:
    report = rate_report(told(), "carob pick")
    assert report.verdict == "Your 200 gold labels and 50,000 points with votes are worth 640 random gold labels."
    overall, groups = report.sections
    assert overall.title == "How common each class is among these 50,000 points"
    assert [[str(cell) for cell in row] for row in overall.rows] == [
        ["fail", ".380", ".300 to .460", ".350", ".250 to .460"],
        ["pass", ".620", ".540 to .700", ".650", ".540 to .750"],
    ]
    assert [[str(cell) for cell in row] for row in groups.rows] == [
        ["a", "pass", ".620", ".540 to .700", "500", "60", "120"]
    ]
    assert groups.lines == ["Too little gold to tell: 'b' (3 gold labels), '' (2 gold labels)."]
    assert (report.next_command, report.exit_code) == ("carob pick", 0)


def test_what_was_set_aside_is_said() -> None:
    report = rate_report(told(messages=(Message("dropped", "Set aside, they never vote: x."),)))
    assert report.sections[-1].lines == ["Set aside, they never vote: x."]
