"""Checks of arrays that come from outside: what is valid is copied, all else is one sentence."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError

Boards: TypeAlias = npt.NDArray[np.int8]
Bytes: TypeAlias = npt.NDArray[np.uint8]

LAYOUT = "26 counts a row: own points 1..24, bar, borne off; player on roll in row 0"


def board_array(value: Any) -> Boards:
    """One board as int8 [2, 26], C-contiguous and own memory. Accepts any integer array or nested list."""
    found = _integers(value, "the board")
    if found.shape != (2, 26):
        raise InputError(f"the board has shape {_shape(found)}, and must be [2, 26] ({LAYOUT})")
    board: Boards = _counts(found[np.newaxis], lambda _: "the board")[0]
    return board


def boards_array(value: Any) -> Boards:
    """Boards as int8 [n, 2, 26], C-contiguous and own memory."""
    found = _integers(value, "boards")
    if found.ndim != 3 or found.shape[1:] != (2, 26):
        raise InputError(f"boards have shape {_shape(found)}, and must be [n, 2, 26] ({LAYOUT})")
    return _counts(found, lambda index: f"board {index}")


def dice_array(value: Any, n: int) -> Bytes:
    """Dice as uint8 [n, 2], each from 1 to 6."""
    found = _integers(value, "dice")
    if found.shape != (n, 2):
        raise InputError(f"dice have shape {_shape(found)}, and must be [{n}, 2], one roll a board")
    return _within(found, 1, 6, "dice")


def small_array(value: Any, n: int, high: int, what: str) -> Bytes:
    """Seats or turns as uint8 [n], each from 0 to `high`; a single number stands for all boards."""
    found = _integers(value, what)
    if found.shape not in ((), (n,)):
        raise InputError(f"{what} have shape {_shape(found)}, and must be [{n}], one for each board")
    return np.ascontiguousarray(np.broadcast_to(_within(found, 0, high, what), (n,)))


def small_number(value: Any, high: int, what: str) -> int:
    """A seat or a number of turns from 0 to `high`."""
    found = _integers(value, what)
    if found.shape != ():
        raise InputError(f"{what} must be a single whole number from 0 to {high}")
    return int(_within(found, 0, high, what))


def _integers(value: Any, what: str) -> npt.NDArray[Any]:
    try:
        found = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{what} must be whole numbers in an array of even shape") from None
    if found.size == 0 and not isinstance(value, np.ndarray):
        found = found.astype(np.int8)  # an empty list has no type of its own
    if found.dtype.kind not in "iu":
        raise InputError(f"{what} must be whole numbers (an integer array), not {found.dtype}")
    return found


def _shape(found: npt.NDArray[Any]) -> str:
    return "[" + ", ".join(str(size) for size in found.shape) + "]"


def _counts(found: npt.NDArray[Any], name: Any) -> Boards:
    wrong = (found < 0) | (found > 15)
    if wrong.any():
        index, row, column = (int(i) for i in np.argwhere(wrong)[0])
        place = {24: "the bar", 25: "borne off"}.get(column, f"point {column + 1}")
        raise InputError(
            f"{name(index)} has {int(found[index, row, column])} checkers in row {row}, {place}; "
            "counts are 0 to 15"
        )
    return np.array(found, dtype=np.int8, order="C")


def _within(found: npt.NDArray[Any], low: int, high: int, what: str) -> Bytes:
    wrong = (found < low) | (found > high)
    if wrong.any():
        where = np.argwhere(wrong)[0]
        at = f" at {', '.join(str(int(i)) for i in where)}" if where.size else ""
        raise InputError(f"{what} must lie between {low} and {high}; found {int(found[tuple(where)])}{at}")
    return np.array(found, dtype=np.uint8, order="C")
