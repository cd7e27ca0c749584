"""Properties of every position that can arise, searched for counterexamples by hypothesis."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_games import GAME_NAMES, game_named, position_in

from nardy_ai.rules import Play, Position, turned
from nardy_ai.rules.position import facing_point
from nardy_ai.rules.position_id import decode_id, encode_id

THROWS = list(itertools.product(range(1, 7), repeat=2))

SETTINGS = settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)

throws = st.sampled_from(THROWS)
names = st.sampled_from(GAME_NAMES)
positions = st.builds(position_in, names, st.integers(0, 2**32), st.integers(0, 130))


class Walk(NamedTuple):
    """A game of any profile by free choices: which throw and which of the legal plays."""

    start: Position
    plays: list[Play]


@st.composite
def walks(draw: st.DrawFn) -> Walk:
    game = game_named(draw(names))
    position = game.start()
    made: list[Play] = []
    for dice, choice in draw(st.lists(st.tuples(throws, st.integers(0, 2_000)), max_size=60)):
        if position.finished:
            break
        plays = game.plays(position, dice)
        made.append(plays[choice % len(plays)])
        position = made[-1].position
    return Walk(game.start(), made)


@SETTINGS
@given(walks())
def test_checkers_are_neither_made_nor_lost(walk: Walk) -> None:
    checkers = walk.start.game.checkers
    for play in walk.plays:
        for board in (play.board, play.position.board):
            assert board.sum(axis=1, dtype=int).tolist() == [checkers, checkers]
            assert board.min() >= 0


@SETTINGS
@given(walks())
def test_nobody_stands_on_the_others_point(walk: Walk) -> None:
    for play in walk.plays:
        for point in range(1, 25):
            assert 0 in play.position.on_point(point)


@SETTINGS
@given(walks())
def test_a_game_can_be_taken_back_and_played_again(walk: Walk) -> None:
    """Undo is keeping the position before; nothing else of a game is hidden anywhere."""
    position = walk.start
    keys = []
    for play in walk.plays:
        assert play.before == position
        keys.append(position.key)
        position = play.position
    back = [play.before for play in reversed(walk.plays)]
    assert [pos.key for pos in back] == keys[::-1]
    again = walk.start.game.position(keys[0], seat=0, turns=0) if keys else walk.start
    for play in walk.plays:
        again = again.game.play(again, play.dice, play.notation).position
    assert again == position
    assert (again.key, repr(again), hash(again)) == (position.key, repr(position), hash(position))


@SETTINGS
@given(positions, throws)
def test_the_order_of_the_dice_makes_no_difference(position: Position, dice: tuple[int, int]) -> None:
    one, other = (position.game.plays(position, order) for order in (dice, dice[::-1]))
    assert one == other
    assert [play.steps for play in one] == [play.steps for play in other]
    assert len(set(one)) == len(one)


@SETTINGS
@given(positions, throws)
def test_every_result_is_reached_by_its_steps(position: Position, dice: tuple[int, int]) -> None:
    """Each step alone is a movement by one die onto an open point; together they make the result."""
    family = position.game.family
    for play in position.game.plays(position, dice)[:40]:
        board = np.array(position.board, np.int64)
        left = list(dice) if dice[0] != dice[1] else [dice[0]] * 4
        for start, end in play.steps:
            assert board[0, start - 1] > 0
            if family == "short" and board[0, 24]:
                assert start == 25
            die = min(d for d in left if d == start - end or (end == 0 and d >= start))
            left.remove(die)
            board[0, start - 1] -= 1
            board[0, end - 1 if end else 25] += 1
            if end:
                his = facing_point(family, end) - 1
                assert board[1, his] <= (1 if family == "short" else 0)
                board[1, 24] += board[1, his]
                board[1, his] = 0
            else:
                assert not board[0, 6:25].any()
        assert np.array_equal(board, play.board)


@SETTINGS
@given(positions, throws)
def test_notation_is_one_to_one(position: Position, dice: tuple[int, int]) -> None:
    plays = position.game.plays(position, dice)
    assert len({play.notation for play in plays}) == len(plays)
    for play in plays[:5]:
        assert position.game.play(position, dice, play.notation) == play


@SETTINGS
@given(positions)
def test_keys_come_back(position: Position) -> None:
    again = position.game.position(position.key)
    assert again == position
    assert encode_id(decode_id(position.id, position.game.checkers)) == position.id


@SETTINGS
@given(positions, throws)
def test_arrays_and_plays_agree(position: Position, dice: tuple[int, int]) -> None:
    """Rows swapped twice is the same position, and arrays know the same results as plays."""
    mirrored = Position(position.game, turned(turned(position.board)), position.seat, position.turns)
    assert mirrored == position
    boards = position.game.legal_boards(position.board, dice, position.seat, position.turns)
    assert {b.tobytes() for b in boards} == {p.board.tobytes() for p in position.game.plays(position, dice)}


@pytest.mark.parametrize("name", GAME_NAMES)
def test_random_games_come_to_an_end(name: str) -> None:
    game = game_named(name)
    for seed in range(3):
        end = position_in(name, seed, 100_000)
        # `position_in` stops before the end: one more turn of some throw ends the game.
        after = [play.position for dice in THROWS for play in game.plays(end, dice)]
        results = {position.result for position in after if position.finished}
        assert results
        assert results <= set(game.outcomes)
