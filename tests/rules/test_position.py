"""Positions: values, keys, IDs and what stands beside the board."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from random_games import GAME_NAMES, game_named, played, position_in

import nardy_ai as nardy
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Position, profile_of_table, turned
from nardy_ai.rules.position_id import decode_id, encode_id

START_ID = "4HPwATDgc/ABMA"


def random_board(rng: random.Random, checkers: int = 15) -> np.ndarray:
    """Checkers anywhere, both sides alone on the table: the ID does not care who stands on whose point."""
    board = np.zeros((2, 26), np.int8)
    for row in range(2):
        columns = rng.sample(range(26), rng.randint(1, 26))
        for _ in range(checkers):
            board[row, rng.choice(columns)] += 1
    return board


# --- IDs ------------------------------------------------------------------------------------------------


def test_the_id_is_gnu_backgammons_on_ten_thousand_boards() -> None:
    gnubg_nn = pytest.importorskip("gnubg_nn")
    rng = random.Random(20_240)
    for _ in range(10_000):
        board = random_board(rng)
        identity = encode_id(board)
        assert identity == gnubg_nn.position_id([board[1, :25].tolist(), board[0, :25].tolist()])
        assert np.array_equal(decode_id(identity, 15), board)


@pytest.mark.parametrize("checkers", range(1, 16))
def test_ids_of_smaller_games_come_back(checkers: int) -> None:
    rng = random.Random(checkers)
    for _ in range(200):
        board = random_board(rng, checkers)
        assert np.array_equal(decode_id(encode_id(board), checkers), board)


def test_known_ids() -> None:
    assert Game("short").start().id == START_ID
    assert Game("short").start().key == START_ID + ":0:0"
    assert Game("long").start().id == "AACA/z8AAID/Pw"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "0 characters instead of 14"),
        ("4HPwATDgc/ABM", "13 characters instead of 14"),
        ("4HPwATDgc/ABMAA", "15 characters instead of 14"),
        ("4HPwATDgc/ABM=", "characters must be"),
        ("4HPwATDgc_ABMA", "characters must be"),
        ("4HPwATDgc/ABM ", "characters must be"),
        ("4HPwATDgc/ABMД", "characters must be"),
        ("4HPwATDgc/ABMB", "bits beyond the eightieth"),
        ("//////////////", "last character|checkers"),
        ("/////////////w", "80 checkers on one point|checkers on one point"),
        ("4HPwATDgc/ABsA", "bits are set behind|checkers"),
        ("AAAAAAAAAAAAgA", "bits are set behind"),
    ],
)
def test_malformed_ids(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        Game("short").position(text)
    assert "\n" not in str(caught.value)


def test_too_many_checkers_of_one_side() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 1]] = 8
    with pytest.raises(InputError, match="16 checkers of one side, and the game has 15"):
        decode_id(encode_id(board), 15)
    with pytest.raises(InputError, match="8 checkers on one point, and the game has 3"):
        decode_id(encode_id(board), 3)


def test_noise_is_no_id() -> None:
    rng = random.Random(5)
    for _ in range(2_000):
        text = "".join(chr(rng.choice([rng.randrange(33, 127), rng.randrange(1, 0x3000)])) for _ in range(14))
        try:
            pos = Game("short").position(text)
        except InputError as error:
            assert "\n" not in str(error).replace(repr(text), "")
        else:
            assert pos.id == text
    with pytest.raises(InputError, match="10000000 characters") as caught:
        Game("short").position("A" * 10_000_000)
    assert len(str(caught.value)) < 200


# --- keys -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAME_NAMES)
def test_keys_and_reprs_bring_positions_back(name: str) -> None:
    game = game_named(name)
    for position, _, _, play in played(game, seed=11, most=60):
        for pos in (position, play.position):
            again = game.position(pos.key)
            assert again == pos
            assert hash(again) == hash(pos)
            assert (again.seat, again.turns) == (pos.seat, pos.turns)
            assert repr(again) == repr(pos)
            if "/" in name:
                assert eval(repr(pos), {"nardy": nardy}) == pos


@pytest.mark.parametrize(
    "key",
    [
        START_ID + ":0",
        START_ID + ":0:0:0",
        START_ID + ":2:0",
        START_ID + ":0:4",
        START_ID + ":a:0",
        START_ID + ":-1:0",
        START_ID + "::",
        START_ID + ":0:0 ",
        START_ID + ":٠:0",
    ],
)
def test_malformed_keys(key: str) -> None:
    with pytest.raises(InputError, match="no position key"):
        Game("short").position(key)


def test_a_key_and_other_words_must_agree() -> None:
    game = Game("short")
    assert game.position(START_ID + ":0:0", seat=0, turns=0) == game.start()
    with pytest.raises(InputError, match="seat 0, but seat=1"):
        game.position(START_ID + ":0:0", seat=1)
    with pytest.raises(InputError, match="turns 0, but turns=3"):
        game.position(START_ID + ":0:0", turns=3)


# --- what is never guessed ------------------------------------------------------------------------------


def test_seat_is_needed_where_the_rules_use_it() -> None:
    for name in ("long", "long/fnr2025"):
        with pytest.raises(InputError, match="needs seat"):
            Game(name).position(Game(name).start().board)
    assert Game("long").position(Game("long").start().board, seat=0) == Game("long").start()


def test_seat_is_needed_while_turns_count() -> None:
    game = Game("long/aipbg")
    assert not game.uses_seat
    board = game.start().board
    with pytest.raises(InputError, match="needs seat"):
        game.position(board)
    assert game.position(board, seat=1).turns == 0
    moved = position_in("long/aipbg", seed=3, turns=10).board
    assert game.position(moved).turns == 3
    with pytest.raises(InputError, match="needs seat"):
        game.position(moved, turns=1)


def test_short_positions_need_nothing_beside_the_board() -> None:
    pos = Game("short").position(START_ID)
    assert (pos.seat, pos.turns) == (0, 0)


def test_turns_are_needed_where_a_first_turn_may_have_been_a_pass() -> None:
    game = Game("long/any_double")
    board = game.start().board
    with pytest.raises(InputError, match="needs turns"):
        game.position(board, seat=0)
    with pytest.raises(InputError, match="needs turns"):
        game.legal_boards(board, (3, 1))
    with pytest.raises(InputError, match=r"needs turns \(board 1\)"):
        moved = game.plays(game.start(), (3, 1))[0].board
        game.legal_boards_batch(np.stack([moved, board]), [[3, 1], [3, 1]])
    assert game.position(board, seat=0, turns=0) == game.start()
    rules = {"family": "long", "start": {"24": 14, "23": 1}}
    odd = Game(profile_of_table({"format": 1, "rules": rules}, "odd"))
    with pytest.raises(InputError, match="needs turns"):
        odd.position(odd.start().board, seat=0)


@pytest.mark.parametrize("exception", ["blocked_by_head", "blocked_any", "second_player_3_4_6"])
@pytest.mark.parametrize("checkers", range(1, 16))
def test_elsewhere_no_first_turn_can_be_a_pass(exception: str, checkers: int) -> None:
    """That is why turns may be read off the board there: 0 while nothing has moved."""
    rules = {"family": "long", "checkers": checkers, "start": {"24": checkers}, "head_exception": exception}
    game = Game(profile_of_table({"format": 1, "rules": rules}, "mine"))
    for first in nardy.rules.ROLLS:
        for play in game.plays(game.start(), first):
            assert not play.passed
            if play.position.finished:
                continue
            for second in nardy.rules.ROLLS:
                assert not game.plays(play.position, second)[0].passed


def test_with_any_double_the_second_player_can_be_shut_out() -> None:
    game = Game("long/any_double")
    shut = game.play(game.start(), (5, 5), "24/9 24/19").position
    (only,) = game.plays(shut, (3, 3))
    assert only.passed
    assert only.notation == "pass"
    after = game.play(only.position, (2, 1), "24/21").position
    # He has had a turn, so the exception is over although nothing of his has moved.
    assert (after.seat, after.turns) == (1, 1)
    ends = {play.notation for play in game.plays(after, (1, 1))}
    assert ends != {play.notation for play in game.plays(game.position(after.board, seat=1, turns=0), (1, 1))}


# --- turns and seats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAME_NAMES)
def test_each_player_has_his_own_count_of_turns(name: str) -> None:
    had = [0, 0]
    seat = 0
    for position, _, _, play in played(game_named(name), seed=2, most=12):
        assert position.seat == seat
        assert position.turns == min(had[seat], 3)
        had[seat] += 1
        seat = 1 - seat
        assert np.array_equal(play.position.board, turned(play.board))


# --- values ---------------------------------------------------------------------------------------------


def test_positions_are_values() -> None:
    game = Game("long")
    start = game.start()
    same = Game("long/fns").start()
    assert start == same
    assert hash(start) == hash(same)
    assert len({start, same}) == 1
    board = start.board
    assert start != game.position(board, seat=1, turns=0)
    assert start != game.position(board, seat=0, turns=1)
    assert start != Game("long/classic").start()
    assert start != game.plays(start, (3, 1))[0].position
    assert start != "start"
    assert start.game == game


def test_positions_cannot_be_changed() -> None:
    pos = Game("short").start()
    with pytest.raises(ValueError, match="read-only"):
        pos.board[0, 0] = 1
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        pos.board.setflags(write=True)
    for name in ("board", "seat", "turns", "game", "_seat", "other"):
        with pytest.raises(AttributeError):
            setattr(pos, name, 0)
    with pytest.raises(AttributeError):
        del pos._seat


def test_a_position_does_not_follow_the_array_it_was_made_of() -> None:
    board = np.array(Game("short").start().board)
    pos = Game("short").position(board)
    board[:] = 0
    assert pos == Game("short").start()


@pytest.mark.parametrize("name", ["long", "short", "short-5"])
def test_copies_and_pickles(name: str) -> None:
    pos = position_in(name, seed=1, turns=7)
    play = pos.game.plays(pos, (6, 5))[0]
    for again in (pickle.loads(pickle.dumps(pos)), copy.copy(pos), copy.deepcopy(pos)):
        assert again == pos
        assert again.game.plays(again, (6, 5)) == pos.game.plays(pos, (6, 5))
    assert pickle.loads(pickle.dumps(play)) == play
    assert pickle.loads(pickle.dumps(play)).notation == play.notation


def test_games_are_values() -> None:
    game = Game("long")
    assert game == Game("long/fns")
    assert hash(game) == hash(Game("long/fns"))
    assert game != Game("short")
    assert game != "long"
    assert eval(repr(game), {"nardy": nardy}) == game
    assert pickle.loads(pickle.dumps(game)) == game
    with pytest.raises(AttributeError):
        game.name = "other"  # type: ignore[misc]


def test_a_game_of_a_players_own_file_has_its_path_as_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('format = 1\n[rules]\nfamily = "long"\nblock = "none"\n', "utf-8")
    game = Game(path)
    assert game.name == str(path)
    assert eval(repr(game.start()), {"nardy": nardy}) == game.start()
    assert game.profile.title == "mine"


# --- facts ----------------------------------------------------------------------------------------------


def test_facts_of_positions() -> None:
    assert Game("long").start().pips == (360, 360)
    assert Game("short").start().pips == (167, 167)
    board = np.zeros((2, 26), np.int8)
    board[0, [24, 5, 25]] = [2, 3, 10]
    board[1, [23, 25]] = [1, 14]
    pos = Game("short").position(board)
    assert pos.pips == (2 * 25 + 3 * 6, 24)
    assert pos.bar == (2, 0)
    assert pos.off == (10, 14)
    assert not pos.finished
    assert pos.on_point(6) == (3, 0)
    assert pos.on_point(1) == (0, 1)


def test_points_are_shared_as_the_family_has_it() -> None:
    long, short = Game("long").start(), Game("short").start()
    assert long.on_point(24) == (15, 0)
    assert long.on_point(12) == (0, 15)
    assert short.on_point(1) == (0, 2)
    assert short.on_point(12) == (0, 5)
    assert short.on_point(13) == (5, 0)
    for family in ("long", "short"):
        for point in range(1, 25):
            facing = nardy.rules.position.facing_point(family, point)
            assert 1 <= facing <= 24
            assert nardy.rules.position.facing_point(family, facing) == point


def test_turned_swaps_rows_of_one_and_of_many() -> None:
    board = position_in("short", seed=4, turns=9).board
    many = np.stack([board, turned(board)])
    assert np.array_equal(turned(board)[0], board[1])
    assert np.array_equal(turned(turned(board)), board)
    assert np.array_equal(turned(many), many[::-1])
    assert turned(many).flags.c_contiguous
    assert not np.shares_memory(turned(board), board)
    with pytest.raises(InputError, match=r"\[26\]"):
        turned(board[0])


def test_positions_are_made_by_games() -> None:
    game = Game("short")
    pos = Position(game, game.start().board, 0, 0)
    assert pos == game.start()
