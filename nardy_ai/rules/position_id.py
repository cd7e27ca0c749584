"""The 14-character position ID of GNU Backgammon, for every game of up to 15 checkers.

Eighty bits, least significant bit of each byte first: the player who is *not* on roll, then the one who
is; for each of his points 1..24 and the bar as many ones as checkers, then a zero. Ten bytes in base64
without padding. Checkers borne off are not in it: they are what is missing to the game's number. In long
nardy each side is written in its own numbers all the same.
"""

from __future__ import annotations

import base64
import binascii

import numpy as np

from nardy_ai.core import InputError
from nardy_ai.rules.arrays import Boards

ID_LENGTH = 14
_BITS = 80
_BOARD_COLUMNS = 25


def encode_id(board: Boards) -> str:
    """The ID of a board int8 [2, 26], player on roll in row 0, at most 15 checkers a side."""
    bits = 0
    place = 0
    for row in (1, 0):
        for count in board[row, :_BOARD_COLUMNS].tolist():
            bits |= ((1 << count) - 1) << place
            place += count + 1
    return base64.b64encode(bits.to_bytes(_BITS // 8, "little"))[:ID_LENGTH].decode("ascii")


def decode_id(text: str, checkers: int) -> Boards:
    """The board int8 [2, 26] of an ID in a game of that many checkers.

    Raises InputError for anything that `encode_id` would not have written.
    """
    bits = _bits_of(text)
    board = np.zeros((2, 26), np.int8)
    for row in (1, 0):
        for column in range(_BOARD_COLUMNS):
            count = _trailing_ones(bits)
            if count > checkers:
                raise _malformed(text, f"it puts {count} checkers on one point, and the game has {checkers}")
            board[row, column] = count
            bits >>= count + 1
        on_board = int(board[row].sum())
        if on_board > checkers:
            raise _malformed(text, f"it holds {on_board} checkers of one side, and the game has {checkers}")
        board[row, 25] = checkers - on_board
    if bits:
        raise _malformed(text, "bits are set behind the last point")
    return board


def _bits_of(text: str) -> int:
    if len(text) != ID_LENGTH:
        raise _malformed(text, f"it has {len(text)} characters instead of {ID_LENGTH}")
    try:
        raw = base64.b64decode(text.encode("ascii") + b"==", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise _malformed(text, "its characters must be A-Z, a-z, 0-9, + and /") from None
    if base64.b64encode(raw)[:ID_LENGTH].decode("ascii") != text:
        raise _malformed(text, "its last character has bits beyond the eightieth")
    return int.from_bytes(raw, "little")


def _trailing_ones(bits: int) -> int:
    return (~bits & (bits + 1)).bit_length() - 1


def _malformed(text: str, why: str) -> InputError:
    shown = text if len(text) <= 40 else text[:40] + "…"
    return InputError(f"{shown!r} is no position ID: {why}")
