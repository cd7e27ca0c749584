"""A net as judge of luck: what a score would have been with average dice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import NetBot
from nardy_ai.bots.bot import Boards, Bytes
from nardy_ai.core import InputError
from nardy_ai.evaluation.statistics import Estimate, mean_interval
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.rules import Game


class NetJudge:
    """A model that says what rolls are worth: the best play of each, judged by the net or by search.

    Args:
        bot: the model, with its look-ahead.
        game: the rules of the match.
        threads: for one batch of boards.

    Raises:
        InputError: the model is of another game, or looks three plies ahead.
    """

    def __init__(self, bot: NetBot, game: Game, threads: int = 1) -> None:
        if bot.plies >= core.MAX_PLIES:
            raise InputError(
                f"{bot.name} looks too far ahead to judge luck: take 0 to {core.MAX_PLIES - 1} plies"
            )
        native = Evaluator(bot.model, game, name=bot.name, quantised=bot.quantised).native
        self._search = core.Search(native, threads=threads)
        self._plies = bot.plies + 1

    def roll_values(self, boards: Boards, seats: Bytes, turns: Bytes) -> npt.NDArray[np.float64]:
        """float64 [n, 21], see `drivers.RollJudge`."""
        return self._search.roll_values(boards, seats, turns, plies=self._plies)


@dataclass(frozen=True)
class LuckAdjusted:
    """The score of a match with the luck of the dice taken out."""

    judge: str
    """Name of the model that judged luck."""
    fingerprint: str
    """Its hash."""
    points: Estimate
    """Points a game, one value a pair."""
    variance_ratio: float | None
    """How many times the variance of the plain scores of pairs is that of these; None where either is 0."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        interval = self.points.interval
        return {
            "judge": {"name": self.judge, "hash": self.fingerprint},
            "ppg": self.points.mean,
            "interval": None if interval is None else list(interval),
            "variance_ratio": self.variance_ratio,
        }


def luck_adjusted(
    judge: str, fingerprint: str, points: npt.NDArray[np.float64], luck: npt.NDArray[np.float64]
) -> LuckAdjusted:
    """The score without luck.

    Args:
        judge: name of the model that judged.
        fingerprint: its hash.
        points: float64 [pairs, 2], what the first bot scored in each game.
        luck: float64 [pairs, 2], its luck in points.
    """
    plain, adjusted = points.mean(axis=1), (points - luck).mean(axis=1)
    spread, left = float(plain.var()), float(adjusted.var())
    ratio = spread / left if spread > 0.0 and left > 0.0 else None
    return LuckAdjusted(judge, fingerprint, mean_interval(adjusted), ratio)
