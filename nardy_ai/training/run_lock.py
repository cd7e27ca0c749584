"""One process a run folder: a lock that the system takes back when its holder ends, however it ends."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from nardy_ai.core import InputError

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: IO[bytes]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


NAME = ".lock"

# What flock and msvcrt.locking say when somebody else has the lock.
_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Hold the run folder `run` alone; raises InputError when another train or resume is at it.

    The file stays when the lock is let go: deleting it would let two processes lock two files of one name.
    """
    try:
        file = (run / NAME).open("ab")
    except OSError as error:
        raise InputError(
            f"the run folder {run} can't be written ({error.strerror}); get the right to write there"
        ) from None
    with file:
        try:
            _take(file)
        except OSError as error:
            if error.errno in _TAKEN:
                raise InputError(
                    f"the run {run} is in use by another process; wait for its end, or stop it first"
                ) from None
            # A disk without locks: two at once can't be told there, and one alone must still work.
        yield
