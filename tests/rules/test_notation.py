"""The notation of plays, written and read."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from random_games import GAME_NAMES, game_named, played, position_in

from nardy_ai.core import InputError
from nardy_ai.rules import Game, NotationError, Play, Position
from nardy_ai.rules.notation import LONGEST_TEXT, moves_of, notation_of, read_moves, written_moves


def short_position(mine: dict[int, int], his: dict[int, int]) -> Position:
    """A position of short nardy from own points (25 = bar) of each side; missing checkers are off."""
    board = np.zeros((2, 26), np.int8)
    for row, places in enumerate((mine, his)):
        for point, count in places.items():
            board[row, point - 1] = count
        board[row, 25] = 15 - board[row].sum()
    return Game("short").position(board)


def refused(pos: Position, dice: tuple[int, int], text: Any) -> NotationError:
    with pytest.raises(NotationError) as caught:
        pos.game.play(pos, dice, text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert len(caught.value.nearest) <= 5
    return caught.value


# --- writing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "hits", "text", "moves"),
    [
        ([], [], "pass", ()),
        ([(6, 5), (8, 5)], [], "8/5 6/5", ((8, 5), (6, 5))),
        ([(25, 20)], [20], "bar/20*", ((25, 20),)),
        ([(24, 18), (24, 18)], [], "24/18(2)", ((24, 18), (24, 18))),
        ([(6, 0)], [], "6/off", ((6, 0),)),
        ([(24, 18), (18, 14)], [], "24/14", ((24, 14),)),
        ([(18, 14), (24, 18)], [], "24/14", ((24, 14),)),
        ([(8, 5), (5, 4)], [5], "8/5*/4", ((8, 5), (5, 4))),
        ([(8, 5), (5, 4)], [5, 4], "8/5*/4*", ((8, 5), (5, 4))),
        ([(8, 5), (5, 4)], [4], "8/4*", ((8, 4),)),
        ([(25, 22), (25, 22), (22, 19), (22, 19)], [22], "bar/22*/19(2)", ((25, 22), (22, 19)) * 2),
        # Who stays and who goes on: the checker from the highest point stays.
        ([(13, 11), (11, 9), (11, 9), (9, 7)], [], "13/9 11/7", ((13, 9), (11, 7))),
        ([(8, 5), (8, 5), (5, 2)], [5], "8/5* 8/2", ((8, 5), (8, 2))),
        ([(13, 10), (10, 7), (13, 10)], [10, 7], "13/10* 13/7*", ((13, 10), (13, 7))),
        ([(6, 3), (3, 0), (6, 3), (3, 0)], [], "6/off(2)", ((6, 0), (6, 0))),
        ([(24, 21), (21, 18), (18, 15), (24, 21)], [], "24/21 24/15", ((24, 21), (24, 15))),
    ],
)
def test_canonical_text(
    steps: list[tuple[int, int]], hits: list[int], text: str, moves: tuple[tuple[int, int], ...]
) -> None:
    rng = random.Random(1)
    for _ in range(6):
        rng.shuffle(steps)
        written = written_moves(steps, hits)
        assert notation_of(written) == text
        assert moves_of(written) == moves


def test_higher_points_come_first_whatever_the_order_of_the_dice() -> None:
    game = Game("short")
    for dice in ((3, 1), (1, 3)):
        texts = {play.notation for play in game.plays(game.start(), dice)}
        assert {"8/5 6/5", "24/23 13/10", "24/20", "13/9", "24/23 24/21"} <= texts
        assert len(texts) == 16


@pytest.mark.parametrize("name", GAME_NAMES)
def test_one_text_for_each_result_and_it_reads_back(name: str) -> None:
    game = game_named(name)
    rng = random.Random(7)
    seen = 0
    for position, dice, plays, _ in played(game, seed=21, most=70):
        texts = [play.notation for play in plays]
        assert len(set(texts)) == len(texts)
        assert texts == [play.notation for play in game.plays(position, dice[::-1])]
        for play in rng.sample(plays, min(3, len(plays))):
            seen += 1
            assert_reads_back(position, dice, play, rng)
    assert seen > 1


def assert_reads_back(position: Position, dice: tuple[int, int], play: Play, rng: random.Random) -> None:
    """Every accepted way to write a play is that play and no other."""
    game = position.game
    steps = list(play.steps)
    rng.shuffle(steps)
    texts = [
        play.notation,
        play.notation.replace("*", ""),
        f"  {play.notation.upper().replace('/', ' / ')} ",
        play.notation.replace("bar", "25").replace("off", "0"),
        " ".join(reversed(play.notation.split(" "))),
        play.notation.replace(" ", ", "),
        " ".join(f"{a}/{b}" for a, b in play.moves) or "Pass",
        " ".join(f"{a}/{b}" for a, b in steps) or "PASS",
    ]
    for text in texts:
        assert game.play(position, dice, text) == play, text


def test_moves_rebuild_the_result() -> None:
    for position, _, plays, _ in played(Game("short"), seed=31, most=80):
        for play in plays[:10]:
            row = np.array(position.board[0], np.int64)
            for start, end in play.moves:
                row[start - 1] -= 1
                row[end - 1 if end else 25] += 1
            assert np.array_equal(row, play.board[0])
            gives = sum(play.dice) * (2 if play.dice[0] == play.dice[1] else 1)
            assert sum(a - b for a, b in play.steps if b) <= gives


@pytest.mark.parametrize("name", ["short", "long/classic", "long/fnr2025"])
def test_the_mirrored_game_has_the_same_notation(name: str) -> None:
    """Whoever is white: the same board with the same player on roll has the same plays and picture."""
    game = Game(name)
    for position, dice, plays, _ in played(game, seed=4, most=60):
        if position.turns < 3:
            continue
        mirrored = game.position(position.board, seat=1 - position.seat, turns=position.turns)
        other = game.plays(mirrored, dice)
        assert [play.notation for play in other] == [play.notation for play in plays]
        swap = str.maketrans("OX", "XO")
        assert mirrored.text(ascii=True).translate(swap) == position.text(ascii=True)


def test_plays_are_values() -> None:
    game = Game("short")
    first, second = game.plays(game.start(), (3, 1))[:2]
    assert first == game.plays(game.start(), (1, 3))[0]
    assert hash(first) == hash(game.plays(game.start(), (1, 3))[0])
    assert first != second
    assert first != first.notation
    assert str(first) == first.notation
    assert repr(first) == f"<Play 3-1: {first.notation}>"
    with pytest.raises(AttributeError):
        first.dice = (6, 6)  # type: ignore[misc]


# --- hits -----------------------------------------------------------------------------------------------

TWO_BLOTS = short_position({8: 2, 6: 2}, {20: 1, 18: 1, 1: 2})
"""Blots on my 5 and 7: with 3-1 a checker from 8 comes to 4 over either."""


def test_hits_tell_results_apart() -> None:
    texts = {play.notation for play in TWO_BLOTS.game.plays(TWO_BLOTS, (3, 1))}
    assert {"8/5*/4", "8/7*/4", "8/7* 8/5*", "8/5* 6/5"} <= texts
    assert "8/4" not in texts


def test_a_hit_left_out_with_two_ways_is_ambiguous() -> None:
    error = refused(TWO_BLOTS, (3, 1), "8/4")
    assert str(error) == "'8/4' is ambiguous: write 8/5*/4 or 8/7*/4"
    assert {play.notation for play in error.nearest} == {"8/5*/4", "8/7*/4"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("8/5/4", "8/5*/4"),
        ("8/7/4", "8/7*/4"),
        ("8/5* 5/4", "8/5*/4"),
        ("5/4 8/5", "8/5*/4"),
        ("8/7 8/5", "8/7* 8/5*"),
        ("6/5 8/5", "8/5* 6/5"),
        ("8/5 6/5*", "8/5* 6/5"),
    ],
)
def test_stars_may_be_left_out_where_the_points_are_named(text: str, meant: str) -> None:
    assert TWO_BLOTS.game.play(TWO_BLOTS, (3, 1), text).notation == meant


def test_a_hit_on_the_only_way_may_be_left_out() -> None:
    pos = short_position({8: 1, 1: 2}, {20: 1, 18: 2})
    assert pos.game.play(pos, (3, 1), "8/4").notation == "8/5*/4"


def test_a_play_without_a_hit_is_never_read_as_one_with_it() -> None:
    pos = short_position({8: 1, 6: 2}, {20: 1})
    assert pos.game.play(pos, (3, 1), "8/4").notation == "8/4"
    assert pos.game.play(pos, (3, 1), "8/7/4").hits == frozenset()
    assert pos.game.play(pos, (3, 1), "8/5/4").hits == {5}


def test_stars_where_nothing_is_hit() -> None:
    assert "there is nothing to hit on 4" in str(refused(TWO_BLOTS, (3, 1), "8/5/4*"))
    assert "there is nothing to hit on 20" in str(refused(Game("long").start(), (3, 1), "24/20*"))


# --- what is not legal ----------------------------------------------------------------------------------

ILLEGAL = [
    ("short", (3, 1), "8/4 6/5", "it takes 5 pips, and the roll gives 4", None),
    ("short", (3, 1), "8/7 6/5", "the 1 is played twice", None),
    ("short", (6, 6), "24/18(2) 13/7(3)", "it takes 30 pips, and the roll gives 24", None),
    ("short", (3, 1), "8/6 6/4", "8/6 fits none of the dice", None),
    ("short", (3, 1), "24/15", "24/15 fits none of the dice", None),
    ("short", (3, 1), "pass", "a play is possible", None),
    ("short", (3, 1), "8/5", "as much of the roll as possible must be played, here 2 movements", "8/5 6/5"),
    ("short", (3, 1), "7/4 6/5", "there is no checker on 7", None),
    ("short", (3, 1), "bar/22 6/5", "there is no checker on bar", None),
    ("short", (6, 5), "24/18 24/19", "19 is closed by the opponent", None),
    ("short", (3, 1), "6/off", "6/off fits none of the dice", None),
    ("short", (6, 6), "24/18(3)", "there are no 3 checkers on 24", "24/18(2) 13/7(2)"),
    ("short", (1, 1), "6/5(2)", "here 4 movements", None),
    ("long", (3, 1), "24/21 24/23", "the rules forbid it", "24/20"),
    ("long", (6, 6), "24/12", "12 is closed by the opponent", "24/18(2)"),
]


@pytest.mark.parametrize(("name", "dice", "text", "why", "nearest"), ILLEGAL)
def test_illegal_plays_are_told_why(
    name: str, dice: tuple[int, int], text: str, why: str, nearest: str | None
) -> None:
    pos = Game(name).start()
    error = refused(pos, dice, text)
    assert str(error).startswith(f"'{text}' is not legal with {dice[0]}-{dice[1]}: ")
    assert why in str(error)
    legal = set(pos.game.plays(pos, dice))
    assert set(error.nearest) <= legal
    assert error.nearest
    for play in error.nearest:
        assert play.notation in str(error)
    if nearest is not None:
        assert error.nearest[0].notation == nearest


def test_when_nothing_can_be_played() -> None:
    pos = short_position({25: 1, 6: 5}, dict.fromkeys(range(1, 7), 2))
    assert pos.game.play(pos, (3, 1), " PASS ").passed
    error = refused(pos, (3, 1), "6/5")
    assert "nothing can be played, which is written pass; legal is: pass" in str(error)


def test_few_legal_plays_are_all_named() -> None:
    assert "legal is: 24/20" in str(refused(Game("long").start(), (3, 1), "24/23"))


def test_one_checker_closes_a_point_in_long_nardy() -> None:
    board = np.array(Game("long").start().board)
    board[1, [23, 5]] = [14, 1]
    pos = Game("long").position(board, seat=1, turns=0)
    assert pos.on_point(18) == (0, 1)
    assert "18 is closed by the opponent" in str(refused(pos, (6, 1), "24/18 24/23"))


def test_counted_movements_need_not_be_joined() -> None:
    start = Game("short").start()
    assert start.game.play(start, (3, 3), "13/10(2) 10/7(2)").notation == "13/7(2)"


def test_waypoints_must_be_open() -> None:
    pos = short_position({8: 1, 1: 2}, {18: 2})
    assert pos.game.play(pos, (3, 1), "8/5/4").notation == "8/4"
    assert "7 is closed by the opponent" in str(refused(pos, (3, 1), "8/7/4"))


# --- what cannot be read --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "8",
        "8/",
        "/5",
        "8//5",
        "8-5",
        "8/5/",
        "8/x",
        "5/8",
        "8/8",
        "off/6",
        "0/6",
        "6/bar",
        "6/25",
        "26/20",
        "99/1",
        "100/99",
        "8*/5",
        "8/5**",
        "8/5(0)",
        "8/5(2",
        "8/5()",
        "8/5(10)",
        "8/5(-1)",
        "pass 8/5",
        "8/5 pass",
        "no",
        "8/5;6/5",
        "８/５",
        "8/٥",
        "8/5\x006/5",
        "8/-3",
        "8/5 ♥",
    ],
)
def test_unreadable_text(text: str) -> None:
    pos = Game("short").start()
    with pytest.raises(InputError, match="cannot read") as caught:
        pos.game.play(pos, (3, 1), text)
    assert not isinstance(caught.value, NotationError)
    assert "such as 8/5 6/5" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [None, 85, b"8/5 6/5", ["8/5", "6/5"], ((8, 5), (6, 5))])
def test_plays_are_written_as_text(text: Any) -> None:
    pos = Game("short").start()
    with pytest.raises(InputError, match="a play is text"):
        pos.game.play(pos, (3, 1), text)


def test_noise_is_refused_quickly() -> None:
    rng = random.Random(3)
    pos = position_in("short", seed=1, turns=20)
    for text in (" " * 10_000_000, "8/5 " * 1_000_000, "(" * 1_000_000, "8" + " " * 5_000 + "x"):
        with pytest.raises(InputError, match=r"it has \d+ characters") as caught:
            pos.game.play(pos, (2, 1), text)
        assert len(str(caught.value)) < 400
    for _ in range(3_000):
        text = "".join(rng.choice("0123456789/*() barofps,\t") for _ in range(rng.randint(1, 20)))
        try:
            play = pos.game.play(pos, (2, 1), text)
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert play in pos.game.plays(pos, (2, 1))
    assert len("8/7 " * 24) < LONGEST_TEXT


def test_reading_knows_nothing_of_legality() -> None:
    (move,) = read_moves("BAR / 3* / 2 ( 2 )")
    assert (move.path, move.times, move.hits) == ((25, 3, 2), 2, frozenset({3}))
    assert str(move) == "bar/3*/2(2)"
