"""The server: what is asked, and which part of the workspace answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from carob import __version__
from carob.commands.analysis import Prices, ReportResult
from carob.errors import InputError, NotIdentifiedError
from carob.read.formats import table_bytes
from carob.serve.security import Door, Guard
from carob.serve.uploads import Limits
from carob.serve.views import Views, given, shell
from carob.serve.workspace import Choices, Workspace
from carob.show.html import report_document, style
from carob.show.whole import whole_report

_KINDS = {
    ".csv": "text/csv; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
}
_ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M8 1l6 5-6 9-6-9z" fill="#e69f00"/></svg>'
_READ = ("layout", "gold", "key", "text", "task", "worker", "label", "classes", "abstain", "kinds", "mapping")

Answer = dict[str, Any]


def make_app(door: Door, limits: Limits) -> ASGIApp:
    """The application, with its guard."""
    return Guard(Page(door, Workspace(limits)).app(), door, limits.bytes)


class Page:
    """What the browser may ask."""

    def __init__(self, door: Door, workspace: Workspace) -> None:
        self.door, self.work, self.views = door, workspace, Views(workspace)
        self._plan_prices = Prices()

    def app(self) -> Starlette:
        """All routes."""
        answers: dict[str, Callable[[Answer], Answer]] = {
            "example": self.example, "read": self.read, "choose": self.choose, "weigh": self.weigh,
            "cancel": self.cancel, "pick": self.pick, "label": self.label, "close": self.close,
        }  # fmt: skip
        static = {
            "style.css": (style(), "text/css"),
            "page.css": (_file("page.css"), "text/css"),
            "page.js": (_file("page.js"), "text/javascript"),
            "icon.svg": (_ICON, "image/svg+xml"),
        }
        return Starlette(
            routes=[
                Route("/", self.page),
                Route("/view", self.view),
                Route("/progress", self.progress),
                Route("/plan", self.plan),
                Route("/download/{name}", self.download),
                Route("/open", self._taking(self.work.open_file), methods=["POST"]),
                Route("/gold", self._taking(self.work.open_gold), methods=["POST"]),
                *(Route(f"/{name}", _answered(answer), methods=["POST"]) for name, answer in answers.items()),
                *(Route(f"/{name}", _fixed(content, kind)) for name, (content, kind) in static.items()),
            ]
        )

    # What is seen.

    def page(self, request: Request) -> Response:
        """The whole page."""
        return Response(shell(self.door.token, self.views.main()), media_type="text/html")

    def view(self, request: Request) -> Response:
        """What is between head and foot."""
        return JSONResponse(self._seen())

    def progress(self, request: Request) -> Response:
        """How far the work is."""
        job = self.work.job
        if job is None:
            return JSONResponse({"state": "none"})
        return JSONResponse({"state": job.state, "words": job.words, "done": job.done, "total": job.total})

    def plan(self, request: Request) -> Response:
        """The planner's answer."""
        try:
            asked = {name: _number(request, name) for name in ("label_cost", "point_cost", "budget", "labels")}
            prices = Prices(asked["label_cost"], asked["point_cost"], asked["budget"], example=False)
            html = self.views.plan(prices, int(min(asked["labels"], 1e9)))
            self._plan_prices = prices
            return JSONResponse({"html": html})
        except (InputError, NotIdentifiedError) as error:
            return JSONResponse({"error": str(error)})

    def download(self, request: Request) -> Response:
        """A file, made in memory."""
        name = request.path_params["name"]
        makers: dict[str, Callable[[], bytes]] = {
            "labels.csv": lambda: table_bytes(".csv", self.work.labels()),
            "labels.parquet": lambda: table_bytes(".parquet", self.work.labels()),
            "to_label.csv": lambda: table_bytes(".csv", self.work.points_to_label()),
            "gold.csv": lambda: table_bytes(".csv", self.work.given_labels()),
            "model.json": self.work.model,
            "report.html": self._report,
        }
        if name not in makers:
            return JSONResponse({"error": "there is no such file."}, status_code=404)
        try:
            with self.work.lock:
                content = makers[name]()
        except InputError as error:
            return JSONResponse({"error": str(error)}, status_code=409)
        suffix = name[name.rindex(".") :]
        return Response(
            content, media_type=_KINDS[suffix], headers={"content-disposition": f'attachment; filename="{name}"'}
        )

    def _report(self) -> bytes:
        analysis = self.work.analysis
        if analysis is None:
            raise InputError("there is nothing to report yet; weigh the votes first.")
        prices = self._plan_prices
        result = ReportResult(self.work.name, analysis, prices, analysis.plan(prices))
        page = report_document(f"Report on {self.work.name}", whole_report(result), "carob serve", __version__)
        return page.encode()

    # What is done. Each answer is the view that follows.

    def _taking(self, take: Callable[[str, bytes], None]) -> Callable[[Request], Awaitable[Response]]:
        """A route that takes a file: its bytes are the body, its name a header."""

        async def route(request: Request) -> Response:
            name = unquote(request.headers.get("x-file-name", "file"))
            content = await request.body()

            def answer() -> Answer:
                take(name, content)
                return self._weighed()

            return await run_in_threadpool(_told, answer)

        return route

    def example(self, body: Answer) -> Answer:
        """Open the example."""
        self.work.open_example()
        return self._weighed()

    def read(self, body: Answer) -> Answer:
        """Read the file as it is meant."""
        said: dict[str, Any] = {name: str(body.get(name, "")).strip() for name in _READ}
        self.work.read(Choices(**said, ignore_case=bool(body.get("ignore_case"))))
        return self._weighed()

    def choose(self, body: Answer) -> Answer:
        """Switch sources, take two as one, change the estimator."""
        sources, choices = self.work.open_votes.sources, self.work.choices
        on = set(_texts(body, "on"))
        kept = {int(place) for place in _texts(body, "merged") if place.isdecimal()}
        merged = [pair for place, pair in enumerate(choices.merged) if place in kept]
        first, second = str(body.get("first", "")), str(body.get("second", ""))
        if first or second:
            if not (first and second):
                raise InputError("choose two sources to count as one.")
            merged.append((first, second))
        off = [name for name in sources if name not in on]
        self.work.choose(str(body.get("method", "consensus")), off, merged, str(body.get("class_balance", "")))
        return self._weighed()

    def weigh(self, body: Answer) -> Answer:
        """Find everything out anew."""
        return self._weighed()

    def cancel(self, body: Answer) -> Answer:
        """Wait no longer for the work."""
        if self.work.job is not None:
            self.work.job.cancel()
        return self._seen("Cancelled.")

    def pick(self, body: Answer) -> Answer:
        """Choose points to label."""
        number = str(body.get("number", ""))
        if not number.isdecimal():
            raise InputError(f"how many points is a whole number, not {number!r}.")
        goal: Any = str(body.get("goal", "labels"))
        self.work.pick(int(number), goal)
        return self._seen("Picked.", at="labeling")

    def label(self, body: Answer) -> Answer:
        """Label a point."""
        row = str(body.get("row", ""))
        if not row.isdecimal():
            raise InputError("that is no point.")
        self.work.give(int(row), str(body.get("label", "")))
        return {"given": given(self.work), "said": "Saved."}

    def close(self, body: Answer) -> Answer:
        """Forget everything."""
        self.work.close()
        return self._seen()

    def _weighed(self) -> Answer:
        self.work.start_analysis(prepare=self.views.draw)
        return self._seen()

    def _seen(self, said: str = "", at: str = "") -> Answer:
        with self.work.lock:
            return {"html": self.views.main(), "said": said, "at": at}


def _file(name: str) -> str:
    return files("carob.serve").joinpath(name).read_text(encoding="utf-8")


def _fixed(content: str, kind: str) -> Callable[[Request], Response]:
    return lambda request: Response(content, media_type=kind)


def _answered(answer: Callable[[Answer], Answer]) -> Callable[[Request], Awaitable[Response]]:
    """A route that takes an object and gives one; a refusal is the library's own sentence."""

    async def route(request: Request) -> Response:
        content = await request.body() if int(request.headers["content-length"]) <= 4 << 20 else b""
        try:
            body = json.loads(content or b"null")
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return JSONResponse({"error": "a request is a JSON object."}, status_code=400)
        return await run_in_threadpool(_told, lambda: answer(body))

    return route


def _told(answer: Callable[[], Answer]) -> Response:
    try:
        return JSONResponse(answer())
    except (InputError, NotIdentifiedError) as error:
        return JSONResponse({"error": str(error)})


def _number(request: Request, name: str) -> float:
    words = request.query_params.get(name, "")
    try:
        return float(words)
    except ValueError:
        raise InputError(f"{name.replace('_', ' ')} must be a number of 0 or more, not {words!r}.") from None


def _texts(body: Answer, name: str) -> list[str]:
    found = body.get(name, [])
    return [str(value) for value in found] if isinstance(found, list) else [str(found)]
