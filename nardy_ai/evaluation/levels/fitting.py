"""The noise of each level, found by matches.

Level 1 shall score nothing against the bot `greedy`, level 10 is the full bot, and the steps between shall be
even in points a game. The full bot looks ahead, which is dear: levels are compared with the net alone, and
what the look-ahead is worth is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import GreedyBot, NetBot
from nardy_ai.core import Level
from nardy_ai.evaluation.levels.scoring import Scorer

__all__ = ["NoLevels", "even_noises", "fit_levels", "root_of"]

FULL_PLIES: Final = 1
"""Look-ahead of level 10."""
FIRST_NOISE: Final = 0.05
MOST_NOISE: Final = 64.0
CLOSE: Final = 1.03
"""The noise of level 1 is sought to three in a hundred; its score is known less closely."""
CURVE: Final = 8
"""Noises between none and that of level 1 at which the loss of points is measured."""

Floats = npt.NDArray[np.float64]


class NoLevels(Exception):
    """The model is too weak for levels; the message says why."""


def fit_levels(bot: NetBot, scorer: Scorer, seed: int) -> list[Level]:
    """What levels 1 to 10 of a net are to be.

    Raises:
        NoLevels: it does not beat `greedy` even without noise.
        InputError: it can't play the game.
    """
    net, greedy = bot.with_noise(0.0), GreedyBot()

    def against_greedy(noise: float) -> float:
        return scorer.score(net.with_noise(noise), greedy, seed, f"level 1: noise {noise:.3g}").mean

    plain = against_greedy(0.0)
    if plain <= 0:
        raise NoLevels(
            f"{bot.name} scores {plain:+.3f} points a game against greedy without any noise, and level 1 is "
            "to score nothing: train it longer"
        )
    weakest = float(f"{root_of(against_greedy):.4g}")
    grid = np.linspace(0.0, weakest, CURVE + 1)[1:]
    curve = [
        scorer.score(net.with_noise(noise), net, seed, f"steps: noise {noise:.3g}").mean
        for noise in grid.tolist()
    ]
    ahead = scorer.score(net, net.looking_ahead(FULL_PLIES), seed, "what look-ahead is worth").mean
    noises = even_noises(grid, np.array(curve), ahead)
    return [*(Level(noise, 0) for noise in noises), Level(0.0, FULL_PLIES)]


def root_of(score: Callable[[float], float]) -> float:
    """The noise at which a score that falls with it reaches 0, to `CLOSE`; NoLevels where it never does."""
    low, high = 0.0, FIRST_NOISE
    while score(high) > 0:
        low, high = high, 2 * high
        if high > MOST_NOISE:
            raise NoLevels("greedy loses to this net even where noise hides all that it knows")
    while low == 0 or high / low > CLOSE:
        # The first steps halve, the later ones take the middle of the logarithms.
        middle = high / 2 if low == 0 else (low * high) ** 0.5
        if score(middle) > 0:
            low = middle
        else:
            high = middle
        if high < FIRST_NOISE / 1024:
            break
    return high


def even_noises(grid: Floats, curve: Floats, ahead: float) -> list[float]:
    """The noises of levels 1 to 9 that make even steps.

    Args:
        grid: noises above 0 up to that of level 1, rising.
        curve: points a game of each against the net without noise.
        ahead: points a game of the net without noise against the full bot.

    Returns:
        Nine noises that fall; the last is 0 where look-ahead is worth more than an even step.

    Raises:
        NoLevels: noise costs nothing.
    """
    loss = _fitted(grid, -curve)
    weakest, steps = float(grid[-1]), core.LEVELS - 1
    most, gap = loss.at(weakest), -min(ahead, 0.0)
    targets = (most + gap) * np.arange(steps, 0, -1) / steps - gap
    if targets[-1] < 0:
        targets = most * np.arange(steps - 1, -1, -1) / (steps - 1)
    return [weakest, *(float(f"{loss.noise_of(float(target)):.4g}") for target in targets[1:])]


@dataclass(frozen=True)
class _Loss:
    """Points a game that noise costs: slope * noise + bend * noise**2, rising up to the largest noise."""

    slope: float
    bend: float

    def at(self, noise: float) -> float:
        return self.slope * noise + self.bend * noise**2

    def noise_of(self, points: float) -> float:
        """The noise that costs so many points."""
        if points <= 0:
            return 0.0
        # Of the two forms of the root that which loses no digits where the bend is small.
        return 2 * points / (self.slope + math.sqrt(max(0.0, self.slope**2 + 4 * self.bend * points)))


def _fitted(grid: Floats, losses: Floats) -> _Loss:
    """The nearest curve of that form, by least squares; a straight line where it would not rise throughout.

    Small noise costs its square, since only plays that are nearly as good are mistaken for the best, and
    large noise costs less and less more.
    """
    weakest = grid[-1]
    (slope, bend), *_ = np.linalg.lstsq(np.stack([grid, grid**2], axis=1), losses, rcond=None)
    if slope < 0:
        slope, bend = 0.0, float((losses @ grid**2) / (grid**2 @ grid**2))
    if bend < 0 and slope + 2 * bend * weakest <= 0.1 * slope:
        slope, bend = float((losses @ grid) / (grid @ grid)), 0.0
    if slope * weakest + bend * weakest**2 <= 0:
        raise NoLevels(
            "noise that makes the net no better than greedy costs it nothing against itself: play more pairs"
        )
    return _Loss(float(slope), float(bend))
