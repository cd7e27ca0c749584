"""Folders that are written whole: beside their place first, then renamed; nobody's files are replaced."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from nardy_ai.core import InputError
from nardy_ai.core.whole_files import naming
from nardy_ai.export.mismatch import ExportMismatch
from nardy_ai.export.place import place_beside

__all__ = ["check_folder", "names_below", "place_for", "put_in_place", "write_files"]


def place_for(out: Path, kind: str) -> Path:
    """A folder's name beside `out`, where it can be made; finds out before any work is done.

    Raises `InputError` where `out` is no folder, or one that holds anything but an unchanged export of that
    `kind`.
    """
    if not out.name:
        raise InputError(f"{out} cannot be the folder of the bundle; name a new one with --out")
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise InputError(f"{out} is there and is no folder; name another with --out")
    if out.is_dir() and (foreign := _foreign_file(out, kind)):
        raise InputError(
            f"{out} holds {foreign}, which no export of this kind wrote; it is kept: "
            "name another folder with --out"
        )
    return place_beside(out)


def write_files(folder: Path, files: Mapping[str, bytes], out: Path) -> None:
    """Makes the folder and its files, whose names may have folders in them, and waits for the disk.

    Raises OSError, which names the file's place in `out`, where the folder goes.
    """
    folder.mkdir()
    for name, data in files.items():
        path = folder / name
        with naming(out / name, path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, data)


def check_folder(folder: Path, files: Mapping[str, bytes], what: str = "bundle") -> None:
    """Raises `ExportMismatch` unless the folder holds these files and nothing else."""
    found = set(names_below(folder))
    for name in sorted(found | set(files)):
        if name not in found or name not in files or (folder / name).read_bytes() != files[name]:
            raise ExportMismatch(f"{name} did not reach the disk as it was meant; the {what} was not written")


def put_in_place(aside: Path, out: Path) -> None:
    """Renames the folder `aside` to `out`; what is there, seen by `place_for`, goes."""
    old = out.with_name(f".{out.name}.old-{os.getpid()}")
    if not out.exists():
        aside.rename(out)
        return
    out.rename(old)
    try:
        aside.rename(out)
    except OSError:
        old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def names_below(folder: Path) -> list[str]:
    """The files of a folder and its folders by their places, `page/main.js`; an empty folder by its own."""
    found = []
    for path in folder.rglob("*"):
        if not path.is_dir() or not any(path.iterdir()):
            found.append(path.relative_to(folder).as_posix())
    return sorted(found)


def _foreign_file(out: Path, kind: str) -> str | None:
    """The first file that an export did not write or that was changed since; None: there is none."""
    names = names_below(out)
    if not names:
        return None
    try:
        manifest = json.loads((out / "manifest.json").read_bytes())
        listed = manifest["files"] if manifest["kind"] == kind else {}
        digests = {name: facts["sha256"] for name, facts in listed.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        digests = {}
    if not digests:
        return names[0]
    for name in names:
        path = out / name
        if name == "manifest.json":
            continue
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digests.get(name):
            return name
    return None
