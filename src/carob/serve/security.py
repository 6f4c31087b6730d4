"""Who may ask: this machine's own browser, with the token of this start, for no more than it may send.

Every answer forbids the page to load or run anything from elsewhere. Requests that come under another name for this
machine, or from another site's page, are refused: a page on the network cannot reach through the browser to here.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
TOKEN_HEADER = "x-carob-token"  # noqa: S105 (its name, not its value)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Door:
    """Under which names the page is reached, and with which token."""

    host: str  # what the server is bound to
    port: int
    more: tuple[str, ...] = ()  # other names under which the page may be reached
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))  # of this start

    @property
    def names(self) -> frozenset[str]:
        """Values of the header Host that are answered."""
        names = {"127.0.0.1", "localhost", "[::1]", *self.more}
        if self.host not in ("0.0.0.0", "::"):  # noqa: S104 (nothing is bound here)
            names.add(f"[{self.host}]" if ":" in self.host else self.host)
        return frozenset(f"{name}:{self.port}" for name in names)

    @property
    def origins(self) -> frozenset[str]:
        """Values of the header Origin of our own page."""
        return frozenset(f"http://{name}" for name in self.names)

    @property
    def cookie(self) -> str:
        """The name of the cookie, which other ports of this machine share."""
        return f"carob_{self.port}"

    @property
    def address(self) -> str:
        """Where the page is, with the token."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/?token={self.token}"

    @property
    def only_this_machine(self) -> bool:
        """Whether nobody else on the network reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def knows(self, token: str | None) -> bool:
        """Whether this is the token."""
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())


class Guard:
    """Refuses what is not meant to come in, and marks all that goes out.

    `most`: bytes of a body.
    """

    def __init__(self, app: ASGIApp, door: Door, most: int) -> None:
        self.app, self.door, self.most = app, door, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refused = self._refusal(Request(scope))

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                mine = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                theirs = [pair for pair in message["headers"] if pair[0].decode().lower() not in _HEADERS]
                message["headers"] = [*theirs, *mine]
            await send(message)

        await (self.app if refused is None else refused)(scope, receive, marked)

    def _refusal(self, request: Request) -> Response | None:
        door = self.door
        if request.headers.get("host") not in door.names:
            return _no(421, "This page is reached as 127.0.0.1 or localhost only.")
        if request.method not in ("GET", "HEAD", "POST"):
            return _no(405, "Only GET and POST are answered.")
        if request.method != "POST" and request.url.path == "/" and door.knows(request.query_params.get("token")):
            answer = RedirectResponse("/", status_code=303)
            answer.set_cookie(door.cookie, door.token, httponly=True, samesite="strict", path="/")
            return answer
        if not door.knows(request.cookies.get(door.cookie)):
            return _no(403, "Open the address that carob serve printed: it holds the token of this start.")
        if request.method == "POST":
            return self._post_refusal(request)
        return None

    def _post_refusal(self, request: Request) -> Response | None:
        if request.headers.get("origin") not in self.door.origins:
            return _no(403, "The request does not come from this page.")
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return _no(403, "The request does not come from this page.")
        if not self.door.knows(request.headers.get(TOKEN_HEADER)):
            return _no(403, "The token is not that of this start; load the page again.")
        length = request.headers.get("content-length", "")
        if not length.isdecimal():
            return _no(411, "A request says how long it is.")
        if int(length) > self.most:
            return _no(413, f"More than {self.most >> 20:,} MB; use the command line, or a higher --max-mb.")
        return None


def _no(status: int, sentence: str) -> Response:
    return JSONResponse({"error": sentence}, status_code=status)
