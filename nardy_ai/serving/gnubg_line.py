"""What GNU Backgammon asks an external player, one line a decision.

A line shows the board as player 1 sees it, whoever is on roll: his checkers positive, his bar last, the
other's bar first. The player on roll (who may have doubled) is named first, and scores follow the names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from nardy_ai.bots.cube import Stakes
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Play, Position
from nardy_ai.rules.arguments import shown

CHECKERS = 15
_NUMBERS = 50
"""Fields behind the names."""
_BAR, _OFF = 25, 0


@dataclass(frozen=True)
class Question:
    """A decision."""

    position: Position
    """For the player on roll, who is the doubler where it is about a double."""
    dice: tuple[int, int] | None
    """None before the throw."""
    doubled: bool
    """Whether a double is to be taken or dropped."""
    stakes: Stakes


def read_question(line: str) -> Question:
    """The decision that a line asks for.

    Raises InputError for everything that is no such line, whole and with a board that can stand.
    """
    words = line.split(":")
    if words[0] != "board":
        raise InputError(f"this is no line of a board: {shown(line, 40)}")
    if len(words) < _NUMBERS + 3:
        raise InputError(f"a board has {_NUMBERS + 3} fields, and this one {len(words)}")
    length, score, other_score, *rest = (_number(word) for word in words[-_NUMBERS:])
    points, (turn, *dice), (cube, *may, doubled) = rest[:26], rest[26:31], rest[31:35]
    if rest[35:39] != [1, -1, 0, 25] or turn not in (1, -1):
        raise InputError("this board does not run as GNU Backgammon's do")
    off = rest[39:41] if turn == 1 else rest[40:38:-1]
    return Question(
        _position(points if turn == 1 else [-count for count in reversed(points)], off),
        _dice(dice),
        bool(doubled),
        _stakes(length, (score, other_score), cube, owned=0 in may),
    )


def written(play: Play) -> str:
    """A play as GNU Backgammon reads it: single movements; nothing where nothing can move."""
    return " ".join(f"{_point(start)}/{_point(end)}" for start, end in play.steps)


def _point(point: int) -> str:
    return {_BAR: "bar", _OFF: "off"}.get(point, str(point))


def _number(word: str) -> int:
    if len(word) <= 6 and word.removeprefix("-").isdecimal() and word.isascii():
        return int(word)
    raise InputError(f"a board holds numbers, not {shown(word, 20)}")


def _position(points: list[int], off: list[int]) -> Position:
    """`points`: 26 counts as the player on roll sees them; `off`: his and the other's."""
    mine = [max(count, 0) for count in points[1:]]
    his = [max(-count, 0) for count in points[24::-1]]
    for row, borne in zip((mine, his), off, strict=True):
        if sum(row) + borne != CHECKERS:
            raise InputError(f"a side has {CHECKERS} checkers in short nardy, and here {sum(row) + borne}")
    board = np.array([[*mine, off[0]], [*his, off[1]]], dtype=np.int8)
    return standard_game().position(board)


@cache
def standard_game() -> Game:
    """Short nardy as other programs know it."""
    return Game("short")


def _dice(dice: list[int]) -> tuple[int, int] | None:
    if dice[:2] == [0, 0]:
        return None
    if not all(1 <= die <= 6 for die in dice[:2]):
        raise InputError(f"dice show 1 to 6, not {dice[0]} and {dice[1]}")
    return dice[0], dice[1]


def _stakes(length: int, scores: tuple[int, int], cube: int, *, owned: bool) -> Stakes:
    away = None if length <= 0 else (length - scores[0], length - scores[1])
    return Stakes(cube, owned, away)
