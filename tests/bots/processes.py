"""Which processes are there."""

from __future__ import annotations

import os
import subprocess
import time


def _table() -> dict[int, tuple[int, str]]:
    """For each process its parent and its state."""
    ps = ["ps", "-A", "-o", "pid=,ppid=,stat="]
    listed = subprocess.run(ps, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return {int(pid): (int(parent), state) for pid, parent, state in rows}


def children() -> set[int]:
    """Our own children, those too that have ended and not been waited for.

    Strangers among them (of another test) may end between two looks.
    """
    return {pid for pid, (parent, _) in _table().items() if parent == os.getpid() and _exists(pid)}


def _exists(pid: int) -> bool:
    """Whether the process is still there in any form, as `ps` itself no longer is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ends(pid: int, seconds: float = 5.0) -> bool:
    """Whether a process has ended or does so soon; nobody need have waited for it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = _table().get(pid)
        if found is None or found[1].startswith("Z"):
            return True
        time.sleep(0.05)
    return False
