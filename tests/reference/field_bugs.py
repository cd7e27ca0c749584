"""Positions on which public programs went wrong, with the right answers, to ask of every generator here."""

from __future__ import annotations

from typing import Any, NamedTuple

from reference.boards import Board, board_from_text
from reference.profiles import PROFILES

SHORT = PROFILES["short/standard"]


class FieldBug(NamedTuple):
    """A position on the mover's points; ``ends`` are the mover's checkers after each legal turn."""

    name: str
    position: str
    dice: tuple[int, int]
    ends: tuple[str, ...]

    @property
    def options(self) -> dict[str, Any]:
        """All of these are positions of the standard game."""
        return SHORT

    @property
    def board(self) -> Board:
        """The position as a board."""
        return board_from_text(SHORT, self.position)

    @property
    def expected(self) -> set[Board]:
        """The boards after each legal turn: nobody is hit in any of them."""
        theirs = self.position.partition("|")[2]
        return {board_from_text(SHORT, f"{mine} | {theirs}") for mine in self.ends}


FIELD_BUGS = [
    # Pictures: the mover's points from the highest down, his checkers above and the opponent's below.
    #    1 . . . . . | . . . . . . | . . . . 1 . | 5 . . . . .
    #    . . . . 4 3 | 4 . 2 . . . | . . . . . . | . . 2 . . .
    # The scan for "can both dice be used?" stopped at the first source point.
    FieldBug(
        "A1 one forced play with both dice",
        "P 24:1 8:1 6:5 | O 20:4 19:3 18:4 16:2 4:2",
        (6, 2),
        ("P 22:1 6:5 2:1",),
    ),
    #    . . . . . 1 | 3 . . . . .     the points 12..1
    #    . . . . . . | . . . . 2 .
    FieldBug("A2 small die first, from the rear", "P 7:1 6:3 | O 2:2", (5, 4), ("P 6:2 3:1 1:1",)),
    #    . . 1 . 4 .                   the points 6..1
    #    . . . . . 1
    FieldBug("A4 the same bear-off twice", "P 4:1 2:4 | O 24:1 1:1", (6, 4), ("P 2:3",)),
    #    1 . . . . .                   one checker, either die ends the game
    FieldBug("A5 the last checker by one die", "P 6:1 | O 24:15", (6, 1), ("P",)),
    #    2 . 2 . 1 .
    FieldBug(
        "A7 a different checker finishes the double",
        "P 6:2 4:2 2:1 | O 24:15",
        (3, 3),
        ("P 4:2 2:1", "P 4:1 3:1 2:1 1:1", "P 3:2 2:1 1:2", "P 6:1 2:1 1:2"),
    ),
    #    bar 1, e on 1; the 14 is closed for both dice after the bar
    FieldBug("A8 the larger die enters", "P bar:1 1:14 | O 14:2", (6, 5), ("P 19:1 1:14",)),
]

# A turn that bears off the last checker is always legal, even where another order plays more movements:
# 2/off by the four leaves the one unplayed, 2/1* and off plays both. The opponent's blot tells them apart.
#    . . . . 1 .                   the points 6..1
#    . . . . . 1
LAST_CHECKER = "P 2:1 | O 20:1 1:1"
LAST_CHECKER_ROLL = (4, 1)
LAST_CHECKER_ENDS = ("P | O 20:1 1:1", "P | O bar:1 20:1")

# Fifteen single checkers in steps of two: every choice of movements is another board.
MANY_PLAYS = "P 24:1 23:1 22:1 20:1 19:1 18:1 16:1 15:1 14:1 12:1 11:1 10:1 8:1 7:1 6:1"
A14_COUNTS = {f"{MANY_PLAYS} | O 1:15": 2048, f"{MANY_PLAYS} | O bar:1": 2062}

# bar 1, all his home points closed: no roll enters.
SHUT_OUT = "P bar:1 6:5 8:3 | O 19:2 20:2 21:2 22:2 23:2 24:2"
BOTH_SHUT_OUT = "P bar:3 6:2 5:2 4:2 3:2 2:2 1:2 | O bar:3 19:2 20:2 21:2 22:2 23:2 24:2"
