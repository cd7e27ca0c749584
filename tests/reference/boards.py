"""Boards as tuples, as counts by point, and as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Options = Mapping[str, Any]
Row = tuple[int, ...]  # 26 counts: columns 0..23 = own points 1..24, 24 = bar, 25 = off
Board = tuple[Row, Row]  # the mover's row first
Points = tuple[int, ...]  # 26 counts by own point: 0 = off, 1..24, 25 = bar

OFF, HEAD, BAR = 0, 24, 25
HOME = range(1, 7)


def points_of(row: Row) -> Points:
    """The counts of a row by point, that is by pips to go: off is 0, the bar is 25."""
    return (row[25], *row[:24], row[24])


def row_of(points: Points) -> Row:
    """The inverse of :func:`points_of`."""
    return (*points[1:25], points[BAR], points[OFF])


def other_side(options: Options, point: int) -> int:
    """The number the opponent gives to my point (the rule is its own inverse)."""
    if options["family"] == "short":
        return 25 - point
    return point - 12 if point > 12 else point + 12


def start_board(options: Options) -> Board:
    """The board before the first turn."""
    row = (*options["start"], 0, 0)
    return row, row


def turned(board: Board) -> Board:
    """The same board seen by the other side."""
    return board[1], board[0]


def board_from_text(options: Options, text: str) -> Board:
    """A board from ``P 24:1 8:2 | O 20:4``: the mover's checkers and the opponent's, on the *mover's* points.

    ``bar:n`` stands for checkers on the bar. Checkers that are not listed have been borne off.
    """
    mine_text, _, theirs_text = text.partition("|")
    mine = _row_from_text(options, mine_text.replace("P", ""), lambda point: point)
    theirs = _row_from_text(options, theirs_text.replace("O", ""), lambda point: other_side(options, point))
    return mine, theirs


def _row_from_text(options: Options, text: str, renumber: Any) -> Row:
    points = [0] * 26
    for place, count in re.findall(r"(\w+):(\d+)", text):
        points[BAR if place == "bar" else renumber(int(place))] += int(count)
    points[OFF] = options["checkers"] - sum(points)
    assert points[OFF] >= 0, f"too many checkers in {text!r}"
    return row_of(tuple(points))


def text_of(options: Options, board: Board) -> str:
    """The board in the form that :func:`board_from_text` reads, and a picture of it on the mover's points.

    In the picture a digit or letter (a = 10) counts the checkers, the mover's above the line of points and
    the opponent's below it.
    """
    mine, theirs = (points_of(row) for row in board)
    theirs_on_mine = [theirs[other_side(options, point)] for point in range(1, 25)]
    text = f"P {_counts_as_text(mine[1:25], mine[BAR])} | O {_counts_as_text(theirs_on_mine, theirs[BAR])}"
    return "\n".join(
        [
            text,
            "   " + _strip(mine[1:25]) + f"   bar {mine[BAR]} off {mine[OFF]}",
            "   24  21 19|18  15 13|12   9  7|6   3  1",
            "   " + _strip(theirs_on_mine) + f"   bar {theirs[BAR]} off {theirs[OFF]}",
        ]
    )


def _counts_as_text(counts: Any, bar: int) -> str:
    listed = [f"{point}:{counts[point - 1]}" for point in range(24, 0, -1) if counts[point - 1]]
    return " ".join(([f"bar:{bar}"] if bar else []) + listed)


def _strip(counts: Any) -> str:
    signs = "".join(".123456789abcdef"[counts[point - 1]] for point in range(24, 0, -1))
    return "|".join(" ".join(signs[start : start + 6])[:11] for start in (0, 6, 12, 18))
