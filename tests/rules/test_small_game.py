"""Small games made from a profile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nardy_ai.core import InputError
from nardy_ai.rules import Game
from nardy_ai.rules.small_game import small_game


def test_where_small_games_start() -> None:
    long = small_game(Game("long/classic"), 2)
    assert long.checkers == 2
    assert long.start().board[0, 23] == 2
    assert long.name == "long/classic with 2"
    short = small_game(Game("short"), 2)
    assert short.start().board[0, 21:24].tolist() == [0, 1, 1]
    # Everything else stays.
    assert replace(long.profile.rules, checkers=15, start=Game("long/classic").profile.rules.start) == (
        Game("long/classic").profile.rules
    )
    assert long.outcomes == Game("long/classic").outcomes


def test_a_game_that_is_small_already() -> None:
    game = Game("short/hypergammon")
    assert small_game(game, 3) is game


@pytest.mark.parametrize("checkers", [0, -1, 4, 15])
def test_other_numbers_are_refused(checkers: int) -> None:
    with pytest.raises(InputError, match=f"1 to 3 checkers a side, not {checkers}"):
        small_game(Game("long"), checkers)
