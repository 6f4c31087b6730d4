"""Running experiments: parts side by side, finished ones kept, ours beside the paper's."""

from __future__ import annotations

import json
import os
import signal
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from carob._kernels.threads import BLAS_THREADS
from carob.errors import InputError, one_of
from carob.paper.experiments import combined, data_value_ratio, excess_error, imdb, theory
from carob.paper.experiments.parts import Experiment, Options, Part, Point, Results, paper_values
from carob.read.files import make_folder, whole_file

EXPERIMENTS: dict[str, Experiment] = {
    "excess-error": excess_error.EXPERIMENT,
    "data-value-ratio": data_value_ratio.EXPERIMENT,
    "combined": combined.EXPERIMENT,
    "imdb": imdb.EXPERIMENT,
    "theory": theory.EXPERIMENT,
}


@dataclass(frozen=True)
class Comparison:
    """A value of the paper's figures and ours."""

    figure: str
    panel: str
    curve: str
    n: int
    paper: float
    ours: float
    se: float  # standard error of the difference: both our noise and the paper's
    rounding: float = 0.0  # what the paper's value is rounded by, at most

    @property
    def agrees(self) -> bool:
        """Within three standard errors, or 3 % (n = 100: 6 %) where that is more, and the rounding besides.

        Some of the paper's values have a single digit.
        """
        share = 0.06 if self.n == 100 else 0.03
        return abs(self.ours - self.paper) <= max(3 * self.se, share * abs(self.paper)) + self.rounding


@dataclass(frozen=True, eq=False)
class Reproduction:
    """Everything that was found."""

    options: Options
    points: list[Point]
    comparison: list[Comparison]  # for every value of the paper's figures that was reproduced
    # rows of the paper's tables; of "theory", its bounds beside what they bound
    tables: dict[str, list[dict[str, Any]]]


def reproduce(
    names: Sequence[str],
    options: Options,
    folder: str | Path | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Reproduction:
    """Run experiments.

    Parameters
    ----------
    names : sequence of str
        Of `EXPERIMENTS`.
    folder : path, optional
        Where finished parts are kept, and found again by a second run with the same options.
    jobs : int, optional
        Processes; as many as processors where not given. They do not change any number.
    progress : callable, optional
        Called with how many parts are done and how many there are.
    """
    for name in names:
        one_of("experiment", name, tuple(EXPERIMENTS))
    if options.trials < 2 or options.splits < 2:
        raise InputError(f"two trials and two splits at least are needed, not {options.trials} and {options.splits}.")
    parts = [part for name in names for part in EXPERIMENTS[name].parts(options)]
    place = None if folder is None else Path(folder) / "parts"
    kept = {} if place is None else _kept(parts, options, place)
    try:
        return _put_together(names, options, _run(parts, kept, options, place, jobs, progress))
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError):
        if not kept:
            raise
    # A part that was kept is sound to its checksum, and yet not what it should be: nothing of them is taken.
    return _put_together(names, options, _run(parts, {}, options, place, jobs, progress))


def _put_together(names: Sequence[str], options: Options, results: Results) -> Reproduction:
    points = [point for name in names for point in EXPERIMENTS[name].points(results, options)]
    tables = {key: rows for name in names for key, rows in EXPERIMENTS[name].tables(results, options).items()}
    return Reproduction(options, points, compare(points), tables)


def compare(points: list[Point]) -> list[Comparison]:
    """The paper's value beside ours, in the order of the paper's."""
    ours: dict[tuple[str, str, str], list[Point]] = {}
    for point in points:
        ours.setdefault((point.figure, point.panel, point.curve), []).append(point)
    rows = []
    for value in paper_values():
        curve = ours.get((value.figure, value.panel, value.curve), [])
        near = min(curve, key=lambda point: abs(point.n - value.n), default=None)
        if near is not None and abs(near.n - value.n) <= 1:  # n, too, was read off a graphic
            place = (value.figure, value.panel, value.curve, value.n)
            se = float(np.hypot(near.se, near.paper_se))
            rows.append(Comparison(*place, value.value, near.value, se, value.rounding))
    return rows


def _run(
    parts: list[Part],
    kept: dict[str, Any],
    options: Options,
    folder: Path | None,
    jobs: int | None,
    progress: Callable[[int, int], None],
) -> dict[str, Any]:
    results = dict(kept)
    todo = [part for part in parts if part.name not in results]
    progress(len(results), len(parts))
    if not todo:
        return results
    # One thread each, in processes that know so from their start: the bits then depend on no setting of the machine.
    before = {name: os.environ.get(name) for name in BLAS_THREADS}
    os.environ.update(dict.fromkeys(BLAS_THREADS, "1"))
    try:
        with ProcessPoolExecutor(jobs or os.cpu_count(), get_context("spawn"), _begin_worker) as workers:
            waiting: dict[Future[Any], Part] = {workers.submit(part.run, options): part for part in todo}
            try:
                for future in as_completed(waiting):
                    part = waiting[future]
                    results[part.name] = future.result()
                    if folder is not None:
                        _keep(part, results[part.name], options, folder)
                    progress(len(results), len(parts))
            except BrokenProcessPool:
                raise InputError(
                    "a process that did part of the work was killed, perhaps for lack of memory. Finished parts are "
                    "kept: run the same command again, with fewer processes (--jobs 1)."
                ) from None
            except BaseException:
                workers.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value
    return results


def _begin_worker() -> None:
    """Leave Ctrl-C to the process that started this one, which stops handing out work, and end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _place(part: Part, options: Options, folder: Path) -> Path:
    """Where a part is kept: results of other options lie beside, not in the way."""
    names = (options.fingerprint, part.name)
    inner, name = ("".join(c if c.isalnum() else "-" for c in text) for text in names)
    return folder / inner / f"{name}.json"


def _kept(parts: list[Part], options: Options, folder: Path) -> dict[str, Any]:
    """Results of parts that an earlier run with the same options finished; damaged ones are done again."""
    found = {}
    for part in parts:
        place = _place(part, options, folder)
        if place.is_file():
            try:
                content = json.loads(place.read_bytes())
                if content["check"] == _check(content["result"]):
                    found[part.name] = content["result"]
            except (ValueError, KeyError, TypeError):
                continue
    return found


def _check(result: Any) -> int:
    """A number that a damaged result does not have."""
    return zlib.crc32(json.dumps(result).encode())


def _keep(part: Part, result: Any, options: Options, folder: Path) -> None:
    place = _place(part, options, folder)
    make_folder(place.parent)
    with whole_file(place) as file:
        file.write(json.dumps({"check": _check(result), "result": result}).encode())
