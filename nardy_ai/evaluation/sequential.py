"""A sequential test: is A better than B by so much? Pairs are played until the answer is clear enough.

The generalised sequential probability ratio test of two expected scores. Nothing is assumed about how the
scores of pairs spread: each hypothesis gets the distribution on the scores that were seen which makes them
likeliest among those with the hypothesis' mean, and the logarithm of the ratio of both likelihoods is held
against Wald's bounds. It is looked at after every `LOOK` pairs in their order, so that the answer depends on
neither threads nor timing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError

FloatArray = npt.NDArray[np.float64]
Decision = Literal["accepted", "rejected", "undecided"]

LOOK = 32
"""Pairs after which the test is looked at again."""
UNSEEN = 1e-3
"""How often a score that could have come and did not is taken to have come: no hypothesis is impossible."""
_STEPS = 60


@dataclass(frozen=True)
class SequentialTest:
    """Whether the first bot's expected score is `high` points a game or more, rather than `low` or less.

    Args:
        low: points a game; where this is the truth, the test accepts with probability `alpha` at most.
        high: points a game; where this is the truth, it rejects with probability `beta` at most.
        alpha: above 0 and below 0.5.
        beta: above 0 and below 0.5.

    Raises:
        InputError: bounds that no test can have.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise InputError(f"a test between {self.low} and {self.high} is none: give two finite scores")
        if not self.low < self.high:
            raise InputError(
                f"a test between {self.low:g} and {self.high:g} points a game can't be told apart: the "
                "second score must be above the first, such as 0:0.03"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < rate < 0.5:
                raise InputError(f"{name} is {rate:g}: an error rate lies between 0 and 0.5, such as 0.05")

    @classmethod
    def parse(cls, text: str, alpha: float = 0.05, beta: float = 0.05) -> SequentialTest:
        """The test that `LOW:HIGH` stands for, such as `0:0.03`. Raises InputError for anything else."""
        try:
            low, high = (float(part) for part in text.split(":"))
        except ValueError:
            raise InputError(
                f"a test is two scores in points a game such as 0:0.03, not {text[:40]!r}"
            ) from None
        return cls(low, high, alpha, beta)

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which it rejects and accepts."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def check_scores(self, least: float, most: float) -> None:
        """Raises InputError where one of its scores is not between the least and the most possible."""
        for score in (self.low, self.high):
            if not least < score < most:
                raise InputError(
                    f"the test's score {score:g} can't be reached: scores lie between {least:g} and {most:g} "
                    "points a game"
                )

    def decision(self, ratio: float) -> Decision:
        """What a log-likelihood ratio decides."""
        lower, upper = self.bounds
        if ratio >= upper:
            return "accepted"
        return "rejected" if ratio <= lower else "undecided"


@dataclass(frozen=True)
class Verdict:
    """How a sequential test ended."""

    test: SequentialTest
    ratio: float
    """The log-likelihood ratio at the end: positive speaks for `test.high`."""
    decision: Decision
    """`undecided` where the match ended first."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "low": self.test.low,
            "high": self.test.high,
            "alpha": self.test.alpha,
            "beta": self.test.beta,
            "bounds": list(self.test.bounds),
            "log_likelihood_ratio": self.ratio,
            "decision": self.decision,
        }


def likelihood_ratio(
    scores: npt.ArrayLike, counts: npt.ArrayLike, low: float, high: float
) -> npt.NDArray[np.float64]:
    """Logarithm of how much likelier the expected score `high` makes what came than `low` does.

    Args:
        scores: float64 [m], every score that a pair can have, rising.
        counts: float64 [..., m], how many pairs had each; 0 counts as `UNSEEN`.
        low: an expected score between the least and the most of `scores`.
        high: another one.

    Returns:
        float64 [...].
    """
    values = np.asarray(scores, np.float64)
    seen = np.asarray(counts, np.float64)
    seen = np.where(seen > 0.0, seen, UNSEEN)
    ratio: npt.NDArray[np.float64] = (
        seen * (np.log1p(_tilted(values, seen, low)) - np.log1p(_tilted(values, seen, high)))
    ).sum(axis=-1)
    return ratio


def _tilted(values: FloatArray, seen: FloatArray, mean: float) -> FloatArray:
    """x (values - mean) with the x for which the weights seen / (1 + x (values - mean)) have that mean.

    Those weights are the likeliest ones of that mean (they add up to the number of pairs).
    """
    away = values - mean
    lower = np.full(seen.shape[:-1], -1.0 / away[-1])
    upper = np.full(seen.shape[:-1], -1.0 / away[0])
    x = np.zeros(seen.shape[:-1])
    # The sum falls from +infinity to -infinity between the ends: Newton's steps, halving where one leaves.
    for _ in range(_STEPS):
        share = away / (1.0 + x[..., None] * away)
        total = (seen * share).sum(axis=-1)
        lower, upper = np.where(total > 0.0, x, lower), np.where(total > 0.0, upper, x)
        step = x + total / (seen * share * share).sum(axis=-1)
        following = np.where((step > lower) & (step < upper), step, 0.5 * (lower + upper))
        if np.array_equal(following, x):
            break
        x = following
    return x[..., None] * away


def normal_ratio(count: int, total: float, squares: float, test: SequentialTest, most: float) -> float:
    """The same for scores of any size, taken to spread normally around their mean, by an unknown variance.

    Args:
        count: how many scores.
        total: their sum.
        squares: the sum of their squares.
        test: the two expected scores.
        most: the greatest score of a pair, which bounds the variance that nothing was seen of.
    """
    mean = total / count
    variance = max(squares / count - mean * mean, 0.0) + UNSEEN * most * most / count
    low, high = (variance + (mean - score) ** 2 for score in (test.low, test.high))
    return 0.5 * count * math.log(low / high)


class Watch:
    """Follows the pairs of a match in their order, and says when the test is decided.

    Args:
        test: what is asked.
        scores: every score that a pair can have, rising; None where they can have any (luck taken out).
        most: the greatest score.
    """

    def __init__(self, test: SequentialTest, scores: FloatArray | None, most: float) -> None:
        self.test = test
        self._scores, self._most = scores, most
        self._counts = np.zeros(0 if scores is None else len(scores))
        self._sums = [0, 0.0, 0.0]

    def add(self, values: FloatArray) -> None:
        """The scores of some more pairs, in their order."""
        if self._scores is not None:
            np.add.at(self._counts, np.searchsorted(self._scores, values - 1e-9), 1)
        count, total, squares = self._sums
        self._sums = [
            count + len(values),
            total + math.fsum(values.tolist()),
            squares + math.fsum((values * values).tolist()),
        ]

    def verdict(self) -> Verdict:
        """What the pairs so far say."""
        count, total, squares = self._sums
        if count == 0:
            return Verdict(self.test, 0.0, "undecided")
        if self._scores is None:
            ratio = normal_ratio(int(count), total, squares, self.test, self._most)
        else:
            ratio = float(likelihood_ratio(self._scores, self._counts, self.test.low, self.test.high))
        return Verdict(self.test, ratio, self.test.decision(ratio))


def pair_scores(worth: npt.ArrayLike) -> FloatArray:
    """Every score that a pair of games can have, rising, from the points of a game's outcomes."""
    points = np.asarray(worth, np.float64)
    return np.unique((points[:, None] + points[None, :]).ravel() / 2.0)
