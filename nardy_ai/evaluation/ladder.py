"""One scale for many bots, from matches between some of them.

Two scales: points a game by weighted least squares, and wins by the model of Bradley and Terry, as an
Elo-like number. Both come with the covariance of all bots, since differences share their evidence, and both
hold one bot, the anchor, at 0. A bot that no chain of matches links to the anchor has no place on the scale.

Wins add up as logarithms of odds. Points do not add up either: no score goes beyond what a game can pay. So
bots have strengths r that do add up, and i is expected to score limit * tanh((r[i] - r[j]) / limit) points a
game against j: near r[i] - r[j] between equals, never beyond the limit, which is estimated with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.evaluation.homogeneity import chi_square_probability
from nardy_ai.evaluation.statistics import normal_quantile

FloatArray = npt.NDArray[np.float64]

ELO = 400.0 / math.log(10.0)
"""Elo points of one unit of the logarithm of odds."""
DOUBT = 1.0
"""The squares of one more pair, a point off the mean: pairs that all came to the same prove no certainty."""
HALF = 0.5
"""Games that are taken as won, and as lost, beside those played: no bot is infinitely better."""


FLATTEST = 1e-6
"""The least slope of a score over strengths that steps and errors are computed with."""


@dataclass(frozen=True)
class Pairing:
    """What one bot scored against another, seen by the first."""

    first: int
    """Its number on the ladder."""
    second: int
    """The other's."""
    pairs: int
    points: float
    """Mean points a game."""
    variance: float
    """Of that mean."""
    share: float
    """Of games won, half of the games drawn with them."""
    games: float
    """So many independent games would spread as the pairs did."""


@dataclass(frozen=True)
class Scale:
    """Where the bots stand."""

    strengths: FloatArray
    """float64 [n], which add up: 0 for the anchor, NaN for a bot that no match links to it."""
    covariance: FloatArray
    """float64 [n + 1, n + 1] of the strengths and, last, the limit; the anchor has 0, unlinked ones NaN."""
    anchor: int
    limit: float | None = None
    """The greatest expected score; None where strengths are the scores themselves (Elo)."""
    misfit: float | None = None
    """How often scores that do fit one scale would fit it as badly as these; None where any scores fit."""

    def linked(self, bot: int) -> bool:
        """Whether the bot has a place on the scale."""
        return not math.isnan(self.strengths[bot])

    def difference(self, bot: int, other: int) -> tuple[float, float]:
        """What a bot is expected to score against another, and the standard error of that."""
        apart = float(self.strengths[bot] - self.strengths[other])
        slopes = np.zeros(len(self.covariance))
        if self.limit is None:
            score, slope = apart, 1.0
        else:
            ratio = math.tanh(apart / self.limit)
            score, slope = self.limit * ratio, 1.0 - ratio * ratio
            slopes[-1] = ratio - apart / self.limit * slope
        slopes[bot] += slope
        slopes[other] -= slope
        used = np.flatnonzero(slopes)
        variance = float(slopes[used] @ self.covariance[np.ix_(used, used)] @ slopes[used])
        return score, math.sqrt(max(variance, 0.0))

    def score(self, bot: int) -> float:
        """What it is expected to score against the anchor; NaN for an unlinked bot."""
        return self.difference(bot, self.anchor)[0] if self.linked(bot) else math.nan

    def interval(self, bot: int, confidence: float = 0.95) -> tuple[float, float]:
        """Of its score against the anchor."""
        score, error = self.difference(bot, self.anchor)
        half = normal_quantile(confidence) * error
        return score - half, score + half


def pairing(
    first: int, second: int, counts: npt.ArrayLike, worth: Sequence[float], names: Sequence[str]
) -> Pairing:
    """What pairs came to.

    Args:
        first: number of the bot that sees the outcomes.
        second: its opponent's.
        counts: whole numbers [k, k]: pairs in which its game as starter ended with the outcome of the row,
            and that as second player with that of the column.
        worth: points of the k outcomes.
        names: their names.

    Raises:
        InputError: no pair.
    """
    table = np.asarray(counts, np.float64)
    pairs = int(table.sum())
    if pairs == 0:
        raise InputError("no pair was played to the end: there is nothing to rate")
    points = np.asarray(worth, np.float64)
    won = np.array([1.0 if name.startswith("win") else 0.5 if name == "draw" else 0.0 for name in names])
    mean, squares = _spread(table, points)
    share, left = _spread(table, won)
    single = share * (1.0 - share)
    games = float(pairs)
    if single > 0.0 and pairs > 1:
        # As many as spread alike, at most the two of a pair.
        games *= min(2.0, single * (pairs - 1) / left) if left > 0.0 else 2.0
    return Pairing(first, second, pairs, mean, (squares + DOUBT) / pairs**2, share, games)


def _spread(table: FloatArray, value: FloatArray) -> tuple[float, float]:
    """Mean over pairs of the mean of their two games, and the sum of squares around it."""
    of_pair = (value[:, None] + value[None, :]) / 2.0
    mean = float((table * of_pair).sum() / table.sum())
    return mean, float((table * (of_pair - mean) ** 2).sum())


def rate_points(bots: int, pairings: Sequence[Pairing], anchor: int, most: float) -> Scale:
    """Strengths in points a game, by least squares weighted with the variances of the means.

    A may beat B, B beat C and C beat A. Where the scores fit one scale worse than chance explains, the
    covariance is widened by as much (chi-square over its degrees of freedom): the intervals own up to it.

    Args:
        bots: how many there are; pairings name them by 0 .. bots - 1.
        pairings: any number, also several of the same two.
        anchor: the bot that stands at 0.
        most: the greatest number of points of a game. The limit is sought near it, as if it had been measured
            there with an error of a quarter.

    Raises:
        InputError: an unknown bot.
    """
    linked = _linked(bots, pairings, anchor)
    used = [one for one in pairings if linked[one.first]]
    free = np.append(linked, True)
    free[anchor] = False
    fit = _Fit(bots, used, most)
    place = fit.best(free)
    slopes, rest = fit.slopes(place)
    covariance = _inverse(slopes.T @ slopes, np.append(linked, True), free)
    freedom = len(used) - (int(linked.sum()) - 1)
    strengths, limit = np.where(linked, place[:-1], np.nan), float(place[-1])
    if freedom < 1:
        return Scale(strengths, covariance, anchor, limit)
    left = float(rest @ rest)
    return Scale(
        strengths,
        covariance * max(1.0, left / freedom),
        anchor,
        limit,
        chi_square_probability(left, freedom),
    )


class _Fit:
    """Residuals of the points of pairings, each over its standard error, and that of the limit."""

    def __init__(self, bots: int, pairings: Sequence[Pairing], most: float) -> None:
        self._most = most
        self._first = np.array([one.first for one in pairings], np.intp)
        self._second = np.array([one.second for one in pairings], np.intp)
        # A score at the very end would need an infinite strength: it stays half a pair's share within it.
        room = np.array([1.0 - 0.5 / (one.pairs + 1) for one in pairings])
        points = np.array([one.points for one in pairings])
        self._points = np.clip(points, -most * room, most * room)
        self._least = float((np.abs(self._points) / room).max(initial=0.1 * most))
        self._errors = np.array([math.sqrt(one.variance) for one in pairings])
        self._size = bots + 1

    def best(self, free: npt.NDArray[np.bool_]) -> FloatArray:
        """Strengths and, last, the limit with the least squares; what is not free stays at 0.

        Levenberg and Marquardt's steps: shorter ones where the error grew, longer ones where it fell. The
        limit keeps above every score that was measured, and within what a game can pay.
        """
        place, damping = np.append(np.zeros(self._size - 1), self._most), 1e-3
        for _ in range(500):
            slopes, rest = self.slopes(place)
            system, pull = slopes.T @ slopes, slopes.T @ rest
            loose = free.copy()
            loose[-1] &= place[-1] > self._least if pull[-1] < 0.0 else place[-1] < self._most
            step = np.zeros(self._size)
            inner = system[np.ix_(loose, loose)]
            step[loose] = np.linalg.solve(inner + damping * np.diag(inner.diagonal()), pull[loose])
            step *= min(1.0, self._most / max(float(np.abs(step).max()), 1e-300))
            ahead = place + step
            ahead[-1] = min(max(ahead[-1], self._least), self._most)
            left = self.slopes(ahead)[1]
            better = float(left @ left) <= float(rest @ rest)
            place, damping = (ahead, damping / 5.0) if better else (place, damping * 5.0)
            if float(np.abs(step).max()) < 1e-10 * self._most or damping > 1e12:
                break
        return place

    def slopes(self, place: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slopes [pairings + 1, bots + 1] of what is expected, and residuals, both over standard errors."""
        limit, rows = float(place[-1]), np.arange(len(self._first))
        apart = place[self._first] - place[self._second]
        ratio = np.tanh(apart / limit)
        # However far apart two bots are, a little more would show a little more.
        slope = np.maximum(1.0 - ratio * ratio, FLATTEST)
        slopes = np.zeros((len(rows) + 1, self._size))
        slopes[rows, self._first] = slope / self._errors
        slopes[rows, self._second] = -slope / self._errors
        slopes[rows, -1] = (ratio - apart / limit * slope) / self._errors
        slopes[-1, -1] = 4.0 / self._most
        rest = np.append((self._points - limit * ratio) / self._errors, (self._most - limit) * slopes[-1, -1])
        return slopes, rest


def rate_wins(bots: int, pairings: Sequence[Pairing], anchor: int) -> Scale:
    """Elo-like numbers above the anchor, by the likeliest Bradley-Terry strengths.

    Each pairing counts as its number of independent games, with half a game won and half a game lost beside
    them. Arguments and errors as `rate_points`.
    """
    linked = _linked(bots, pairings, anchor)
    used = [one for one in pairings if linked[one.first]]
    free = linked.copy()
    free[anchor] = False
    strengths = np.zeros(bots)
    system = np.zeros((bots, bots))
    for _ in range(200):
        gradient, system = np.zeros(bots), np.zeros((bots, bots))
        for one in used:
            games = one.games + 2.0 * HALF
            expected = 1.0 / (1.0 + math.exp(-float(strengths[one.first] - strengths[one.second])))
            surplus = one.share * one.games + HALF - games * expected
            gradient[one.first] += surplus
            gradient[one.second] -= surplus
            _add_edge(system, one, games * expected * (1.0 - expected))
        step = np.zeros(bots)
        step[free] = np.linalg.solve(system[np.ix_(free, free)], gradient[free])
        # Far from the top the curvature misleads; one unit of log odds at a time is never too far.
        longest = float(np.abs(step).max())
        strengths += step / max(1.0, longest)
        if longest < 1e-12:
            break
    covariance = np.zeros((bots + 1, bots + 1))
    covariance[:-1, :-1] = _inverse(system, linked, free) * ELO**2
    return Scale(np.where(linked, strengths * ELO, np.nan), covariance, anchor)


def _linked(bots: int, pairings: Sequence[Pairing], anchor: int) -> npt.NDArray[np.bool_]:
    """Which bots a chain of pairings links to the anchor."""
    for number in (anchor, *(side for one in pairings for side in (one.first, one.second))):
        if not 0 <= number < bots:
            raise InputError(f"there is no bot {number} on a ladder of {bots} bots: count from 0")
    linked = np.zeros(bots, np.bool_)
    linked[anchor] = True
    grown = True
    while grown:
        grown = False
        for one in pairings:
            if linked[one.first] != linked[one.second]:
                linked[one.first] = linked[one.second] = grown = True
    return linked


def _add_edge(system: FloatArray, one: Pairing, weight: float) -> None:
    i, j = one.first, one.second
    system[i, i] += weight
    system[j, j] += weight
    system[i, j] -= weight
    system[j, i] -= weight


def _inverse(
    system: FloatArray, linked: npt.NDArray[np.bool_], free: npt.NDArray[np.bool_]
) -> FloatArray:
    """The inverse over what is free; 0 for the anchor, NaN for unlinked bots."""
    found = np.full(system.shape, np.nan)
    found[np.ix_(linked, linked)] = 0.0
    inner = np.ix_(free, free)
    found[inner] = np.linalg.inv(system[inner])
    return found
