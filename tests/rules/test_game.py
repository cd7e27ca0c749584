"""Games: legal boards and plays as arrays and values, ends of games, and every way to ask wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_games import GAME_NAMES, game_named, played, position_in

from nardy_ai.core import InputError
from nardy_ai.rules import ROLLS, WEIGHTS, Game, Position, dice_pair, turned

THROWS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


def board_of(mine: dict[int, int], his: dict[int, int], checkers: int = 15) -> np.ndarray:
    """A board from own points (25 = bar) of each side; missing checkers are borne off."""
    board = np.zeros((2, 26), np.int8)
    for row, places in enumerate((mine, his)):
        for point, count in places.items():
            board[row, point - 1] = count
        board[row, 25] = checkers - board[row].sum()
    return board


# --- dice -----------------------------------------------------------------------------------------------


def test_twenty_one_rolls_of_thirty_six_throws() -> None:
    assert len(ROLLS) == len(set(ROLLS)) == 21
    assert all(high >= low for high, low in ROLLS)
    assert sum(WEIGHTS) == 36
    counted = {roll: sum(dice_pair(throw) == roll for throw in THROWS) for roll in ROLLS}
    assert counted == dict(zip(ROLLS, WEIGHTS, strict=True))


BAD_DICE: list[Any] = [
    (0, 1),
    (1, 7),
    (-1, 3),
    (1,),
    (1, 2, 3),
    (),
    (1.0, 2.0),
    (True, 1),
    ("3", "1"),
    "31",
    31,
    None,
    (None, 1),
    np.array([1.5, 2.0]),
    (2**70, 1),
    (float("nan"), 1),
]


@pytest.mark.parametrize("dice", BAD_DICE, ids=repr)
def test_bad_dice_of_one_roll(dice: Any) -> None:
    game = Game("short")
    for ask in (
        lambda: game.plays(game.start(), dice),
        lambda: game.legal_boards(game.start().board, dice),
        lambda: game.play(game.start(), dice, "8/5 6/5"),
        lambda: game.start().text((0, 0) if dice is None else dice),
    ):
        with pytest.raises(InputError, match="from 1 to 6") as caught:
            ask()
        assert "\n" not in str(caught.value)


def test_dice_may_be_numpy_numbers() -> None:
    assert dice_pair(np.array([1, 6], np.uint8)) == (6, 1)
    assert dice_pair([np.int64(2), 2]) == (2, 2)


# --- boards as arrays -----------------------------------------------------------------------------------


def test_opening_counts_of_short_nardy() -> None:
    game = Game("short")
    expected = {(3, 1): 16, (6, 5): 7, (1, 1): 42, (2, 2): 75, (5, 5): 4, (6, 6): 11}
    for dice, count in expected.items():
        assert len(game.legal_boards(game.start().board, dice)) == count
        assert len(game.plays(game.start(), dice)) == count


@pytest.mark.parametrize("name", GAME_NAMES)
def test_array_interfaces_agree_with_plays(name: str) -> None:
    game = game_named(name)
    turns = list(played(game, seed=9, most=50))
    boards = np.stack([position.board for position, *_ in turns])
    dice = [roll for _, roll, *_ in turns]
    seats = [position.seat for position, *_ in turns]
    counts = [position.turns for position, *_ in turns]
    found, offsets = game.legal_boards_batch(boards, dice, seats, counts)
    assert found.dtype == np.int8
    assert offsets.dtype == np.int64
    assert offsets.shape == (len(turns) + 1,)
    assert offsets[-1] == len(found)
    for index, (position, roll, plays, _) in enumerate(turns):
        mine = {board.tobytes() for board in found[offsets[index] : offsets[index + 1]]}
        assert len(mine) == len(plays) == offsets[index + 1] - offsets[index]
        assert mine == {play.board.tobytes() for play in plays}
        one = game.legal_boards(position.board, roll, position.seat, position.turns)
        assert {board.tobytes() for board in one} == mine


def test_no_boards_at_all() -> None:
    for empty in (np.zeros((0, 2, 26), np.int8), np.zeros((0, 2, 26), np.int64)):
        found, offsets = Game("long").legal_boards_batch(empty, np.zeros((0, 2), int), [], [])
        assert found.shape == (0, 2, 26)
        assert offsets.tolist() == [0]


@pytest.mark.parametrize(
    "change",
    [
        lambda b: b.astype(np.int64),
        lambda b: b.astype(np.uint8),
        lambda b: np.asfortranarray(b),
        lambda b: np.repeat(b, 2, axis=1)[:, ::2],
        lambda b: b[::-1, ::-1].copy()[::-1, ::-1],
        lambda b: b.tolist(),
        lambda b: tuple(map(tuple, b.tolist())),
        lambda b: b.astype(">i2"),
    ],
)
def test_any_array_of_whole_numbers_will_do(change: Any) -> None:
    game = Game("short")
    board = position_in("short", seed=8, turns=13).board
    given = change(board)
    assert game.position(given, seat=1) == game.position(board, seat=1)
    assert np.array_equal(game.legal_boards(given, (5, 3)), game.legal_boards(board, (5, 3)))


def test_input_arrays_are_neither_changed_nor_kept() -> None:
    game = Game("short")
    board = np.array(game.start().board)
    before = board.copy()
    found = game.legal_boards(board, (3, 1))
    kept = found.copy()
    board[:] = 0
    game.legal_boards(before, (6, 6))
    game.legal_boards_batch(before[None], [[2, 2]])
    assert np.array_equal(found, kept)


def test_plays_keep_their_boards() -> None:
    game = Game("short")
    plays = game.plays(game.start(), (3, 1))
    boards = [play.board.copy() for play in plays]
    game.plays(plays[0].position, (6, 4))
    assert all(np.array_equal(play.board, board) for play, board in zip(plays, boards, strict=True))
    with pytest.raises(ValueError, match="read-only"):
        plays[0].board[0, 0] = 1


START = Game("short").start().board
BAD_BOARDS: list[tuple[str, Any, str]] = [
    ("bools", START.astype(bool), "not bool"),
    ("floats", START.astype(np.float32), "not float32"),
    ("complex", START.astype(complex), "not complex"),
    ("text", [["1"] * 26] * 2, "whole numbers"),
    ("objects", np.array([[None] * 26] * 2), "whole numbers"),
    ("ragged", [[0] * 26, [0] * 25], "whole numbers in an array of even shape"),
    ("huge", [[2**80] + [0] * 25] * 2, "whole numbers"),
    ("nothing", None, "whole numbers"),
    ("empty", [], r"shape \[0\]"),
    ("one row", START[0], r"shape \[26\], and must be \[2, 26\]"),
    ("25 columns", START[:, :25], r"shape \[2, 25\]"),
    ("batch", START[None], r"shape \[1, 2, 26\]"),
    ("turned round", START.T, r"shape \[26, 2\]"),
    ("negative", np.where(np.arange(26) == 3, -1, START), "-1 checkers in row 0, point 4; counts are"),
    ("too many", np.where(np.arange(26) == 24, 16, START), "16 checkers in row 0, the bar"),
    ("wraps to a count", np.where(np.arange(26) == 3, 256, START.astype(int)), "256 checkers"),
    ("sum", START + np.eye(2, 26, 5, dtype=np.int8), "do not add up"),
    ("none", np.zeros((2, 26), np.int8), "do not add up"),
]


@pytest.mark.parametrize(("board", "why"), [b[1:] for b in BAD_BOARDS], ids=[b[0] for b in BAD_BOARDS])
def test_bad_boards(board: Any, why: str) -> None:
    game = Game("short")
    for ask in (lambda: game.position(board), lambda: game.legal_boards(board, (3, 1))):
        with pytest.raises(InputError, match=why) as caught:
            ask()
        assert "\n" not in str(caught.value)


def test_bad_boards_of_a_batch_are_named() -> None:
    game = Game("short")
    boards = np.stack([START] * 4).astype(np.int64)
    boards[2, 1, 7] = -3
    with pytest.raises(InputError, match="board 2 has -3 checkers in row 1, point 8"):
        game.legal_boards_batch(boards, [[3, 1]] * 4)
    boards[2, 1, 7] = 4
    with pytest.raises(InputError, match=r"index 2.*row 1"):
        game.legal_boards_batch(boards, [[3, 1]] * 4)
    with pytest.raises(InputError, match=r"shape \[2, 26\], and must be \[n, 2, 26\]"):
        game.legal_boards_batch(START, [[3, 1]])
    with pytest.raises(InputError, match=r"shape \[2, 26\], and must be \[n, 2, 26\]"):
        game.results(START)


@pytest.mark.parametrize(
    ("dice", "why"),
    [
        ([[3, 1]], r"shape \[1, 2\], and must be \[2, 2\]"),
        ([3, 1], r"shape \[2\]"),
        ([[3, 1, 1]] * 2, r"shape \[2, 3\]"),
        ([[3, 1], [0, 1]], "between 1 and 6; found 0 at 1, 0"),
        ([[3, 7], [1, 1]], "found 7 at 0, 1"),
        ([[3, 257], [1, 1]], "found 257 at 0, 1"),
        ([[3.0, 1.0]] * 2, "not float64"),
        ([[True, True]] * 2, "not bool"),
        ([[3, 1], [1]], "whole numbers"),
        ("31", "whole numbers"),
    ],
)
def test_bad_dice_of_a_batch(dice: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        Game("short").legal_boards_batch(np.stack([START] * 2), dice)


@pytest.mark.parametrize(
    ("seats", "why"),
    [
        ([0], r"seats have shape \[1\], and must be \[2\]"),
        ([0, 2], "seats must lie between 0 and 1; found 2 at 1"),
        ([0, -1], "found -1"),
        ([0, 256], "found 256"),
        ([False, True], "not bool"),
        ([0.0, 1.0], "not float64"),
        ([[0, 1]], r"shape \[1, 2\]"),
        ("01", "whole numbers"),
    ],
)
def test_bad_seats_and_turns(seats: Any, why: str) -> None:
    game = Game("long")
    boards = np.stack([game.start().board] * 2)
    with pytest.raises(InputError, match=why):
        game.legal_boards_batch(boards, [[3, 1]] * 2, seats)
    with pytest.raises(InputError, match=why):
        game.results(boards, seats)
    with pytest.raises(
        InputError,
        match=why.replace("seats", "turns").replace("0 and 1", "0 and 3").replace("found 2 at 1", "found"),
    ):
        game.legal_boards_batch(boards, [[3, 1]] * 2, [0, 1], [0, 4] if seats == [0, 2] else seats)


@pytest.mark.parametrize("value", [2, -1, 0.0, True, "0", [0, 1]])
def test_bad_seat_and_turns_of_one_position(value: Any) -> None:
    game = Game("long")
    board = game.start().board
    with pytest.raises(InputError):
        game.position(board, seat=value)
    with pytest.raises(InputError):
        game.legal_boards(board, (3, 1), seat=value)
    turns = 4 if value == 2 else value
    with pytest.raises(InputError):
        game.position(board, seat=0, turns=turns)


def test_seats_are_needed_where_the_rules_use_them() -> None:
    for name in ("long", "long/fnr2025"):
        game = Game(name)
        assert game.uses_seat
        board = game.start().board
        with pytest.raises(InputError, match="needs seats"):
            game.legal_boards(board, (3, 1))
        with pytest.raises(InputError, match="needs seats"):
            game.legal_boards_batch(board[None], [[3, 1]])
        with pytest.raises(InputError, match="needs seats"):
            game.results(board[None])
    for name in ("short", "long/aipbg", "long/classic", "long/autogear"):
        assert not Game(name).uses_seat
        assert len(Game(name).legal_boards(Game(name).start().board, (3, 1)))


def test_one_seat_may_stand_for_all() -> None:
    game = Game("long")
    boards = np.stack([game.start().board] * 3)
    found, offsets = game.legal_boards_batch(boards, [[6, 6]] * 3, 0, 0)
    assert offsets.tolist() == [0, 1, 2, 3]
    assert np.array_equal(found[0], found[2])


def test_turns_are_read_off_the_board_where_that_is_certain() -> None:
    game = Game("long/aipbg")
    board = game.start().board
    assert len(game.legal_boards(board, (6, 6))) == 1
    assert game.legal_boards(board, (6, 6))[0, 0, 17] == 2
    assert game.legal_boards(board, (6, 6), turns=0)[0, 0, 17] == 2
    # Later in the game only one checker may leave.
    assert game.legal_boards(board, (6, 6), turns=3)[0, 0, 17] == 1


def test_both_sides_on_one_point_or_a_bar_in_long() -> None:
    game = Game("long")
    shared = board_of({24: 14, 6: 1}, {24: 14, 18: 1})
    with pytest.raises(InputError, match="both sides stand on one point"):
        game.position(shared, seat=0)
    with pytest.raises(InputError, match="both sides stand on one point"):
        game.legal_boards(shared, (3, 1), seat=0)
    barred = board_of({24: 14, 25: 1}, {24: 15})
    with pytest.raises(InputError, match="no bar"):
        game.position(barred, seat=0)
    with pytest.raises(InputError, match="both sides stand on one point"):
        Game("short").position(board_of({24: 1}, {1: 1}))


# --- ends -----------------------------------------------------------------------------------------------

RESULTS = [
    ("short", {}, {6: 5}, 0, "win"),
    ("short", {6: 5}, {}, 0, "lose"),
    ("short", {6: 15}, {}, 0, "lose_gammon"),
    ("short", {6: 14, 25: 1}, {}, 0, "lose_backgammon"),
    ("short", {6: 14, 19: 1}, {}, 0, "lose_backgammon"),
    ("short", {6: 14, 18: 1}, {}, 0, "lose_gammon"),
    ("short/portes", {6: 14, 25: 1}, {}, 0, "lose_gammon"),
    ("short", {6: 2}, {6: 2}, 0, None),
    ("long/classic", {6: 5}, {}, 0, "lose"),
    ("long/classic", {6: 5}, {}, 1, "lose"),
    ("long/classic", {6: 15}, {}, 1, "lose_mars"),
    # The starter has finished: the second player has a last roll.
    ("long", {6: 5}, {}, 1, None),
    ("long", {6: 5}, {}, 0, "lose"),
    ("long", {6: 15}, {}, 0, "lose_mars"),
    ("long", {}, {}, 0, "draw"),
    ("long", {}, {6: 3}, 0, "win"),
    ("long", {}, {6: 15}, 0, "win_mars"),
]


@pytest.mark.parametrize(("name", "mine", "his", "seat", "result"), RESULTS)
def test_results(name: str, mine: dict[int, int], his: dict[int, int], seat: int, result: str | None) -> None:
    game = Game(name)
    board = board_of(mine, his)
    if name != "long" and not mine:
        with pytest.raises(InputError, match="already borne off"):
            game.position(board, seat=seat)
        return
    pos = game.position(board, seat=seat)
    assert game.result(pos) == pos.result == result
    assert pos.finished == (result is not None)
    index = -1 if result is None else game.outcomes.index(result)
    assert game.results(board[None], seat).tolist() == [index]


def test_a_last_roll_saves_a_draw_or_a_mars() -> None:
    game = Game("long")
    white = game.position(board_of({1: 1}, {1: 1}), seat=0)
    black = game.play(white, (2, 1), "1/off").position
    assert black.seat == 1
    assert not black.finished
    assert "on roll for the last time" in str(black)
    end = game.play(black, (6, 5), "1/off").position
    assert end.result == "draw"
    saved = game.position(board_of({6: 15}, {}), seat=1)
    end = game.plays(saved, (6, 1))[0].position
    assert end.result == "win"
    assert game.plays(saved, (2, 1))[0].position.result == "win_mars"


@pytest.mark.parametrize("name", ["long", "long/classic", "short", "short/hypergammon"])
def test_finished_games_say_so(name: str) -> None:
    game = Game(name)
    *_, last = played(game, seed=6, most=5_000)
    end = last[3].position
    assert end.finished
    with pytest.raises(InputError, match="the game is over"):
        game.plays(end, (3, 1))
    with pytest.raises(InputError, match="the game is over"):
        game.play(end, (3, 1), "pass")
    with pytest.raises(InputError, match="game on this board is over"):
        game.legal_boards(end.board, (3, 1), seat=end.seat)
    boards = np.stack([game.start().board, end.board])
    with pytest.raises(InputError, match="game on board 1 is over"):
        game.legal_boards_batch(boards, [[3, 1]] * 2, [0, end.seat])
    assert game.position(end.key) == end
    assert end.result in game.outcomes
    assert "game over" in end.text()
    assert end.svg()


@pytest.mark.parametrize("name", ["long", "short"])
def test_positions_of_another_game_are_refused(name: str) -> None:
    game = Game(name)
    other = Game("long/aipbg").start()
    for ask in (lambda: game.plays(other, (3, 1)), lambda: game.result(other)):
        with pytest.raises(InputError, match=f"belongs to long/aipbg, not to {name}/"):
            ask()
    with pytest.raises(InputError, match="a Position is needed, not ndarray"):
        game.plays(game.start().board, (3, 1))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a Position is needed, not str"):
        game.result("start")  # type: ignore[arg-type]


def test_equal_games_share_positions() -> None:
    assert Game("long").plays(Game("long/fns").start(), (3, 1))


def test_a_pass_is_a_play() -> None:
    game = Game("short")
    shut = game.position(board_of({25: 1, 6: 5, 8: 3}, dict.fromkeys(range(1, 7), 2)), seat=0, turns=2)
    for dice in THROWS:
        (only,) = game.plays(shut, dice)
        assert only.passed
        assert (only.notation, only.moves, only.steps) == ("pass", (), ())
        assert only.position == Position(game, turned(shut.board), 1, 2)
        assert np.array_equal(game.legal_boards(shut.board, dice), shut.board[None])
    assert game.plays(shut, (3, 1))[0] != game.plays(shut, (6, 5))[0]


def test_both_sides_can_be_shut_out_for_twenty_turns() -> None:
    game = Game("short")
    wall = dict.fromkeys(range(1, 7), 2)
    pos = game.position(board_of({25: 1, **wall}, {25: 1, **wall}), seat=0)
    for ply in range(20):
        (only,) = game.plays(pos, THROWS[ply])
        assert only.passed
        assert only.position.seat == 1 - pos.seat
        pos = only.position
