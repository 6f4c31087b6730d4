from __future__ import annotations

import re

import pytest

from carob import InputError
from carob.commands.analysis import Prices
from carob.serve.views import Views, given, shell
from carob.serve.workspace import Workspace

BAD = "<img src=x onerror=alert(1)>"


def votes(gold: int) -> bytes:
    """Six sources of 80 points, one with a name that wants to be HTML, and classes that do."""
    lines = [f'"{BAD}",b,c,d,e,f,text,y']
    for i in range(80):
        truth = i % 2
        words = [f"<b>{truth if (i * (k + 3)) % 7 else 1 - truth}" for k in range(6)]
        lines.append(",".join([*words, f'"{BAD} number {i} in many words"', f"<b>{truth}" if i < gold else ""]))
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def views() -> Views:
    work = Workspace()
    work.open_file(f"{BAD}.csv", votes(40))
    found = Views(work)
    assert work.start_analysis(prepare=found.draw).wait(60)
    assert work.job is not None
    assert work.job.state == "done", work.job.error
    return found


def test_the_start_takes_a_file_or_the_example() -> None:
    page = shell("t&ken", Views(Workspace()).main("too large"))
    assert 'name="carob-token" content="t&amp;ken"' in page
    assert 'type="file"' in page
    assert 'data-action="example"' in page
    assert ">too large</p>" in page
    assert not re.search(r"<script(?! src=\"/page.js\")|style=\"|onclick", page)


def test_all_parts_are_shown_and_all_names_are_escaped(views: Views) -> None:
    page = views.main()
    for part in ("understood", "learn", "sources", "evidence", "error", "value", "planner", "labeling", "downloads"):
        assert f'id="{part}"' in page
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<b>" not in page
    assert page.count("<svg") >= 6
    names = re.findall(r'\bid="([^"]*)"', page)
    assert len(names) == len(set(names))


def test_every_field_has_a_label(views: Views) -> None:
    page = views.main()
    for name in re.findall(r'<(?:select|input)[^>]* id="([^"]*)"', page):
        assert f'<label for="{name}">' in page


def test_the_planner_answers(views: Views) -> None:
    answer = views.plan(Prices(1.0, 0.5, 30.0, example=False), 20)
    assert "If you buy labels alone: Buy 20 gold labels for 20.00" in answer
    assert "<svg" in answer
    assert "<h3" in answer
    with pytest.raises(InputError, match="20 gold labels at least"):
        Views(Workspace()).plan(Prices(), 1)


def test_picked_points_are_shown_with_their_text_and_buttons(views: Views) -> None:
    work = views.workspace
    assert given(work) == ""
    work.pick(3, "labels")
    page = views.main()
    assert page.count("<legend>row ") == 3
    assert "in many words" in page
    assert page.count('type="radio"') == 6
    assert "/download/to_label.csv" in page
    assert work.picked is not None
    work.give(int(work.picked.rows[0]), "<b>1")
    assert "1 label given here." in views.main()
    assert "/download/gold.csv" in views.main()
    assert " checked> &lt;b&gt;1" in views.main()
    work.give(int(work.picked.rows[0]), "")


def test_many_classes_are_a_list_to_choose_from() -> None:
    work = Workspace()
    lines = ["a,b,c"] + [f"c{i % 12},c{(i + i // 12) % 12},c{i % 12}" for i in range(60)]
    work.open_file("v.csv", "\n".join(lines).encode())
    work.pick(1, "estimate")
    work.analysis = None
    from carob.serve.views import _point

    assert work.picked is not None
    assert "<option" in _point(work, int(work.picked.rows[0]))


def test_what_cannot_be_learned_is_said() -> None:
    work = Workspace()
    work.open_file("v.csv", b"a,b\n" + b"0,1\n1,1\n0,0\n" * 20)
    work.choose("triplets", [], [], "")
    views = Views(work)
    assert work.start_analysis(prepare=views.draw).wait(30)
    page = views.main()
    assert "To mend" in page
    assert 'id="downloads"' not in page
