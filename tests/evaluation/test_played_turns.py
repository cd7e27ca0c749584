"""Games whose every turn is kept."""

from __future__ import annotations

import numpy as np
import pytest

from nardy_ai import core
from nardy_ai.bots import bot
from nardy_ai.evaluation.played_turns import Movers, Turns, joined, played_turns
from nardy_ai.rules import Game


def movers(game: Game, name: str) -> Movers:
    player = bot(name, game)

    def moved(here: Turns) -> np.ndarray:
        keys = np.stack([np.full(len(here), 9), here.games, here.numbers], 1).astype(np.uint64)
        return player.choose_boards(game, here.boards, here.dice, here.seats, here.turns, keys)

    return moved


def turns_of(name: str, first: int, games: int, player: str = "greedy", **words: int) -> Turns:
    game = Game(name)
    return played_turns(
        game, movers(game, player), seed=9, purpose="dice_duel", first=first, games=games, **words
    )


@pytest.mark.parametrize("name", ["long", "short", "long/any_double"])
def test_the_games_are_those_of_the_engine(name: str) -> None:
    """The same bot on both sides with the dice of duels: as many turns as the engine's duel takes."""
    player = bot("greedy", name).player(Game(name))
    duel = core.duel(player, player, Game(name).core_rules, 9, 3, 5)
    found = turns_of(name, 3, 5)
    assert np.bincount(found.games, minlength=8)[3:].tolist() == duel["plies"][:, 0].tolist()


def test_each_turn_follows_from_the_one_before() -> None:
    game = Game("long")
    found = turns_of("long", 0, 3)
    one = found.at(found.games == 1)
    assert one.numbers.tolist() == list(range(len(one)))
    assert one.seats.tolist() == [number % 2 for number in range(len(one))]
    assert one.turns[:8].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    pos = game.start()
    player = bot("greedy", game)
    for row in range(len(one)):
        assert pos.board.tobytes() == one.boards[row].tobytes()
        assert (pos.seat, pos.turns) == (one.seats[row], one.turns[row])
        play = player.choose(pos, (int(one.dice[row, 0]), int(one.dice[row, 1])))
        pos = play.position
    assert pos.finished


def test_a_game_depends_on_its_number_alone() -> None:
    whole = turns_of("short", 0, 6, "random")
    parts = joined([turns_of("short", 0, 2, "random"), turns_of("short", 2, 4, "random")])
    for number in range(6):
        one, other = (turns.at(turns.games == number) for turns in (whole, parts))
        assert one.boards.tobytes() == other.boards.tobytes()
        assert one.dice.tobytes() == other.dice.tobytes()


def test_the_limit_of_turns_and_no_games() -> None:
    assert turns_of("long", 0, 2, max_turns=7).numbers.max() == 6
    assert len(turns_of("long", 0, 0)) == 0
