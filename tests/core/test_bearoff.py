"""The bear-off tables against the reference rules and against the plays of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from comparison import UNORDERED_ROLLS
from perfect_play import State, arrays_of, graph_of, perfect_values
from reference import PROFILES, Row, legal_ends

from nardy_ai import core
from nardy_ai.core import tables

HOME_MARS = PROFILES["long/fns"] | {"scores": {"oin": 1, "mars": 2, "home_mars": 4}}
IN_PASSING = PROFILES["long/autogear"] | {"block_transient": True}
OPTIONS = {
    "short": PROFILES["short/standard"],
    "fns": PROFILES["long/fns"],
    "aipbg": PROFILES["long/aipbg"],
    "no six": PROFILES["long/autogear"],
    "no six in passing": IN_PASSING,
}


def small(options: dict[str, Any], checkers: int) -> dict[str, Any]:
    start = [0] * 24
    start[23] = checkers
    return options | {"checkers": checkers, "start": start}


@cache
def one_sided(name: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    return tables.build_bearoff(core.Rules(OPTIONS[name]))


PAIRS: dict[tables.BearoffKind, npt.NDArray[np.float32]] = {}


def whole_tables(options: dict[str, Any]) -> tables.BearoffTables:
    """Of rules that may fill six points, whose one-sided tables are the same for all."""
    rules = core.Rules(options)
    kind = tables.bearoff_kind(rules)
    if kind not in PAIRS:
        PAIRS[kind] = tables.build_bearoff_pairs(rules)
    return tables.BearoffTables(rules, *one_sided("short"), PAIRS[kind])


def home_rows(checkers: int, most: int) -> Iterator[Row]:
    """Rows of a game with at most so many checkers at home and the others off."""
    for counts in product(range(most + 1), repeat=6):
        if sum(counts) <= most:
            yield (*counts, *([0] * 19), checkers - sum(counts))


# --- positions ----------------------------------------------------------------------------------------------


def test_positions_are_numbered_by_checkers_and_every_movement_lowers_the_number() -> None:
    counts = tables.bearoff_counts()
    assert counts.shape == (54264, 6)
    assert len(np.unique(counts, axis=0)) == 54264
    totals = counts.sum(1)
    assert totals.max() == 15
    assert (np.diff(totals) >= 0).all()
    assert (totals <= 6).sum() == tables.PAIR_POSITIONS
    numbers = {tuple(row): number for number, row in enumerate(counts.tolist())}
    for number in range(1, 54264, 7):
        row = counts[number].tolist()
        for point in range(6):
            if row[point] and point:
                moved = [*row]
                moved[point] -= 1
                moved[point - 1] += 1
                assert numbers[tuple(moved)] < number


# --- one-sided ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPTIONS)
def test_chances_add_up_to_one(name: str) -> None:
    for table in one_sided(name):
        assert table[0].sum() == 0
        assert (table >= 0).all()
        assert np.abs(table[1:].sum(1, dtype=np.float64) - 1).max() < 1e-6


def test_one_sided_tables_of_three_checkers_by_the_reference_rules() -> None:
    options = PROFILES["short/standard"]
    numbers = {tuple(row): number for number, row in enumerate(tables.bearoff_counts()[:84].tolist())}
    finish, first = one_sided("short")
    for table, goal in ((finish, "last"), (first, "next")):
        chances: dict[Row, npt.NDArray[np.float64]] = {}
        means: dict[Row, float] = {}
        for row in sorted(home_rows(15, 3), key=lambda row: numbers[row[:6]]):
            found = np.zeros(32)
            other = (*([0] * 25), 15)
            for dice in UNORDERED_ROLLS if sum(row[:6]) else ():
                weight = (1 if dice[0] == dice[1] else 2) / 36
                ends = {end[0] for end in legal_ends(options, (row, (*other[:25], 14)), dice, 0, 3)}
                done = [end for end in ends if end[25] == 15 or (goal == "next" and end[25] > row[25])]
                if done:
                    found[0] += weight
                else:
                    best = min(ends, key=lambda end: (means[end], numbers[end[:6]]))
                    found[1:] += weight * chances[best][:-1]
            chances[row], means[row] = found, float(found @ np.arange(1, 33))
            assert np.abs(table[numbers[row[:6]]] - found).max() < 1e-6, (goal, row)


@pytest.mark.parametrize("name", OPTIONS)
def test_means_follow_from_the_plays_of_the_engine(name: str) -> None:
    """Whatever the opponent has at home, a mean is one roll more than the mean of the best plays."""
    rules = core.Rules(OPTIONS[name])
    rng = np.random.default_rng(7)
    counts = tables.bearoff_counts().astype(np.int64)
    crowded = np.flatnonzero(((counts > 0).sum(1) == 5) & (counts.sum(1) > 6))
    chosen = np.concatenate([rng.choice(np.arange(1, 54264), 60), rng.choice(crowded, 60)])
    means = [table.astype(np.float64) @ np.arange(1, 33) for table in one_sided(name)]
    powers = 16 ** np.arange(6)
    number_of = np.zeros(16**6, np.int32)
    number_of[counts @ powers] = np.arange(54264)
    for number in chosen:
        board = np.zeros((2, 26), np.int8)
        board[0, :6], board[1, :6] = counts[number], counts[rng.integers(1, 54264)]
        board[:, 25] = 15 - board[:, :6].sum(1)
        boards = np.repeat(board[None], 21, 0)
        dice, seats = np.array(UNORDERED_ROLLS, np.uint8), np.zeros(21, np.uint8)
        ends, offsets = core.legal_boards(rules, boards, dice, seats, np.full(21, 3, np.uint8))
        reached = number_of[ends[:, 0, :6].astype(np.int64) @ powers]
        weights = np.array([1 if a == b else 2 for a, b in UNORDERED_ROLLS]) / 36
        last = weights @ np.minimum.reduceat(means[0][reached], offsets[:-1])
        left = np.where(ends[:, 0, 25] > board[0, 25], 0, means[1][reached])
        following = weights @ np.minimum.reduceat(left, offsets[:-1])
        assert abs(1 + last - means[0][number]) < 2e-5
        assert abs(1 + following - means[1][number]) < 2e-5


def test_the_rules_that_change_the_tables() -> None:
    free, passing, end = (one_sided(name)[0] for name in ("short", "no six in passing", "no six"))
    assert np.array_equal(free, one_sided("fns")[0])
    assert np.array_equal(free, one_sided("aipbg")[0])
    full = (tables.bearoff_counts() > 0).all(1)
    legal = ~full
    assert not np.array_equal(free[legal], end[legal])
    assert not np.array_equal(passing[legal], end[legal])
    # Fewer than six checkers cannot fill six points.
    few = tables.bearoff_counts().sum(1) < 6
    assert np.array_equal(free[few], passing[few])
    kinds = {name: tables.bearoff_kind(core.Rules(options)) for name, options in OPTIONS.items()}
    assert kinds["short"] == kinds["aipbg"]
    assert len(set(kinds.values())) == 4
    later = tables.bearoff_kind(core.Rules(PROFILES["long/aipbg"] | {"bearoff_same_turn": False}))
    assert later == kinds["aipbg"]
    assert tables.bearoff_kind(core.Rules(small(HOME_MARS, 6))).mars == 4
    assert tables.bearoff_kind(core.Rules(small(HOME_MARS, 7))).mars == 0


# --- two-sided ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        small(PROFILES["short/standard"], 2),
        small(PROFILES["long/fns"], 2),
        small(PROFILES["long/aipbg"], 2),
        small(HOME_MARS, 2),
        PROFILES["short/standard"],
        PROFILES["long/fns"],
    ],
    ids=["short, 2", "fns, 2", "aipbg, 2", "home mars, 2", "short", "fns"],
)
def test_equities_of_two_checkers_by_the_reference_rules(options: dict[str, Any]) -> None:
    rows = [row for row in home_rows(options["checkers"], 2) if row[25] < options["checkers"]]
    seats = (0, 1) if options.get("last_roll") else (0,)
    states: list[State] = [((mine, his), seat, 3) for mine in rows for his in rows for seat in seats]
    values = perfect_values(graph_of(options, states))
    boards, seat_array, _ = arrays_of(states)
    found, covered = whole_tables(options).outcomes(boards, seat_array)
    assert covered.all()
    equities = found.astype(np.float64) @ np.array(core.Rules(options).points)
    wanted = np.array([values[state] for state in states])
    assert np.abs(wanted).max() > 0.9
    assert np.abs(equities - wanted).max() < 1e-6


def test_a_last_roll_by_hand() -> None:
    """The starter has a checker on 6, which leaves by 27 of 36 rolls; the other has one on 1."""
    both = whole_tables(PROFILES["long/fns"])
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, 5] = board[0, 1, 0] = 1
    board[:, :, 25] = 14
    outcomes, _ = both.outcomes(board, np.array([0], np.uint8))
    named = dict(zip(both.rules.outcomes, outcomes[0].tolist(), strict=True))
    assert named == pytest.approx({"win": 0, "win_mars": 0, "lose": 0.25, "lose_mars": 0, "draw": 0.75})
    # The second player on roll: he wins at once.
    outcomes, _ = both.outcomes(board[:, ::-1].copy(), np.array([1], np.uint8))
    assert outcomes[0].tolist() == [1, 0, 0, 0, 0]


def test_a_pending_last_roll_is_exact_for_any_number_of_checkers() -> None:
    options = PROFILES["long/fns"]
    rules, both = core.Rules(options), whole_tables(options)
    rng = np.random.default_rng(3)
    dice = np.array(UNORDERED_ROLLS, np.uint8)
    weights = np.array([1 if a == b else 2 for a, b in UNORDERED_ROLLS]) / 36
    counts = tables.bearoff_counts()
    for number in [54263, *rng.integers(1, 54264, 40), *rng.integers(38760, 54264, 40)]:
        board = np.zeros((2, 26), np.int8)
        board[0, :6] = counts[number]
        board[0, 25], board[1, 25] = 15 - counts[number].sum(), 15
        ends, offsets = core.legal_boards(
            rules, np.repeat(board[None], 21, 0), dice, np.ones(21, np.uint8), np.full(21, 3, np.uint8)
        )
        off = np.maximum.reduceat(ends[:, 0, 25].astype(int), offsets[:-1])
        outcomes, covered = both.outcomes(board[None], np.ones(1, np.uint8))
        assert covered.all()
        draw, mars = weights @ (off == 15), weights @ (off == 0)
        assert outcomes[0] == pytest.approx([0, 0, 1 - draw - mars, mars, draw], abs=1e-6)


# --- what is asked of them ----------------------------------------------------------------------------------


def random_boards(rng: np.random.Generator, count: int, least: int) -> npt.NDArray[np.int8]:
    rows = tables.bearoff_counts()
    numbers = np.flatnonzero(rows.sum(1) >= least)
    boards = np.zeros((count, 2, 26), np.int8)
    boards[:, :, :6] = rows[rng.choice(numbers, (count, 2))]
    boards[:, :, 25] = 15 - boards[:, :, :6].sum(2)
    return boards


@pytest.mark.parametrize("name", ["short", "fns"])
def test_outcomes_are_chances_and_impossible_ones_have_none(name: str) -> None:
    rules, both = core.Rules(OPTIONS[name]), whole_tables(OPTIONS[name])
    rng = np.random.default_rng(5)
    boards = np.concatenate([random_boards(rng, 2000, 1), random_boards(rng, 2000, 15)])
    seats = rng.integers(0, 2, len(boards)).astype(np.uint8)
    outcomes, covered = both.outcomes(boards, seats)
    assert covered.all()
    assert (outcomes >= 0).all()
    assert np.abs(outcomes.sum(1, dtype=np.float64) - 1).max() < 1e-6
    assert (outcomes[core.impossible(rules, boards, seats)] == 0).all()
    dear = [i for i, outcome in enumerate(rules.outcomes) if outcome in ("win_mars", "win_gammon")]
    assert outcomes[2000:, dear].max() > 0


def test_gammons_of_a_lost_bear_off_by_hand() -> None:
    """He finishes on his next roll; I have one roll for a checker, which 17 of 36 from the 6 point give."""
    both = whole_tables(PROFILES["short/standard"])
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, 5], board[0, 1, 0], board[0, 1, 25] = 15, 2, 13
    outcomes, _ = both.outcomes(board)
    assert outcomes[0] == pytest.approx([0, 0, 0, 17 / 36, 19 / 36, 0], abs=1e-6)


def test_a_mars_is_saved_in_the_last_roll_too() -> None:
    """The other side, with a checker on 1, finishes on its next roll; my 15 stand on the 6 point."""
    both = whole_tables(PROFILES["long/fns"])
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, 5], board[0, 1, 0], board[0, 1, 25] = 15, 1, 14
    named = [
        dict(
            zip(
                both.rules.outcomes,
                both.outcomes(board, np.array([seat], np.uint8))[0][0].tolist(),
                strict=True,
            )
        )
        for seat in (0, 1)
    ]
    # The starter has this roll only, the second player this one and a last one.
    assert named[0]["lose_mars"] == pytest.approx(19 / 36, abs=1e-6)
    assert named[1]["lose_mars"] == pytest.approx(0.077932, abs=1e-6)
    for outcomes in named:
        assert outcomes["lose"] == pytest.approx(1 - outcomes["lose_mars"])
    # A mars that I win: my checker leaves now, and he has a last roll only if I started.
    for seat, missed in ((0, 19 / 36), (1, 1.0)):
        outcomes = both.outcomes(board[:, ::-1].copy(), np.array([seat], np.uint8))[0][0].tolist()
        assert outcomes[:2] == pytest.approx([1 - missed, missed], abs=1e-6)


def test_tables_of_other_rules_answer_nothing() -> None:
    both = whole_tables(PROFILES["long/fns"])
    batch = np.zeros((1, 2, 26), np.int8), np.zeros(1, np.uint8), np.full(1, 3, np.uint8)
    batch[0][0, :, 0], batch[0][0, :, 25] = 1, 14
    for options, covered in ((PROFILES["long/fns"], 1), (PROFILES["long/aipbg"], 0)):
        found = core._core.bearoff_outcomes(both._handle, core.Rules(options)._handle, *batch)
        assert list(found[1]) == [covered]


def test_what_the_tables_do_not_reach() -> None:
    both = whole_tables(PROFILES["long/fns"])
    board = np.zeros((2, 26), np.int8)
    board[:, 0], board[:, 25] = 1, 14
    outside, over, pending = board.copy(), board.copy(), board.copy()
    outside[1, 0], outside[1, 6] = 0, 1
    over[1, 0], over[1, 25] = 0, 15
    pending[:] = over
    seats = np.array([0, 0, 0, 1], np.uint8)
    outcomes, covered = both.outcomes(np.stack([board, outside, over, pending]), seats)
    assert covered.tolist() == [True, False, False, True]
    assert (outcomes[1:3] == 0).all()
    bar = np.zeros((1, 2, 26), np.int8)
    bar[0, :, 0], bar[0, :, 25] = 1, 14
    bar[0, 0, 0], bar[0, 0, 24] = 0, 1
    assert whole_tables(PROFILES["short/standard"]).outcomes(bar)[1].tolist() == [False]


def test_wrong_tables_and_missing_seats_are_refused() -> None:
    rules = core.Rules(PROFILES["long/fns"])
    finish, first = one_sided("fns")
    pairs = tables.build_bearoff_pairs(core.Rules(PROFILES["short/standard"]))
    with pytest.raises(core.InputError, match="table pairs must be float32"):
        tables.BearoffTables(rules, finish, first, pairs)
    with pytest.raises(core.InputError, match="table finish must be float32"):
        tables.BearoffTables(rules, finish[:100], first, None)
    with pytest.raises(core.InputError, match="seats"):
        tables.BearoffTables(rules, finish, first, None).outcomes(np.zeros((0, 2, 26), np.int8))
