"""Small games made from a profile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

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


@pytest.mark.parametrize("name", ["long with 3", "long/fns with 3", "long/classic with 1", "short with 2"])
def test_a_small_game_by_its_name(name: str) -> None:
    profile, number = name.rsplit(" with ", 1)
    game = Game(name)
    assert game == small_game(Game(profile), int(number))
    assert Game(game.name) == game


def test_names_of_small_games_that_are_none() -> None:
    assert Game("short/hypergammon with 3") == Game("short/hypergammon")
    for name, said in (
        ("long with 4", "1 to 3 checkers a side, not 4"),
        ("lomg with 3", "lomg"),
        ("long with three", "long with three"),
    ):
        with pytest.raises(InputError, match=said):
            Game(name)


def test_a_small_game_of_a_players_own_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('format = 1\n[rules]\nfamily = "long"\nblock = "none"\n', "utf-8")
    game = Game(f"{path} with 2")
    assert game.checkers == 2
    assert game.profile.rules.block == "none"
