"""The engine's and the reference's plays of the standard game against those of GNU Backgammon."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest
from reference import PROFILES, Board, legal_ends, text_of, turned
from reference.positions import Position, built, from_random_play, random_roll

from nardy_ai import core

if os.environ.get("NARDY_PEERS") == "1":
    import gnubg_nn
else:
    gnubg_nn = pytest.importorskip("gnubg_nn")

STANDARD = PROFILES["short/standard"]


def _gnubg_ends(board: Board, dice: tuple[int, int]) -> set[Board]:
    """Boards with the mover in row 0. GNU Backgammon does not list checkers off, and names the mover last."""
    rows = [list(board[1][:25]), list(board[0][:25])]
    ends = (gnubg_nn.board_from_position_key(key) for key in gnubg_nn.moves(rows, *dice))
    return {(_with_off(mine), _with_off(theirs)) for theirs, mine in ends} or {board}


def _finished_alike(ends: set[Board]) -> set[Board]:
    """All boards without a checker of the mover as one.

    Here a turn that bears off the last checker is always legal; GNU Backgammon asks for the greater number
    of movements even then. So 2/off by a four and 2/1*/off by a one and a four are both plays here, and only
    the second one is there: the same end of the same game.
    """
    return {(mine, mine if mine[25] == 15 else theirs) for mine, theirs in ends}


def _with_off(points: Any) -> tuple[int, ...]:
    return (*points, 15 - sum(points))


def _questions(seed: int, positions: int, rolls: int) -> list[tuple[Position, tuple[int, int]]]:
    """Positions of random play and built ones, so many different rolls of each."""
    rng = random.Random(seed)
    every_roll = [(first, second) for first in range(1, 7) for second in range(1, 7)]
    drawn = from_random_play(STANDARD, seed, positions // 2) + built(STANDARD, seed, positions // 2)
    return [(position, dice) for position in drawn for dice in rng.sample(every_roll, rolls)]


def _assert_engine_agrees(questions: list[tuple[Position, tuple[int, int]]]) -> None:
    boards, offsets = core.legal_boards(
        core.Rules(STANDARD),
        np.array([position.board for position, _ in questions], dtype=np.int8),
        np.array([dice for _, dice in questions], dtype=np.uint8),
        np.array([position.seat for position, _ in questions], dtype=np.uint8),
        np.array([position.turns for position, _ in questions], dtype=np.uint8),
    )
    for number, (position, dice) in enumerate(questions):
        answer = boards[offsets[number] : offsets[number + 1]].tolist()
        ends = {(tuple(mine), tuple(theirs)) for mine, theirs in answer}
        question = f"{dice}\n{text_of(STANDARD, position.board)}"
        assert len(ends) == len(answer), question
        assert _finished_alike(ends) == _finished_alike(_gnubg_ends(position.board, dice)), question


def test_twenty_thousand_position_rolls() -> None:
    _assert_engine_agrees(_questions(seed=11, positions=2000, rolls=10))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_million_position_rolls() -> None:
    for seed in range(20, 70):
        _assert_engine_agrees(_questions(seed, positions=1000, rolls=20))


def test_the_reference_agrees() -> None:
    for (board, seat, turns), dice in _questions(seed=12, positions=400, rolls=5):
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
