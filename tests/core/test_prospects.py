"""Inputs that see what the next rolls can do. Here rolls are played out, and points counted one by one."""

import itertools

import numpy as np
import pytest
from random_nets import FAMILIES, game_positions

from nardy_ai import core

DICE = range(1, 7)
ROLLS = list(itertools.combinations_with_replacement(DICE, 2))


def prospects(name: str, board: np.ndarray) -> np.ndarray:
    """[2, inputs of a side], the row on roll first."""
    table = core.encoding_table(name)
    seats = np.zeros(1, np.uint8)
    seen = core.encode(name, board[None].astype(np.int8), seats)[0]
    before = core.encoding_table(name.replace("3", "2")).inputs
    return seen[before : table.inputs].reshape(2, -1)


def struck(mine: np.ndarray, his: np.ndarray, roll: tuple[int, int]) -> set[int]:
    """My points on which a lone checker can be hit by some moves of the roll, his bar first."""
    x, y = roll
    orders = [(x, x, x, x)] if x == y else [(x, y), (y, x)]
    found: set[int] = set()
    for dice in orders:
        states = {tuple(int(n) for n in his[:25])}
        for die in dice:
            following = set()
            for state in states:
                froms = [24] if state[24] else [q for q in range(24) if state[q]]
                for q in froms:
                    to = q - die
                    if to < 0 or mine[23 - to] >= 2:
                        continue
                    if mine[23 - to] == 1:
                        found.add(24 - to)
                    moved = list(state)
                    moved[q] -= 1
                    moved[to] += 1
                    following.add(tuple(moved))
            states = following
    return found


def expected_short(mine: np.ndarray, his: np.ndarray) -> list[float]:
    bar = mine[24]
    made = [his[q] >= 2 for q in range(6)]
    pairs = list(itertools.product(DICE, DICE))
    enter = sum(not (made[a - 1] and made[b - 1]) for a, b in pairs) if bar else 0
    both = sum(not (made[a - 1] or made[b - 1]) for a, b in pairs) if bar > 1 else 0
    inputs = [enter / 36, both / 36, (bar > 0) * sum(made) / 6, (bar > 1) * sum(made) / 6]
    inputs += [float(mine[18:25].sum() >= count) for count in range(1, 9)]
    hit = [(1 if roll[0] == roll[1] else 2, struck(mine, his, roll)) for roll in ROLLS]
    inputs += [sum(weight for weight, points in hit if p in points) / 36 for p in range(1, 25)]
    return inputs + [sum(weight for weight, points in hit if len(points) >= least) / 36 for least in (1, 2)]


def expected_long(mine: np.ndarray, his: np.ndarray) -> list[float]:
    facing = [his[(p + 12) % 24] for p in range(24)]
    own = [sum(mine[p + i] > 0 for i in range(6)) for p in range(19)]
    blocks = [sum(facing[p + i] > 0 for i in range(6)) for p in range(19)]
    inputs = [float(held >= least) for least in (4, 5, 6) for held in own]
    return inputs + [mine[p + 6 : 24].sum() / 5 if blocks[p] >= 5 else 0 for p in range(18)]


def with_checkers_on_the_bar() -> np.ndarray:
    """Positions of games, of which every third gets up to five."""
    boards = game_positions(FAMILIES["short"], 5)[0].astype(int)
    boards = boards[:: max(1, len(boards) // 36)]
    for i, board in enumerate(boards[::3]):
        for column in np.flatnonzero(board[i % 2, :24])[: 1 + i % 5]:
            board[i % 2, column] -= 1
            board[i % 2, 24] += 1
    return boards


def with_blocks() -> np.ndarray:
    """Random points of long nardy, most of them in runs, and what is left over on the rearmost of them."""
    random = np.random.default_rng(4)
    boards = np.zeros((120, 2, 26), int)
    for board in boards:
        owner = np.repeat(random.integers(-1, 2, 24), random.integers(1, 8, 24))[:24]
        for row, faces in ((0, 0), (1, 12)):
            held = np.flatnonzero(np.roll(owner, faces) == row)[:15]
            board[row, held] = 1
            board[row, held[-1] if len(held) else 25] += 15 - len(held)
    return boards


@pytest.mark.parametrize(("family", "name"), [("short", "short-3"), ("long", "long-3-seat")])
def test_every_input_is_what_its_description_says(family, name):
    boards = with_checkers_on_the_bar() if family == "short" else with_blocks()
    of_side = expected_short if family == "short" else expected_long
    seen_something = np.zeros(prospects(name, boards[0]).shape[1], bool)
    for board in boards:
        found = prospects(name, board)
        seen_something |= (found > 0).any(0)
        np.testing.assert_allclose(found, [of_side(*board), of_side(*board[::-1])], rtol=1e-6)
    assert seen_something.mean() > 0.6


def on(points: dict[int, int]) -> list[int]:
    """A row: own points as keys, 25 the bar, the rest borne off."""
    row = [0] * 26
    for point, count in points.items():
        row[point - 1] = count
    row[25] = 15 - sum(row)
    return row


def test_a_direct_shot_a_shot_by_way_of_a_point_and_one_that_is_blocked():
    """My blots stand on 20 and 14, my point on 16; his lone checker is on his 13, my 12.

         12  13  14  15  16  17  18  19  20
        his       o       oo                o

    Two pips to the first: any 2, and 1-1: 11 + 1 = 12 rolls. Eight to the other: 6-2 (by 14 or 18) and 5-3
    (by 17 or 15) are four rolls, 2-2 and 4-4 stop at my point on 16.
    """
    board = np.array([on({20: 1, 14: 1, 16: 2}), on({13: 1})])
    found = prospects("short-3", board)[0] * 36
    assert found[12 + 13] == pytest.approx(12) and found[12 + 19] == pytest.approx(4)
    # A 6-2 and its turn count once in any, and so do the two rolls of 6-2 that can hit either.
    assert found[36] == pytest.approx(14) and found[37] == pytest.approx(2)


def test_checkers_on_the_bar_come_in_first():
    """His bar holds two; he enters on my 1..6, of which 1 and 2 are made and 4 is a blot, behind it one on 9.

    Only a 4 enters onto the blot (11 rolls). To 9 he comes with the one double that enters two and has moves
    left, 3-3: in on 3, then 6, then 9.
    """
    board = np.array([on({1: 2, 2: 2, 4: 1, 9: 1}), on({25: 2})])
    found = prospects("short-3", board)[0] * 36
    assert found[12 + 3] == pytest.approx(11) and found[12 + 8] == pytest.approx(1)
    entering = prospects("short-3", board[::-1])[0][:4]
    np.testing.assert_allclose(entering, [32 / 36, 16 / 36, 2 / 6, 2 / 6], rtol=1e-6)


def test_a_block_of_five_and_the_checkers_behind_it():
    """He holds my points 8..12; seven of mine stand on 20, one on 13, and one on 7 is through."""
    board = np.array([on({20: 7, 13: 1, 7: 1}), on(dict.fromkeys(range(20, 25), 1))])
    mine, his = prospects("long-3-seat", board) * 5
    assert {i: round(float(mine[57 + i])) for i in np.flatnonzero(mine[57:])} == {6: 8, 7: 7}
    assert not his[57:].any()
    # His own: 20..24 are five of the points 19..24, and four of 18..23.
    assert np.flatnonzero(his[:57] / 5).tolist() == [17, 18, 19 + 18]


def test_sides_are_judged_alike():
    for family, name in (("short", "short-3"), ("long", "long-3")):
        for board in game_positions(FAMILIES[family], 2)[0][::5]:
            np.testing.assert_array_equal(prospects(name, board), prospects(name, board[::-1])[::-1])
