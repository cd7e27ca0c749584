"""Where an export is put together: beside its place, so that a rename makes it appear whole."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from nardy_ai.core import InputError

__all__ = ["is_export", "place_beside"]

MANIFEST: Final = "manifest.json"
KINDS: Final = "nardy-ai "
"""How the kind of every export begins in its manifest."""


def place_beside(out: Path) -> Path:
    """A free name beside `out`, in a folder that is made and can be written to; nothing is left there.

    Raises `InputError` where that folder can't be, or belongs to an export, before any work is done.
    """
    for folder in out.absolute().parents:
        if is_export(folder):
            raise InputError(
                f"{folder} is a folder that an export wrote, and {out.name} is none of its files; choose "
                "another place with --out"
            )
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


def is_export(folder: Path) -> bool:
    """Whether an export wrote that folder, by its manifest."""
    try:
        kind = json.loads((folder / MANIFEST).read_bytes())["kind"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return isinstance(kind, str) and kind.startswith(KINDS)
