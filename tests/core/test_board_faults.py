"""What the engine says about boards that can't stand on the table: every point and column is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from nardy_ai import core
from nardy_ai.rules import Game

FACING = {
    "long": lambda point: point + 12 if point <= 12 else point - 12,
    "short": lambda point: 25 - point,
}


def fault(family: str, mine: dict[int, int], theirs: dict[int, int]) -> str | None:
    """The engine's words about a board by own points (25 the bar, 0 off), None where it is sound."""
    board = np.zeros((1, 2, 26), np.int8)
    for side, row in enumerate((mine, theirs)):
        for point, count in row.items():
            board[0, side, point - 1 if point else 25] += count
    try:
        core.results(Game(family).core_rules, board, np.zeros(1, np.uint8))
    except core.InputError as error:
        return str(error)
    return None


@pytest.mark.parametrize("family", FACING)
def test_both_sides_share_a_point_where_it_is_one_and_the_same(family: str) -> None:
    for point in range(1, 25):
        for other in range(1, 25):
            found = fault(family, {point: 1, 0: 14}, {other: 1, 0: 14})
            shared = FACING[family](point) == other
            assert found == ("bad board: both sides stand on one point" if shared else None), (point, other)


@pytest.mark.parametrize("family", FACING)
def test_the_bar_and_checkers_off_are_no_points_to_share(family: str) -> None:
    assert fault(family, {0: 14, 1: 1}, {0: 14, 2: 1}) is None
    if family == "short":
        assert fault(family, {25: 14, 24: 1}, {25: 14, 24: 1}) is None


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("column", range(26))
def test_every_column_is_counted(side: int, column: int) -> None:
    rules = Game("short").core_rules
    sound = core.start_board(rules)[None]
    seats = np.zeros(1, np.uint8)
    for wrong in (-1, -128, 16, 127):
        board = sound.copy()
        board[0, side, column] = wrong
        with pytest.raises(core.InputError, match=f"row {side} has a count below 0 or above"):
            core.results(rules, board, seats)
    board = sound.copy()
    board[0, side, column] += 1
    with pytest.raises(core.InputError, match=f"the checkers of row {side} do not add up"):
        core.results(rules, board, seats)


def test_a_sum_that_fits_a_byte_only_by_overflow_is_wrong() -> None:
    """18 columns of 15 and one of 1 are 271 checkers, which is 15 in eight bits."""
    rules = Game("short").core_rules
    board = core.start_board(rules)[None].copy()
    board[0, 0] = 0
    board[0, 0, :18] = 15
    board[0, 0, 18] = 1
    with pytest.raises(core.InputError, match="the checkers of row 0 do not add up"):
        core.results(rules, board, np.zeros(1, np.uint8))
