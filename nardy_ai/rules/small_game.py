"""Games with so few checkers that they can be solved exactly, made from the rules of a profile."""

from __future__ import annotations

from dataclasses import replace

from nardy_ai.core import InputError
from nardy_ai.rules.game import Game

__all__ = ["MOST_CHECKERS", "small_game"]

MOST_CHECKERS = 3
"""The largest game that is solved exactly."""


def small_game(game: Game, checkers: int) -> Game:
    """The same rules with 1 to 3 checkers a side.

    Long nardy starts with all of them on 24; short nardy, as hypergammon does, with one each on 24, 23
    and 22. A game that has so many checkers already is returned as it is. InputError for another number.
    """
    if not 1 <= checkers <= MOST_CHECKERS:
        raise InputError(f"a small game has 1 to {MOST_CHECKERS} checkers a side, not {checkers!r}")
    if game.checkers == checkers:
        return game
    start = [0] * 24
    for i in range(checkers):
        start[23 if game.family == "long" else 23 - i] += 1
    profile = game.profile
    title = f"{profile.title}, {checkers} checker{'s' if checkers > 1 else ''}"
    rules = replace(profile.rules, checkers=checkers, start=tuple(start))
    named = replace(profile, name=f"{profile.name} with {checkers}", title=title, title_ru="")
    return Game(replace(named, rules=rules))
