"""Matches of long nardy: the last roll, draws, the tas to n, who starts next."""

from __future__ import annotations

import numpy as np
import pytest
from matches import SMALL_GAMES

from nardy_ai.core import InputError
from nardy_ai.rules import Game
from nardy_ai.rules.match import IllegalStep, MatchState, Terms, set_up

LONG = Game("long")
TINY = SMALL_GAMES["long, last roll"]
WHOLE = SMALL_GAMES["long, last roll, whole draws"]


def near_the_end(starter_left: int, other_left: int, other_point: int = 1) -> MatchState:
    """The starter, player 0, is about to throw; both have that many checkers left, at home."""
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 25]] = starter_left, 15 - starter_left
    board[1, [other_point - 1, 25]] = other_left, 15 - other_left
    return set_up(Terms.match(LONG, 3), LONG.position(board, seat=0, turns=3), on_roll=0)


def drawn(state: MatchState) -> MatchState:
    """A game of two checkers each in which both finish in their first turn."""
    begun = state if state.phase == "throw" else state.starts(0)
    return begun.throw((6, 6)).play("6/off(2)").throw((6, 6)).play("6/off(2)")


def won_by(state: MatchState, player: int) -> MatchState:
    begun = state if state.phase == "throw" else state.starts(0)
    return begun.resign("oin", by=1 - player)


# --- the last roll --------------------------------------------------------------------------------------


def test_the_second_player_has_a_last_roll_and_can_draw() -> None:
    state = near_the_end(2, 1).throw((2, 1)).play("1/off(2)")
    assert (state.phase, state.on_roll, state.result) == ("throw", 1, None)
    over = state.throw((5, 3)).play("1/off")
    assert over.result is not None
    assert (over.result.winner, over.result.kind, over.result.points) == (None, "draw", 0)
    assert (over.score, over.draws, over.phase) == ((0.5, 0.5), 1, "game_over")


def test_the_result_is_read_after_the_last_roll() -> None:
    saved = near_the_end(2, 15, other_point=6).throw((2, 1)).play("1/off(2)").throw((6, 5))
    over = saved.play("6/off 6/1")
    assert over.result is not None
    assert (over.result.winner, over.result.kind, over.result.points) == (0, "oin", 1)


def test_the_second_player_finishing_first_ends_the_game() -> None:
    state = near_the_end(3, 1).throw((2, 1)).play("1/off(2)").throw((6, 5)).play("1/off")
    assert state.result is not None
    assert (state.result.winner, state.result.kind, state.phase) == (1, "oin", "game_over")


def test_there_is_no_cube_in_long_nardy() -> None:
    state = MatchState.begin(Terms.match(LONG)).starts(1)
    assert state.choices == ("throw",)
    with pytest.raises(IllegalStep, match=r"doubling cube: .* without doubling"):
        state.double()


# --- the match ------------------------------------------------------------------------------------------


def test_a_tas_goes_on_until_one_side_alone_leads_at_its_length() -> None:
    state = MatchState.begin(Terms.match(WHOLE))  # to 2, a whole point for each after a draw
    state = drawn(state)
    assert (state.score, state.phase) == ((1, 1), "game_over")
    state = drawn(state.next_game())
    assert (state.score, state.phase, state.winner) == ((2, 2), "game_over", None)
    state = drawn(state.next_game())
    assert (state.score, state.phase) == ((3, 3), "game_over")
    state = won_by(state.next_game(), 1)
    assert (state.score, state.phase, state.winner) == ((3, 4), "match_over", 1)


def test_half_points_do_not_win_by_being_ahead_below_the_length() -> None:
    state = MatchState.begin(Terms.match(TINY, 2))
    state = won_by(state, 0)
    state = drawn(state.next_game())
    assert (state.score, state.phase) == ((1.5, 0.5), "game_over")
    state = drawn(state.next_game())
    assert (state.score, state.phase, state.winner) == ((2.0, 1.0), "match_over", 0)


def test_many_draws_are_counted_exactly() -> None:
    state = MatchState.begin(Terms.money(WHOLE))
    for _ in range(30):
        state = drawn(state if state.phase == "rolloff" else state.next_game())
    assert state.score == (30, 30)
    assert state.won == (0, 0)


def test_money_play_has_no_end() -> None:
    state = MatchState.begin(Terms.money(LONG))
    for number in range(1, 9):
        assert state.number == number
        state = won_by(state, 0).next_game()
    assert (state.score, state.winner) == ((8, 0), None)


# --- who starts next ------------------------------------------------------------------------------------


def test_starts_alternate() -> None:
    state = MatchState.begin(Terms.match(LONG, 20)).starts(1)
    starters = [state.starter]
    for winner in (0, 0, 1, 1):
        state = won_by(state, winner).next_game()
        assert state.phase == "throw"
        starters.append(state.starter)
    assert starters == [1, 0, 1, 0, 1]


def test_the_winner_starts_and_after_a_draw_the_other_player() -> None:
    state = MatchState.begin(Terms.match(WHOLE, 9)).starts(0)
    state = won_by(state, 1).next_game()
    assert state.starter == 1
    state = won_by(state, 1).next_game()
    assert state.starter == 1
    state = drawn(state).next_game()
    assert state.starter == 0
    state = drawn(state).next_game()
    assert state.starter == 1


def test_a_roll_off_before_every_game() -> None:
    state = won_by(MatchState.begin(Terms.match(Game("long/autogear"))), 0).next_game()
    assert (state.phase, state.starter, state.on_roll) == ("rolloff", None, None)
    assert state.roll_off((1, 4)).starter == 1


def test_seats_follow_the_starter() -> None:
    state = MatchState.begin(Terms.match(LONG)).roll_off((2, 6))
    assert (state.on_roll, state.position.seat) == (1, 0)
    state = state.throw((2, 1)).play(state.throw((2, 1)).plays()[0])
    assert (state.on_roll, state.position.seat, state.position.turns) == (0, 1, 0)


def test_kinds_are_paid_as_the_profile_says() -> None:
    state = MatchState.begin(Terms.money(SMALL_GAMES["long, four kinds"])).starts(0)
    assert [state.resign(kind, by=0).score[1] for kind in ("oin", "mars", "koks", "home_mars")] == [
        1,
        2,
        3,
        4,
    ]
    with pytest.raises(IllegalStep, match="resignation"):
        MatchState.begin(Terms.money(LONG)).starts(0).resign("koks", by=0)


def test_set_up_with_draws() -> None:
    state = set_up(Terms.match(LONG, 3), LONG.start(), on_roll=1, won=(1, 2), draws=1)
    assert state.score == (1.5, 2.5)
    level = set_up(Terms.match(LONG, 3), LONG.start(), on_roll=1, won=(2, 2), draws=2)
    assert level.winner is None
    with pytest.raises(InputError, match="is over"):
        set_up(Terms.match(LONG, 3), LONG.start(), on_roll=1, won=(1, 2), draws=2)
