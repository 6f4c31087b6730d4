from __future__ import annotations

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from carob.serve.security import POLICY, Door, Guard

DOOR = Door("127.0.0.1", 8765, token="secret")  # noqa: S106 (of a test)
HOME = "http://127.0.0.1:8765"
GOOD = {"origin": HOME, "x-carob-token": "secret", "cookie": "carob_8765=secret"}


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{scope['method']} {len(body)}")(scope, receive, send)


def client() -> TestClient:
    return TestClient(Guard(echo, DOOR, 1_000), base_url=HOME, follow_redirects=False)


def test_the_token_in_the_address_becomes_a_cookie_and_leaves_the_address() -> None:
    answer = client().get("/?token=secret")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("carob_8765=secret")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert client().get("/?token=wrong").status_code == 403


def test_nothing_is_answered_without_the_cookie() -> None:
    assert client().get("/view").status_code == 403
    assert client().get("/view", headers={"cookie": "carob_8765=secret"}).text == "GET 0"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1:1", "127.0.0.1", ""])
def test_other_names_for_this_machine_are_refused(host: str) -> None:
    assert client().get("/", headers={"host": host, **GOOD}).status_code == 421


def test_a_post_from_our_own_page_is_answered() -> None:
    assert client().post("/open", headers=GOOD, content=b"abc").text == "POST 3"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": None}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"x-carob-token": "wrong"}, 403),
        ({"x-carob-token": None}, 403),
        ({"cookie": None}, 403),
        ({"content-length": "1001"}, 413),
        ({"content-length": "-1"}, 411),
    ],
)
def test_other_posts_are_refused(change: dict[str, str | None], status: int) -> None:
    headers = {name: value for name, value in (GOOD | change).items() if value is not None}
    assert client().post("/open", headers=headers, content=b"abc").status_code == status


def test_a_body_of_unknown_length_is_refused() -> None:
    assert client().post("/open", headers=GOOD, content=iter([b"abc"])).status_code == 411


def test_other_methods_are_refused() -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        assert client().request(method, "/", headers=GOOD).status_code == 405


def test_every_answer_forbids_to_load_or_run_what_is_elsewhere() -> None:
    for answer in (client().get("/"), client().get("/", headers=GOOD)):
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert "unsafe" not in POLICY


def test_where_the_door_leads() -> None:
    assert DOOR.address == "http://127.0.0.1:8765/?token=secret"
    assert DOOR.only_this_machine
    assert Door("localhost", 1).only_this_machine
    assert Door("::1", 1).only_this_machine
    everyone = Door("0.0.0.0", 1, ("box",))  # noqa: S104 (nothing is bound)
    assert not everyone.only_this_machine
    assert not Door("box.example", 1).only_this_machine
    assert everyone.names == {"127.0.0.1:1", "localhost:1", "[::1]:1", "box:1"}
    assert len(Door("127.0.0.1", 1).token) > 20
    assert Door("127.0.0.1", 1).token != Door("127.0.0.1", 1).token
