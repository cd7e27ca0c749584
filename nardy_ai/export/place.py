"""Where an export is put together: beside its place, so that a rename makes it appear whole."""

from __future__ import annotations

import os
from pathlib import Path

from nardy_ai.core import InputError

__all__ = ["place_beside"]


def place_beside(out: Path) -> Path:
    """A free name beside `out`, in a folder that is made and can be written to; nothing is left there.

    Raises `InputError` where that folder can't be, before any work is done.
    """
    aside = out.with_name(f".{out.name}.part-{os.getpid()}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        aside.mkdir()
        aside.rmdir()
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"cannot write to {out.parent} ({reason}); choose another place with --out"
        ) from None
    return aside
