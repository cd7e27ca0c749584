"""Faults that users met in the move generators of other programs, asked of this engine.

The names A1, A2, ... are kept from the list in which they were collected.
"""

from __future__ import annotations

import numpy as np
import pytest
from comparison import ORDERED_ROLLS, differences, engine_ends, random_plies
from reference import PROFILES, VARIANTS, board_from_text, start_board, turned
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
from reference.long_cases import PlayCase, play_cases
from reference.positions import Position, mixed

from nardy_ai import core


@pytest.mark.parametrize("bug", FIELD_BUGS, ids=lambda bug: bug.name)
def test_a1_to_a8_known_positions(bug: FieldBug) -> None:
    """Both orders of the dice give the whole set, each board once."""
    first, second = bug.dice
    for dice in ((first, second), (second, first)):
        assert engine_ends(SHORT, bug.board, dice, 0, 3) == bug.expected


def test_a5_the_order_of_the_dice_changes_nothing() -> None:
    """Byte for byte on all 36 ordered rolls; and the last checker is borne off by either die."""
    board = board_from_text(SHORT, "P 6:1 | O 24:15")
    one_off = {board_from_text(SHORT, "P | O 24:15")}
    assert all(engine_ends(SHORT, board, dice, 0, 3) == one_off for dice in ORDERED_ROLLS if max(dice) == 6)
    rules = core.Rules(SHORT)
    for position in mixed(SHORT, seed=21, count=200):
        boards = np.array([position.board] * 36, dtype=np.int8)
        zeros = np.zeros(36, dtype=np.uint8)
        dice = np.array(ORDERED_ROLLS, dtype=np.uint8)
        results, offsets = core.legal_boards(rules, boards, dice, zeros, zeros)
        lists = {
            roll: results[offsets[at] : offsets[at + 1]].tobytes() for at, roll in enumerate(ORDERED_ROLLS)
        }
        assert all(lists[first, second] == lists[second, first] for first, second in ORDERED_ROLLS)
        assert all(lists.values())


def test_a5_the_last_checker_may_be_borne_off_with_fewer_movements() -> None:
    expected = {board_from_text(SHORT, text) for text in LAST_CHECKER_ENDS}
    for dice in (LAST_CHECKER_ROLL, LAST_CHECKER_ROLL[::-1]):
        assert engine_ends(SHORT, board_from_text(SHORT, LAST_CHECKER), dice, 0, 3) == expected


def test_a10_a_closed_board_is_a_pass_on_every_roll() -> None:
    for text in (SHUT_OUT, BOTH_SHUT_OUT):
        board = board_from_text(SHORT, text)
        for dice in ORDERED_ROLLS:
            assert engine_ends(SHORT, board, dice, 0, 3) == {board}
            boards, moves = core.plays(core.Rules(SHORT), np.array(board, dtype=np.int8), *dice, 0, 3)
            assert boards.tolist() == [[list(row) for row in board]]
            assert moves == [[]]


def test_a10_both_sides_shut_out_for_twenty_turns() -> None:
    """The board is handed to and fro unchanged, on any dice."""
    board = begun = board_from_text(SHORT, BOTH_SHUT_OUT)
    for turn in range(20):
        dice = ORDERED_ROLLS[7 * turn % 36]
        assert engine_ends(SHORT, board, dice, turn % 2, 3) == {board}
        board = turned(board)
    assert board == begun


def test_a11_a_hit_checker_is_on_the_bar() -> None:
    """Wherever a blot disappears from a point, the opponent's bar has one more and he has none fewer."""
    hits = 0
    for results in random_plies(SHORT, seed=22, games=50, plies=100):
        assert (results.sum(axis=2) == 15).all()
        hits += int((results[:, 1, 24] > 0).sum())
    assert hits > 10_000
    board = board_from_text(SHORT, "P 13:1 6:2 | O 7:1")
    assert board_from_text(SHORT, "P 6:3 | O bar:1") in engine_ends(SHORT, board, (6, 1), 0, 3)


@pytest.mark.parametrize("profile", PROFILES)
def test_a12_no_checker_appears_or_disappears(profile: str) -> None:
    """After every possible play of 20,000 random plies, on both sides."""
    options = PROFILES[profile]
    for results in random_plies(options, seed=23, games=200, plies=100):
        assert (results.sum(axis=2) == options["checkers"]).all()
        assert results.min() >= 0


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("profile", PROFILES)
def test_a12_a_million_plies(profile: str) -> None:
    options = PROFILES[profile]
    for results in random_plies(options, seed=24, games=5000, plies=200):
        assert (results.sum(axis=2) == options["checkers"]).all()
        assert results.min() >= 0


@pytest.mark.parametrize(("text", "count"), A14_COUNTS.items(), ids=("2048", "2062"))
def test_a14_no_cap_on_the_number_of_plays(text: str, count: int) -> None:
    board = board_from_text(SHORT, text)
    assert len(engine_ends(SHORT, board, (2, 2), 0, 3)) == count
    boards, moves = core.plays(core.Rules(SHORT), np.array(board, dtype=np.int8), 2, 2, 0, 3)
    assert len(boards) == len(moves) == count
    assert differences(SHORT, [Position(board, 0, 3)]) == []


def test_a15_a_pass_and_a_single_movement_have_plain_lists_of_moves() -> None:
    rules = core.Rules(SHORT)
    for text, dice, expected in (
        (SHUT_OUT, (6, 5), [[]]),
        ("P bar:1 1:14 | O 14:2", (6, 5), [[(25, 19)]]),
        ("P 6:1 | O 24:15", (6, 6), [[(6, 0)]]),
    ):
        board = np.array(board_from_text(SHORT, text), dtype=np.int8)
        _, moves = core.plays(rules, board, *dice, 0, 3)
        assert moves == expected


@pytest.mark.parametrize("checkers", [1, 3, 5, 15])
@pytest.mark.parametrize("family", ["long", "short"])
def test_a18_no_number_of_checkers_is_special(family: str, checkers: int) -> None:
    """Plays, sums and the end of the game, from a start with everything on the 24th point."""
    options = PROFILES["long/fns" if family == "long" else "short/standard"]
    options = {**options, "checkers": checkers, "start": [0] * 23 + [checkers]}
    assert differences(options, mixed(options, seed=25, count=40)) == []
    finished = 0
    for results in random_plies(options, seed=26, games=50, plies=150):
        assert (results.sum(axis=2) == checkers).all()
        finished += int((results[:, 0, 25] == checkers).sum())
    assert finished > 0
    start = core.start_board(core.Rules(options))
    assert start.tolist() == [list(row) for row in start_board(options)]


@pytest.mark.parametrize("text", ["P 12:1 | O 20:1 2:1", "P 23:1 5:1 | O 13:1"])
def test_a20_contact_is_contact_from_both_sides(text: str) -> None:
    """One checker that must pass another: the mover's 12 and the opponent on 2, and the same board turned.

    . . . . . . | . . . . . . | 1 . . . . . | . . . . . .
            1                                         1
    """
    board = board_from_text(SHORT, text)
    assert _classes(board, turned(board)) == ["contact", "contact"]


def test_a20_a_race_is_a_race_from_both_sides() -> None:
    """The same checkers after they have passed each other."""
    board = board_from_text(SHORT, "P 12:1 1:1 | O 13:1 24:1")
    assert _classes(board, turned(board)) == ["race", "race"]


def _classes(*boards: object) -> list[str]:
    numbers = core.position_classes(core.Rules(SHORT), np.array(boards, dtype=np.int8))
    return [core.CLASSES[number] for number in numbers]


A23 = {
    "first-turn doubles": ("A01", "A02", "A04", "B01", "B09", "B10", "B13"),
    "six with nobody ahead": ("E01", "E04", "E11", "E13"),
    "six with someone ahead or behind": ("E02", "E03", "E10", "M08"),
    "six in the middle of a turn": ("E06", "E09"),
}


@pytest.mark.parametrize("kind", A23)
def test_a23_head_and_block_of_long_nardy(kind: str) -> None:
    cases = [case for case in play_cases() if case.name[:3] in A23[kind]]
    assert {case.name[:3] for case in cases} == set(A23[kind])
    for case in cases:
        assert _ends_of(case) == case.ends, case.name


def _ends_of(case: PlayCase) -> set[object]:
    return set(engine_ends(case.options, case.board, case.dice, case.seat, case.turns))


def test_a23_nobody_is_hit_in_long_nardy() -> None:
    """One opponent checker closes a point, and stays where it is.

    e . . . . . | . . . . . . | . . . . . . | . . . . . 1
              1   1             d
    """
    for profile, options in (PROFILES | VARIANTS).items():
        if profile.startswith("long") and options["checkers"] == 15:
            board = board_from_text(options, "P 24:14 1:1 | O 19:1 18:1 12:13")
            assert engine_ends(options, board, (6, 5), 1, 3) == {board}
    for results in random_plies(PROFILES["long/fns"], seed=27, games=50, plies=60):
        assert not results[:, :, 24].any()
        on_mine = np.roll(results[:, 1, :24], 12, axis=1)  # the opponent's 24 is my 12
        assert not ((results[:, 0, :24] > 0) & (on_mine > 0)).any()
