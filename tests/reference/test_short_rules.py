"""The reference on short nardy: known counts, known faults of other programs, rules of the eastern games."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from reference import PROFILES, VARIANTS, board_from_text, follow, legal_ends, movements_used, start_board
from reference.field_bugs import (
    A14_COUNTS,
    BOTH_SHUT_OUT,
    FIELD_BUGS,
    LAST_CHECKER,
    LAST_CHECKER_ENDS,
    LAST_CHECKER_ROLL,
    SHORT,
    SHUT_OUT,
    FieldBug,
)

TAVLA = PROFILES["short/tavla"]
ALL_ROLLS = [(first, second) for first in range(1, 7) for second in range(1, 7)]


def _ends(options: dict[str, Any], text: str, dice: tuple[int, int]) -> set[Any]:
    return legal_ends(options, board_from_text(options, text), dice, seat=0, turns=3)


def _boards(options: dict[str, Any], *texts: str) -> set[Any]:
    return {board_from_text(options, text) for text in texts}


@pytest.mark.parametrize(
    ("dice", "count"), [((3, 1), 16), ((6, 5), 7), ((1, 1), 42), ((2, 2), 75), ((5, 5), 4), ((6, 6), 11)]
)
def test_opening_counts(dice: tuple[int, int], count: int) -> None:
    start = start_board(SHORT)
    assert len(legal_ends(SHORT, start, dice, 0, 0)) == count
    assert legal_ends(SHORT, start, dice, 0, 0) == legal_ends(SHORT, start, dice[::-1], 0, 0)


@pytest.mark.parametrize("bug", FIELD_BUGS, ids=lambda bug: bug.name)
def test_field_bugs(bug: FieldBug) -> None:
    first, second = bug.dice
    assert legal_ends(SHORT, bug.board, (first, second), 0, 3) == bug.expected
    assert legal_ends(SHORT, bug.board, (second, first), 0, 3) == bug.expected


def test_a10_a_closed_board_lets_nobody_in() -> None:
    for text in (SHUT_OUT, BOTH_SHUT_OUT):
        for roll in ALL_ROLLS:
            assert _ends(SHORT, text, roll) == _boards(SHORT, text)
            assert movements_used(SHORT, board_from_text(SHORT, text), roll, 0, 3) == 0


@pytest.mark.parametrize(("text", "count"), A14_COUNTS.items(), ids=("2048", "2062"))
def test_a14_a_roll_of_two_thousand_results(text: str, count: int) -> None:
    assert len(_ends(SHORT, text, (2, 2))) == count


def test_the_last_checker_may_be_borne_off_with_fewer_movements() -> None:
    assert _ends(SHORT, LAST_CHECKER, LAST_CHECKER_ROLL) == _boards(SHORT, *LAST_CHECKER_ENDS)


def test_everyone_enters_before_anyone_moves() -> None:
    """Two on the bar, the 19 closed: the six is lost, one checker enters on 20 and the other stays.

    bar 2 | . . . . . . | . . . . . . | . . . . . . | 3 . . . . .
            . . . . . 2
    """
    ends = _ends(SHORT, "P bar:2 6:3 | O 19:2", (6, 5))
    assert ends == _boards(SHORT, "P bar:1 20:1 6:3 | O 19:2")


def test_a_blot_is_hit_in_passing_and_goes_to_the_bar() -> None:
    """13/7*/6 or 13/12/6 or 13/7* with the one elsewhere.

    . . . . . . | . . . . . 1 | . . . . . _ | 2 . . . . .
                                          1
    """
    ends = _ends(SHORT, "P 13:1 6:2 | O 7:1", (6, 1))
    assert ends == _boards(
        SHORT,
        "P 6:3 | O bar:1",  # 13/7*/6
        "P 6:3 | O 7:1",  # 13/12/6
        "P 7:1 6:1 5:1 | O bar:1",  # 13/7* 6/5
    )


# --- hit and run --------------------------------------------------------------------------------------------
# . . . . . . | . . . . . . | . . . . . 1 | . . . . . .      7/4* by the three, then one more
#                                               1


def test_a_checker_that_hit_at_home_may_not_move_on() -> None:
    text = "P 7:1 24:1 | O 4:1 23:2 21:2"
    assert _ends(SHORT, text, (3, 1)) == _boards(
        SHORT, "P 24:1 3:1 | O bar:1 23:2 21:2", "P 24:1 3:1 | O 4:1 23:2 21:2"
    )
    # 7/6/3 passes the blot by; 7/4* would have to go on with the only die that plays.
    assert _ends(TAVLA, text, (3, 1)) == _boards(TAVLA, "P 24:1 3:1 | O 4:1 23:2 21:2")


def test_another_checker_may_move_from_where_one_has_hit() -> None:
    """5/4* rests, 6/5/4 comes after it: of the two on 4 one is free to go on."""
    ends = _ends(TAVLA, "P 5:1 6:1 24:1 | O 4:1 23:2", (1, 1))
    assert board_from_text(TAVLA, "P 24:1 4:1 3:1 | O bar:1 23:2") in ends
    assert board_from_text(TAVLA, "P 24:1 6:1 1:1 | O bar:1 23:2") not in ends
    assert board_from_text(SHORT, "P 24:1 6:1 1:1 | O bar:1 23:2") in _ends(
        SHORT, "P 5:1 6:1 24:1 | O 4:1 23:2", (1, 1)
    )


def test_a_hit_outside_home_may_move_on() -> None:
    """13/7*/4: the hit was on 7."""
    text, run = "P 13:1 24:1 | O 7:1 23:2 21:2 18:2", "P 24:1 4:1 | O bar:1 23:2 21:2 18:2"
    assert board_from_text(TAVLA, run) in _ends(TAVLA, text, (6, 3))


def test_a_checker_that_hit_at_home_may_not_bear_off() -> None:
    """6/4* with the two; the four then has only this checker to play, and loses.

    . . . . . . | . . . . . . | . . . . . . | 1 . . . . .
                                                  1 2      the 3 is closed, so is 6/2
                                                      2
    """
    text = "P 6:1 | O 4:1 2:2"
    assert _ends(SHORT, text, (4, 2)) == _boards(SHORT, "P | O bar:1 2:2")
    assert _ends(TAVLA, text, (4, 2)) == _boards(TAVLA, "P 4:1 | O bar:1 2:2")


def test_entering_with_a_hit_is_not_a_hit_at_home() -> None:
    """bar/19*/16: points 24..19 are the opponent's home."""
    text = "P bar:1 1:1 | O 19:1 20:2 22:2 2:2"
    assert _ends(TAVLA, text, (6, 3)) == _boards(TAVLA, "P 16:1 1:1 | O bar:1 20:2 22:2 2:2")


# --- other sizes, and single movements ----------------------------------------------------------------------


def test_small_games_bear_off_their_own_number() -> None:
    three = PROFILES["short/hypergammon"]
    assert _ends(three, "P 2:1 1:1 | O 24:3", (6, 5)) == _boards(three, "P | O 24:3")
    one = VARIANTS["short, 1 checker"]
    assert _ends(one, "P 3:1 | O bar:1", (2, 1)) == _boards(one, "P | O bar:1")


def test_follow_accepts_legal_movements_only() -> None:
    start = start_board(SHORT)
    played = follow(SHORT, start, (3, 1), 0, 0, [(8, 5), (6, 5)])
    assert Counter({p + 1: c for p, c in enumerate(played[0]) if c}) == {24: 2, 13: 5, 8: 2, 6: 4, 5: 2}
    assert follow(SHORT, start, (3, 1), 0, 0, []) == start
    bear_off = board_from_text(SHORT, "P 3:1 1:1 | O 24:1")
    assert follow(SHORT, bear_off, (6, 2), 0, 3, [(3, 0), (1, 0)]) == board_from_text(SHORT, "P | O 24:1")
    for moves in ([(8, 4)], [(6, 1)], [(8, 5), (8, 5)], [(13, 12), (12, 9), (9, 8)], [(10, 9)]):
        with pytest.raises(ValueError, match="not a legal movement"):
            follow(SHORT, start, (3, 1), 0, 0, moves)
