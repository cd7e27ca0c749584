"""Files that are written whole: beside their place first, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from nardy_ai.core._core import InputError

__all__ = ["check_apart", "plain_place", "whole_file"]


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


@contextmanager
def whole_file(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write to that takes its place when the block ends without an error, and else is gone.

    `durable` also waits for the disk, so that a reader finds the old file or the whole new one even after a
    power failure. Raises InputError as `plain_place` does, and OSError.
    """
    place = plain_place(path)
    aside = place.with_name(f".{place.name}.part-{os.getpid()}")
    try:
        with aside.open("wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        aside.replace(place)
    finally:
        aside.unlink(missing_ok=True)
