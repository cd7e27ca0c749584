"""Games, terms and random matches that several tests of match states and match files share."""

from __future__ import annotations

import random
from typing import Any

from nardy_ai.rules import Game, profile_names, profile_of_table
from nardy_ai.rules.match import (
    Beaver,
    Double,
    Drop,
    History,
    MatchState,
    Move,
    NextGame,
    Resign,
    RollOff,
    Step,
    Take,
    Terms,
    Throw,
)


def game_of(name: str, family: str, **sections: dict[str, Any]) -> Game:
    """A game of a profile of one's own; what is left out is as in the family's default profile."""
    rules = {"family": family, **sections.pop("rules", {})}
    return Game(profile_of_table({"format": 1, "rules": rules, **sections}, name))


TINY: dict[str, Any] = {"checkers": 2, "start": {"6": 2}}
"""Both sides have two checkers at home: games of a few turns."""

SMALL_GAMES = {
    "short, all options": game_of(
        "short, all options",
        "short",
        rules={"checkers": 3, "start": {"13": 1, "7": 1, "6": 1}},
        cube={"jacoby": True, "beavers": True, "automatic_doubles": 2},
    ),
    "short, cube and winner starts": game_of(
        "short, cube and winner starts",
        "short",
        rules={"checkers": 2, "start": {"8": 1, "3": 1}, "opening_roll": "fresh"},
        match={"next_start": "winner"},
    ),
    "long, last roll": game_of("long, last roll", "long", rules=TINY),
    "long, last roll, whole draws": game_of(
        "long, last roll, whole draws",
        "long",
        rules=TINY,
        match={"next_start": "winner", "draw_points": 1.0, "length": 2},
    ),
    "long, four kinds": game_of(
        "long, four kinds",
        "long",
        rules={"checkers": 2, "start": {"9": 1, "6": 1}, "last_roll": False},
        scores={"oin": 1, "mars": 2, "koks": 3, "home_mars": 4},
        match={"next_start": "rolloff"},
    ),
}

EVERY_GAME = {**SMALL_GAMES, **{name: Game(name) for name in profile_names()}}


def terms_for(game: Game, rng: random.Random) -> Terms:
    """A match or money play of a game, with any option that it allows."""
    limit = rng.choice((1, 4, 64, 1024)) if game.family == "short" else 1024
    if rng.random() < 0.5:
        crawford = rng.random() < 0.8
        return Terms.match(game, rng.choice((1, 2, 3, 5)), crawford=crawford, max_cube=limit)
    enabled = game.profile.cube.enabled
    return Terms.money(
        game,
        jacoby=enabled and rng.random() < 0.5,
        beavers=enabled and rng.random() < 0.7,
        automatic_doubles=rng.choice((None, 0, 3)) if game.family == "short" else None,
        max_cube=limit,
    )


def random_step(state: MatchState, rng: random.Random, resigning: float = 0.01) -> Step:
    """A step that the rules allow; doubles and beavers are rash, resignations rare."""
    kinds = [kind for kind, _ in state.game.profile.scores]
    if state.phase in ("throw", "play") and rng.random() < resigning:
        return Resign(rng.randrange(2), rng.choice(kinds))
    choice = rng.choice(state.choices)
    dice = rng.randint(1, 6), rng.randint(1, 6)
    if choice == "double" and rng.random() < 0.6:
        choice = "throw"
    if choice == "drop" and rng.random() < 0.5:
        choice = "take"
    made: dict[str, Step] = {
        "roll_off": RollOff(dice),
        "throw": Throw((max(dice), min(dice))),
        "double": Double(),
        "take": Take(),
        "drop": Drop(),
        "beaver": Beaver(),
        "next_game": NextGame(),
    }
    return made[choice] if choice != "play" else Move(rng.choice(state.plays()))


def random_history(terms: Terms, rng: random.Random, most_steps: int, resigning: float = 0.01) -> History:
    """A match from its beginning on, over or not."""
    states: list[MatchState] = [MatchState.begin(terms)]
    made: list[Step] = []
    while len(made) < most_steps and states[-1].phase != "match_over":
        made.append(random_step(states[-1], rng, resigning))
        states.append(states[-1].after(made[-1]))
    return History(tuple(states), tuple(made))
