"""Array types of the engine, and how arrays are brought to its form."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.core._core import InputError

Int8 = npt.NDArray[np.int8]
UInt8 = npt.NDArray[np.uint8]
Float32 = npt.NDArray[np.float32]
Moves = list[tuple[int, int]]


def nearest(word: str, known: Sequence[str]) -> str:
    """Ends a sentence about an unknown word: the nearest known one, or all of them."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else "known are " + ", ".join(known)


def exact(array: npt.ArrayLike, dtype: type[np.generic], name: str) -> npt.NDArray[Any]:
    """The array in the engine's type, contiguous; InputError where a number would change on the way."""
    try:
        found = np.asarray(array)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{name} must be whole numbers in an array of even shape") from None
    if found.dtype == dtype:
        return np.ascontiguousarray(found)
    if found.dtype.kind not in "iu" and found.size:
        raise InputError(f"{name} must be whole numbers of type {dtype.__name__}, not {found.dtype}")
    cast = found.astype(dtype, order="C")
    if not np.array_equal(cast, found):
        raise InputError(f"{name} holds a number that does not fit the type {dtype.__name__}")
    return cast


def natural(value: object, bits: int, name: str) -> int:
    """A whole number from 0 that fits so many bits, for the engine's counters; InputError otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**bits:
        raise InputError(f"{name} must be a whole number from 0 to 2^{bits} - 1, not {value!r}")
    return int(value)


def columns(
    boards: npt.ArrayLike, seats: npt.ArrayLike | None, turns: npt.ArrayLike | None
) -> tuple[Int8, UInt8, UInt8]:
    """Boards with their seats (0 where left out) and turns (3 where left out), in the engine's types."""
    whole = exact(boards, np.int8, "boards")
    if whole.ndim != 3 or whole.shape[1:] != (2, 26):
        raise InputError(f"boards must have the shape [n, 2, 26], not {list(whole.shape)}")
    count = len(whole)
    seat = np.zeros(count, np.uint8) if seats is None else exact(seats, np.uint8, "seats")
    turn = np.full(count, 3, np.uint8) if turns is None else exact(turns, np.uint8, "turns")
    for name, column in (("seats", seat), ("turns", turn)):
        if column.shape != (count,):
            raise InputError(
                f"{name} must have one number for each of the {count} boards, not {list(column.shape)}"
            )
    return whole, seat, turn


def stated(boards: npt.ArrayLike, seats: npt.ArrayLike, turns: npt.ArrayLike) -> tuple[Int8, UInt8, UInt8]:
    """The same where nothing may be left out."""
    for name, column in (("seats", seats), ("turns", turns)):
        if column is None:
            raise InputError(f"{name} are needed, one for each board")
    return columns(boards, seats, turns)


def rolls(dice: npt.ArrayLike, count: int) -> UInt8:
    """Dice of ``count`` boards as ``uint8 [n, 2]``."""
    found = exact(dice, np.uint8, "dice")
    if found.shape != (count, 2):
        raise InputError(f"dice must have the shape [{count}, 2], not {list(found.shape)}")
    return found


def one_board(board: Int8, seat: int, turns: int) -> tuple[Int8, UInt8, UInt8]:
    """A single board as a batch of one."""
    whole = exact(board, np.int8, "the board")
    if whole.shape != (2, 26):
        raise InputError(f"the board must have the shape [2, 26], not {list(whole.shape)}")
    return columns(whole[None], [seat], [turns])


def one_roll(d1: int, d2: int) -> UInt8:
    """A single roll as a batch of one."""
    if isinstance(d1, bool) or isinstance(d2, bool):
        raise InputError(f"dice are whole numbers from 1 to 6, not {d1!r} and {d2!r}")
    return rolls([[d1, d2]], 1)
