"""Games with so few checkers that they can be solved exactly, made from the rules of a profile."""

from __future__ import annotations

from nardy_ai.rules.game import Game
from nardy_ai.rules.profile import MOST_SMALL

__all__ = ["MOST_CHECKERS", "small_game"]

MOST_CHECKERS = MOST_SMALL
"""The largest game that is solved exactly."""


def small_game(game: Game, checkers: int) -> Game:
    """The same rules with 1 to 3 checkers a side, see `Profile.with_checkers`.

    `Game("long with 3")` is the same game by its name. A game that has so many checkers already is returned
    as it is. InputError for another number.
    """
    small = game.profile.with_checkers(checkers)
    return game if small is game.profile else Game(small)
