"""What a net sees of a board, as data and as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import Float32, Int8, UInt8, columns, nearest
from nardy_ai.core.rule_options import Rules, handle_of


@cache
def encodings() -> tuple[str, ...]:
    """Names of the encodings; the number in a name is its version."""
    return tuple(_core.encodings())


def encoding_name(rules: Rules) -> str:
    """The encoding that new nets of a profile get."""
    number: int = _core.encoding_for(handle_of(rules))
    return encodings()[number]


def encoding_number(name: str) -> int:
    """The engine's number of an encoding; InputError names the nearest."""
    if name not in encodings():
        raise InputError(f"unknown encoding {name!s:.60}: {nearest(str(name)[:60], encodings())}")
    return encodings().index(name)


@dataclass(frozen=True)
class EncodingTable:
    """An encoding as data. Input ``index[row, column, unit]`` is ``value[row, column, count, unit]``.

    Where an encoding sees the shape of a position (``encode_shape.h``), these inputs come last.
    """

    inputs: int
    seat_input: int
    """The input that holds the seat, -1 where the encoding does not see it."""
    family: str
    index: npt.NDArray[np.int16]
    """``[2, 26, 4]``, -1 where there is no such unit."""
    value: Float32
    """``[2, 26, 16, 4]``."""
    shape_input: int
    """The first input of the position's shape, -1 where the encoding does not see it."""
    scout: str
    """The encoding of a scout's net: this one without the shape, whose inputs are the first of this one's."""


def encoding_table(name: str) -> EncodingTable:
    """The definition of an encoding, from which exports build theirs."""
    inputs, seat_input, family, index, value, shape_input, scout = _core.encoding_table(encoding_number(name))
    return EncodingTable(
        inputs,
        seat_input,
        ("long", "short")[family],
        np.frombuffer(index, np.int16).reshape(2, 26, 4).copy(),
        np.frombuffer(value, np.float32).reshape(2, 26, 16, 4).copy(),
        shape_input,
        encodings()[scout],
    )


def places_within(old: str, new: str) -> npt.NDArray[np.int64] | None:
    """``int64 [inputs of old]``: where each input of an encoding stands in another; None if one is missing.

    Inputs are the same that see the same unit of a column by the same values, the seat, or the same entry of
    the shape: shapes of one family are longer or shorter, and begin alike.
    """
    here, there = encoding_table(old), encoding_table(new)
    places = np.full(here.inputs, -1, np.int64)
    if here.family == there.family and np.array_equal(here.value, there.value):
        seen = here.index >= 0
        places[here.index[seen]] = there.index[seen]
        if here.seat_input >= 0:
            places[here.seat_input] = there.seat_input
        if min(here.shape_input, there.shape_input) >= 0:
            shape = min(here.inputs - here.shape_input, there.inputs - there.shape_input)
            places[here.shape_input : here.shape_input + shape] = there.shape_input + np.arange(shape)
    return None if (places < 0).any() else places


def encode(encoding: str, boards: Int8, seats: UInt8 | None = None) -> Float32:
    """``float32 [n, inputs]``: what a net sees of each board, player on roll in row 0."""
    number = encoding_number(encoding)
    if encoding.endswith("-seat") and seats is None:
        raise InputError(f"encoding {encoding} sees who started: give seats")
    found = np.frombuffer(_core.encode(number, *columns(boards, seats, None)), np.float32)
    return found.reshape(-1, encoding_table(encoding).inputs)
