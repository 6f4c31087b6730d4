"""Models as JSON files: readable, versioned, never pickled."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from carob.errors import InputError, of_kind
from carob.read.files import whole_file

FORMAT = "carob model"
_FORMATS = (FORMAT, "karat model")  # the name until version 0.2
# 2: groups that a plain count of votes takes for one source; 3: readings of a consensus; 4: silence in them, a digest
# 5: one fit, whichever the method
VERSION = 5
T = TypeVar("T")


def model_bytes(content: dict[str, Any]) -> bytes:
    """The content of a model as that of its file."""
    whole = {"format": FORMAT, "version": VERSION, **plain(content)}
    # Half of a surrogate pair, which UTF-8 does not have, is written as JSON does.
    text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode(errors="backslashreplace")


def write_model(path: str | Path, content: bytes) -> None:
    """Write what `model_bytes` made; the file appears whole or not at all."""
    with whole_file(path) as file:
        file.write(content)


def read_model(path: str | Path, make: Callable[[dict[str, Any]], T]) -> T:
    """Read a model, refusing files that are damaged, foreign or newer.

    `make`: makes the model from the content of the file.
    """
    of_kind("path", path, str, PathLike)
    path = Path(path)
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"the model file {str(path)!r} is no ordinary file. Name another.")
        content = json.loads(path.read_bytes(), parse_constant=_no_number)
    except OSError as error:
        raise InputError(f"cannot read the model file {str(path)!r}: {error.strerror}.") from None
    except InputError:
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"the model file {str(path)!r} is damaged: {error}. Fit and save the model again.") from None
    if not isinstance(content, dict) or content.get("format") not in _FORMATS:
        raise InputError(f"{str(path)!r} is not a carob model. Models are written by `carob fit --model` and save().")
    version = content.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise InputError(
            f"{str(path)!r} has version {version!r} of the model format; this carob reads up to version {VERSION}. "
            "Update carob, or fit and save the model again."
        )
    try:
        return make(content)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(
            f"the model file {str(path)!r} is damaged ({reason}). Fit and save the model again."
        ) from error


def _no_number(name: str) -> float:
    """NaN and infinity, which JSON does not know."""
    raise ValueError(f"{name} is no number")


def plain(value: Any) -> Any:
    """The same of plain Python values: lists for arrays and tuples, None for what is not a finite number.

    >>> import numpy as np
    >>> plain({"a": np.array([1.0, np.nan]), "b": (np.int64(2), "x")})
    {'a': [1.0, None], 'b': [2, 'x']}
    """
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars, pandas' series
        value = value.tolist()
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
