"""A model as a net file for the C library: what `nardy_model_load` of nardy.h reads.

The layout is written down in `library/net_file.c`: a header with version, length and checksum, a few texts,
and the weights as little-endian float32. Equal models give equal bytes.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.core.whole_files import plain_place
from nardy_ai.export.place import place_beside
from nardy_ai.models.layers import NETS, Layers, sizes_of
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.models.tensor_file import write_file

__all__ = ["FORMAT", "SUFFIX", "export_net_file", "net_file_bytes", "rules_text"]

FORMAT: Final = 1
SUFFIX: Final = ".nardynet"
_MAGIC: Final = b"NARDYNET"
_MOST_TEXT: Final = 65536


def export_net_file(model_path: Path, out: Path) -> int:
    """Writes the model of `model_path` to `out` as a net file, whole or not at all; returns its bytes.

    Folders are made. Raises `InputError` for a model file that will not do, as `read_model` does, and for a
    place that is the model itself, a folder, or in one that an export wrote.
    """
    data = net_file_bytes(read_model(model_path))
    if out.is_dir():
        raise InputError(f"{out} is a folder; name a file in it: {out / ('model' + SUFFIX)}")
    if out.exists() and out.samefile(model_path):
        raise InputError(f"{out} is the model itself; name another file")
    place_beside(plain_place(out))
    write_file(out, data)
    return len(data)


def net_file_bytes(model: ModelFile) -> bytes:
    """The bytes of the net file of a model."""
    rules = core.Rules(model.rules)
    texts = (
        model.profile,
        model.encoding,
        " ".join(model.outcomes),
        rules_text(rules),
        _lines({"game": model.game, **model.provenance}),
    )
    nets = [(number, model.nets[name]) for number, name in enumerate(NETS) if name in model.nets]
    parts = [*map(_text, texts), _words(len(nets)), *(_net(number, layers) for number, layers in nets)]
    body = b"".join(parts)
    return b"".join([_MAGIC, _words(FORMAT, zlib.crc32(body)), struct.pack("<Q", len(body)), body])


def rules_text(rules: core.Rules) -> str:
    """Rules as the lines that `nardy_rules_create` of the C library reads."""
    lines = []
    for option in core.rules_schema():
        if option.family in ("both", rules.family):
            value = rules.options[option.name]
            lines.append(f"{option.name} = {str(value).lower() if isinstance(value, bool) else value}")
    start, scores = rules.options["start"], rules.options["scores"]
    places = [f"{point}:{start[point - 1]}" for point in range(24, 0, -1) if start[point - 1]]
    points = [f"{kind}:{_decimal(worth)}" for kind, worth in scores.items()]
    return "\n".join([*lines, "start = " + " ".join(places), "scores = " + " ".join(points), ""])


def _decimal(points: float) -> str:
    """Points as the C library reads them: digits, perhaps with a fraction."""
    text = f"{points:.6f}".rstrip("0").rstrip(".")
    if np.float32(float(text)) != np.float32(points):
        raise InputError(f"points {points!r} have too many decimal places for a net file: at most six")
    return text


def _lines(facts: Mapping[str, Any]) -> str:
    """Facts for people, one a line."""
    shown = {key: value if isinstance(value, str) else json.dumps(value) for key, value in facts.items()}
    return "".join(f"{key} = {' '.join(value.split())}\n" for key, value in sorted(shown.items()))


def _words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def _text(text: str) -> bytes:
    data = text.encode()
    if len(data) > _MOST_TEXT or b"\0" in data:
        raise InputError(f"a text of the model is too long for a net file, or holds a NUL: {text[:40]!r}")
    return _words(len(data)) + data


def _net(number: int, layers: Layers) -> bytes:
    numbers = [
        np.ascontiguousarray(array, "<f4").tobytes() for weight, bias in layers for array in (weight, bias)
    ]
    return b"".join([_words(number, len(layers), *sizes_of(layers)), *numbers])
