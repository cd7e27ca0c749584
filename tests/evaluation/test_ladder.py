"""Scales from pairings: by hand, against known strengths, and where there is little to go by."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from nardy_ai.core import InputError
from nardy_ai.evaluation.ladder import ELO, Pairing, pairing, rate_points, rate_wins

NAMES = ("win", "win_mars", "lose", "lose_mars", "draw")
WORTH = (1.0, 2.0, -1.0, -2.0, 0.0)


def met(first: int, second: int, points: float, error: float = 0.1, share: float = 0.5, games: float = 100):
    return Pairing(first, second, 100, points, error**2, share, games)


def counts(**pairs: int) -> np.ndarray:
    table = np.zeros((5, 5), np.int64)
    for names, number in pairs.items():
        row, column = names.split("__")
        table[NAMES.index(row), NAMES.index(column)] = number
    return table


def test_a_pairing_by_hand() -> None:
    # Pair scores: 1.5 twice, 0 three times, -0.5 once.
    found = pairing(0, 1, counts(win_mars__win=2, win__lose=3, draw__lose=1), WORTH, NAMES)
    values = [1.5] * 2 + [0.0] * 3 + [-0.5]
    mean = sum(values) / 6
    squares = sum((value - mean) ** 2 for value in values)
    assert (found.pairs, found.points) == (6, pytest.approx(mean))
    assert found.variance == pytest.approx((squares + 1.0) / 36)
    shares = np.array([1.0] * 2 + [0.5] * 3 + [0.25])
    share = shares.mean()
    assert found.share == pytest.approx(share)
    assert found.games == pytest.approx(6 * min(2.0, share * (1 - share) / shares.var(ddof=1)))


def test_winning_everything_leaves_doubt_and_a_finite_place() -> None:
    for outcome in ("win", "win_mars", "lose_mars"):
        found = pairing(1, 0, counts(**{f"{outcome}__{outcome}": 50}), WORTH, NAMES)
        assert found.variance == pytest.approx(1.0 / 50**2) and found.games == 50
        points, wins = rate_points(2, [found], 0, 2.0), rate_wins(2, [found], 0)
        sign = 1 if outcome.startswith("win") else -1
        assert sign * points.score(1) == pytest.approx(abs(found.points), abs=0.03)
        # 50 games won, and half a game each way beside them.
        assert wins.score(1) == pytest.approx(sign * ELO * math.log(50.5 / 0.5), rel=1e-6)
        assert all(math.isfinite(end) for end in (*points.interval(1), *wins.interval(1)))


def test_one_pair_and_no_pair() -> None:
    found = pairing(0, 1, counts(win__lose=1), WORTH, NAMES)
    assert (found.points, found.variance, found.games) == (0.0, 1.0, 1.0)
    assert rate_points(2, [found], 0, 2.0).difference(0, 1) == (0.0, pytest.approx(1.0, rel=0.1))
    with pytest.raises(InputError, match="no pair was played"):
        pairing(0, 1, np.zeros((5, 5)), WORTH, NAMES)
    alone = rate_points(1, [], 0, 2.0), rate_wins(1, [], 0)
    assert [scale.score(0) for scale in alone] == [0.0, 0.0]


def test_two_bots_stand_as_far_apart_as_they_scored() -> None:
    scale = rate_points(2, [met(0, 1, -0.7)], 1, 2.0)
    assert scale.score(0) == pytest.approx(-0.7, abs=1e-9) and scale.score(1) == 0.0
    assert scale.difference(0, 1)[1] == pytest.approx(0.1, rel=1e-6)
    assert scale.difference(1, 0) == (pytest.approx(0.7), pytest.approx(0.1))
    wins = rate_wins(2, [met(0, 1, 0.0, share=0.75, games=99)], 1)
    expected = ELO * math.log((0.75 * 99 + 0.5) / (0.25 * 99 + 0.5))
    assert wins.score(0) == pytest.approx(expected, rel=1e-9)
    p = (0.75 * 99 + 0.5) / 100
    assert wins.difference(0, 1)[1] == pytest.approx(ELO / math.sqrt(100 * p * (1 - p)), rel=1e-9)


def test_small_differences_are_those_of_least_squares_by_hand() -> None:
    # A triangle: 0 - 1 measured 0.03, 1 - 2 0.02, 0 - 2 0.08, equal errors: the surplus is spread evenly.
    scale = rate_points(3, [met(0, 1, 0.03), met(1, 2, 0.02), met(0, 2, 0.08)], 2, 2.0)
    assert scale.score(0) == pytest.approx(0.07, abs=1e-4)
    assert scale.score(1) == pytest.approx(0.03, abs=1e-4)
    # Each difference is known by itself and by the way round: variance 1 / (1 + 1 / 2).
    for one, other in itertools.combinations(range(3), 2):
        assert scale.difference(one, other)[1] == pytest.approx(0.1 * math.sqrt(2 / 3), rel=1e-3)
    assert scale.covariance[0, 1] == pytest.approx(0.01 / 3, rel=1e-2)


def test_scores_that_do_not_fit_widen_the_intervals() -> None:
    circle = [met(0, 1, 0.5), met(1, 2, 0.5), met(2, 0, 0.5)]
    scale, fitting = (
        rate_points(3, found, 0, 2.0) for found in (circle, [*circle[:2], met(2, 0, -0.98)])
    )
    assert scale.misfit is not None and scale.misfit < 1e-6
    assert fitting.misfit is not None and fitting.misfit > 0.3
    assert scale.difference(1, 0)[1] > 5 * fitting.difference(1, 0)[1]
    # A chain fits anything.
    assert rate_points(3, circle[:2], 0, 2.0).misfit is None


def test_scores_near_the_end_do_not_drag_the_others_along() -> None:
    # Everybody loses about 1.9 of 2 against 0; between 1 and 2 there is half a point.
    strengths = np.array([0.0, -3.4, -4.0])
    played = [
        met(i, j, 2.0 * math.tanh((strengths[i] - strengths[j]) / 2.0), 0.02)
        for i, j in itertools.combinations(range(3), 2)
    ]
    scale = rate_points(3, played, 0, 2.0)
    assert scale.limit == pytest.approx(2.0, abs=0.01)
    assert scale.difference(1, 2)[0] == pytest.approx(2.0 * math.tanh(0.3), abs=0.01)
    assert scale.misfit is not None and scale.misfit > 0.5


@pytest.mark.parametrize("anchor", range(3))
def test_the_anchor_moves_the_scale_and_nothing_else(anchor: int) -> None:
    played = [
        met(0, 1, 0.4, share=0.6), met(1, 2, 0.9, 0.2, 0.7, 50), met(2, 0, -1.2, 0.1, 0.2), met(3, 0, 0.3)
    ]
    for rate in (lambda at: rate_points(4, played, at, 2.0), lambda at: rate_wins(4, played, at)):
        first, other = rate(3), rate(anchor)
        assert other.score(anchor) == 0.0 and other.interval(anchor) == (0.0, 0.0)
        for i, j in itertools.permutations(range(4), 2):
            assert first.difference(i, j) == pytest.approx(other.difference(i, j), rel=1e-5)


def test_bots_that_nothing_links_to_the_anchor_have_no_place() -> None:
    played = [met(0, 1, 0.4), met(2, 3, 0.1), met(3, 2, 0.2)]
    for scale in (rate_points(5, played, 0, 2.0), rate_wins(5, played, 0)):
        assert [scale.linked(bot) for bot in range(5)] == [True, True, False, False, False]
        assert math.isnan(scale.score(2)) and math.isfinite(scale.score(1))
        assert math.isnan(scale.difference(2, 3)[1])
    # What they played among themselves changes nothing.
    assert rate_points(5, played, 0, 2.0).score(1) == rate_points(5, played[:1], 0, 2.0).score(1)
    with pytest.raises(InputError, match="no bot 7 on a ladder of 5"):
        rate_points(5, [met(0, 7, 0.1)], 0, 2.0)


def test_both_scales_cover_known_strengths() -> None:
    generator, bots = np.random.default_rng(17), 6
    strength = np.linspace(-1.0, 1.0, bots)
    schedule = [two for two in itertools.combinations(range(bots), 2) if two[1] - two[0] < 4]
    inside = {"points": 0, "wins": 0}
    runs, checked = 200, 0
    for _ in range(runs):
        played = []
        for i, j in schedule:
            # Bots that win plain games alone: points and wins then say the same.
            chance = 0.5 + 0.5 * math.tanh(strength[i] - strength[j])
            table = np.zeros((2, 2), np.int64)
            np.add.at(table, tuple((generator.random((2, 120)) >= chance).astype(int)), 1)
            played.append(pairing(i, j, table, (1.0, -1.0), ("win", "lose")))
        points, wins = rate_points(bots, played, 0, 1.0), rate_wins(bots, played, 0)
        for bot in range(1, bots):
            truth = strength[bot] - strength[0]
            low, high = points.interval(bot)
            inside["points"] += low <= math.tanh(truth) <= high
            low, high = wins.interval(bot)
            inside["wins"] += low <= 2.0 * truth * ELO <= high
            checked += 1
    for scale, number in inside.items():
        assert 0.92 <= number / checked <= 0.985, scale


@pytest.mark.parametrize("most", [2.0, 3.0])
def test_any_scores_have_a_finite_place(most: float) -> None:
    generator = np.random.default_rng(5)
    for _ in range(60):
        bots = int(generator.integers(2, 7))
        played = [
            Pairing(
                int(i), int(j), int(pairs := generator.integers(1, 200)),
                float(generator.choice([-most, most, generator.uniform(-most, most)])),
                1.0 / int(pairs) ** generator.choice([1, 2]), float(generator.choice([0.0, 0.5, 1.0])), 9.0,
            )
            for i, j in itertools.combinations(range(bots), 2)
            if generator.random() < 0.8
        ]  # fmt: skip
        for scale in (rate_points(bots, played, 0, most), rate_wins(bots, played, 0)):
            for bot in range(bots):
                if scale.linked(bot):
                    assert all(map(math.isfinite, (scale.score(bot), *scale.interval(bot))))
        points = rate_points(bots, played, 0, most)
        assert points.limit is not None and 0.0 < points.limit <= most


def test_the_limit_stays_above_every_score_that_was_measured() -> None:
    # The other pairings are fitted best by a limit of about 2.4, beyond which 2.8 would have no place.
    played = [met(0, 2, 2.38, 0.01), met(2, 1, 2.38, 0.01), met(0, 1, 2.4, 0.01), met(0, 1, 2.8, 0.5)]
    with np.errstate(all="raise"):
        scale = rate_points(3, played, 1, 3.0)
    assert scale.limit is not None and 2.8 < scale.limit < 2.83
    assert all(map(math.isfinite, scale.interval(0)))
