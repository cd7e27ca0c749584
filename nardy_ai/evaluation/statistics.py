"""What a number of pairs of games says about two bots.

The unit of evidence is the *pair*: two games with the same dice, seats swapped. The games of a pair depend on
each other, pairs do not, so every interval here is built from one value a pair. Nothing needs scipy: the
quantiles of Student's t are computed from the incomplete beta function and tested against printed tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval.

    Attributes:
        mean: the sample mean.
        interval: (low, high) at `confidence`, or None where one value says nothing about the spread.
        count: how many independent values the mean is over.
        confidence: such as 0.95.
    """

    mean: float
    interval: tuple[float, float] | None
    count: int
    confidence: float = 0.95

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.mean:+.3f} (one value: no interval)"
        return f"{self.mean:+.3f} [{self.interval[0]:+.3f}, {self.interval[1]:+.3f}]"


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c = 1.0
    d = 1.0 / max(1.0 - (a + b) * x / (a + 1.0), tiny)
    value = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, 1.0 - x) / b


def t_two_sided_probability(t: float, freedom: int) -> float:
    """The probability that a Student's t of `freedom` degrees of freedom lies within ±t."""
    square = t * t
    if square > freedom:
        return 1.0 - _incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + square))
    return _incomplete_beta(0.5, freedom / 2.0, square / (freedom + square))


@lru_cache(maxsize=256)
def t_quantile(confidence: float, freedom: int) -> float:
    """The t within which a share `confidence` of Student's distribution lies (two-sided).

    Args:
        confidence: between 0 and 1, both excluded; 0.95 gives the usual interval.
        freedom: degrees of freedom, at least 1.

    Raises:
        InputError: either argument is out of range.
    """
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence is {confidence}: give a number between 0 and 1, such as 0.95")
    if freedom < 1:
        raise InputError(f"{freedom} degrees of freedom: an interval needs at least 2 values")
    low, high = 0.0, 1.0
    while t_two_sided_probability(high, freedom) < confidence:
        low, high = high, high * 2.0
    while high - low > 1e-13 * high:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if t_two_sided_probability(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def normal_quantile(confidence: float) -> float:
    """The z within which a share `confidence` of the normal distribution lies (two-sided)."""
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence is {confidence}: give a number between 0 and 1, such as 0.95")
    low, high = 0.0, 40.0
    while high - low > 1e-14:
        middle = 0.5 * (low + high)
        if math.erf(middle / math.sqrt(2.0)) < confidence:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def mean_interval(values: npt.ArrayLike, confidence: float = 0.95) -> Estimate:
    """The mean of independent values with Student's t interval.

    Args:
        values: one number an independent trial, for a match one a pair.
        confidence: how often such an interval holds the true mean.

    Returns:
        An `Estimate`; its interval is None for a single value. Swapping the sign of every value swaps the
        sign of the mean and the ends of the interval to the last digit.

    Raises:
        InputError: no value, or one that is not finite.
    """
    array = np.asarray(values, dtype=np.float64).ravel()
    if array.size == 0:
        raise InputError("no values to take the mean of: play at least one pair")
    if not np.isfinite(array).all():
        raise InputError("a value is not a finite number: look for the game that made it")
    mean = math.fsum(array.tolist()) / array.size
    if array.size == 1:
        return Estimate(mean, None, 1, confidence)
    deviation = math.sqrt(math.fsum(((array - mean) ** 2).tolist()) / (array.size - 1))
    half = t_quantile(confidence, array.size - 1) * deviation / math.sqrt(array.size)
    return Estimate(mean, (mean - half, mean + half), int(array.size), confidence)


def share_interval(pair_shares: npt.ArrayLike, confidence: float = 0.95) -> Estimate:
    """A share of games (such as the games won) with Wilson's interval, games counted in pairs.

    The games of a pair depend on each other, so the number of games is replaced by the number of independent
    games that would spread as much as the pairs did, at most two a pair. Where all games went one way nothing
    is known about that dependence and each pair counts as one game. Unlike the t interval it stays within
    0..1 and does not shrink to nothing when a bot wins every game.

    Args:
        pair_shares: for each pair the share of its two games that count: 0, 0.5 or 1.

    Raises:
        InputError: no pair, or a share outside 0..1.
    """
    array = np.asarray(pair_shares, dtype=np.float64).ravel()
    if array.size == 0:
        raise InputError("no pairs to count: play at least one pair")
    if not ((array >= 0.0) & (array <= 1.0)).all():
        raise InputError("the share of a pair's games lies outside 0..1: give 0, 0.5 or 1 for each pair")
    share = math.fsum(array.tolist()) / array.size
    if array.size == 1:
        return Estimate(share, None, 1, confidence)
    spread = float(((array - share) ** 2).sum()) / (array.size - 1)
    single = share * (1.0 - share)
    games = float(array.size)
    if single > 0.0:
        games *= min(2.0, single / spread) if spread > 0.0 else 2.0
    z2 = normal_quantile(confidence) ** 2
    centre = (share + z2 / (2.0 * games)) / (1.0 + z2 / games)
    half = math.sqrt(z2 * (single / games + z2 / (4.0 * games * games))) / (1.0 + z2 / games)
    # At the ends rounding must not claim what the sample does not show.
    low = 0.0 if share == 0.0 else max(0.0, centre - half)
    high = 1.0 if share == 1.0 else min(1.0, centre + half)
    return Estimate(share, (low, high), int(array.size), confidence)


def bootstrap_interval(
    values: npt.ArrayLike, confidence: float = 0.95, *, samples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean: a second opinion on `mean_interval`.

    Args:
        values: one number a pair.
        samples: how many times the values are drawn anew, with replacement.
        seed: of the draws.

    Raises:
        InputError: fewer than two values, or fewer than 100 samples.
    """
    array = np.asarray(values, dtype=np.float64).ravel()
    if array.size < 2:
        raise InputError("a bootstrap interval needs at least 2 pairs: play more")
    if samples < 100:
        raise InputError(f"{samples} bootstrap samples are too few: take at least 100")
    generator = np.random.Generator(np.random.Philox(seed))
    means: FloatArray = np.empty(samples, dtype=np.float64)
    for i in range(samples):
        means[i] = array[generator.integers(0, array.size, array.size)].mean()
    tail = (1.0 - confidence) / 2.0
    return float(np.quantile(means, tail)), float(np.quantile(means, 1.0 - tail))


def superiority(values: npt.ArrayLike) -> float | None:
    """How sure it is that the true mean of independent values is above 0: a probability.

    It is what Student's distribution says without any opinion held before; swapping the sign of every value
    gives 1 less it. Where all values are equal nothing is known of their spread and the sign test answers,
    1 less 2 to the power of minus their number; 0.5 where all are 0. None for a single value.

    Raises:
        InputError: as `mean_interval`.
    """
    found = mean_interval(values)
    if found.interval is None:
        return None
    half = found.interval[1] - found.mean
    if half == 0.0:
        return 0.5 + float(np.sign(found.mean)) * (0.5 - 0.5**found.count)
    t = found.mean / half * t_quantile(found.confidence, found.count - 1)
    within = t_two_sided_probability(abs(t), found.count - 1)
    return 0.5 + math.copysign(0.5 * within, t)


def elo_of_share(share: float) -> float | None:
    """The Elo difference that makes a share of points expected; None where it is 0 or 1: no end in sight."""
    return 400.0 * math.log10(share / (1.0 - share)) if 0.0 < share < 1.0 else None
