"""Statistics of a match from outcomes that were written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from nardy_ai.core import InputError
from nardy_ai.evaluation.match_result import CUT, UNPLAYED, MatchResult, Side, summarize

NAMES = ("win", "win_mars", "lose", "lose_mars", "draw")
WORTH = (1.0, 2.0, -1.0, -2.0, 0.0)
A, B = Side("one", "aaaa"), Side("two", "bbbb")


def told(outcomes: list[list[int]]) -> MatchResult:
    plies = np.full((len(outcomes), 2), 50, dtype=np.int32)
    return summarize(A, B, "long/fns", 1, np.array(outcomes, dtype=np.int8), plies, NAMES, WORTH)


def test_points_wins_and_seats_by_hand() -> None:
    # Pairs are worth +1.5, -0.5, 0.5 and 0 points a game.
    result = told([[1, 0], [4, 2], [0, 4], [1, 3]])
    assert result.ppg == pytest.approx(0.375)
    assert result.wins == pytest.approx(0.5)
    assert result.outcomes == {"win": 2, "win_mars": 2, "lose": 1, "lose_mars": 1, "draw": 2}
    assert result.seats[0].mean == pytest.approx((2 + 0 + 1 + 2) / 4)
    assert result.seats[1].mean == pytest.approx((1 - 1 + 0 - 2) / 4)
    deviation = np.std([1.5, -0.5, 0.5, 0.0], ddof=1)
    assert result.interval is not None
    assert result.interval[1] - result.ppg == pytest.approx(3.182446 * deviation / 2.0, abs=1e-5)


def test_the_pair_is_the_unit_of_evidence() -> None:
    # Every pair is a win and a loss: nothing is uncertain about the score, whatever single games say.
    result = told([[0, 2], [2, 0]] * 20)
    assert (result.ppg, result.interval) == (0.0, (0.0, 0.0))


def test_pairs_that_are_not_whole_are_left_out_and_told() -> None:
    result = told([[0, 0], [0, CUT], [UNPLAYED, UNPLAYED], [CUT, UNPLAYED], [1, 1]])
    assert (result.pairs, result.cut, result.unfinished, result.games) == (2, 1, 2, 4)
    assert result.ppg == 1.5 and result.outcomes["win"] == 2
    assert "not counted: 1 pair (a game reached the turn limit)" in str(result)
    assert "not counted: 2 pairs (the match was stopped)" in str(result)


def test_nothing_to_count_is_said() -> None:
    with pytest.raises(InputError, match="no pair was played to the end"):
        told([[UNPLAYED, 0]])
    with pytest.raises(InputError, match=r"all pairs \(2\) were stopped at the turn limit"):
        told([[CUT, 0], [0, CUT]])


def test_winning_or_losing_everything() -> None:
    won, lost = told([[0, 0]] * 30), told([[2, 2]] * 30)
    assert (won.ppg, won.wins, lost.ppg, lost.wins) == (1.0, 1.0, -1.0, 0.0)
    assert won.win_interval is not None and 0.85 < won.win_interval[0] < 0.9 and won.win_interval[1] == 1.0
    assert "100.0 %" in str(won)


def test_the_table_names_everything_that_a_number_needs() -> None:
    text = str(told([[1, 0], [4, 2], [0, 4], [1, 3]]))
    for part in (
        "one (aaaa) against two (bbbb)",
        "long/fns, 4 pairs (8 games), seed 1",
        "+0.375  [",
        "95 % interval",
        "as starter",
        "as second",
        "win_mars",
        "draw",
        "25.0 %",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 80


def test_draws_are_half_of_a_game_on_elos_scale() -> None:
    result = told([[1, 0], [4, 2], [0, 4], [1, 3]])
    assert result.score.mean == pytest.approx(5 / 8) and result.wins == 0.5
    assert result.elo == pytest.approx(400.0 * np.log10(5 / 3))
    low, high = result.elo_interval or (None, None)
    assert low is not None and high is not None and low < result.elo < high
    assert result.superiority is not None and 0.5 < result.superiority < 1.0


def test_one_sided_and_single_results_claim_nothing_too_much() -> None:
    won, lost, one = told([[0, 0]] * 30), told([[2, 2]] * 30), told([[0, 2]])
    assert won.elo is None and won.elo_interval is not None and won.elo_interval[1] is None
    assert won.superiority == 1.0 - 0.5**30 and lost.superiority == 0.5**30
    assert "no end in sight  [+" in str(won) and ", +∞]" in str(won) and "[−∞, -" in str(lost)
    assert "more than 99.9 %" in str(won) and "less than 0.1 %" in str(lost)
    assert (one.superiority, one.elo_interval, one.chunks) == (None, None, None)
    assert "one pair says nothing" in str(one) and one.as_dict()["elo_interval"] is None
