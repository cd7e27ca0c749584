"""Files are written whole, and only where a plain file is or nothing."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from nardy_ai.core import InputError
from nardy_ai.core.whole_files import check_writable, plain_place, whole_file


def write(path: Path, data: bytes) -> None:
    with whole_file(path) as file:
        file.write(data)


def test_a_file_takes_its_place_and_leaves_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "a", b"old")
    write(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_what_was_there_stays_where_writing_fails(tmp_path: Path) -> None:
    write(tmp_path / "a", b"old")
    with pytest.raises(KeyboardInterrupt), whole_file(tmp_path / "a") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert (tmp_path / "a").read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_a_fault_of_the_disk_names_the_file_that_is_meant(tmp_path: Path) -> None:
    for fault in (
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EROFS, "Read-only file system", str(tmp_path / f".a.part-{os.getpid()}")),
    ):
        with pytest.raises(OSError, match=r"left on|Read-only") as told, whole_file(tmp_path / "a"):
            raise fault
        assert (told.value.errno, told.value.filename) == (fault.errno, str(tmp_path / "a"))
    # What is read meanwhile has its own name.
    with pytest.raises(OSError, match="other") as told, whole_file(tmp_path / "a"):
        (tmp_path / "other").read_bytes()
    assert list(tmp_path.iterdir()) == []


def test_whether_a_file_can_be_written_is_found_out_and_nothing_stays(
    tmp_path: Path,
) -> None:
    check_writable(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"old")
    check_writable(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1
    for name, said in (("none/a", "No such file"), ("a/b", "Not a directory"), (".", "it is a folder")):
        with pytest.raises(InputError, match=rf"cannot be written.*{said}"):
            check_writable(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_device_or_pipe_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(InputError, match=f"{name} cannot be written: it is no plain file"):
            write(tmp_path / name, b"x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert (tmp_path / "link").is_symlink()


def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/file")
    write(tmp_path / "link", b"x")
    assert (tmp_path / "folder" / "file").read_bytes() == b"x"
    assert (tmp_path / "link").is_symlink()


def test_a_place_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for name, said in (("loop", "name another place"), (".", "it is a folder"), ("a\0b", "is no path")):
        with pytest.raises(InputError, match=said):
            plain_place(tmp_path / name)
