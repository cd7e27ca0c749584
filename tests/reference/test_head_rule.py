"""The reference against every row of the head rule's tables."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from reference import PROFILES, VARIANTS, Board, board_from_text, legal_ends, start_board, turned
from reference.head_tables import FIRST_PLAYER, OPTIONS, SECOND_PLAYER, HeadCase

ROLLS = list(combinations_with_replacement(range(1, 7), 2))


@pytest.mark.parametrize("case", FIRST_PLAYER + SECOND_PLAYER, ids=lambda case: case.name)
def test_tables(case: HeadCase) -> None:
    assert legal_ends(OPTIONS[case.exception], case.board, case.dice, case.seat, turns=0) == case.ends


@pytest.mark.parametrize("case", FIRST_PLAYER + SECOND_PLAYER, ids=lambda case: case.name)
def test_the_exception_ends_with_the_first_turn(case: HeadCase) -> None:
    """From the second turn on one checker leaves the head, except where any double on any turn lets two."""
    options = OPTIONS[case.exception]
    later = legal_ends(options, case.board, case.dice, case.seat, turns=1)
    always_two = case.exception == "any_double_any_turn"
    expected = options if always_two else {**options, "head_exception": "none"}
    assert later == legal_ends(expected, case.board, case.dice, case.seat, turns=3)
    assert all(end[0][23] >= (13 if always_two else 14) for end in later)


def test_where_placed_checkers_stop_the_second_player() -> None:
    """``blocked_any`` differs from ``blocked_by_head`` after these openings and replies alone."""
    fns, classic = PROFILES["long/fns"], PROFILES["long/classic"]
    start = start_board(fns)
    differ = {
        (_closed_for_the_other(opened), reply)
        for roll in ROLLS
        for opened in legal_ends(fns, start, roll, seat=0, turns=0)
        for reply in ROLLS
        if legal_ends(fns, turned(opened), reply, 1, 0) != legal_ends(classic, turned(opened), reply, 1, 0)
    }
    assert differ == {
        *(((16,), reply) for reply in [(2, 6), (3, 5), (4, 4), (2, 2)]),  # after 5-5
        ((9,), (5, 5)),  # after 2-1
        ((9, 3), (5, 5)),  # after 3-3 played 15,21
        ((4,), (5, 5)),  # after 6-2, 5-3, 2-2 and 4-4
    }


def _closed_for_the_other(opened: Board) -> tuple[int, ...]:
    """The points, in the other player's numbers, where an opening placed its checkers."""
    points = [point for point in range(23, 0, -1) if opened[0][point - 1]]
    return tuple(point - 12 if point > 12 else point + 12 for point in points)


def test_the_exception_needs_a_head_on_the_other_side() -> None:
    """All of the opponent's checkers have left his head: one checker goes on past my 12.

    f . . . . . | . . . . . . | _ . . . . . | . . . . . .
            9                                       6
    """
    fns = PROFILES["long/fns"]
    board = board_from_text(fns, "P 24:15 | O 20:9 3:6")
    assert legal_ends(fns, board, (6, 6), 1, 0) == {board_from_text(fns, "P 24:14 6:1 | O 20:9 3:6")}


def test_a_small_game_has_the_exception_while_a_head_is_there() -> None:
    """Three checkers each: the rule looks at the opponent's head, however small it is."""
    three = VARIANTS["long, 3 checkers"]
    two_left = board_from_text(three, "P 24:1 18:2 | O 12:3")
    assert legal_ends(three, start_board(three), (6, 6), 0, 0) == {two_left}
    gone = board_from_text(three, "P 24:3 | O 6:3")
    assert legal_ends(three, gone, (4, 4), 1, 0) == {board_from_text(three, "P 24:2 8:1 | O 6:3")}


def test_a_first_turn_that_passes_ends_the_exception() -> None:
    """Any double: 5-5 played 9,19 leaves 3-3 without a move; then 4-4 moves one checker."""
    options = PROFILES["long/any_double"]
    board = board_from_text(options, "P 24:15 | O 21:1 7:1 12:13")
    assert legal_ends(options, board, (3, 3), 1, 0) == {board}
    one_left = board_from_text(options, "P 24:14 16:1 | O 21:1 7:1 12:13")
    assert legal_ends(options, board, (4, 4), 1, 1) == {one_left}
