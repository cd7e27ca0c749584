"""Checks of a written web bundle before it counts as written: every byte, and the net read back."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise
from typing import Final

import numpy as np

from nardy_ai import core
from nardy_ai.export.mismatch import ExportMismatch
from nardy_ai.export.varied_boards import varied_boards
from nardy_ai.models.layers import NETS, Layers
from nardy_ai.models.model_file import ModelFile

__all__ = ["BOARDS", "check_net", "nets_of"]

BOARDS: Final = 256
_HEADER: Final = struct.Struct("<8sIIQ")


def check_net(data: bytes, model: ModelFile) -> int:
    """Reads a net file back and compares it with its model; returns the number of boards that both judged.

    Raises `ExportMismatch` where anything differs, to the bit.
    """
    try:
        profile, encoding, outcomes, nets = nets_of(data)
    except (ValueError, struct.error) as error:
        raise ExportMismatch(
            f"the net file cannot be read back ({error}); the bundle was not written"
        ) from None
    if (profile, encoding, outcomes) != (model.profile, model.encoding, model.outcomes):
        raise ExportMismatch("the net file names another game than the model; the bundle was not written")
    rules = core.Rules(model.rules)
    boards, seats = varied_boards(rules, BOARDS)
    answers = [
        core.net(core.Model(rules, encoding, each), rules, boards, seats) for each in (nets, model.nets)
    ]
    same = all(np.array_equal(ours, theirs) for ours, theirs in zip(*answers, strict=True))
    if not same or not np.isfinite(answers[0][1]).all():
        raise ExportMismatch("the net read back judges boards differently; the bundle was not written")
    return BOARDS


def nets_of(data: bytes) -> tuple[str, str, tuple[str, ...], dict[str, Layers]]:
    """Profile, encoding, outcomes and nets of a net file; raises ValueError or struct.error for others."""
    magic, version, crc, size = _HEADER.unpack_from(data)
    body = data[_HEADER.size :]
    if (magic, version, size, crc) != (b"NARDYNET", 1, len(body), zlib.crc32(body)):
        raise ValueError("its header does not fit")
    texts, at = [], 0
    for _ in range(5):
        (length,) = struct.unpack_from("<I", body, at)
        texts.append(body[at + 4 : at + 4 + length].decode())
        at += 4 + length
    (count,) = struct.unpack_from("<I", body, at)
    at += 4
    nets: dict[str, Layers] = {}
    for _ in range(count):
        number, layers = struct.unpack_from("<2I", body, at)
        sizes = struct.unpack_from(f"<{layers + 1}I", body, at + 8)
        at += 8 + 4 * (layers + 1)
        nets[NETS[number]], at = _layers(body, at, sizes)
    if at != len(body):
        raise ValueError("something follows the last net")
    return texts[0], texts[1], tuple(texts[2].split(" ")), nets


def _layers(body: bytes, at: int, sizes: tuple[int, ...]) -> tuple[Layers, int]:
    layers: Layers = []
    for inputs, outputs in pairwise(sizes):
        weight = np.frombuffer(body, "<f4", inputs * outputs, at).reshape(outputs, inputs)
        at += weight.nbytes
        bias = np.frombuffer(body, "<f4", outputs, at)
        at += bias.nbytes
        layers.append((weight, bias))
    return layers, at
