"""The noise of levels, found on curves that are known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from command_line import REPOSITORY

import nardy_ai as nardy
from nardy_ai.bots import Bot, NetBot
from nardy_ai.evaluation.levels import NoLevels, Scorer, fit_levels
from nardy_ai.evaluation.levels.fitting import even_noises, root_of
from nardy_ai.evaluation.statistics import Estimate, mean_interval

CURVES: dict[str, Callable[[float], float]] = {
    "straight": lambda noise: 4 * noise,
    "square": lambda noise: 30 * noise**2,
    "both": lambda noise: 2 * noise + 10 * noise**2,
    "flattening": lambda noise: 6 * noise - 10 * noise**2,
}


@pytest.mark.parametrize("name", CURVES)
def test_steps_are_even_in_points_a_game(name: str) -> None:
    cost = CURVES[name]
    grid = np.linspace(0, 0.2, 9)[1:]
    noises = even_noises(grid, np.array([-cost(noise) for noise in grid.tolist()]), 0.0)
    points = [cost(noise) for noise in noises]
    steps = [more - less for more, less in pairwise([*points, 0.0])]
    assert noises[0] == 0.2 and len(noises) == 9
    assert steps == pytest.approx([cost(0.2) / 9] * 9, rel=8e-3)


def test_what_look_ahead_is_worth_is_part_of_the_last_step() -> None:
    grid = np.linspace(0, 0.2, 9)[1:]
    curve = -4 * grid
    # 0.8 points in all; look-ahead makes it 0.85, an even step 0.094: level 9 has noise for the rest.
    points = [4 * noise for noise in even_noises(grid, curve, -0.05)]
    assert [more - less for more, less in pairwise(points)] == pytest.approx([0.85 / 9] * 8, rel=8e-3)
    assert points[-1] + 0.05 == pytest.approx(0.85 / 9, rel=8e-3)
    # Look-ahead of 0.3 points is more than a step: level 9 is the net without noise.
    noises = even_noises(grid, curve, -0.3)
    assert noises[-1] == 0
    expected = [0.1 * step for step in range(8, -1, -1)]
    assert [4 * noise for noise in noises] == pytest.approx(expected, rel=8e-3)
    # A look-ahead that seems to cost points costs none.
    assert even_noises(grid, curve, 0.2) == even_noises(grid, curve, 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_chance_in_the_measured_points_makes_no_level_stronger_than_the_next(seed: int) -> None:
    random = np.random.default_rng(seed)
    grid = np.linspace(0, 0.1, 9)[1:]
    noises = even_noises(grid, -3 * grid + random.normal(0, 0.06, 8), -0.02)
    assert all(more > less for more, less in pairwise(noises))
    assert noises[0] == 0.1 and noises[-1] >= 0


def test_noise_that_costs_nothing_makes_no_levels() -> None:
    with pytest.raises(NoLevels, match="costs it nothing"):
        even_noises(np.array([0.1, 0.2]), np.array([0.1, 0.3]), 0.0)


@pytest.mark.parametrize("place", [0.0007, 0.01, 0.049, 0.07, 0.6, 11.0])
def test_the_noise_at_which_a_score_is_nothing(place: float) -> None:
    asked: list[float] = []

    def score(noise: float) -> float:
        asked.append(noise)
        return place - noise

    assert place <= root_of(score) <= 1.031 * place
    assert len(asked) < 20


def test_a_score_that_never_falls_is_told() -> None:
    with pytest.raises(NoLevels, match="noise hides all that it knows"):
        root_of(lambda noise: 1.0)


class Played(Scorer):
    """Scores by a formula: a net loses 5 points a game a point of noise and wins 0.1 by looking ahead."""

    def score(self, a: Bot, b: Bot, seed: int, what: str) -> Estimate:
        worth = [
            -0.4 if not isinstance(bot, NetBot) else 0.1 * bot.plies - 5 * bot.noise for bot in (a, b)
        ]
        return mean_interval([worth[0] - worth[1] - 0.01, worth[0] - worth[1] + 0.01])


def test_levels_from_even_with_greedy_to_the_full_bot() -> None:
    bot = nardy.load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    with Played(bot.game, 2, 1, total=1, progress=False) as scorer:
        levels = fit_levels(bot, scorer, 1)
    assert levels[0].noise == pytest.approx(0.08, rel=0.03)
    assert [level.plies for level in levels] == [0] * 9 + [1]
    # From -0.4 to +0.1 it is 0.5 in nine steps; look-ahead is worth more than one.
    assert levels[8].noise == 0 == levels[9].noise
    assert [5 * level.noise for level in levels[:9]] == pytest.approx(
        [5 * levels[0].noise * step / 8 for step in range(8, -1, -1)], rel=8e-3
    )


def test_a_net_that_greedy_beats_has_no_levels() -> None:
    bot = nardy.load(REPOSITORY / "checkpoints" / "short-quick.safetensors")

    class Weak(Played):
        def score(self, a: Bot, b: Bot, seed: int, what: str) -> Estimate:
            return mean_interval([-0.3, -0.1])

    with (
        Weak(bot.game, 2, 1, total=1, progress=False) as scorer,
        pytest.raises(NoLevels, match=r"scores -0\.200 points a game against greedy without any noise"),
    ):
        fit_levels(bot, scorer, 1)
