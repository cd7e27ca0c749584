"""Points a game of one bot against another, with one bar for the many matches of a calibration."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from nardy_ai import core
from nardy_ai.bots import Bot, NetBot
from nardy_ai.core import InputError
from nardy_ai.evaluation.match import MOST_PAIRS, MOST_SEED, more_pairs
from nardy_ai.evaluation.statistics import Estimate, mean_interval
from nardy_ai.rules import Game

__all__ = ["Scorer", "pairs_to_play"]

SLICE: Final = 64
"""Pairs between two looks at the bar, for each thread."""
SEARCHING: Final = 15
"""Pairs of two nets take so many times longer where one of them looks a turn ahead, for the bar."""
FITTING: Final = 10 + 8
"""About so many matches without look-ahead find the noise of all levels."""


def pairs_to_play(pairs: int, *, fitting: bool) -> int:
    """About what a calibration costs, in pairs without look-ahead."""
    full, quick = core.LEVELS, 2 * core.LEVELS - 3
    searching = full + fitting
    return pairs * (SEARCHING * searching + quick + FITTING * fitting)


class Scorer:
    """Plays pairs under one game's rules and shows how far it is.

    Args:
        game: the rules.
        pairs: of every match.
        threads: of every match; what comes out does not depend on it.
        total: about how many pairs there will be, see `pairs_to_play`.
        progress: whether to show the bar on stderr; by default on a terminal.

    Raises:
        InputError: pairs or threads out of range.
    """

    def __init__(
        self, game: Game, pairs: int, threads: int, *, total: int, progress: bool | None = None
    ) -> None:
        if not 2 <= pairs <= MOST_PAIRS:
            raise InputError(f"pairs is {pairs}: give a number from 2 to {MOST_PAIRS}")
        if not 1 <= threads <= 1024:
            raise InputError(f"threads is {threads}: give a number from 1 to 1024")
        self.game = game
        self.pairs = pairs
        self.threads = threads
        shown = sys.stderr.isatty() if progress is None else progress
        self._bar: tqdm[Any] = tqdm(total=total, unit="pair", disable=not shown, mininterval=0.25)

    def __enter__(self) -> Scorer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()

    def score(self, a: Bot, b: Bot, seed: int, what: str) -> Estimate:
        """Points a game of `a` against `b`; `what` stands before the bar meanwhile.

        Raises InputError where a bot can't play the game or no pair came to an end, PairsInterrupted after
        Ctrl-C.
        """
        self._bar.set_description(what)
        weight = SEARCHING if any(isinstance(bot, NetBot) and bot.plies for bot in (a, b)) else 1
        means: list[npt.NDArray[np.float64]] = []
        for first in range(0, self.pairs, SLICE * self.threads):
            count = min(SLICE * self.threads, self.pairs - first)
            means.append(self._slice(a, b, seed, first, count))
            self._bar.update(weight * count)
        return mean_interval(np.concatenate(means))

    def _slice(self, a: Bot, b: Bot, seed: int, first: int, count: int) -> npt.NDArray[np.float64]:
        """The mean of each pair whose games both ended."""
        outcomes = more_pairs(a, b, self.game, seed & MOST_SEED, first, count, self.threads)
        ended = outcomes[(outcomes >= 0).all(axis=1)]
        points = np.asarray(self.game.core_rules.points, np.float64)
        means: npt.NDArray[np.float64] = points[ended].mean(axis=1)
        return means
