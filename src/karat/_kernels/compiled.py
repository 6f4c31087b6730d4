"""Loops compiled by numba, and kept where only the user can write.

What numba keeps is a pickle, which runs as a program when it is read: nobody else may be able to put one there. Where
there is no such folder loops are compiled anew by every process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])
_ONE_AT_A_TIME = Lock()
_numba: Any = numba  # its types know neither its settings nor compiled functions as what they are


def compiled(signature: Any) -> Callable[[F], F]:
    """Compile a function for one signature when it is first called; it runs without the interpreter lock."""

    def decorate(function: F) -> F:
        ready: list[Callable[..., Any]] = []

        @wraps(function)
        def call(*arguments: Any) -> Any:
            if not ready:
                with _ONE_AT_A_TIME:
                    if not ready:
                        ready.append(_compile(function, signature))
            return ready[0](*arguments)

        return cast(F, call)

    return decorate


def _compile(function: Callable[..., Any], signature: Any) -> Callable[..., Any]:
    options = {"nogil": True, "error_model": "numpy"}
    folder, before = private_folder(), _numba.config.CACHE_DIR
    if folder is not None:
        try:
            _numba.config.CACHE_DIR = folder  # looked at here and now
            return _numba.njit(signature, cache=True, **options)(function)
        except (OSError, RuntimeError):  # no space left, or removed meanwhile
            pass
        finally:
            _numba.config.CACHE_DIR = before
    return _numba.njit(signature, **options)(function)


@cache
def private_folder() -> str | None:
    """The folder of numba's settings, or one in the user's cache; None where others may write to it, or nobody."""
    try:
        named = os.environ.get("NUMBA_CACHE_DIR")
        folder = Path(named or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "karat")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except (OSError, RuntimeError):  # no home
        return None
    # Windows knows neither owners of this kind nor these bits; a user's cache is private there.
    others = hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or bool(found.st_mode & 0o022))
    return None if others or not os.access(folder, os.W_OK) else str(folder)
