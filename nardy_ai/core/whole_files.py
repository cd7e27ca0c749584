"""Files that are written whole: beside their place first, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from nardy_ai.core._core import InputError

__all__ = ["check_apart", "check_writable", "naming", "plain_place", "whole_file"]


def plain_place(path: Path) -> Path:
    """Where a file of that name is written: what a link leads to, and not the link, is replaced.

    Raises:
        InputError: what is there is no plain file, or the name leads nowhere. A rename would put a file in
            the place of a device such as /dev/null, for every program of the machine.
    """
    try:
        place = path.resolve()
        if place.exists() and not place.is_file():
            what = "a folder" if place.is_dir() else "no plain file"
            raise InputError(f"{path} cannot be written: it is {what}; name another place")
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "its links lead in a circle"
        raise InputError(f"{path} cannot be written ({reason}); name another place") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{str(path)!r} is no path: name another place") from None
    return place


def check_apart(place: Path, read: Iterable[Path | None]) -> None:
    """Raises InputError where a file that is to be written is one of those that are read (None: no file)."""
    target = plain_place(place)
    for path in read:
        if path is None:
            continue
        same = target == path.resolve()
        with suppress(OSError):
            # A file may have several names.
            same = same or target.samefile(path)
        if same:
            raise InputError(f"{place} is what is to be read: write to another place")


def check_writable(path: Path) -> None:
    """Raises InputError where no file can be written: found out before the work whose result goes there."""
    aside = _beside(plain_place(path))
    try:
        aside.touch()
        aside.unlink()
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); name another place") from None


@contextmanager
def naming(place: Path, aside: Path) -> Iterator[None]:
    """A fault of the disk within it names the file that is meant, not the one beside it."""
    try:
        yield
    except OSError as error:
        if error.errno is None or (error.filename is not None and str(error.filename) != str(aside)):
            raise
        raise OSError(error.errno, error.strerror, str(place)) from error


def _beside(place: Path) -> Path:
    return place.with_name(f".{place.name}.part-{os.getpid()}")


@contextmanager
def whole_file(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write to that takes its place when the block ends without an error, and else is gone.

    `durable` also waits for the disk, so that a reader finds the old file or the whole new one even after a
    power failure. Raises InputError as `plain_place` does, and OSError, which names the file.
    """
    place = plain_place(path)
    aside = _beside(place)
    try:
        with naming(path, aside):
            with aside.open("wb") as file:
                yield file
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            aside.replace(place)
    finally:
        aside.unlink(missing_ok=True)
