"""Turns made of single movements: they end on the engine's list, and everything on it is reached."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import reference
from envs.walking import differences_in_a_game
from random_games import GAME_NAMES, game_named, played, random_dice

from nardy_ai.core import InputError
from nardy_ai.envs import ACTIONS, PASS, Turn, action_of, movement_of, raw_env
from nardy_ai.rules import Game, Position


def turn_of(position: Position, dice: tuple[int, int]) -> Turn:
    return Turn(position.game, position.board, dice, position.seat, position.turns)


def ends_by_walking(position: Position, dice: tuple[int, int]) -> list[bytes]:
    """The boards at the end of every way through the open actions, each way once."""
    ends, ways = [], [()]
    while ways:
        way: tuple[int, ...] = ways.pop()
        turn = turn_of(position, dice)
        for action in way:
            turn.take(action)
        if turn.over:
            ends.append(turn.board.tobytes())
        ways += [(*way, action) for action in turn.open]
    return ends


@pytest.mark.parametrize("name", GAME_NAMES)
def test_every_result_has_one_way_and_every_way_a_result(name: str) -> None:
    game = game_named(name)
    for number, (position, dice, plays, _) in enumerate(played(game, seed=3)):
        if len(plays) > 60 or number % 3:
            continue
        assert sorted(ends_by_walking(position, dice)) == sorted(play.board.tobytes() for play in plays)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_every_movement_is_legal_by_itself(name: str) -> None:
    """The reference, which tests movement by movement and names its dice, agrees with every way."""
    game = game_named(name)
    options: dict[str, Any] = {**game.core_rules.options, "start": game.profile.rules.start}
    for number, (position, dice, _, _) in enumerate(played(game, seed=4)):
        if number % 4:
            continue
        mine, theirs = (tuple(row) for row in position.board.tolist())
        turn = turn_of(position, dice)
        for path, result in list(zip(turn.paths, turn.results, strict=True))[:12]:
            if path == (PASS,):
                assert result.tobytes() == position.board.tobytes()
                continue
            movements = [movement_of(action) for action in path]
            assert all(movements)
            steps = [(point, max(point - die, 0)) for point, die in movements]
            left = list(dice * 2 if dice[0] == dice[1] else dice)
            for _, die in movements:
                left.remove(die)
            end = reference.follow(options, (mine, theirs), dice, position.seat, position.turns, steps)
            assert [list(row) for row in end] == result.tolist()


def test_a_larger_die_bears_off_from_the_highest_point_alone() -> None:
    """5-3 with a checker on 4 and one on 2: which die is which is not said by the movements."""
    board = np.zeros((2, 26), np.int8)
    board[0, [3, 1]] = 1
    board[0, 25] = 13
    board[1, [23, 12]] = [2, 13]
    turn = Turn(Game("short"), board, (5, 3), 0, 3)
    movements = {tuple(movement_of(action) for action in path) for path in turn.paths}
    # 4 by 5, after which 2 is the highest and leaves by 3; the other orders end on the same board.
    assert movements == {((4, 5), (2, 3))}


def test_dice_are_used_up_movement_by_movement() -> None:
    turn = Turn(Game("short"), Game("short").start().board, (2, 2), 0, 0)
    seen = [turn.dice_left().tolist()]
    while not turn.over:
        turn.take(turn.open[-1])
        seen.append(turn.dice_left().tolist())
    assert seen == [[0, left, 0, 0, 0, 0] for left in (4, 3, 2, 1, 0)]


def test_a_turn_without_a_movement_asks_for_the_pass() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [24, 5]] = [2, 13]
    board[1, :6] = 2
    board[1, 12] = 3
    turn = Turn(Game("short"), board, (4, 4), 0, 3)
    assert turn.open == (PASS,)
    turn.take(PASS)
    assert turn.over
    assert turn.board.tolist() == board.tolist()


def test_numbers_of_actions_and_their_meaning() -> None:
    assert action_of(1, 1) == 0
    assert action_of(24, 6) == 143
    assert action_of(25, 6) == 149
    assert movement_of(PASS) is None
    assert [movement_of(action_of(*pair)) for pair in ((13, 5), (25, 1))] == [(13, 5), (25, 1)]
    for wrong in (-1, ACTIONS):
        with pytest.raises(InputError, match="actions are 0 to 150"):
            movement_of(wrong)
    with pytest.raises(InputError, match="no movement from 26 by 1"):
        action_of(26, 1)


def test_a_way_to_a_result_can_be_asked_for_on_the_way() -> None:
    game = Game("short")
    position = game.start()
    turn = turn_of(position, (3, 1))
    play = game.play(position, (3, 1), "8/5 6/5")
    path = turn.path_to(play.board)
    assert sorted(movement_of(action) or () for action in path) == [(6, 1), (8, 3)]
    turn.take(path[0])
    assert turn.path_to(play.board) == path[1:]
    with pytest.raises(InputError, match="no action of this turn"):
        turn.path_to(position.board)


@pytest.mark.parametrize("name", ["short", "long", "long/autogear", "short/tavla", "short/hypergammon"])
def test_random_games_do_not_differ_from_the_engine(name: str) -> None:
    env = raw_env(name)
    for number in range(20):
        assert differences_in_a_game(env, 11, number) == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_ten_thousand_random_games_do_not_differ_from_the_engine() -> None:
    envs = [raw_env(game_named(name)) for name in GAME_NAMES]
    found: list[str] = []
    for number in range(10_000):
        found += differences_in_a_game(envs[number % len(envs)], 12, number)
    assert found == []


def test_the_walk_sees_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A movement that goes one point too far is noticed."""
    plain = Turn._move
    monkeypatch.setattr(
        Turn, "_move", lambda self, column, face: plain(self, column, face - 1 if face else face)
    )
    rng = random.Random(1)
    assert random_dice(rng)
    assert differences_in_a_game(raw_env("short"), 11, 0) != []


@pytest.mark.parametrize("name", ["short", "long", "short/hypergammon"])
def test_dice_of_bearing_off_are_those_by_which_it_is_legal(name: str) -> None:
    """A die bears off from its own point, or from the highest one where nothing stands as high as it."""
    seen = 0
    for seed in range(6):
        for position, dice, _, _ in played(game_named(name), seed):
            for path in turn_of(position, dice).paths if not position.board[0, 6:25].any() else []:
                row = [0, *position.board[0, :24].tolist()]
                for point, die in map(movement_of, path) if path != (PASS,) else []:
                    assert row[point] > 0
                    if point <= die:
                        seen += 1
                        assert point == die or not any(row[point + 1 :])
                    row[point] -= 1
                    row[max(point - die, 0)] += 1
    assert seen > 10
