"""`GET /move` and `GET /eval` as clients of wildbg speak them: short nardy, boards as numbers of a query."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nardy_ai.bots.cube import LONGEST_MATCH, Stakes, doubles, mean_worth, takes
from nardy_ai.bots.net_bot import RankedPlay
from nardy_ai.core import InputError
from nardy_ai.rules import Position
from nardy_ai.rules.arguments import shown
from nardy_ai.serving.gnubg_line import standard_game
from nardy_ai.serving.served import Served

CHECKERS = 15
PIPS = tuple(f"p{point}" for point in range(26))
DICE = ("die1", "die2")
SCORE = ("x_away", "o_away")
_START = {1: -2, 6: 5, 8: 3, 12: -5, 13: 5, 17: -3, 19: -5, 24: 2}


@dataclass(frozen=True)
class Query:
    """What a query says."""

    position: Position
    dice: tuple[int, int] | None
    stakes: Stakes


def read_query(pairs: Sequence[tuple[str, str]], *, with_dice: bool) -> Query:
    """The position, roll and score of a query.

    Args:
        pairs: names and values, in the order in which they came.
        with_dice: whether it has to hold a roll; else it must not.

    Raises:
        InputError: a name that is unknown or there twice, a value that can't be, or a board that can't stand.
    """
    known = {*PIPS, *SCORE, *(DICE if with_dice else ())}
    found: dict[str, int] = {}
    for name, value in pairs:
        if name not in known:
            raise InputError(f"there is no parameter {shown(name, 40)}: {_listed(with_dice)}")
        if name in found:
            raise InputError(f"{name} is given twice")
        found[name] = _number(name, value)
    dice = _dice(found) if with_dice else None
    return Query(_position(found), dice, _stakes(found))


def parameters(*, with_dice: bool) -> list[dict[str, Any]]:
    """The parameters for the OpenAPI description, with the starting position as the example."""
    dice = [
        _parameter(name, 1, 6, f"Die {name[-1]}.", example=3 if name == "die1" else 1, required=True)
        for name in (DICE if with_dice else ())
    ]
    pips = [
        _parameter(
            name,
            0 if point == 25 else -CHECKERS,
            0 if point == 0 else CHECKERS,
            _meaning(point),
            example=_START.get(point, 0),
        )
        for point, name in enumerate(PIPS)
    ]
    score = [
        _parameter(name, 0, LONGEST_MATCH, f"Points that {name[0]} still needs; 0 for money.", example=0)
        for name in SCORE
    ]
    return dice + pips + score


def move_answer(served: Served, query: Query, plies: int) -> dict[str, Any]:
    """The legal plays, best first; at a score by the chance to win the match."""
    assert query.dice is not None
    ranked, _ = served.rank(query.position, query.dice, plies)
    if query.stakes.away is not None:
        ranked.sort(key=lambda play: -mean_worth(play.outcomes, query.stakes, 1))
    return {"moves": [_move(play) for play in ranked]}


def eval_answer(served: Served, query: Query, plies: int) -> dict[str, Any]:
    """Probabilities and the decisions about the cube."""
    outcomes = served.evaluate(query.position, plies).outcomes
    over = query.position.finished
    return {
        "cube": {
            "double": not over and doubles(outcomes, query.stakes),
            "accept": takes(outcomes, query.stakes),
        },
        "probabilities": cumulative(outcomes),
    }


def cumulative(outcomes: Mapping[str, float]) -> dict[str, float]:
    """The five numbers of wildbg, each holding those above it."""
    win_bg, lose_bg = outcomes["win_backgammon"], outcomes["lose_backgammon"]
    win_g = win_bg + outcomes["win_gammon"]
    return {
        "win": min(1.0, win_g + outcomes["win"]),
        "winG": win_g,
        "winBg": win_bg,
        "loseG": lose_bg + outcomes["lose_gammon"],
        "loseBg": lose_bg,
    }


def _move(play: RankedPlay) -> dict[str, Any]:
    return {
        "play": [{"from": start, "to": end} for start, end in play.play.steps],
        "probabilities": cumulative(play.outcomes),
    }


def _number(name: str, value: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,4}", value, re.ASCII):
        raise InputError(f"{name} is {shown(value, 40)}, and must be a whole number")
    return int(value)


def _dice(found: Mapping[str, int]) -> tuple[int, int]:
    for name in DICE:
        if name not in found:
            raise InputError(f"{name} is missing: give die1 and die2, each from 1 to 6")
        if not 1 <= found[name] <= 6:
            raise InputError(f"{name} is {found[name]}, and a die shows 1 to 6")
    return found["die1"], found["die2"]


def _stakes(found: Mapping[str, int]) -> Stakes:
    mine, his = (found.get(name, 0) for name in SCORE)
    if mine == his == 0:
        return Stakes()
    if mine == 0 or his == 0:
        raise InputError("x_away and o_away are both 0, for money, or both at least 1")
    return Stakes(away=(mine, his))


def _position(found: Mapping[str, int]) -> Position:
    pips = [found.get(name, 0) for name in PIPS]
    if pips[0] > 0:
        raise InputError(f"p0 is o's bar, which holds 0 or a negative number, not {pips[0]}")
    if pips[25] < 0:
        raise InputError(f"p25 is x's bar, which holds 0 or a positive number, not {pips[25]}")
    mine = [max(count, 0) for count in pips[1:]]
    his = [max(-count, 0) for count in pips[24::-1]]
    for player, row in (("x", mine), ("o", his)):
        if sum(row) > CHECKERS:
            raise InputError(f"player {player} has {sum(row)} checkers on the board: 15 is the most")
    board = np.array([[*row, CHECKERS - sum(row)] for row in (mine, his)], dtype=np.int8)
    return standard_game().position(board)


def _parameter(
    name: str, least: int, most: int, meaning: str, *, example: int, required: bool = False
) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer", "minimum": least, "maximum": most}
    if not required:
        schema["default"] = 0
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": meaning,
        "schema": schema,
        "example": example,
    }


def _meaning(point: int) -> str:
    bars = {0: "o's bar, 0 or negative.", 25: "x's bar, 0 or positive."}
    return bars.get(point, f"Checkers on point {point}: x's are positive, o's negative. x moves down.")


def _listed(with_dice: bool) -> str:
    return f"{'die1, die2, ' if with_dice else ''}p0 to p25, x_away and o_away are known"
