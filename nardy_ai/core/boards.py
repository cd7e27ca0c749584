"""Boards and plays on arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import Int8, Moves, UInt8, columns, one_board, one_roll, rolls, stated
from nardy_ai.core.rule_options import Rules, handle_of

CLASSES = ("contact", "race")
"""Names of the position classes, by the numbers of `position_classes`."""

SCOUT = "scout"
"""Name of the small net of a model that puts plays in order, so that the others see the best alone."""


def start_board(rules: Rules) -> Int8:
    """``int8 [2, 26]``: the board before the first roll."""
    handle_of(rules)
    board = np.zeros((2, 26), np.int8)
    board[:, :24] = rules.options["start"]
    return board


def check_boards(rules: Rules, boards: Int8, seats: UInt8, turns: UInt8) -> None:
    """InputError names the first board that cannot stand on the table, and why."""
    _core.check_boards(handle_of(rules), *stated(boards, seats, turns))


def results(rules: Rules, boards: Int8, seats: UInt8) -> Int8:
    """``int8 [n]``: the outcome of finished games as the player on roll sees it, -1 where play goes on."""
    if seats is None:
        raise InputError("seats are needed, one for each board")
    return np.frombuffer(_core.results(handle_of(rules), *columns(boards, seats, None)), np.int8)


def position_classes(rules: Rules, boards: Int8) -> UInt8:
    """``uint8 [n]``: index into `CLASSES`."""
    return np.frombuffer(_core.classes(handle_of(rules), *columns(boards, None, None)), np.uint8)


def impossible(rules: Rules, boards: Int8, seats: UInt8 | None = None) -> npt.NDArray[np.bool_]:
    """``bool [n, k]``: outcomes that can no longer happen on an unfinished board."""
    flags = np.frombuffer(_core.impossible(handle_of(rules), *columns(boards, seats, None)), np.bool_)
    return flags.reshape(-1, len(rules.outcomes))


def impossible_tests(rules: Rules) -> tuple[Int8, npt.NDArray[np.int32], UInt8]:
    """The same as data: weights ``int8 [m, 52]``, thresholds ``int32 [m]``, outcomes ``uint8 [m]``.

    Outcome ``outcomes[i]`` is impossible where ``weights[i] . board.ravel() >= thresholds[i]``.
    """
    weights, thresholds, outcomes = _core.impossible_tests(handle_of(rules))
    return (
        np.frombuffer(weights, np.int8).reshape(-1, 52),
        np.frombuffer(thresholds, np.int32),
        np.frombuffer(outcomes, np.uint8),
    )


def legal_boards(
    rules: Rules, boards: Int8, dice: UInt8, seats: UInt8, turns: UInt8
) -> tuple[Int8, npt.NDArray[np.int64]]:
    """Every distinct legal result of ``dice [n, 2]`` on ``boards [n, 2, 26]``.

    Returns boards ``int8 [total, 2, 26]`` with the mover still in row 0, and offsets ``int64 [n + 1]``. A
    turn that must be passed gives the unchanged board alone. The order of the two dice makes no difference.
    """
    batch = stated(boards, seats, turns)
    found, offsets = _core.legal_boards(handle_of(rules), *batch, rolls(dice, len(batch[0])))
    return np.frombuffer(found, np.int8).reshape(-1, 2, 26), np.frombuffer(offsets, np.int64)


def plays(rules: Rules, board: Int8, d1: int, d2: int, seat: int, turns: int) -> tuple[Int8, list[Moves]]:
    """The distinct results of one roll, ``int8 [n, 2, 26]``, mover in row 0, and the movements of each.

    A movement is (from, to) in own points, 25 the bar, 0 off, in the order in which they are made.
    """
    found, moves = _core.plays(handle_of(rules), *one_board(board, seat, turns), one_roll(d1, d2))
    return np.frombuffer(found, np.int8).reshape(-1, 2, 26), moves
