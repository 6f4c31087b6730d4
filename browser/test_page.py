"""The local page, the whole way from a file to what is downloaded."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from looks import check_accessible, check_charts, take_pictures
from playwright.sync_api import Page, Route, expect
from user_files import BAD, BROKEN, JUDGES, MESSAGES, judged, long, many_classes, wide

Opened = Callable[..., Page]


def start(opened: Opened, server: str, **options: object) -> Page:
    """The page as it is at first, with nothing open."""
    page = opened(server.partition("?")[0], **options)
    page.goto(server)
    if page.get_by_role("button", name="Open another file").count():
        page.get_by_role("button", name="Open another file").click()
    expect(page.locator("#file")).to_be_visible()
    return page


def upload(page: Page, path: Path) -> None:
    page.set_input_files("#file", path)


def weighed(page: Page) -> None:
    expect(page.locator("#found .verdict").first).to_be_visible()
    expect(page.locator("#progress")).to_be_hidden()


def downloaded(page: Page, name: str, folder: Path) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("link", name=name, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path.read_bytes()


def facts(page: Page) -> str:
    return page.locator("#understood dl").inner_text()


def test_the_start(opened: Opened, server: str) -> None:
    page = start(opened, server)
    check_accessible(page)
    take_pictures(page, "start")


def test_a_wide_file_from_upload_to_download(opened: Opened, server: str, tmp_path: Path) -> None:
    page = start(opened, server)
    upload(page, wide(tmp_path))
    weighed(page)
    assert "60 in column gold" in facts(page)
    assert page.locator("img").count() == 0
    expect(page.get_by_text(BAD).first).to_be_visible()
    check_charts(page, 7)
    expect(page.locator("#plan svg")).to_be_visible()
    check_accessible(page)
    take_pictures(page, "wide")
    rows = list(csv.DictReader(downloaded(page, "Labels (CSV)", tmp_path).decode().splitlines()))
    assert len(rows) == 400
    assert rows[7]["id"] == "00007"
    assert downloaded(page, "Labels (Parquet)", tmp_path).startswith(b"PAR1")
    assert b'"carob model"' in downloaded(page, "The model", tmp_path)
    report = downloaded(page, "The report", tmp_path).decode()
    assert "what somebody wrote" not in report
    assert "<img" not in report


def test_the_planner_moves_with_its_inputs(opened: Opened, server: str) -> None:
    page = start(opened, server)
    upload(page, MESSAGES)
    weighed(page)
    expect(page.locator("#plan")).to_contain_text("Buy")
    page.get_by_label("Budget", exact=True).fill("700")
    expect(page.locator("#plan table").first).to_contain_text("3,500.00")
    page.get_by_label("Gold labels, if you buy them alone", exact=True).fill("77")
    expect(page.locator("#plan")).to_contain_text("Buy 77 gold labels for 77.00")
    page.get_by_label("Budget", exact=True).fill("-3")
    expect(page.locator('[data-error="plan"]')).to_contain_text("budget must be a number of 0 or more")
    page.get_by_label("Budget", exact=True).fill("10")
    expect(page.locator('[data-error="plan"]')).to_be_hidden()


def test_sources_are_switched_off_and_merged_and_the_estimator_changed(opened: Opened, server: str) -> None:
    page = start(opened, server)
    upload(page, MESSAGES)
    weighed(page)
    page.get_by_role("checkbox", name="long_text").uncheck()
    page.get_by_label("This source", exact=True).select_option("has_link")
    page.get_by_label("with this one", exact=True).select_option("new_sender")
    page.get_by_role("button", name="Weigh", exact=True).click()
    expect(page.locator(".effect")).to_contain_text("labels changed")
    weighed(page)
    assert "5 sources" in page.locator("#found .facts").first.inner_text()
    expect(page.get_by_text("has_link with new_sender")).to_be_visible()
    take_pictures(page, "changed")
    page.get_by_label("Learn from", exact=True).select_option("triplets")
    page.get_by_role("button", name="Weigh", exact=True).click()
    expect(page.locator("#method")).to_contain_text("triplets")
    for box in page.locator('input[name="on"]').all():
        box.uncheck()
    page.get_by_role("button", name="Weigh", exact=True).click()
    expect(page.locator('[data-error="choose"]')).to_contain_text("all sources are switched off")


def test_gold_comes_from_a_second_file_and_columns_are_what_a_user_says(
    opened: Opened, server: str, tmp_path: Path
) -> None:
    page = start(opened, server)
    upload(page, judged(tmp_path))
    weighed(page)
    expect(page.locator("#understood")).not_to_contain_text("Scores:")
    page.get_by_text("Correct it").click()
    page.get_by_label("What columns hold", exact=True).fill("rating=0..100")
    page.get_by_label("Values to read as others", exact=True).fill("no.=no")
    page.get_by_role("button", name="Read it so").click()
    weighed(page)
    expect(page.locator("#understood")).to_contain_text("Scores: rating (0 to 100)")
    assert "classes 'no', 'yes'" in facts(page)
    page.get_by_text("Add gold labels from a second file").click()
    other = tmp_path / "other.csv"
    other.write_text("name,truth\n00000,yes\n")
    page.set_input_files("#gold-file", other)
    expect(page.get_by_text("the gold file has no column 'id'")).to_be_visible()
    page.get_by_text("Add gold labels from a second file").click()
    gold = tmp_path / "gold.csv"
    gold.write_text("id,truth\n" + "".join(f"{i:05d},{'yes' if i % 3 else 'no'}\n" for i in range(40)))
    page.set_input_files("#gold-file", gold)
    expect(page.locator("#understood dl")).to_contain_text("40, with those of gold.csv")
    weighed(page)
    page.get_by_text("Add gold labels from a second file").click()
    check_accessible(page)
    take_pictures(page, "second-file")


def test_points_are_labeled_and_the_value_changes(opened: Opened, server: str, tmp_path: Path) -> None:
    page = start(opened, server)
    upload(page, wide(tmp_path))
    weighed(page)
    before = page.locator("#found .verdict").first.inner_text()
    page.get_by_label("How many points", exact=True).fill("6")
    page.get_by_role("button", name="Pick points").click()
    expect(page.locator(".points li")).to_have_count(6)
    expect(page.locator(".points .text").first).to_contain_text("is what somebody wrote in message")
    take_pictures(page, "labeling")
    for k in range(6):
        page.locator(".points li").nth(k).get_by_role("radio").nth(k % 2).check()
        expect(page.locator("#given")).to_contain_text(f"{k + 1} label")
    check_accessible(page)
    page.get_by_role("button", name="Weigh again with these labels").click()
    expect(page.locator(".effect")).to_be_visible()
    weighed(page)
    assert "66 gold labels" in page.locator("#found .facts").first.inner_text()
    assert page.locator("#found .verdict").first.inner_text() != before
    given = list(csv.DictReader(downloaded(page, "The labels given here", tmp_path).decode().splitlines()))
    assert len(given) == 6
    assert set(given[0]) == {"id", "gold", "chance"}
    assert downloaded(page, "The points to label", tmp_path).count(b"\n") == 7


def test_a_row_per_vote_without_gold(opened: Opened, server: str, tmp_path: Path) -> None:
    page = start(opened, server)
    upload(page, long(tmp_path))
    weighed(page)
    assert "task = item_id, worker = annotator, label = answer" in facts(page)
    assert "12: w" in facts(page)
    assert page.locator("#planner").count() == 0  # no gold, no plan
    check_accessible(page)
    take_pictures(page, "long")
    assert downloaded(page, "Labels (CSV)", tmp_path).count(b"\n") == 201


def test_many_classes(opened: Opened, server: str, tmp_path: Path) -> None:
    page = start(opened, server)
    upload(page, many_classes(tmp_path))
    weighed(page)
    assert "'c9'" in facts(page)
    page.get_by_label("How many points", exact=True).fill("1")
    page.get_by_role("button", name="Pick points").click()
    page.locator(".points select").select_option("c3")
    expect(page.locator("#given")).to_contain_text("1 label given here")
    check_accessible(page)
    take_pictures(page, "classes")


def test_scores(opened: Opened, server: str) -> None:
    page = start(opened, server)
    upload(page, JUDGES)
    weighed(page)
    expect(page.get_by_text("best cut").first).to_be_visible()
    check_accessible(page)
    take_pictures(page, "scores")


def test_broken_files_are_refused_in_a_sentence_where_they_were_chosen(
    opened: Opened, server: str, tmp_path: Path
) -> None:
    for name, (content, words) in BROKEN.items():
        page = start(opened, server)
        (tmp_path / name).write_bytes(content)
        upload(page, tmp_path / name)
        expect(page.locator("[data-error]").filter(has_text=words)).to_be_visible()
        expect(page.locator("#status")).to_have_text("That did not work.")
    take_pictures(page, "broken")


def test_what_was_misunderstood_is_corrected(opened: Opened, server: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c,verdict\n" + "Yes,yes,No,yes\nno,No,no,no\nyes,no,Yes,\n" * 40)
    page = start(opened, server)
    upload(page, path)
    expect(page.locator("#understood")).to_contain_text("none; choose the column of gold labels")
    weighed(page)
    page.get_by_text("Correct it").click()
    page.get_by_label("Gold labels", exact=True).select_option("verdict")
    page.get_by_label("Capital and small letters are the same").check()
    page.get_by_role("button", name="Read it so").click()
    expect(page.locator("#understood")).to_contain_text("80 in column verdict")
    expect(page.locator("#understood")).to_contain_text("'no', 'yes'")
    weighed(page)
    page.get_by_text("Correct it").click()
    page.get_by_label("Classes, in order").fill("yes")
    page.get_by_role("button", name="Read it so").click()
    expect(page.locator('[data-error="read"]')).not_to_be_empty()
    take_pictures(page, "misread")


def test_the_example_shows_progress_and_can_be_cancelled(opened: Opened, server: str) -> None:
    page = start(opened, server)
    page.get_by_role("button", name="Start with the IMDB example").click()
    expect(page.locator("#progress")).to_be_visible()
    expect(page.locator("#progress-words")).to_contain_text("earning the sources")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#progress")).to_be_hidden()
    expect(page.locator("#status")).to_have_text("Cancelled.")
    assert page.locator("#found").count() == 0
    page.get_by_role("button", name="Weigh", exact=True).click()
    expect(page.locator("#progress")).to_be_visible()
    take_pictures(page, "progress")
    weighed(page)
    assert "200" in facts(page)
    check_charts(page, 8)
    check_accessible(page)
    take_pictures(page, "example")


def test_an_answer_from_before_a_cancel_does_not_unsay_it(opened: Opened, server: str) -> None:
    page = start(opened, server)
    late: list[Route] = []
    page.route("**/progress", lambda route: late.append(route))
    with page.expect_request("**/progress"):
        page.get_by_role("button", name="Start with the IMDB example").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#status")).to_have_text("Cancelled.")
    page.locator("#status").evaluate(
        "said => new MutationObserver(() => { said.dataset.anew = 'yes' }).observe(said, { childList: true })"
    )
    late[0].continue_()
    expect(page.locator("#status")).to_have_attribute("data-anew", "yes")
    expect(page.locator("#status")).to_have_text("Cancelled.", timeout=1_000)


def test_an_answer_from_before_a_refusal_does_not_unsay_it(opened: Opened, server: str, tmp_path: Path) -> None:
    page = start(opened, server)
    late: list[Route] = []
    page.route("**/progress", lambda route: route.continue_() if late else late.append(route))
    with page.expect_request("**/progress"):
        upload(page, judged(tmp_path))
    other = tmp_path / "other.csv"
    other.write_text("name,truth\n00000,yes\n")
    page.get_by_text("Add gold labels from a second file").click()
    page.set_input_files("#gold-file", other)
    refusal = page.get_by_text("the gold file has no column 'id'")
    expect(refusal).to_be_visible()
    refusal.evaluate("place => { place.dataset.before = 'yes' }")
    late[0].continue_()
    expect(page.locator("[data-error]:not([data-before])", has_text="the gold file has no column 'id'")).to_be_visible()


def test_a_file_is_dropped_in_the_dark(opened: Opened, server: str) -> None:
    page = start(opened, server, color_scheme="dark")
    handle = page.evaluate_handle(
        "text => { const t = new DataTransfer(); t.items.add(new File([text], 'dropped.csv')); return t }",
        MESSAGES.read_text(),
    )
    page.dispatch_event("#drop", "drop", {"dataTransfer": handle})
    weighed(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("dropped.csv")
    check_accessible(page)
    take_pictures(page, "dark")


def test_by_keyboard_alone(opened: Opened, server: str) -> None:
    page = start(opened, server)
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Start with the IMDB example":
            break
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_be_visible()
    page.get_by_role("button", name="Cancel").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_be_hidden()
