"""The shared library libnardy called from Python: structures as nardy.h has them, and calls that raise."""

from __future__ import annotations

import ctypes as c
from pathlib import Path
from typing import Any

import numpy as np

OK, BAD_INPUT, NO_MEMORY, NO_FILE, BAD_FILE = range(5)


class Message(c.Structure):
    _fields_ = [("text", c.c_char * 256)]


class Board(c.Structure):
    _fields_ = [("row", (c.c_int8 * 26) * 2)]

    def array(self) -> np.ndarray:
        return np.array(self.row, np.int8)


class Position(c.Structure):
    _fields_ = [("board", Board), ("seat", c.c_uint8), ("turns", c.c_uint8)]


class Movement(c.Structure):
    _fields_ = [("from_", c.c_uint8), ("to", c.c_uint8)]


class Value(c.Structure):
    _fields_ = [("outcomes", c.c_float * 9), ("equity", c.c_float)]


class Play(c.Structure):
    _fields_ = [
        ("board", Board),
        ("movements", c.c_uint8),
        ("plies", c.c_uint8),
        ("movement", Movement * 24),
        ("value", Value),
    ]


class Layer(c.Structure):
    _fields_ = [("inputs", c.c_int32), ("outputs", c.c_int32), ("weight", c.c_void_p), ("bias", c.c_void_p)]


class Player(c.Structure):
    _fields_ = [("model", c.c_void_p), ("plies", c.c_int), ("noise", c.c_double)]


class Level(c.Structure):
    _fields_ = [("noise", c.c_double), ("plies", c.c_int)]


STRUCTURES = {
    "nardy_message": Message,
    "nardy_board": Board,
    "nardy_position": Position,
    "nardy_movement": Movement,
    "nardy_value": Value,
    "nardy_play": Play,
    "nardy_layer": Layer,
    "nardy_player": Player,
    "nardy_level": Level,
}

handle, size, text = c.c_void_p, c.c_size_t, c.c_char_p
out = c.POINTER(c.c_void_p)
SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "nardy_version": (c.c_int, []),
    "nardy_version_text": (text, []),
    "nardy_free": (None, [handle]),
    "nardy_rules_create": (c.c_int, [text, out, c.POINTER(Message)]),
    "nardy_rules_destroy": (None, [handle]),
    "nardy_rules_text": (c.c_int, [handle, text, size, c.POINTER(size), c.POINTER(Message)]),
    "nardy_rules_use_seat": (c.c_int, [handle]),
    "nardy_rules_use_turns": (c.c_int, [handle]),
    "nardy_outcome_count": (c.c_int, [handle]),
    "nardy_outcome_name": (text, [handle, c.c_int]),
    "nardy_outcome_points": (c.c_float, [handle, c.c_int]),
    "nardy_start": (c.c_int, [handle, c.POINTER(Position), c.POINTER(Message)]),
    "nardy_check": (c.c_int, [handle, c.POINTER(Position), c.POINTER(Message)]),
    "nardy_result": (c.c_int, [handle, c.POINTER(Position), c.POINTER(c.c_int), c.POINTER(Message)]),
    "nardy_list_plays": (
        c.c_int,
        [handle, c.POINTER(Position), c.c_int, c.c_int, out, c.POINTER(size), c.POINTER(Message)],
    ),
    "nardy_next": (
        c.c_int,
        [handle, c.POINTER(Position), c.POINTER(Board), c.POINTER(Position), c.POINTER(Message)],
    ),
    "nardy_dice": (
        c.c_int,
        [handle, c.c_uint64, c.c_uint64, c.c_uint32, c.POINTER(c.c_int), c.POINTER(Message)],
    ),
    "nardy_encoding_for": (text, [handle]),
    "nardy_encoding_inputs": (c.c_int, [text]),
    "nardy_encode": (
        c.c_int,
        [handle, text, c.POINTER(Position), c.POINTER(c.c_float), size, c.POINTER(Message)],
    ),
    "nardy_model_create": (
        c.c_int,
        [handle, text, *[c.POINTER(Layer), size] * 3, text, out, c.POINTER(Message)],
    ),
    "nardy_model_load": (c.c_int, [text, handle, text, out, c.POINTER(Message)]),
    "nardy_model_read": (c.c_int, [text, size, handle, text, out, c.POINTER(Message)]),
    "nardy_model_destroy": (None, [handle]),
    "nardy_model_rules": (handle, [handle]),
    "nardy_model_encoding": (text, [handle]),
    "nardy_model_kernels": (text, [handle]),
    "nardy_tables_create": (c.c_int, [handle, out, c.POINTER(Message)]),
    "nardy_tables_destroy": (None, [handle]),
    "nardy_model_use_tables": (c.c_int, [handle, handle, c.POINTER(Message)]),
    "nardy_search_create": (c.c_int, [handle, c.c_int, c.c_uint64, out, c.POINTER(Message)]),
    "nardy_search_destroy": (None, [handle]),
    "nardy_evaluate": (
        c.c_int,
        [handle, c.POINTER(Position), size, c.c_int, c.POINTER(Value), c.POINTER(Message)],
    ),
    "nardy_net": (c.c_int, [handle, c.POINTER(Position), size, c.POINTER(Value), c.POINTER(Message)]),
    "nardy_rank": (
        c.c_int,
        [handle, c.POINTER(Position), c.c_int, c.c_int, c.c_int, out, c.POINTER(size), c.POINTER(Message)],
    ),
    "nardy_choose": (
        c.c_int,
        [handle, c.POINTER(Position), c.c_int, c.c_int, c.c_int, c.POINTER(Play), c.POINTER(Message)],
    ),
    "nardy_level_default": (c.c_int, [handle, c.c_int, c.POINTER(Level), c.POINTER(Message)]),
    "nardy_noise_key": (c.c_uint64, [c.c_uint64, c.c_uint64, c.c_int, c.c_uint32]),
    "nardy_noise": (c.c_int, [c.c_uint64, c.POINTER(Board), c.POINTER(c.c_double), c.POINTER(Message)]),
    "nardy_choose_at": (
        c.c_int,
        [
            handle,
            c.POINTER(Position),
            c.c_int,
            c.c_int,
            c.POINTER(Level),
            c.c_uint64,
            c.POINTER(Play),
            c.POINTER(Message),
        ],
    ),
    "nardy_duel": (
        c.c_int,
        [
            handle,
            c.POINTER(Player),
            c.POINTER(Player),
            c.c_uint64,
            c.c_uint64,
            c.c_uint32,
            c.c_uint32,
            c.POINTER(c.c_int8),
            c.POINTER(c.c_uint32),
            c.POINTER(Message),
        ],
    ),
}


class LibraryError(Exception):
    """A call failed: its status and its message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Library:
    """Calls without their last argument, the message; what they fail with is raised as LibraryError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._library = c.CDLL(str(path))
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments

    def call(self, name: str, *arguments: Any) -> Any:
        """Calls nardy_NAME; those that can fail get a message."""
        function = getattr(self._library, f"nardy_{name}")
        if len(function.argtypes) == len(arguments):
            return function(*arguments)
        message = Message(b"nothing was written")
        status = function(*arguments, c.byref(message))
        if status != OK:
            assert message.text, "a failure without a message"
            raise LibraryError(status, message.text.decode())
        return None

    def made(self, name: str, *arguments: Any, after: tuple[Any, ...] = ()) -> int:
        """The handle that nardy_NAME makes."""
        place = c.c_void_p()
        self.call(name, *arguments, c.byref(place), *after)
        assert place.value
        return place.value

    def rules(self, options: str) -> int:
        return self.made("rules_create", options.encode())

    def listed(self, name: str, *arguments: Any) -> list[Play]:
        """The plays that nardy_list_plays or nardy_rank give, copied and released."""
        place, count = c.c_void_p(), c.c_size_t()
        self.call(name, *arguments, c.byref(place), c.byref(count))
        plays = list((Play * count.value).from_buffer_copy((Play * count.value).from_address(place.value)))
        self.call("free", place)
        return plays


def position(board: np.ndarray, seat: int = 0, turns: int = 3) -> Position:
    found = Position(seat=seat, turns=turns)
    c.memmove(c.byref(found.board), np.ascontiguousarray(board, np.int8).ctypes.data, 52)
    return found
