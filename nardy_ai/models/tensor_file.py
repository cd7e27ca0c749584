"""Reading and writing .safetensors files: the same content gives the same bytes, and nothing is half written.

The safetensors library reads; writing is done here, because the library writes its metadata in an order
that changes from process to process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from nardy_ai.core import InputError
from nardy_ai.core.whole_files import whole_file

Tensors = Mapping[str, npt.NDArray[Any]]

_NAMES = {"float32": "F32", "int8": "I8", "uint8": "U8", "int64": "I64"}


def tensor_bytes(tensors: Tensors, metadata: Mapping[str, str]) -> bytes:
    """The content of a .safetensors file: float32, int8, uint8 and int64 arrays, sorted by name."""
    header: dict[str, Any] = {"__metadata__": {key: metadata[key] for key in sorted(metadata)}}
    parts: list[bytes] = []
    offset = 0
    # Larger units first, so that every tensor starts at a multiple of its item size.
    for name in sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name)):
        array = tensors[name]
        data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        header[name] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(data)],
        }
        parts.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def write_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write beside `path` and rename: a reader finds the old file or the whole new one.

    `durable` also waits for the disk, so that this holds across a power failure. Raises InputError where
    something other than a plain file is there.
    """
    with whole_file(path, durable=durable) as file:
        file.write(data)


def read_tensors(path: Path, what: str) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
    """Arrays and metadata of a .safetensors file, read without running any code from it.

    `what` names in errors what the file should be. Raises InputError when it is missing, truncated,
    or of another format.
    """
    _check_readable(path, what)
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            return {name: file.get_tensor(name) for name in file.keys()}, metadata  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise InputError(
            f"{path} is not a {what}: it is truncated, damaged or of another format ({error}); "
            "take a whole copy of the file"
        ) from None


def _check_readable(path: Path, what: str) -> None:
    """Tell a path that is wrong or forbidden from content that is damaged."""
    try:
        there = path.is_file()
        if there:
            path.open("rb").close()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"the {what} {str(path)!r} can't be read ({reason}); check the path and your right to read it"
        ) from None
    if not there:
        raise InputError(f"there is no {what} at {path}; check the path")
