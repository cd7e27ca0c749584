"""A match state in the middle of a game, from what an ID or a person tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import flag, needed, one_of, shown
from nardy_ai.rules.dice import dice_pair
from nardy_ai.rules.game import Game
from nardy_ai.rules.match.state import Cube, MatchState
from nardy_ai.rules.match.terms import Terms
from nardy_ai.rules.position import Position


def set_up(
    terms: Terms,
    position: Position,
    *,
    on_roll: int,
    won: tuple[int, int] = (0, 0),
    draws: int = 0,
    cube: Cube | None = None,
    dice: Sequence[int] | None = None,
    offered: Literal["double", "beaver"] | None = None,
    crawford: bool = False,
) -> MatchState:
    """A state in the middle of a game.

    Args:
        terms: what is played.
        position: the board, an unfinished one of the terms' game.
        on_roll: the player 0 or 1 whose turn it is, also where the other is about to answer his double.
        won: points from games won, by player.
        draws: games drawn.
        cube: the cube before anything that is on offer; by default 1 in the middle.
        dice: the throw that lies on the board, if any.
        offered: `double` where the player on roll has doubled, `beaver` where he was beavered as well.
        crawford: whether this is the Crawford game. Without it a match in which somebody has all but one of
            the points is past its Crawford game.

    Raises:
        InputError: what is given is wrong or does not fit together; IllegalStep for an impossible offer.
    """
    if type(on_roll) is not int or on_roll not in (0, 1):
        raise InputError(f"on_roll is {shown(on_roll)}; it must be player 0 or player 1")
    if needed(position, Position).game != needed(terms, Terms).game:
        raise InputError(f"the position belongs to {position.game.name}, the terms to {terms.game.name}")
    if position.finished:
        raise InputError(f"the game is over ({position.result} for the player on roll)")
    stake = Cube() if cube is None else needed(cube, Cube)
    flag(crawford, "crawford")
    _check_score(terms, won, draws)
    _check_crawford(terms, won, crawford)
    _check_cube(terms, stake, crawford)
    state = replace(
        MatchState.begin(terms),
        phase="throw",
        won=won,
        draws=draws,
        crawford=crawford,
        crawford_played=crawford or (terms.crawford and _needs_one(terms, won)),
        starter=on_roll ^ position.seat,
        position=position,
        cube=stake,
        automatic=stake.value.bit_length() - 1 if stake.owner is None else 0,
    )
    if state.winner is not None:
        raise InputError(f"the match to {terms.length} is over at {won[0]}-{won[1]}")
    if offered is not None and dice is not None:
        raise InputError("a double is offered before the throw, so it does not go with dice")
    if dice is not None:
        return replace(state, phase="play", dice=dice_pair(dice))
    return _offered(state, offered)


def shown_doubles(game: Game, cube: Cube) -> int | Literal["unlimited"]:
    """The profile's automatic doubles, or as many as a cube above 1 in the middle tells of."""
    usual = game.profile.cube.automatic_doubles
    if usual == "unlimited" or cube.owner is not None:
        return usual
    return max(usual, cube.value.bit_length() - 1)


def _offered(state: MatchState, offered: str | None) -> MatchState:
    if offered is None:
        return state
    made = one_of(offered, ("double", "beaver"), "offer")
    doubled = state.double()
    return doubled.beaver() if made == "beaver" else doubled


def _needs_one(terms: Terms, won: tuple[int, int]) -> bool:
    """Whether a player of a match to more than one point needs just one more."""
    return terms.length is not None and terms.length > 1 and max(won) == terms.length - 1


def _check_score(terms: Terms, won: Any, draws: Any) -> None:
    if not isinstance(won, tuple) or len(won) != 2:
        raise InputError(f"won is {shown(won)}; it must be the points of both players, such as (3, 0)")
    if not all(type(points) is int and points >= 0 for points in (*won, draws)):
        score = f"{shown(won)} with {shown(draws)} draws"
        raise InputError(f"the score {score} is not in whole numbers from 0 upwards")
    if draws and not terms.game.profile.rules.last_roll:
        raise InputError(f"{terms.game.name} knows no draws")


def _check_crawford(terms: Terms, won: tuple[int, int], crawford: bool) -> None:
    if not crawford:
        return
    if not terms.crawford:
        raise InputError("there is no Crawford game without a match, a cube and the Crawford rule")
    if not _needs_one(terms, won) or min(won) == max(won):
        raise InputError(
            f"at {won[0]}-{won[1]} to {terms.length} this is not the Crawford game: that is the first one "
            "after a player comes to need a single point"
        )


def _check_cube(terms: Terms, cube: Cube, crawford: bool) -> None:
    value, owner = cube.value, cube.owner
    if type(value) is not int or value < 1 or value & (value - 1):
        raise InputError(f"the cube stands at {shown(value)}; it must be a power of two")
    if owner is not None and (type(owner) is not int or owner not in (0, 1)):
        raise InputError(f"the cube's owner is {shown(owner)}; it must be 0, 1, or None for the middle")
    if value > terms.max_cube:
        raise InputError(f"the cube stands at {value}, above its limit of {terms.max_cube}")
    if value == 1 and owner is not None:
        raise InputError(f"the cube stands at 1, so it is in the middle and not owned by player {owner}")
    if owner is not None and not terms.cube.enabled:
        raise InputError(f"{terms.game.name} is played without doubling, so nobody owns the cube")
    if crawford and value > 1:
        raise InputError(f"the cube stands at {value}, but nobody doubles in the Crawford game")
    if owner is None and value > 1 and not terms.automatic_double_follows(value.bit_length() - 2):
        raise InputError(f"the cube stands at {value} in the middle, which takes automatic doubles")
