"""Stands between us and an outside program: `python keeper.py LIFELINE FOLDER PROGRAM ARGUMENT…`.

LIFELINE is the number of a descriptor, the reading end of a pipe whose other end we hold. When it closes,
whether we closed it or were killed, the keeper kills the program with the rest of its process group. When the
program ends by itself, the keeper kills what is left of its group and ends in the same way. FOLDER is removed
at the end; `-` stands for none.

Only POSIX systems need it. It imports little, so that it starts in a few hundredths of a second.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import subprocess
import sys

NOT_STARTED = 127
SET_PARENT_DEATH_SIGNAL = 1


def _bound_to_keeper() -> None:
    """Runs in the new process before the program: it dies with its keeper, where the system can do that."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _ended(program: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended; it is left unburied where possible, so that its group's number stays taken."""
    if not hasattr(os, "waitid"):
        return program.poll() is not None
    state = os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return state is not None


def _watch(program: subprocess.Popen[bytes], lifeline: int, wake: int) -> int:
    """Waits for the end of the program or of the lifeline; the exit code of the program."""
    cut = False
    while not cut and not _ended(program):
        ready, _, _ = select.select([lifeline, wake], [], [])
        cut = lifeline in ready
        if wake in ready:
            os.read(wake, 4096)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    return program.wait()


def _remove(folder: str) -> None:
    if folder != "-":
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def _end_like(code: int) -> int:
    """The exit code of a program that ended with it; one that was ended by a signal is followed there."""
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return abs(code)


def main() -> int:
    """Keeps one program; its exit code."""
    lifeline, folder, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    try:
        # The keeper has no threads, so a function between fork and exec is safe.
        program = subprocess.Popen(command, process_group=0, preexec_fn=_bound_to_keeper)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        _remove(folder)
        return NOT_STARTED
    # The pipes are the program's alone: their ends must be seen by the other side.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    code = _watch(program, lifeline, wake)
    _remove(folder)
    return _end_like(code)


if __name__ == "__main__":
    sys.exit(main())
