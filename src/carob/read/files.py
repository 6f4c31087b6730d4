"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from platform import node
from typing import IO

from carob.errors import InputError


def check_writable(path: str | Path) -> Path:
    """Refuse an output path before any work is done for it; a link is followed."""
    try:
        target = Path(path).resolve()
        if target.is_dir():
            raise InputError(f"cannot write {str(path)!r}: it is a folder. Name a file in it.")
        if target.exists() and not target.is_file():
            raise InputError(f"cannot write {str(path)!r}: it is no ordinary file. Name another.")
        if not target.parent.is_dir():
            raise InputError(
                f"cannot write {str(path)!r}: the folder {str(target.parent)!r} does not exist. Make it first."
            )
        if not os.access(target.parent, os.W_OK):
            raise InputError(f"cannot write {str(path)!r}: the folder {str(target.parent)!r} may not be written to.")
    except InputError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # too long, with a NUL, links that go in a circle
        raise InputError(f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}.") from None
    return target


def check_apart(read: Iterable[str | Path], written: Iterable[str | Path]) -> None:
    """Refuse to write over what is read."""
    # A name with a NUL is that of no file.
    inputs, outputs = ({os.path.realpath(path) for path in paths if "\0" not in str(path)} for paths in (read, written))
    if inputs & outputs:
        raise InputError("inputs and outputs must be different files; give another name to what is written.")


def make_folder(path: str | Path) -> Path:
    """A folder that is there or is made."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {str(path)!r}: {error.strerror}. Name another.") from None
    return Path(path)


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing under a temporary name; rename it when all of it is on disk.

    An error or an interrupt in between leaves the old file, or none, and no temporary file.
    """
    target = check_writable(path)
    host = f"{zlib.crc32(node().encode()):08x}"  # a name of this machine among those that may share a folder
    _remove_orphans(target.parent, host)
    part = target.parent / f".carob-{host}-{os.getpid()}-{secrets.token_hex(8)}.part"
    try:
        # As `open` would make it: the permissions are left to the umask, or those of the file that is replaced.
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb") as file:
            yield file
            on_disk(file)
        if target.exists():
            part.chmod(target.stat().st_mode & 0o777)
        os.replace(part, target)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(
                f"cannot write {str(path)!r}: {error.strerror or error}. Nothing was written; free some space or "
                "choose another folder."
            ) from error
        raise


def on_disk(file: IO[bytes]) -> None:
    """Wait until all that was written to a file is on disk, or there is found to be no space for it."""
    file.flush()
    os.fsync(file.fileno())


def _remove_orphans(folder: Path, host: str) -> None:
    """Remove temporary files of processes of this machine that were killed while they wrote."""
    mine = re.compile(rf"\.carob-{host}-(\d+)-[0-9a-f]+\.part")
    with suppress(OSError):  # others may tidy up, too, or the folder may not be listed
        for entry in os.scandir(folder):
            orphan = mine.fullmatch(entry.name)
            if orphan:
                try:
                    os.kill(int(orphan[1]), 0)
                except ProcessLookupError:
                    os.unlink(entry.path)
                except OSError:  # it runs as somebody else
                    continue
