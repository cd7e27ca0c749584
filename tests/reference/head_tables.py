"""The tables of the head rule: where the head checkers end on a first turn."""

from __future__ import annotations

from typing import NamedTuple

from reference.boards import Board, start_board
from reference.profiles import PROFILES, VARIANTS

_HEAD_ONLY, _ = start_board(PROFILES["long/fns"])

OPTIONS = {
    "blocked_by_head": PROFILES["long/fns"],
    "blocked_any": PROFILES["long/classic"],
    "any_double_first_turn": PROFILES["long/any_double"],
    "any_double_any_turn": PROFILES["long/autogear"],
    "second_player_3_4_6": PROFILES["long/fnr2025"],
    "none": VARIANTS["long, no_head"],
}


class HeadCase(NamedTuple):
    """A first turn: the exception, the roll, where opponent checkers stand (on *my* points), and the answers.

    Each answer lists the points where the checkers that left the head end, as ``18,18`` or ``4``.
    """

    exception: str
    roll: str
    seat: int
    placed: tuple[int, ...]
    answers: str

    @property
    def name(self) -> str:
        """A name for the test's report."""
        closed = "".join(f", {point} closed" for point in self.placed)
        return f"{self.exception}, seat {self.seat}, {self.roll}{closed}"

    @property
    def dice(self) -> tuple[int, int]:
        """The roll as two dice."""
        return int(self.roll[0]), int(self.roll[2])

    @property
    def board(self) -> Board:
        """All my checkers on the head; the opponent's as placed, the rest on his head (my 12)."""
        theirs = [0] * 26
        for point in self.placed:
            theirs[(point + 12 if point <= 12 else point - 12) - 1] += 1
        theirs[24 - 1] = 15 - len(self.placed)
        return _HEAD_ONLY, tuple(theirs)

    @property
    def ends(self) -> set[Board]:
        """The boards that the answers stand for."""
        return {(_moved_from_head(answer), self.board[1]) for answer in self.answers.split(" or ")}


def _moved_from_head(answer: str) -> tuple[int, ...]:
    row = list(_HEAD_ONLY)
    for point in answer.split(",") if answer != "none" else ():
        row[24 - 1] -= 1
        row[int(point) - 1] += 1
    return tuple(row)


def _both(exceptions: str, seat: int, placed: tuple[int, ...], answers: dict[str, str]) -> list[HeadCase]:
    return [
        HeadCase(exception, roll, seat, placed, answer)
        for exception in exceptions.split()
        for roll, answer in answers.items()
    ]


_BLOCKED = "blocked_by_head blocked_any"
_ANY_DOUBLE = "any_double_first_turn any_double_any_turn"

#   mine   o . . . . . . . . . . .            15 on the head (24)
#          24  21    18    15    12  ...
#   his                          o            15 on his head (my 12)
FIRST_PLAYER = [
    *_both(
        _BLOCKED,
        0,
        (),
        {
            "6-6": "18,18",
            "4-4": "16,16",
            "3-3": "15,21 or 18,18",
            "5-5": "4",
            "2-2": "16",
            "1-1": "20",
        },
    ),
    *_both(
        _ANY_DOUBLE,
        0,
        (),
        {
            "6-6": "18,18",
            "4-4": "16,16",
            "3-3": "15,21 or 18,18",
            "5-5": "4 or 9,19 or 14,14",
            "2-2": "16 or 18,22 or 20,20",
            "1-1": "20 or 21,23 or 22,22",
        },
    ),
    # The exception of the second player is not the first one's, and without any exception it is the same.
    *_both(
        "second_player_3_4_6 none",
        0,
        (),
        {"6-6": "18", "4-4": "16", "3-3": "15", "5-5": "4", "2-2": "16", "1-1": "20"},
    ),
]

SECOND_PLAYER = [
    # 16 closed: the opponent opened 5-5.
    *_both("blocked_by_head", 1, (16,), {"6-2": "18", "5-3": "19", "4-4": "20", "2-2": "18"}),
    *_both("blocked_any", 1, (16,), {"6-2": "18,22", "5-3": "19,21"}),
    *_both("blocked_any", 1, (16,), {"4-4": "20,20", "2-2": "18,22 or 20,20"}),
    *_both(_ANY_DOUBLE, 1, (16,), {"6-2": "18", "5-3": "19", "4-4": "20,20", "2-2": "18,22 or 20,20"}),
    # This exception looks at the roll alone, not at what stops the checker.
    *_both("second_player_3_4_6", 1, (16,), {"6-2": "18", "5-3": "19", "4-4": "20,20", "2-2": "18"}),
    *_both("none", 1, (16,), {"6-2": "18", "5-3": "19", "4-4": "20", "2-2": "18"}),
    # 9 closed: the opponent opened 2-1. A head checker stops at 14 on 5-5.
    *_both("blocked_by_head second_player_3_4_6 none", 1, (9,), {"5-5": "14"}),
    *_both("blocked_any any_double_first_turn any_double_any_turn", 1, (9,), {"5-5": "14,14"}),
    # 9 and 3 closed: the opponent opened 3-3 and played 15,21.
    *_both("blocked_by_head", 1, (9, 3), {"5-5": "14"}),
    *_both("blocked_any", 1, (9, 3), {"5-5": "14,14"}),
    # 4 closed: the opponent opened 6-2, 5-3 or 2-2 (one checker there) or 4-4 (two).
    *_both("blocked_by_head second_player_3_4_6 none", 1, (4,), {"5-5": "9"}),
    *_both("blocked_any any_double_first_turn any_double_any_turn", 1, (4,), {"5-5": "9,19 or 14,14"}),
    *_both("blocked_by_head", 1, (4, 4), {"5-5": "9"}),
    *_both("blocked_any", 1, (4, 4), {"5-5": "9,19 or 14,14"}),
    # Stopped by the opponent's head alone: he opened 6-6 (18,18 in his numbers, my 6).
    *_both(
        "blocked_by_head blocked_any second_player_3_4_6 any_double_first_turn any_double_any_turn",
        1,
        (6, 6),
        {"6-6": "18,18", "4-4": "16,16", "3-3": "15,21 or 18,18"},
    ),
    *_both("none", 1, (6, 6), {"6-6": "18", "4-4": "16", "3-3": "15"}),
    # The opponent played 5-5 as 9,19 (under any double): my 21 and 7 are closed, 3-3 has no move.
    *_both("any_double_first_turn any_double_any_turn blocked_any none", 1, (21, 7), {"3-3": "none"}),
]
