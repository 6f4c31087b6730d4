from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from carob.model.label_model import load
from carob.serve.app import make_app
from carob.serve.security import Door
from carob.serve.uploads import Limits

MESSAGES = (Path(__file__).parents[2] / "examples" / "messages.csv").read_bytes()
HOME = "http://127.0.0.1:8765"


class Browser:
    """What the script of the page does."""

    def __init__(self) -> None:
        self.door = Door("127.0.0.1", 8765)
        self.client = TestClient(make_app(self.door, Limits(megabytes=2)), base_url=HOME)
        self.client.get(self.door.address)

    def post(self, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        mine = {"origin": HOME, "x-carob-token": self.door.token, **headers}
        found: dict[str, Any] = self.client.post(path, content=content, headers=mine).json()
        return found

    def open(self, name: str, content: bytes) -> dict[str, Any]:
        return self.post("/open", content, **{"x-file-name": name})

    def weighed(self) -> str:
        for _ in range(600):
            if self.client.get("/progress").json()["state"] != "running":
                break
            time.sleep(0.05)
        found: str = self.client.get("/view").json()["html"]
        return found


@pytest.fixture(scope="module")
def browser() -> Browser:
    found = Browser()
    assert "html" in found.open("messages.csv", MESSAGES)
    assert 'id="found"' in found.weighed()
    return found


def test_the_page_and_its_parts_are_there(browser: Browser) -> None:
    page = browser.client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert browser.door.token in page.text
    for name, kind in (("page.js", "javascript"), ("page.css", "css"), ("style.css", "css"), ("icon.svg", "svg")):
        assert kind in browser.client.get(f"/{name}").headers["content-type"]
    assert browser.client.get("/nothing").status_code == 404
    assert browser.client.get("/download/..%2f..%2fetc%2fpasswd").status_code == 404


def test_the_plan_follows_its_prices(browser: Browser) -> None:
    asked = {"label_cost": "1", "point_cost": "0.1", "budget": "50", "labels": "10"}
    assert "for 10.00" in browser.client.get("/plan", params=asked).json()["html"]
    said = browser.client.get("/plan", params=asked | {"budget": "many"}).json()["error"]
    assert said == "budget must be a number of 0 or more, not 'many'."
    said = browser.client.get("/plan", params=asked | {"budget": "-1"}).json()["error"]
    assert said.startswith("budget must be a number of 0 or more")


def test_everything_can_be_downloaded(browser: Browser, tmp_path: Path) -> None:
    def file(name: str) -> bytes:
        answer = browser.client.get(f"/download/{name}")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
        return answer.content

    assert file("labels.csv").startswith(b'"id","label","p_ham","p_spam","n_votes"')
    assert pq.read_table(io.BytesIO(file("labels.parquet"))).num_rows == 1_000
    (tmp_path / "model.json").write_bytes(file("model.json"))
    assert load(tmp_path / "model.json").classes_.tolist() == ["ham", "spam"]
    report = file("report.html").decode()
    assert report.count("<svg") == 9
    assert "Report on messages.csv" in report


def test_points_are_picked_and_labeled(browser: Browser) -> None:
    assert browser.client.get("/download/gold.csv").status_code == 409
    answer = browser.post("/pick", {"number": "3", "goal": "labels"})
    row = answer["html"].partition('data-row="')[2].partition('"')[0]
    assert "1 label given here." in browser.post("/label", {"row": row, "label": "spam"})["given"]
    assert browser.client.get("/download/gold.csv").content.count(b"\n") == 2
    assert browser.client.get("/download/to_label.csv").content.count(b"\n") == 4
    assert "no class" in browser.post("/label", {"row": row, "label": "eggs"})["error"]
    assert "no point" in browser.post("/label", {"row": "x"})["error"]
    assert "whole number" in browser.post("/pick", {"number": "many"})["error"]
    assert "goal must be" in browser.post("/pick", {"number": "3", "goal": "gold"})["error"]


def test_sources_are_switched_off_and_the_effect_is_told() -> None:
    browser = Browser()
    browser.open("messages.csv", MESSAGES)
    browser.weighed()
    on = ["all_caps", "asks_for_money", "llm_judge", "long_text", "new_sender"]
    pair = {"first": "all_caps", "second": "llm_judge"}
    assert "html" in browser.post("/choose", {"on": on, "method": "consensus", **pair})
    page = browser.weighed()
    assert "Since the last look: the log loss of votes and gold went from" in page
    assert "all_caps with llm_judge" in page
    said = browser.post("/choose", {"on": on, "method": "consensus", "first": "all_caps"})["error"]
    assert said == "choose two sources to count as one."
    assert "all sources are switched off" in browser.post("/choose", {"on": []})["error"]
    assert "reading" in browser.post("/weigh")["html"] or browser.weighed()
    assert browser.post("/cancel")["said"] == "Cancelled."
    assert 'type="file"' in browser.post("/close")["html"]
    assert browser.client.get("/progress").json() == {"state": "none"}
    assert browser.client.get("/download/report.html").status_code == 409


def test_refusals_are_sentences() -> None:
    browser = Browser()
    assert "files end in" in browser.open("votes.xlsx", b"PK")["error"]
    assert "no votes are open" in browser.post("/weigh")["error"]
    wrong = browser.open("v.csv", b"a,b,gold\n1,x,1\n2,y,0\n")
    assert "hold" in wrong["error"]  # text beside numbers
    assert "Correct it" in browser.client.get("/view").json()["html"]
    assert "html" in browser.open("v.csv", MESSAGES)
    assert browser.post("/read", {"gold": "nothing"})["error"].startswith("there is no column 'nothing'")
    assert "html" in browser.post("/read", {"gold": "truth", "key": "id", "ignore_case": True})
    mine = {"origin": HOME, "x-carob-token": browser.door.token}
    assert browser.client.post("/weigh", content=b"[1]", headers=mine).status_code == 400
    assert browser.client.post("/weigh", content=b"{", headers=mine).status_code == 400
    assert browser.client.post("/open", content=b"x" * (3 << 20), headers=mine).status_code == 413
