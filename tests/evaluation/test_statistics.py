"""Intervals: known quantiles, coverage, agreement with the bootstrap, and the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nardy_ai.core import InputError
from nardy_ai.evaluation.statistics import (
    bootstrap_interval,
    elo_of_share,
    mean_interval,
    normal_quantile,
    share_interval,
    superiority,
    t_quantile,
    t_two_sided_probability,
)

# Printed tables of Student's t (two-sided).
TABLE = [
    (0.95, 1, 12.706205),
    (0.95, 2, 4.302653),
    (0.95, 5, 2.570582),
    (0.95, 10, 2.228139),
    (0.95, 30, 2.042272),
    (0.95, 100, 1.983972),
    (0.95, 1000, 1.962339),
    (0.99, 1, 63.656741),
    (0.99, 10, 3.169273),
    (0.90, 4, 2.131847),
    (0.80, 120, 1.288646),
    (0.999, 3, 12.923979),
    (0.95, 10**6, 1.959966),
]


@pytest.mark.parametrize(("confidence", "freedom", "expected"), TABLE)
def test_t_quantiles_are_those_of_printed_tables(confidence: float, freedom: int, expected: float) -> None:
    assert t_quantile(confidence, freedom) == pytest.approx(expected, rel=2e-6)


def test_t_probability_of_one_degree_is_the_arctangent() -> None:
    for t in (0.1, 1.0, 3.0, 50.0):
        assert t_two_sided_probability(t, 1) == pytest.approx(2.0 / math.pi * math.atan(t), abs=1e-12)


def test_normal_quantile() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-9)
    assert normal_quantile(0.99) == pytest.approx(2.5758293035489004, abs=1e-9)


def test_mean_interval_by_hand() -> None:
    found = mean_interval([1.0, 2.0, 3.0, 4.0])
    half = 3.182446 * math.sqrt(5.0 / 3.0) / 2.0
    assert found.mean == 2.5
    assert found.interval == pytest.approx((2.5 - half, 2.5 + half), abs=1e-5)
    assert found.count == 4


def test_one_value_has_no_interval() -> None:
    assert mean_interval([0.5]).interval is None
    assert share_interval([1.0]).interval is None
    assert "no interval" in str(mean_interval([0.5]))


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert mean_interval([1.0] * 50).interval == (1.0, 1.0)


def test_negated_values_give_the_negated_interval_to_the_last_digit() -> None:
    values = np.random.default_rng(5).normal(0.3, 1.0, 777)
    there, back = mean_interval(values), mean_interval(-values)
    assert there.interval is not None and back.interval is not None
    assert there.mean == -back.mean != 0.0
    assert there.interval == (-back.interval[1], -back.interval[0])


@pytest.mark.parametrize("bad", [[], [float("nan")], [1.0, float("inf")]])
def test_values_that_have_no_mean_are_refused(bad: list[float]) -> None:
    with pytest.raises(InputError):
        mean_interval(bad)


@pytest.mark.parametrize(("confidence", "freedom"), [(0.0, 5), (1.0, 5), (1.5, 5), (0.95, 0)])
def test_quantiles_outside_their_range_are_refused(confidence: float, freedom: int) -> None:
    with pytest.raises(InputError):
        t_quantile(confidence, freedom)
    if freedom:
        with pytest.raises(InputError):
            normal_quantile(confidence)


def _correlated_games(generator: np.random.Generator, pairs: int, correlation: float) -> np.ndarray:
    """Points -2..2 of the two games of each pair, dependent within the pair; true mean 0.25."""
    common = generator.normal(size=(pairs, 1))
    own = generator.normal(size=(pairs, 2))
    sign = np.array([1.0, math.copysign(1.0, correlation)])
    size = abs(correlation)
    judged = math.sqrt(size) * common * sign + math.sqrt(1.0 - size) * own
    # Steps of the normal distribution with P = .1, .275, .5, .125 for -2, -1, +1, +2: mean 0.275.
    return np.select([judged < -1.2815516, judged < -0.3186394, judged < 1.1503494], [-2.0, -1.0, 1.0], 2.0)


@pytest.mark.parametrize("correlation", [-0.6, 0.6])
def test_intervals_from_pairs_cover_the_truth_and_intervals_from_games_do_not(correlation: float) -> None:
    generator = np.random.default_rng(20260101)
    truth, matches, pairs = 0.275, 2000, 60
    by_pair = by_game = 0
    for _ in range(matches):
        games = _correlated_games(generator, pairs, correlation)
        low, high = mean_interval(games.mean(axis=1)).interval or (0.0, 0.0)
        by_pair += low <= truth <= high
        low, high = mean_interval(games).interval or (0.0, 0.0)
        by_game += low <= truth <= high
    assert 0.93 <= by_pair / matches <= 0.97
    assert not 0.93 <= by_game / matches <= 0.97


@pytest.mark.parametrize("win", [0.5, 0.85, 0.97])
def test_win_intervals_cover_the_truth_for_dependent_games(win: float) -> None:
    generator = np.random.default_rng(7)
    matches, pairs, covered = 1000, 100, 0
    for _ in range(matches):
        # A tenth of the pairs has one luck for both games.
        lots = generator.random((pairs, 2))
        lots[: pairs // 10, 1] = lots[: pairs // 10, 0]
        low, high = share_interval((lots < win).mean(axis=1)).interval or (0.0, 0.0)
        covered += low <= win <= high
    assert 0.92 <= covered / matches <= 0.99


def test_bootstrap_and_t_agree_on_pairs() -> None:
    games = _correlated_games(np.random.default_rng(3), 2000, -0.5)
    values = games.mean(axis=1)
    interval = mean_interval(values).interval
    assert interval is not None
    width = interval[1] - interval[0]
    for ours, theirs in zip(interval, bootstrap_interval(values, seed=1), strict=True):
        assert abs(ours - theirs) < 0.06 * width


def test_bootstrap_refuses_what_it_cannot_resample() -> None:
    with pytest.raises(InputError):
        bootstrap_interval([1.0])
    with pytest.raises(InputError):
        bootstrap_interval([1.0, 2.0], samples=10)


def test_winning_every_game_leaves_room_for_doubt() -> None:
    share = share_interval([1.0] * 100)
    assert share.mean == 1.0 and share.interval is not None
    assert share.interval[1] == 1.0
    # Wilson's lower end for 100 of 100 is 1 / (1 + z² / 100).
    assert share.interval[0] == pytest.approx(1.0 / (1.0 + 3.841459 / 100.0), abs=1e-6)
    none = share_interval([0.0] * 100).interval
    assert none is not None and none[0] == 0.0 and none[1] == pytest.approx(1.0 - share.interval[0])


def test_shares_outside_their_range_are_refused() -> None:
    for bad in ([], [1.5], [-0.5]):
        with pytest.raises(InputError):
            share_interval(bad)


def test_superiority_is_the_share_of_students_distribution_above_zero() -> None:
    # t = 2.228139 with 10 degrees of freedom leaves 2.5 % above it.
    values = np.array([-1.0, 1.0] * 5 + [0.0])
    error = math.sqrt(values.var(ddof=1) / len(values))
    assert superiority(values + 2.228139 * error) == pytest.approx(0.975, abs=1e-6)
    assert superiority(-(values + 2.228139 * error)) == pytest.approx(0.025, abs=1e-6)
    assert superiority(values) == 0.5


def test_superiority_of_equal_values_is_that_of_the_sign_test() -> None:
    assert superiority([0.5]) is None
    assert superiority([0.0] * 9) == 0.5
    assert superiority([2.0] * 5) == 1.0 - 0.5**5
    assert superiority([-2.0] * 5) == 0.5**5


# Wins, losses and draws, and the Elo difference that public match runners print for them.
@pytest.mark.parametrize(
    ("won", "lost", "drawn", "elo"),
    [(449, 276, 275, 60.7), (436, 293, 271, 50.0), (859, 772, 1329, 10.21), (1164, 1267, 3049, -6.53)],
)
def test_elo_numbers_are_those_of_public_match_runners(won: int, lost: int, drawn: int, elo: float) -> None:
    found = elo_of_share((won + 0.5 * drawn) / (won + lost + drawn))
    assert found == pytest.approx(elo, abs=0.06)


def test_elo_has_no_end_where_all_was_won_or_lost() -> None:
    assert elo_of_share(1.0) is None and elo_of_share(0.0) is None and elo_of_share(0.5) == 0.0
