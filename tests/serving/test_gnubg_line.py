"""What the lines of GNU Backgammon say, and what plays look like to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving.gnubg_lines import DOUBLED, HYPERGAMMON, ON_THE_BAR, OPENING

import nardy_ai as nardy
from nardy_ai.bots.cube import Stakes
from nardy_ai.bots.gnubg_program import after_moves, board_line
from nardy_ai.serving.gnubg_line import read_question, written

SHORT = nardy.Game("short")


def test_the_player_on_roll_is_in_row_0_whoever_he_is() -> None:
    asked = read_question(OPENING)
    assert asked.position == SHORT.start()
    assert asked.dice == (4, 2) and not asked.doubled
    assert asked.stakes == Stakes(1, False, (5, 5))


def test_a_double_shows_the_board_of_the_doubler() -> None:
    asked = read_question(DOUBLED)
    pos = asked.position
    assert asked.doubled and asked.dice is None
    assert pos.bar == (0, 1)
    assert pos.off == (0, 6) and pos.on_point(1) == (2, 0) and pos.on_point(22) == (0, 5)
    assert asked.stakes == Stakes(2, True, None)


def test_a_cube_of_ones_own_and_the_score_follow_the_player_on_roll() -> None:
    asked = read_question(ON_THE_BAR)
    assert asked.position.bar == (1, 0)
    # His 12-point is the other's 13.
    assert asked.position.on_point(13) == (5, 0) and asked.position.on_point(6) == (8, 0)
    assert asked.stakes == Stakes(2, True, (3, 2))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_board_that_is_sent_to_gnubg_is_read_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mine = rng.permutation(24)[:12]
    rows = np.zeros((2, 26), np.int8)
    for row, points in enumerate((mine, 23 - np.setdiff1d(np.arange(24), mine))):
        rows[row] = np.bincount(rng.choice(np.append(points, [24, 25]), 14), minlength=26)
        rows[row, rng.choice(points)] += 1
    line = board_line(rows, (5, 3))
    read = read_question(line)
    assert np.array_equal(read.position.board, rows)
    assert read.dice == (5, 3) and read.stakes.away is None
    turned = read_question(_of_player_0(line))
    assert turned.position == read.position


def _of_player_0(line: str) -> str:
    """The same board with the other player on roll: points turned round, off counts swapped."""
    words = line.split(":")
    points = [str(-int(word)) for word in reversed(words[6:32])]
    return ":".join([*words[:6], *points, "-1", *words[33:45], words[46], words[45], *words[47:]])


def test_every_play_is_written_so_that_gnubg_can_make_it() -> None:
    key = "4HPwATDgc/ABMA:0:3"
    for dice in ((3, 1), (6, 6), (5, 2)):
        pos = SHORT.position(key)
        for play in SHORT.plays(pos, dice):
            after = after_moves(pos.board, written(play))
            assert after is not None and np.array_equal(after, play.board)
            assert "(" not in written(play) and written(play).count("/") <= 4


def test_names_may_have_colons() -> None:
    assert read_question(OPENING.replace("gnubg:user", "a:b:c")).position == SHORT.start()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "no line of a board"),
        ("hello", "no line of a board: 'hello'"),
        ("board", "53 fields, and this one 1"),
        (OPENING[:60], "53 fields"),
        (OPENING[:-2], "53 fields"),
        (OPENING.replace(":-5:5:", ":-5:x:"), "a board holds numbers, not 'x'"),
        (OPENING.replace(":-5:5:", ":-5:6:"), "a side has 15 checkers in short nardy, and here 16"),
        (OPENING.replace(":-5:5:", ":-5:99999999:"), "numbers, not '99999999'"),
        (OPENING.replace(":-1:4:2:", ":0:4:2:"), "does not run as"),
        (OPENING.replace(":4:2:4:2:", ":7:2:7:2:"), "dice show 1 to 6"),
        (OPENING.replace(":4:2:4:2:", ":4:0:4:0:"), "dice show 1 to 6"),
        (OPENING.replace(":5:0:0:0:", ":5:5:0:0:", 1), "points to go in a match are 1 to 64"),
        (OPENING.replace("4:2:1:1:1:0:1", "4:2:3:1:1:0:1"), "a cube shows 1, 2, 4"),
        # Three checkers a side: hypergammon.
        (HYPERGAMMON, "a side has 15 checkers in short nardy, and here 3"),
    ],
)
def test_what_is_no_board_is_told(line: str, told: str) -> None:
    with pytest.raises(nardy.InputError) as refused:
        read_question(line)
    assert told in str(refused.value)
