"""Where an export is put together: beside its place, so that a rename makes it appear whole."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from nardy_ai.core import InputError

__all__ = ["check_outside_exports", "place_beside"]

MANIFEST: Final = "manifest.json"
KINDS: Final = "nardy-ai "
"""How the kind of every export begins in its manifest."""


def place_beside(out: Path) -> Path:
    """A free name beside `out`, in a folder that is made and can be written to; nothing is left there.

    Raises `InputError` where that folder can't be, or belongs to an export, before any work is done.
    """
    check_outside_exports(out)
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


def check_outside_exports(out: Path) -> None:
    """Raises `InputError` where `out` would lie in a folder that an export wrote, whose files are its own."""
    for folder in out.resolve().parents:
        if _is_export(folder):
            raise InputError(
                f"{folder} is a folder that an export wrote, and {out.name} is none of its files; choose "
                "another place with --out"
            )


def _is_export(folder: Path) -> bool:
    """Whether an export wrote that folder, by its manifest."""
    try:
        kind = json.loads((folder / MANIFEST).read_bytes())["kind"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return isinstance(kind, str) and kind.startswith(KINDS)
