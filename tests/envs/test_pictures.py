"""What environments draw."""

from __future__ import annotations

import numpy as np
import pytest

from nardy_ai.core import InputError
from nardy_ai.envs import NardyEnv, raw_env
from nardy_ai.envs.picture import CELL, SEAT_COLOURS, board_pixels
from nardy_ai.rules import Game


def count_of(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], colour: tuple[int, int, int]) -> int:
    """Checkers whose middle has that colour, of stacks that are drawn apart."""
    whole = int((image == np.array(colour, np.uint8)).all(axis=-1).sum())
    one = int((np.hypot(*(np.mgrid[:CELL, :CELL] - (CELL - 1) / 2)) < CELL / 2 - 1.5).sum())
    assert whole % one == 0
    return whole // one


def test_all_checkers_are_in_the_picture() -> None:
    image = board_pixels(Game("short").start())
    assert image.shape == (288, 360, 3)
    assert [count_of(image, colour) for colour in SEAT_COLOURS] == [15, 15]


def test_the_player_on_roll_sits_at_the_bottom_right() -> None:
    """His six checkers' home is his, white where he started: the starter's point 6 has five."""
    image = board_pixels(Game("short").start())
    sixth = image[-5 * CELL :, 7 * CELL : 8 * CELL]
    assert count_of(sixth, SEAT_COLOURS[0]) == 5
    assert count_of(sixth, SEAT_COLOURS[1]) == 0


def test_a_checker_on_the_bar_waits_where_it_enters() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [24, 5]] = [1, 14]
    board[1, 5] = 15
    image = board_pixels(Game("short").position(board, seat=0, turns=3))
    bar = image[:, 6 * CELL : 7 * CELL]
    assert count_of(bar[: len(bar) // 2], SEAT_COLOURS[0]) == 1
    assert count_of(bar[len(bar) // 2 :], SEAT_COLOURS[0]) == 0


def test_text_shows_the_board_in_the_middle_of_a_turn() -> None:
    env = raw_env("short", render_mode="ansi")
    env.reset(seed=1)
    before = env.render()
    env.step(int(env.observe("player_0")["action_mask"].argmax()))
    after = env.render()
    assert isinstance(before, str)
    assert isinstance(after, str)
    assert before != after
    assert before.splitlines()[-1].split(":")[0] == after.splitlines()[-1].split(":")[0]


def test_svg_is_a_document() -> None:
    env = NardyEnv("long", "greedy", render_mode="svg")
    env.reset(seed=1)
    assert env.render().startswith("<svg")


def test_nothing_is_drawn_without_a_mode() -> None:
    env = NardyEnv("long", "greedy")
    env.reset(seed=1)
    with pytest.raises(InputError, match='render_mode="ansi"'):
        env.render()
