"""Whether all parts of a match tell the same story.

A program that was slower, or was started anew with other settings, in one part of a match shifts its score
without a trace in the mean. So a match is cut into chunks of consecutive pairs, and their means are held
against each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_CHUNKS, FEWEST_PAIRS = 16, 10
"""At most so many chunks, of at least so many pairs each."""
SUSPICIOUS = 0.001
"""A probability below which the table says that the chunks differ."""


@dataclass(frozen=True)
class ChunkTest:
    """The chi-square test of equal means over chunks of a match."""

    chunks: int
    statistic: float
    """Chi-square with `chunks` - 1 degrees of freedom."""
    probability: float
    """How often equal chunks would differ by as much or more."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"chunks": self.chunks, "chi_square": self.statistic, "probability": self.probability}


def chunk_test(values: npt.NDArray[np.float64]) -> ChunkTest | None:
    """The test over one value a pair, in the order of the pairs; None for too few pairs or equal values."""
    chunks = min(MOST_CHUNKS, len(values) // FEWEST_PAIRS)
    if chunks < 2:
        return None
    parts = np.array_split(values, chunks)
    within = sum(float(((part - part.mean()) ** 2).sum()) for part in parts) / (len(values) - chunks)
    if within <= 0.0:
        return None
    mean = float(values.mean())
    statistic = sum(len(part) * (float(part.mean()) - mean) ** 2 for part in parts) / within
    return ChunkTest(chunks, statistic, chi_square_probability(statistic, chunks - 1))


def chi_square_probability(statistic: float, freedom: int) -> float:
    """How often a chi-square of so many degrees of freedom is at least `statistic`."""
    if statistic <= 0.0:
        return 1.0
    a, x = freedom / 2.0, statistic / 2.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1.0:
        return max(0.0, 1.0 - front * _lower_series(a, x))
    return front * _upper_fraction(a, x)


def _lower_series(a: float, x: float) -> float:
    """The series of the lower incomplete gamma function, without its front factor."""
    term = total = 1.0 / a
    while abs(term) > 1e-16 * abs(total):
        a += 1.0
        term *= x / a
        total += term
    return total


def _upper_fraction(a: float, x: float) -> float:
    """The continued fraction of the upper incomplete gamma function, by Lentz's method."""
    tiny = 1e-300
    b = x + 1.0 - a
    c, d = 1.0 / tiny, 1.0 / b
    value = d
    for i in range(1, 1000):
        part = -i * (i - a)
        b += 2.0
        d = part * d + b
        d = 1.0 / (d if abs(d) > tiny else tiny)
        c = b + part / c
        c = c if abs(c) > tiny else tiny
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value
