"""A board as lines of text, in Unicode or in ASCII, at most 80 columns wide.

The player on roll sits at the bottom right: his points are numbered, he goes from 24 at the top right round
to 1 at the bottom right. In short nardy the other comes against him; in long nardy he goes the same way
round, from the opposite corner. Marks belong to seats, so that a side keeps its mark through a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nardy_ai.rules.arguments import one_of
from nardy_ai.rules.dice import dice_pair
from nardy_ai.rules.languages import LANGUAGES, Words, words_of

if TYPE_CHECKING:
    from nardy_ai.rules.position import Position

Halves = tuple[tuple[int, ...], tuple[int, ...]]

TOP: Halves = (tuple(range(13, 19)), tuple(range(19, 25)))
"""Own points of the player on roll along the upper edge, from left to right, by halves of the board."""
BOTTOM: Halves = (tuple(range(12, 6, -1)), tuple(range(6, 0, -1)))
ROWS = 5
"""Checkers that are drawn one by one; of a higher stack the last shown place holds the number."""


@dataclass(frozen=True)
class _Marks:
    seats: tuple[str, str]
    """Marks of the starter's checkers and of the other's."""
    empty: str
    side: str
    across: str
    corners: tuple[str, str, str, str, str, str]
    """Upper left, upper joint, upper right, lower left, lower joint, lower right."""


_UNICODE = _Marks(("○", "●"), "·", "│", "─", ("┌", "┬", "┐", "└", "┴", "┘"))
_ASCII = _Marks(("O", "X"), ".", "|", "-", ("+", "+", "+", "+", "+", "+"))


def board_text(
    position: Position,
    dice: Sequence[int] | None = None,
    *,
    ascii: bool = False,  # noqa: A002
    lang: str = "en",
) -> str:
    """The board of a position, without a newline at the end.

    `dice` are shown beside the player on roll, words in `en` or `ru`. Raises InputError for dice outside 1..6
    and for another language.
    """
    words = words_of(one_of(lang, LANGUAGES, "board in the language"))["board"]
    marks = _ASCII if ascii else _UNICODE
    mine, his = marks.seats[position.seat], marks.seats[1 - position.seat]
    bar = position.game.family == "short"
    upper = [_line(position, TOP, row, (mine, his), marks) for row in range(ROWS)]
    lower = [_line(position, BOTTOM, row, (mine, his), marks) for row in reversed(range(ROWS))]
    middle = marks.side.join(["", " " * 18, "BAR" if bar else "   ", " " * 18, ""])
    frame = [marks.across * width for width in (18, 3, 18)]
    lines = [
        _status(position, 1, his, None, words),
        _numbers(TOP),
        _ruled(frame, marks.corners[:3]),
        *upper,
        middle,
        *lower,
        _ruled(frame, marks.corners[3:]),
        _numbers(BOTTOM),
        _status(position, 0, mine, None if dice is None else dice_pair(dice), words),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _numbers(halves: Halves) -> str:
    left, right = ("".join(f"{point:2d} " for point in half) for half in halves)
    return f" {left}     {right}"


def _ruled(frame: Sequence[str], corners: Sequence[str]) -> str:
    left, joint, right = corners
    return left + joint.join(frame) + right


def _line(position: Position, halves: Halves, row: int, sides: tuple[str, str], marks: _Marks) -> str:
    left, right = (
        "".join(_cell(position.on_point(point), row, sides, marks.empty) for point in half) for half in halves
    )
    # Whoever is on the bar waits in the half of the board that he enters.
    on_bar = (position.bar[0], 0) if halves is TOP else (0, position.bar[1])
    bar = _cell(on_bar, row, sides, " ")
    return marks.side.join(["", left, bar, right, ""])


def _cell(counts: tuple[int, int], row: int, sides: tuple[str, str], empty: str) -> str:
    count, mark = (counts[0], sides[0]) if counts[0] else (counts[1], sides[1])
    if row >= count:
        return f" {empty} " if row == 0 else "   "
    if row == ROWS - 1 and count > ROWS:
        return f"{count:2d} "
    return f" {mark} "


def _status(
    position: Position, side: int, mark: str, dice: tuple[int, int] | None, words: Words
) -> str:
    parts = [_pips(position, side, words), words["off"].format(count=position.off[side])]
    if position.bar[side]:
        parts.append(words["on_the_bar"].format(count=position.bar[side]))
    who = "" if side else " " + _state(position, words)
    rolled = words["rolled"].format(dice=f"{dice[0]}-{dice[1]}") if dice else ""
    return f" {mark}{who}{rolled}: {', '.join(parts)}"


def pips_text(position: Position, side: int) -> str:
    """The pips that a side (0 the player on roll) still has to go, with their unit."""
    return _pips(position, side, words_of("en")["board"])


def state_of(position: Position) -> str:
    """What the player on roll has before him: `on roll`, `on roll for the last time`, or how it ended."""
    return _state(position, words_of("en")["board"])


def _pips(position: Position, side: int, words: Words) -> str:
    pips = position.pips[side]
    text: str = words["pip" if pips == 1 else "pips"].format(count=pips)
    return text


def _state(position: Position, words: Words) -> str:
    result = position.result
    if result is not None:
        over: str = words["over"].format(result=result)
        return over
    text: str = words["last" if position.off[1] == position.game.checkers else "on_roll"]
    return text
