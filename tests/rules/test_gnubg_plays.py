"""The engine's and the reference's plays of the standard game against those of GNU Backgammon."""

from __future__ import annotations

import os
import random

import pytest
from peer_plays import STANDARD, assert_engine_agrees, questions, with_off
from reference import Board, legal_ends, text_of, turned
from reference.positions import from_random_play, random_roll

if os.environ.get("NARDY_PEERS") == "1":
    import gnubg_nn
else:
    gnubg_nn = pytest.importorskip("gnubg_nn")

def _gnubg_ends(board: Board, dice: tuple[int, int]) -> set[Board]:
    """Boards with the mover in row 0. GNU Backgammon does not list checkers off, and names the mover last."""
    rows = [list(board[1][:25]), list(board[0][:25])]
    ends = (gnubg_nn.board_from_position_key(key) for key in gnubg_nn.moves(rows, *dice))
    return {(with_off(mine), with_off(theirs)) for theirs, mine in ends} or {board}


def _finished_alike(ends: set[Board]) -> set[Board]:
    """All boards without a checker of the mover as one.

    Here a turn that bears off the last checker is always legal; GNU Backgammon asks for the greater number
    of movements even then. So 2/off by a four and 2/1*/off by a one and a four are both plays here, and only
    the second one is there: the same end of the same game.
    """
    return {(mine, mine if mine[25] == 15 else theirs) for mine, theirs in ends}


def test_twenty_thousand_position_rolls() -> None:
    assert_engine_agrees(questions(seed=11, positions=2000, rolls=10), _gnubg_ends, _finished_alike)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_million_position_rolls() -> None:
    for seed in range(20, 70):
        assert_engine_agrees(questions(seed, positions=1000, rolls=20), _gnubg_ends, _finished_alike)


def test_the_reference_agrees() -> None:
    for (board, seat, turns), dice in questions(seed=12, positions=400, rolls=5):
        ends, theirs = legal_ends(STANDARD, board, dice, seat, turns), _gnubg_ends(board, dice)
        assert _finished_alike(ends) == _finished_alike(theirs), f"{dice}\n{text_of(STANDARD, board)}"


def test_a_difference_would_show() -> None:
    """The comparison is no formality: the rows the other way round are other plays, and few turns pass."""
    rng = random.Random(13)
    different = passed = 0
    for board, _, _ in from_random_play(STANDARD, 13, 200):
        dice = random_roll(rng)
        different += _gnubg_ends(board, dice) != {turned(end) for end in _gnubg_ends(turned(board), dice)}
        passed += _gnubg_ends(board, dice) == {board}
    assert different > 190
    assert 0 < passed < 50
