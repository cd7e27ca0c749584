"""Where a model comes from, for its file."""

from __future__ import annotations

import functools
import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nardy_ai


def provenance_of(origin: Mapping[str, Any], games: int, rounds: int) -> dict[str, Any]:
    """The provenance of a model after so many games and rounds; `origin` is kept."""
    return {"version": nardy_ai.__version__, "commit": _commit(), **origin, "games": games, "rounds": rounds}


def file_hash(path: Path) -> str:
    """First 16 hex digits of a file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@functools.cache
def _commit() -> str:
    """The commit of the code when it runs from a clone, else an empty string."""
    folder = Path(nardy_ai.__file__).resolve().parent
    if not (folder.parent / ".git").exists():
        return ""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()
