"""Thinning long curves so that they can be read: means over some rounds, and how far single ones spread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["envelope", "rolling_mean", "window_of"]

FloatArray = npt.NDArray[np.float64]


def window_of(rounds: int) -> int:
    """Rounds that a mean is taken over: a fiftieth of the run, an odd number."""
    return max(1, rounds // 50) | 1


def rolling_mean(values: Sequence[float], window: int) -> FloatArray:
    """float64 [n]: the mean of up to `window` values around each, fewer at the ends."""
    sums = np.concatenate([[0.0], np.cumsum(np.asarray(values, np.float64))])
    places, half = np.arange(len(values)), window // 2
    first, after = np.maximum(places - half, 0), np.minimum(places + half + 1, len(values))
    means: FloatArray = (sums[after] - sums[first]) / (after - first)
    return means


def envelope(
    places: Sequence[float], values: Sequence[float], most: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """At most `most` stretches of a curve: their middles, least and greatest values.

    Nothing that sticks out is lost, however many values a stretch holds.
    """
    x, y = np.asarray(places, np.float64), np.asarray(values, np.float64)
    count = min(most, len(y))
    if count == 0:
        return x, y, y
    starts = np.arange(count) * len(y) // count
    sizes = np.diff([*starts, len(y)])
    middles: FloatArray = np.add.reduceat(x, starts) / sizes
    return middles, np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
