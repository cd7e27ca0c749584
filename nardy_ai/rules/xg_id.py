"""XGID, the position and match ID of eXtreme Gammon, for the short family.

`XGID=` and ten fields between colons: the board, the cube's power of two, its owner, whose turn it is, dice,
two scores, rule flags, the length of the match (0 for money play) and the largest cube's power of two.
The board's 26 characters are the top player's bar, the bottom player's points 1 to 24, the bottom player's
bar; capital letters are the bottom player's checkers, `A` for one. Here player 0 sits at the bottom.

In place of dice, `00` means that the player on roll may throw or double; `D` that he has doubled and the
other must answer; `B` that he has doubled and was beavered. The cube is written as it was before that.
"""

from __future__ import annotations

import re
from typing import Literal, TypeVar

import numpy as np

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import needed
from nardy_ai.rules.arrays import Boards
from nardy_ai.rules.dice import Dice
from nardy_ai.rules.game import Game
from nardy_ai.rules.match import Cube, MatchState, Terms, set_up
from nardy_ai.rules.match.mid_game import shown_doubles
from nardy_ai.rules.match.terms import LONGEST_MATCH, USUAL_MAX_CUBE
from nardy_ai.rules.position import Position, turned

PREFIX = "XGID="
LONGEST_TEXT = 200

_NAMES = (
    "board",
    "cube",
    "cube's owner",
    "turn",
    "dice",
    "bottom player's score",
    "top player's score",
    "rule flags",
    "match length",
    "largest cube",
)
_LARGEST_POWER = 15
_SIDES = {"1": 0, "-1": 1}
_BEAVERS = 2
_JACOBY = 1

Offer = Literal["double", "beaver"]
T = TypeVar("T")


def xgid(state: MatchState) -> str:
    """The XGID of a state, player 0 at the bottom.

    Raises InputError for long nardy and where no game goes on: an XGID has no word for that.
    """
    _check_short(needed(state, MatchState).game)
    if state.on_roll is None:
        raise InputError("an XGID is of a game that goes on, not of a roll-off or a finished game")
    cube, terms = _cube_before(state), state.terms
    if terms.length is None:
        flags = _JACOBY * terms.cube.jacoby + _BEAVERS * terms.cube.beavers
    else:
        flags = int(state.crawford)
    fields = (
        _board_text(state.position, state.on_roll),
        cube.value.bit_length() - 1,
        {None: 0, 0: 1, 1: -1}[cube.owner],
        (1, -1)[state.on_roll],
        _dice_text(state),
        state.won[0],
        state.won[1],
        flags,
        terms.length or 0,
        terms.max_cube.bit_length() - 1,
    )
    return PREFIX + ":".join(str(field) for field in fields)


def read_xgid(text: str, game: Game | None = None) -> MatchState:
    """The state of an XGID; the prefix may be left out, and so may the last field.

    `game` is the short game that is played, by default `short/standard`. What an XGID leaves open is as in
    its profile, and the player on roll is taken to have started the game: short nardy does not ask for it.
    Raises InputError naming the first wrong field.
    """
    fields = _fields_of(text)
    played = Game("short") if game is None else game
    _check_short(played)
    turn = _choice(fields, 3, _SIDES)
    terms = _terms(fields, played)
    position = played.position(_board(fields[0], turn, played.checkers), seat=0)
    dice, offered = _dice(fields)
    try:
        return set_up(
            terms,
            position,
            on_roll=turn,
            won=(_number(fields, 5, LONGEST_MATCH), _number(fields, 6, LONGEST_MATCH)),
            cube=_cube(fields),
            dice=dice,
            offered=offered,
            crawford=terms.length is not None and _number(fields, 7, 1) == 1,
        )
    except InputError as error:
        raise InputError(f"{_shown(text)}: {error}") from None


# --- writing --------------------------------------------------------------------------------------------


def _cube_before(state: MatchState) -> Cube:
    """The cube before what is on offer: a beaver has already turned it once."""
    if state.phase != "beavered":
        return state.cube
    value = state.cube.value // 2
    return Cube(value, None if value == 1 << state.automatic else state.on_roll)


def _board_text(position: Position, on_roll: int) -> str:
    board = position.board if on_roll == 0 else turned(position.board)
    bottom, top = board[0].tolist(), board[1].tolist()
    mine = [0, *bottom[:25]]
    his = [top[24], *reversed(top[:24]), 0]
    return "".join(_letter(a, b) for a, b in zip(mine, his, strict=True))


def _letter(bottom: int, top: int) -> str:
    if bottom:
        return chr(ord("A") + bottom - 1)
    return chr(ord("a") + top - 1) if top else "-"


def _dice_text(state: MatchState) -> str:
    if state.dice is not None:
        return f"{state.dice[0]}{state.dice[1]}"
    return {"doubled": "D", "beavered": "B"}.get(state.phase, "00")


# --- reading --------------------------------------------------------------------------------------------


def _fields_of(text: str) -> list[str]:
    if not isinstance(text, str):
        raise InputError(f"an XGID is text, not {type(text).__name__}")
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{_shown(text)} is no XGID: it has {len(text)} characters")
    plain = text.strip()
    fields = plain[len(PREFIX) :].split(":") if plain.upper().startswith(PREFIX) else plain.split(":")
    if len(fields) == len(_NAMES) - 1:
        fields.append(str(USUAL_MAX_CUBE.bit_length() - 1))
    if len(fields) != len(_NAMES):
        raise InputError(
            f"{_shown(text)} is no XGID: it has {len(fields)} fields between colons instead of {len(_NAMES)}"
        )
    return fields


def _terms(fields: list[str], game: Game) -> Terms:
    length = _number(fields, 8, LONGEST_MATCH)
    max_cube = 1 << _number(fields, 9, _LARGEST_POWER)
    if length:
        return Terms.match(game, length, max_cube=max_cube)
    flags = _number(fields, 7, _JACOBY | _BEAVERS)
    return Terms.money(
        game,
        jacoby=bool(flags & _JACOBY),
        beavers=bool(flags & _BEAVERS),
        automatic_doubles=shown_doubles(game, _cube(fields)),
        max_cube=max_cube,
    )


def _board(text: str, turn: int, checkers: int) -> Boards:
    if len(text) != 26 or not re.fullmatch(r"[A-Oa-o-]*", text):
        raise InputError(
            f"the board {_shown(text)} of the XGID is not of 26 characters A to O, a to o and -, for the top "
            "player's bar, points 1 to 24 and the bottom player's bar"
        )
    if text[0].isupper() or text[25].islower():
        raise InputError("the XGID's bars are exchanged: the top player's comes first, in small letters")
    rows = np.zeros((2, 26), np.int8)
    for place, letter in enumerate(text):
        if letter.isupper():
            rows[0, place - 1] = ord(letter) - ord("A") + 1
        elif letter != "-":
            rows[1, 24 - place] = ord(letter) - ord("a") + 1
    for row, side in enumerate(("bottom", "top")):
        on_board = int(rows[row].sum())
        if on_board > checkers:
            raise InputError(
                f"the XGID has {on_board} checkers of the {side} player, and the game has {checkers}"
            )
        rows[row, 25] = checkers - on_board
    return rows if turn == 0 else turned(rows)


def _dice(fields: list[str]) -> tuple[Dice | None, Offer | None]:
    text = fields[4]
    if re.fullmatch(r"[1-6][1-6]", text):
        first, second = int(text[0]), int(text[1])
        return (max(first, second), min(first, second)), None
    offers: dict[str, Offer | None] = {"00": None, "D": "double", "B": "beaver"}
    if text == "R":
        raise InputError("the XGID's R is a raccoon, a beaver beavered, which the rules here do not know")
    if text not in offers:
        raise InputError(f"the dice {_shown(text)} of the XGID must be two digits 1 to 6, 00, D or B")
    return None, offers[text]


def _cube(fields: list[str]) -> Cube:
    return Cube(1 << _number(fields, 1, _LARGEST_POWER), _choice(fields, 2, {"0": None, **_SIDES}))


def _number(fields: list[str], index: int, high: int) -> int:
    text = fields[index]
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > high:
        raise InputError(f"the {_NAMES[index]} {_shown(text)} of the XGID must be a number from 0 to {high}")
    return int(text)


def _choice(fields: list[str], index: int, choices: dict[str, T]) -> T:
    text = fields[index]
    if text not in choices:
        raise InputError(f"the {_NAMES[index]} {_shown(text)} of the XGID must be {' or '.join(choices)}")
    return choices[text]


def _check_short(game: Game) -> None:
    if needed(game, Game).family != "short":
        raise InputError(f"an XGID is for short nardy, not for {game.name}; write the position's key")


def _shown(text: object) -> str:
    shown = repr(text)
    return shown if len(shown) <= 80 else shown[:78] + "…"
