"""Matches to a number of points: against the match as a state machine, game by game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matches import game_of

from nardy_ai import core
from nardy_ai.bots import GreedyBot, PubevalBot, RandomBot
from nardy_ai.core import InputError
from nardy_ai.evaluation import SameBotWarning, match
from nardy_ai.evaluation.match_result import CUT
from nardy_ai.evaluation.points_match import GAMES, PointsMatchDriver
from nardy_ai.rules import Game
from nardy_ai.rules.match import GameResult, MatchState, Terms

GAMES_BY_START = {
    "alternate": Game("short"),
    "winner": game_of("winner starts", "short", match={"next_start": "winner"}),
    "rolloff": game_of("roll-off", "long", match={"next_start": "rolloff", "draw_points": 1.0}),
    "winner, draws": game_of("winner, draws", "long", match={"next_start": "winner", "draw_points": 0.5}),
}


class Dealt:
    """Games with outcomes dealt by their number alone."""

    def __init__(self, outcomes: int) -> None:
        self._outcomes = outcomes

    def play(self, first_pair: int, pairs: int) -> tuple[np.ndarray, np.ndarray]:
        dealt = [np.random.default_rng(first_pair + i).integers(0, self._outcomes, 2) for i in range(pairs)]
        return np.array(dealt, np.int8), np.full((pairs, 2), 50, np.int32)


def by_state_machine(game: Game, length: int, pair: int, number: int, seed: int) -> tuple[int, int]:
    """Winner and number of games of a match, by the rules of matches."""
    rules, dealt = game.core_rules, Dealt(len(game.core_rules.outcomes))
    state = MatchState.begin(Terms.match(game, length))
    for j in range(GAMES):
        if state.phase == "match_over":
            assert state.winner is not None
            return state.winner, j
        if state.phase == "game_over":
            state = state.next_game()
        if state.phase == "rolloff":
            # The first game is the first bot's to start in match 0, unless the profile rolls off for it.
            starter = number
            if game.profile.match.next_start == "rolloff":
                word = core.random_words(seed, core.PURPOSES["shuffle"], pair * GAMES + j, 0)[0]
                starter ^= int(word & 1)
            if game.profile.rules.opening_roll == "rolloff_pair":
                state = state.roll_off((6, 1) if starter == 0 else (1, 6))
            else:
                state = state.starts(starter)
        assert state.starter is not None
        outcome = rules.outcomes[int(dealt.play(pair * GAMES + j, 1)[0][0, state.starter])]
        points = int(rules.points[rules.outcomes.index(outcome)])
        winner = None if outcome == "draw" else int(points < 0)
        state = state._ended(GameResult(winner, outcome, "play", abs(points)))
    raise AssertionError("the match does not end")


@pytest.mark.parametrize("kind", GAMES_BY_START)
@pytest.mark.parametrize("length", [1, 3, 7])
def test_matches_are_those_of_the_rules(kind: str, length: int) -> None:
    game = GAMES_BY_START[kind]
    driver = PointsMatchDriver(Dealt(len(game.core_rules.outcomes)), game, length, 9)
    outcomes, games = driver.play(4, 25)
    for i in range(25):
        for number in (0, 1):
            expected = by_state_machine(game, length, 4 + i, number, 9)
            assert (outcomes[i, number], games[i, number]) == expected, (i, number)
    assert len(np.unique(outcomes)) == 2


def test_the_longer_the_match_the_surer_the_better_bot() -> None:
    shares = [
        match(GreedyBot(), RandomBot(), "short/hypergammon", pairs=100, length=n, seed=3).wins for n in (1, 5)
    ]
    assert 0.5 < shares[0] < shares[1]


def test_matches_are_as_exact_an_instrument_as_games(tmp_path: Path) -> None:
    options = {"pairs": 40, "length": 3, "seed": 8}
    there = match(GreedyBot(), PubevalBot(), "short", threads=1, **options)
    for threads in (2, 4):
        assert match(GreedyBot(), PubevalBot(), "short", threads=threads, **options) == there
    back = match(PubevalBot(), GreedyBot(), "short", **options)
    assert there.ppg == -back.ppg != 0.0
    with pytest.warns(SameBotWarning):
        same = match(RandomBot(), RandomBot(), "short", pairs=20, length=3)
    assert same.ppg == 0.0 and same.outcomes == {"win": 20, "lose": 20}
    match(GreedyBot(), PubevalBot(), "short", record=tmp_path / "r", **{**options, "pairs": 15})
    assert match(GreedyBot(), PubevalBot(), "short", record=tmp_path / "r", **options) == there


def test_the_report_says_what_was_played() -> None:
    result = match(GreedyBot(), PubevalBot(), "short", pairs=40, length=3)
    assert result.unit == "match" and 1.0 <= result.plies <= 5.0
    text = str(result)
    for part in ("matches to 3 points, 40 pairs (80 matches)", "won less lost", "games a match"):
        assert part in text
    assert result.as_dict()["unit"] == "match"


def test_a_match_with_a_game_at_the_turn_limit_is_left_out() -> None:
    result = match(GreedyBot(), RandomBot(), "short", pairs=30, length=2, max_turns=60)
    assert 0 < result.cut < 30 and result.pairs + result.cut == 30

    class Endless(Dealt):
        def play(self, first_pair: int, pairs: int) -> tuple[np.ndarray, np.ndarray]:
            return np.full((pairs, 2), 4, np.int8), np.zeros((pairs, 2), np.int32)

    assert Game("long").core_rules.outcomes[4] == "draw"
    endless = game_of("draws are nothing", "long", match={"next_start": "winner", "draw_points": 0.0})
    outcomes, games = PointsMatchDriver(Endless(5), endless, 100, 1).play(0, 1)
    assert (outcomes == CUT).all() and (games == GAMES).all()


@pytest.mark.parametrize("length", [0, -1, 513, 10**6])
def test_lengths_that_cannot_be_are_refused(length: int) -> None:
    with pytest.raises(InputError, match="length of a match"):
        match(GreedyBot(), RandomBot(), "short", pairs=1, length=length)
