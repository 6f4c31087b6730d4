"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from karat.errors import InputError


def check_writable(path: str | Path) -> Path:
    """Refuse an output path before any work is done for it."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"cannot write {str(target)!r}: it is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise InputError(
            f"cannot write {str(target)!r}: the folder {str(target.parent)!r} does not exist. Make it first."
        )
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"cannot write {str(target)!r}: the folder {str(target.parent)!r} may not be written to.")
    return target


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing under a temporary name; rename it when all of it is on disk.

    An error or an interrupt in between leaves the old file, or none, and no temporary file.
    """
    target = check_writable(path)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(
                f"cannot write {str(target)!r}: {error.strerror or error}. Nothing was written; free some space or "
                "choose another folder."
            ) from error
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
