"""Games played at random from a seed, for properties that must hold on every position that can arise."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from nardy_ai.rules import Game, Play, Position, profile_names, profile_of_table

SMALL = {
    "long-1": {"family": "long", "checkers": 1, "start": {"24": 1}},
    "long-3": {"family": "long", "checkers": 3, "start": {"24": 3}},
    "long-5": {"family": "long", "checkers": 5, "start": {"24": 5}},
    "short-1": {"family": "short", "checkers": 1, "start": {"24": 1}},
    "short-5": {"family": "short", "checkers": 5, "start": {"24": 1, "13": 2, "6": 2}},
}
"""Rules of games with fewer checkers."""

GAME_NAMES = (*profile_names(), *SMALL)


@cache
def game_named(name: str) -> Game:
    """A game of the package, or one of SMALL."""
    if name in SMALL:
        return Game(profile_of_table({"format": 1, "rules": SMALL[name]}, name))
    return Game(name)


def random_dice(rng: random.Random) -> tuple[int, int]:
    """An ordered throw."""
    return rng.randint(1, 6), rng.randint(1, 6)


Turn = tuple[Position, tuple[int, int], list[Play], Play]


def played(game: Game, seed: int, most: int = 500) -> Iterator[Turn]:
    """Turns of a random game: the position, the throw, its legal plays and the one that was made."""
    rng = random.Random(seed)
    position = game.start()
    for _ in range(most):
        if position.finished:
            return
        dice = random_dice(rng)
        plays = game.plays(position, dice)
        chosen = rng.choice(plays)
        yield position, dice, plays, chosen
        position = chosen.position


def position_in(name: str, seed: int, turns: int) -> Position:
    """The position after at most that many random turns, before the end."""
    game = game_named(name)
    position = game.start()
    for _, _, _, chosen in played(game, seed, turns):
        if chosen.position.finished:
            break
        position = chosen.position
    return position
