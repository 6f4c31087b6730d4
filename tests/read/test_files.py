from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from carob import InputError
from carob.read.files import check_apart, check_writable, whole_file


def test_a_file_appears_whole(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with whole_file(target) as file:
        file.write(b"new")
        assert not target.exists()
    assert target.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("error", [RuntimeError("stop"), KeyboardInterrupt()])
def test_an_interrupt_leaves_the_old_file(error: BaseException, tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with pytest.raises(type(error)), whole_file(target) as file:  # noqa: PT012
        file.write(b"half of the n")
        raise error
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_permissions_are_those_of_an_ordinary_file(tmp_path: Path) -> None:
    plain, target = tmp_path / "plain", tmp_path / "file"
    plain.write_text("")
    with whole_file(target) as file:
        file.write(b"x")
    assert target.stat().st_mode == plain.stat().st_mode
    target.chmod(0o600)
    with whole_file(target) as file:
        file.write(b"y")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_links_are_followed_and_special_files_refused(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="no ordinary file"):
        check_writable(pipe)


def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        pytest.skip("this user may write everywhere")
    with pytest.raises(InputError, match="may not be written"):
        check_writable(closed / "file")


def test_what_is_read_is_not_written(tmp_path: Path) -> None:
    votes, link, out = (tmp_path / name for name in ("votes.csv", "link.csv", "out.csv"))
    votes.write_text("a\n")
    link.symlink_to(votes)
    check_apart([votes], [out])
    for written in (votes, link):
        with pytest.raises(InputError, match="must be different files"):
            check_apart([out, votes], [written])
