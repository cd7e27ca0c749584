"""The reference against the published cases of long nardy, its results, and rules that they leave out."""

from __future__ import annotations

from typing import Any

import pytest

from reference import PROFILES, VARIANTS, Row, board_from_text, legal_ends, movements_used, result, turned
from reference.long_cases import (
    LastRollCase,
    PlayCase,
    ResultCase,
    last_roll_cases,
    play_cases,
    result_cases,
)

FNS = PROFILES["long/fns"]


def _id(case: Any) -> str:
    return str(case.name)


def _rows(options: dict[str, Any], mine: str, theirs: str, dice: tuple[int, int]) -> set[Row]:
    """The mover's rows that the second player's turn, not his first, may end with."""
    board = board_from_text(options, f"{mine} | {theirs}")
    return {end[0] for end in legal_ends(options, board, dice, seat=1, turns=3)}


def _row(options: dict[str, Any], mine: str) -> Row:
    return board_from_text(options, mine)[0]


def test_all_published_cases_are_there() -> None:
    assert len({case.name.partition("-")[0] for case in play_cases()}) == 50
    assert len(play_cases()) == 99
    assert {case.name[:3] for case in result_cases()} == {f"G0{number}" for number in range(1, 9)}
    assert [case.name for case in last_roll_cases()] == [
        "G01-fns",
        "G02-fns",
        "G05-fns",
        "G05-option draw_points=1",
        "G06-fns",
        "G07-fns",
    ]


@pytest.mark.parametrize("case", play_cases(), ids=_id)
def test_published_plays(case: PlayCase) -> None:
    question = case.board, case.dice, case.seat, case.turns
    assert legal_ends(case.options, *question) == case.ends
    assert movements_used(case.options, *question) == case.movements


@pytest.mark.parametrize("case", play_cases(), ids=_id)
def test_the_order_of_the_dice_does_not_matter(case: PlayCase) -> None:
    first, second = case.dice
    assert legal_ends(case.options, case.board, (second, first), case.seat, case.turns) == case.ends


@pytest.mark.parametrize("case", result_cases(), ids=_id)
def test_published_results(case: ResultCase) -> None:
    assert result(case.options, case.board, case.seat) == case.outcome


@pytest.mark.parametrize("case", last_roll_cases(), ids=_id)
def test_published_last_rolls(case: LastRollCase) -> None:
    assert case.end in legal_ends(case.options, case.board, case.dice, seat=1, turns=3)


# --- the block rule -----------------------------------------------------------------------------------------
# Pictures show the mover's points 24..1, his checkers above and the opponent's below; his head is my 12.

RING = VARIANTS["long, absolute_six"]
PATH = VARIANTS["long, absolute on the path"]
FINAL = VARIANTS["long, final_block"]


@pytest.mark.parametrize(
    ("theirs", "may_fill"),
    [
        ("O 13:1 12:14", True),  # ahead of the block, on his last point
        ("O 18:1 12:14", True),  # just ahead of it
        ("O 12:14", True),  # one is off
        ("O 7:1 12:14", False),  # on his way, but behind
        ("O 12:15", False),
        ("O", True),  # all off: a pending last roll, where no block binds
    ],
)
def test_a_block_needs_someone_ahead_of_it(theirs: str, may_fill: bool) -> None:
    """A five fills my 19 and makes six neighbours, his 12..7.

    3 2 2 2 2 _ | . . . . . . | . . . . . . | . . . . . 4
    24        19  18       13   12        7   6         1
    """
    rows = _rows(FNS, "P 24:3 23:2 22:2 21:2 20:2 1:4", theirs, (5, 4))
    assert any(all(row[18:24]) for row in rows) is may_fill


@pytest.mark.parametrize(
    ("theirs", "may_fill"), [("O 12:15", False), ("O 11:3 12:12", False), ("O 12:14", True)]
)
def test_his_whole_home_may_be_filled_only_when_one_of_his_is_off(theirs: str, may_fill: bool) -> None:
    """My 18..13 is his 6..1: no number lies below it.

    2 . . . . . | 3 2 2 2 2 _ | . . . . . . | . . . . . 2
    """
    rows = _rows(FNS, "P 24:2 18:3 17:2 16:2 15:2 14:2 1:2", theirs, (5, 4))
    assert any(all(row[12:18]) for row in rows) is may_fill


def test_the_conditional_block_does_not_wrap_around_his_last_point() -> None:
    """My 17..12 is his 5..1 and 24: the two ends of his way, six neighbours on the ring alone.

    . . . . . . | . 3 2 2 2 2 | _ . . . . . | . . . . . 4
                                  f
    """
    mine, theirs = "P 17:3 16:2 15:2 14:2 13:2 1:4", "O 11:15"
    fills = {
        name: any(all(row[11:17]) for row in _rows(options, mine, theirs, (5, 4)))
        for name, options in {"conditional": FNS, "ring": RING, "path": PATH}.items()
    }
    assert fills == {"conditional": True, "ring": False, "path": True}


def test_the_block_reaches_across_my_own_seam() -> None:
    """My 5..1 and 24 are his 17..12, and all of his stand behind. The six from 7 would fill the 1.

    9 . . . . . | . . . . . . | . . . . . 1 | . 1 1 1 2 _
                                a             5
    """
    mine, theirs = "P 24:9 7:1 5:1 4:1 3:1 2:2", "O 12:10 6:5"
    for options, may_fill in ((FNS, False), (RING, False), (PATH, False), (VARIANTS["long, no_block"], True)):
        rows = _rows(options, mine, theirs, (6, 6))
        assert any(row[0] and row[23] for row in rows) is may_fill


def test_an_absolute_block_binds_whoever_is_ahead() -> None:
    for options in (RING, PATH):
        for theirs in ("O 13:1 12:14", "O 12:14", "O 18:1 12:14"):
            rows = _rows(options, "P 24:3 23:2 22:2 21:2 20:2 1:4", theirs, (5, 4))
            assert rows
            assert not any(all(row[18:24]) for row in rows)


def test_a_block_at_the_end_of_the_turn_only_shortens_the_duty() -> None:
    """Two movements always end on 18..13; of the single ones the larger die, 24/18, is legal.

    1 . . . . . | 1 1 1 1 1 _ | . . . . . . | . . . . . 9
                                1 1 1 1 1 a
    """
    mine, theirs = "P 24:1 18:1 17:1 16:1 15:1 14:1 1:9", "O 12:1 11:1 10:1 9:1 8:1 7:10"
    for options in (FINAL, FNS):
        assert _rows(options, mine, theirs, (6, 5)) == {_row(options, "P 18:2 17:1 16:1 15:1 14:1 1:9")}
        assert movements_used(options, board_from_text(options, f"{mine} | {theirs}"), (6, 5), 1, 3) == 1


# --- no hitting, the head, bearing off ----------------------------------------------------------------------


def test_one_checker_closes_a_point() -> None:
    """Neither 24/18 nor 24/19: one opponent checker stands on each.

    e . . . . . | . . . . . . | . . . . . . | . . . . . 1
              1   1             d
    """
    mine, theirs = "P 24:14 1:1", "O 19:1 18:1 12:13"
    assert _rows(FNS, mine, theirs, (6, 5)) == {_row(FNS, mine)}


def test_without_the_head_rule_any_number_may_leave_the_head() -> None:
    """The four ones of the first turn, all from the head if the player likes."""
    free = VARIANTS["long, free head"]
    rows = _rows(free, "P 24:15", "O 12:15", (1, 1))
    assert _row(free, "P 24:11 23:4") in rows
    assert len(rows) == 5  # the ways to write 4 as a sum: 4, 3+1, 2+2, 2+1+1, 1+1+1+1


def test_the_highest_is_judged_at_each_movement() -> None:
    """6-3 with the highest on 5: the six takes it off first, or the three is played from it and then a six.

    . . . . . . | . . . . . . | . . . . . . | . 1 . 1 . .     O 12:15
    """
    assert _rows(FNS, "P 5:1 3:1", "O 12:15", (6, 3)) == {
        _row(FNS, "P"),  # 5/off 3/off
        _row(FNS, "P 2:1"),  # 5/2 3/off
    }


def test_bearing_off_from_the_next_turn_on() -> None:
    """One die brings the last checker home; the other may bear off only by the same-turn rule.

    . . . . . . | . . . . . . | . . . . . 1 | . e . . . .
    """
    mine, theirs = "P 7:1 5:14", "O 12:15"
    later = VARIANTS["long, next_turn_off"]
    assert _rows(FNS, mine, theirs, (6, 5)) == {
        _row(FNS, "P 5:13 1:1"),  # 7/1 5/off
        _row(FNS, "P 5:13 2:1"),  # 7/2, then the six from the highest
    }
    assert _rows(later, mine, theirs, (6, 5)) == {_row(later, "P 5:14 1:1")}
    assert _rows(later, "P 5:15", theirs, (6, 5)) == {_row(later, "P 5:13")}


# --- results ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "loser", "kind"),
    [
        ({"oin": 1}, "24:15", ""),
        ({"oin": 1, "mars": 2}, "24:14", ""),
        ({"oin": 1, "mars": 2}, "24:15", "_mars"),
        ({"oin": 1, "koks": 3}, "24:15", "_koks"),
        ({"oin": 1, "koks": 3}, "24:14 6:1", ""),
        ({"oin": 1, "mars": 2, "koks": 3}, "24:14 6:1", "_mars"),
        ({"oin": 1, "mars": 2, "home_mars": 4}, "24:14 6:1", "_mars"),
        ({"oin": 1, "mars": 2, "home_mars": 4}, "6:15", "_home_mars"),
        ({"oin": 1, "mars": 2, "home_mars": 4}, "6:14", ""),
        ({"oin": 1, "home_mars": 4}, "7:15", ""),
    ],
)
def test_kinds_of_long_results(scores: dict[str, int], loser: str, kind: str) -> None:
    options = PROFILES["long/classic"] | {"scores": scores}
    board = board_from_text(options, f"P {loser} | O")
    assert result(options, board, seat=0) == f"lose{kind}"
    assert result(options, turned(board), seat=1) == f"win{kind}"


@pytest.mark.parametrize(
    ("scores", "loser", "kind"),
    [
        ("single gammon backgammon", "24:1 6:13", ""),
        ("single gammon backgammon", "18:1 6:14", "_gammon"),
        ("single gammon backgammon", "19:1 6:14", "_backgammon"),
        ("single gammon backgammon", "bar:1 6:14", "_backgammon"),
        ("single gammon", "bar:1 6:14", "_gammon"),
        ("single", "24:15", ""),
        ("single backgammon", "18:1 6:14", ""),
        ("single backgammon", "24:1 6:14", "_backgammon"),
    ],
)
def test_kinds_of_short_results(scores: str, loser: str, kind: str) -> None:
    options = PROFILES["short/standard"] | {"scores": dict.fromkeys(scores.split(), 1)}
    board = board_from_text(options, f"P {loser} | O")
    assert result(options, board, seat=0) == f"lose{kind}"
    assert result(options, turned(board), seat=1) == f"win{kind}"


def test_only_the_second_player_has_a_last_roll() -> None:
    for profile, options in PROFILES.items():
        board = board_from_text(options, "P 1:1 | O")
        assert result(options, board, seat=1) == (None if profile == "long/fns" else "lose")
        assert result(options, board, seat=0) == "lose"


def test_a_finished_game_has_no_turn() -> None:
    for options in PROFILES.values():
        with pytest.raises(ValueError, match="finished"):
            legal_ends(options, board_from_text(options, "P 1:1 | O"), (6, 5), seat=0, turns=3)
