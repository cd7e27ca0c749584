"""The engine's plays of the standard game against those of Open Sage, a second program by other authors."""

from __future__ import annotations

import os
import platform

import pytest
from peer_plays import assert_engine_agrees, questions, with_off
from reference import Board, turned
from reference.boards import board_from_text
from reference.field_bugs import A14_COUNTS, FIELD_BUGS, SHORT, SHUT_OUT

# It comes for x86-64 alone.
if os.environ.get("NARDY_PEERS") == "1" and platform.machine().lower() in ("x86_64", "amd64"):
    import bgsage
else:
    bgsage = pytest.importorskip("bgsage")


def sage_ends(board: Board, dice: tuple[int, int]) -> set[Board]:
    """Boards with the mover in row 0; no play at all is the board as it was.

    Open Sage has one list of 26: the opponent's bar, the mover's points 1 to 24 with his own checkers above
    zero and the opponent's below, the mover's bar. It does not list checkers off.
    """
    mine, theirs = board
    signed = [a - b for a, b in zip(mine[:24], reversed(theirs[:24]), strict=True)]
    found = bgsage.possible_moves([theirs[24], *signed, mine[24]], *dice)
    ends = [_board_of(end) for end in found]
    assert len(set(ends)) == len(ends)
    return set(ends) or {board}


def _board_of(listed: list[int]) -> Board:
    mine = [max(0, count) for count in listed[1:25]]
    theirs = [max(0, -count) for count in reversed(listed[1:25])]
    return with_off([*mine, listed[25]]), with_off([*theirs, listed[0]])


def test_twelve_thousand_position_rolls() -> None:
    assert_engine_agrees(questions(seed=71, positions=1000, rolls=12), sage_ends)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_million_position_rolls() -> None:
    for seed in range(80, 130):
        assert_engine_agrees(questions(seed, positions=1000, rolls=20), sage_ends)


def test_positions_on_which_others_went_wrong() -> None:
    for bug in FIELD_BUGS:
        for dice in (bug.dice, bug.dice[::-1]):
            assert sage_ends(bug.board, dice) == bug.expected, bug.name
    for text, count in A14_COUNTS.items():
        assert len(sage_ends(board_from_text(SHORT, text), (2, 2))) == count
    shut_out = board_from_text(SHORT, SHUT_OUT)
    assert sage_ends(shut_out, (6, 5)) == {shut_out}


def test_a_difference_would_show() -> None:
    """The comparison is no formality: the rows the other way round are other plays, and few turns pass."""
    asked = [(position.board, dice) for position, dice in questions(seed=72, positions=200, rolls=1)]
    different = [
        sage_ends(board, dice) != {turned(end) for end in sage_ends(turned(board), dice)}
        for board, dice in asked
    ]
    passed = [sage_ends(board, dice) == {board} for board, dice in asked]
    assert sum(different) > 150
    assert 0 < sum(passed) < 60
