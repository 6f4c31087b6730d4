"""Runs cases and says what was mishandled.

Mishandled is an exception that is not ours, an exit code outside 0, 1, 2 and 130, anything written on a refusal, NaN or
a probability outside [0, 1], a warning, a refusal of more than 1,000 characters, raw control characters; and, as the
process that runs the cases is watched, a crash, a minute, or a gigabyte more.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import math
import re
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from run_carob import carob

from carob.errors import InputError, NotFittedError, NotIdentifiedError
from carob.read.formats import arrow_table
from fuzz.api import api_case
from fuzz.commands import command_case, label_case

LONGEST = 1_000
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_ROUNDING = 1e-9


def run_case(seed: int, number: int) -> tuple[str, list[str]]:
    """What a case is, and all that was mishandled in it."""
    rng = np.random.default_rng([seed, number])
    kind = number % 10
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if kind < 6:
            what, wrong = _command(rng, command_case)
        elif kind < 8:
            what, wrong = _command(rng, label_case)
        else:
            what, wrong = _api(rng)
    wrong += [
        f"a warning: {found.category.__name__}: {str(found.message)[:300]}"
        for found in caught
        if "gold label" not in str(found.message)
    ]  # which is meant for the user
    return what, wrong


def _command(rng: np.random.Generator, make: Any) -> tuple[str, list[str]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = make(rng, folder)
        before = _files(folder)
        result = carob(*words, cwd=folder)
        wrong = []
        if result.returncode not in (0, 1, 2, 130):
            wrong.append(f"exit code {result.returncode}: {result.stderr[-600:]}")
        if result.returncode == 2 and _files(folder) != before:
            wrong.append("something was written on a refusal")
        said = result.stderr.split("for help.", 1)[-1]  # after how the command is used
        if len(said) > LONGEST:
            wrong.append(f"{len(said)} characters of a refusal")
        if "Traceback" in result.stderr or "Warning" in result.stderr:
            wrong.append(f"stderr: {result.stderr[-600:]}")
        if _CONTROL.search(result.stdout + result.stderr):
            wrong.append("raw control characters")
        if "--json" in words and result.returncode in (0, 1) and result.stdout:
            with _told(wrong, "--json"):
                wrong += _bad_numbers(json.loads(result.stdout, parse_constant=_refuse))
        if result.returncode == 0:
            for path in folder.iterdir():
                if path.name.startswith("labels.") and path.read_bytes() != b"old":
                    with _told(wrong, path.name):
                        wrong += _bad_labels(path)
    return json.dumps(words)[:2_000], wrong


@contextlib.contextmanager
def _told(wrong: list[str], what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        wrong.append(f"{what} cannot be read: {error!r}")


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _refuse(name: str) -> None:
    raise ValueError(name)


def _bad_numbers(value: Any, name: str = "") -> list[str]:
    """Probabilities and shares in a result that are none."""
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _bad_numbers(item, key)]
    if isinstance(value, list):
        return [line for item in value for line in _bad_numbers(item, name)]
    if isinstance(value, float) and (not math.isfinite(value) or (name in _SHARES and not -1e-9 <= value <= 1 + 1e-9)):
        return [f"{name} is {value}"]
    return []


_SHARES = ("accuracy", "coverage", "overlaps", "conflicts", "empirical_accuracy", "mean_probability")


def _bad_labels(path: Path) -> list[str]:
    table = arrow_table(path)
    chances = [name for name in table.column_names if name.startswith("p_")]
    wrong = []
    for name in chances:
        values = table[name].drop_null()
        numbers = values.cast(pa.float64()).to_numpy() if len(values) else np.zeros(0)
        if not ((numbers >= 0) & (numbers <= 1 + _ROUNDING)).all():
            wrong.append(f"{name} of {path.name} holds what is no probability")
    return wrong


def _api(rng: np.random.Generator) -> tuple[str, list[str]]:
    try:
        found = api_case(rng)
    except (InputError, NotIdentifiedError, NotFittedError) as error:
        return "api", [f"{len(str(error))} characters of a refusal"] if len(str(error)) > LONGEST else []
    except TypeError as error:
        ours = _raised_by_us(error) or "argument" in str(error)  # which Python itself says of too many or few
        return "api", [] if ours else [_where(error)]
    except Exception as error:
        return "api", [_where(error)]
    if isinstance(found, np.ndarray) and found.dtype.kind == "f" and found.ndim == 2 and found.size:
        sound = np.isfinite(found).all() and (found >= 0).all() and (found <= 1 + _ROUNDING).all()
        return "api", [] if sound else ["probabilities that are none"]
    return "api", []


def _raised_by_us(error: BaseException) -> bool:
    last = inspect.getinnerframes(error.__traceback__)[-1] if error.__traceback__ else None
    return last is not None and "/carob/" in last.filename and "raise" in "".join(last.code_context or [])


def _where(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-1_500:]
