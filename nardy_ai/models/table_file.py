"""Computed tables on disk: written once, mapped into memory, checked before they are used.

A file holds a line of JSON that says what it is, and arrays at multiples of 64 bytes. It lies in a cache
folder under a name that names its contents; one that is damaged or of another version counts as missing.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.core.whole_files import whole_file

__all__ = [
    "CACHE_VARIABLE",
    "TableFault",
    "TableKey",
    "cache_folder",
    "check_writable",
    "read_table",
    "write_table",
]

Array: TypeAlias = npt.NDArray[Any]

CACHE_VARIABLE = "NARDY_CACHE"
"""The environment variable that names another cache folder."""

_MAGIC = b"NARDYTBL"
_FORMAT = 1
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20
_REMEDY = "delete it, and it is made anew"
_DTYPES = ("<f4", "<f8", "<i4", "|u1")


class TableFault(InputError):
    """A file is not the whole table that it should be; the sentence says which file and what is wrong."""


@dataclass(frozen=True)
class TableKey:
    """What a table was computed from: equal keys, equal tables."""

    kind: str
    """A word for file names: `bearoff`, `solved`, …"""
    version: int
    """Of the computation; a greater one makes older files worthless."""
    facts: Mapping[str, Any]
    """Everything else that the numbers depend on, as JSON values."""

    def as_dict(self) -> dict[str, Any]:
        """As the file states it."""
        # By way of JSON, so that what is read back is equal.
        facts = json.loads(json.dumps(dict(self.facts), sort_keys=True))
        return {"kind": self.kind, "version": self.version, "facts": facts}

    def path(self, folder: Path | None = None) -> Path:
        """Where its file lies: in the cache folder, or in another."""
        text = json.dumps(self.as_dict(), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return (folder or cache_folder()) / f"{self.kind}-{digest}.table"


def cache_folder() -> Path:
    """The folder for computed tables: `NARDY_CACHE`, or `nardy-ai` where the system keeps caches."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "nardy-ai" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "nardy-ai"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nardy-ai"


def check_writable(path: Path) -> None:
    """Makes the folder of a file and tries it. InputError where nothing can be written there."""
    probe = path.with_name(f".{path.name}.try-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise InputError(
            f"can't write to {path.parent} ({error.strerror}): name another folder by {CACHE_VARIABLE}"
        ) from None


def write_table(
    path: Path, key: TableKey, arrays: Mapping[str, Array], notes: Mapping[str, Any] | None = None
) -> None:
    """Writes arrays beside `path` and renames: a reader finds the old file or the whole new one.

    `notes` are JSON values that readers get back. Raises InputError where the disk is full or the folder
    can't be written to.
    """
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    digest, listed, offset = hashlib.sha256(), [], 0
    for name, array in contiguous.items():
        if array.dtype.str not in _DTYPES:
            raise ValueError(f"a table can't hold {array.dtype}")
        digest.update(array.data)
        listed.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "offset": offset})
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = {"format": _FORMAT, **key.as_dict(), "arrays": listed, "notes": dict(notes or {})}
    header["sha256"] = digest.hexdigest()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(_MAGIC) + 8 + len(text)) % _ALIGNMENT)
    check_writable(path)
    try:
        with whole_file(path) as file:
            file.write(_MAGIC + len(text).to_bytes(8, "little") + text)
            for array in contiguous.values():
                file.write(array.data)
                file.write(bytes(-array.nbytes % _ALIGNMENT))
    except OSError as error:
        raise InputError(
            f"can't write the table {path} ({error.strerror}): make room, or name another folder by "
            f"{CACHE_VARIABLE}"
        ) from None


def read_table(path: Path, key: TableKey) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays, read-only and mapped from the file, and its notes.

    Raises TableFault where the file is missing, truncated, damaged, of another version, or not this table.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is empty"
        raise TableFault(f"there is no table to read at {path} ({reason})") from None
    header, begin = _read_header(path, mapped)
    if {name: header.get(name) for name in ("kind", "version", "facts")} != key.as_dict():
        raise TableFault(f"the table {path} is of another version or of other rules: {_REMEDY}")
    digest, arrays = hashlib.sha256(), {}
    try:
        for entry in header["arrays"]:
            shape, offset = tuple(int(n) for n in entry["shape"]), begin + int(entry["offset"])
            if entry["dtype"] not in _DTYPES or min((*shape, offset)) < 0:
                raise ValueError("an entry that no table has")
            arrays[entry["name"]] = np.frombuffer(mapped, entry["dtype"], prod(shape), offset).reshape(shape)
            digest.update(arrays[entry["name"]].data)
        whole = digest.hexdigest() == header["sha256"]
        notes = dict(header["notes"])
    except (KeyError, TypeError, ValueError, AttributeError):
        whole, notes = False, {}
    if not whole:
        raise TableFault(f"the table {path} is truncated or damaged: {_REMEDY}")
    return arrays, notes


def _read_header(path: Path, mapped: mmap.mmap) -> tuple[dict[str, Any], int]:
    begin = len(_MAGIC) + 8
    size = int.from_bytes(mapped[len(_MAGIC) : begin], "little")
    try:
        if mapped[: len(_MAGIC)] != _MAGIC or size > min(_LONGEST_HEADER, len(mapped) - begin):
            raise ValueError("no such header")
        header = json.loads(mapped[begin : begin + size])
    except ValueError:
        raise TableFault(f"{path} is not a table of nardy-ai, or it is truncated: {_REMEDY}") from None
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise TableFault(f"the table {path} has a format that this version can't read: {_REMEDY}")
    return header, begin + size
