"""Tesauro's public linear player, the classic ruler of backgammon programs."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots.bot import NativeBot, fingerprint_of
from nardy_ai.bots.levels import noise_by_steps
from nardy_ai.bots.simple import read_data
from nardy_ai.core import InputError
from nardy_ai.rules import Game

CHECKERS = 15
_WEAKEST = 2.0
"""The noise of its level 1 in units of its score: it costs about a point a game against itself."""


@cache
def pubeval_weights() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The contact and the race weights, float32 [122] each."""
    data = read_data("pubeval.json")[0]
    return np.array(data["contact"], dtype=np.float32), np.array(data["race"], dtype=np.float32)


class PubevalBot(NativeBot):
    """Score = w · x on the board after a play; race weights where the board before it had no contact.

    Args:
        level: of play, 1 (weakest) .. 10 (all it can do), by noise on its judgement.

    Raises:
        InputError: there is no such level.
    """

    def __init__(self, *, level: int | None = None) -> None:
        self.level = level
        """Of play; None: it plays as well as it can."""
        self._noise = 0.0 if level is None else noise_by_steps(_WEAKEST, level)

    @property
    def name(self) -> str:
        """How reports name it."""
        return "pubeval" if self.level is None else f"pubeval#{self.level}"

    @property
    def fingerprint(self) -> str:
        """A hash of its weights and its noise."""
        own = read_data("pubeval.json")[1]
        return fingerprint_of(own, "noise", repr(self._noise)) if self._noise else own

    def at_level(self, level: int) -> PubevalBot:
        """The same judgement at a level, 1 .. 10 (all it can do). Raises InputError outside of these."""
        return PubevalBot(level=core.checked_level(level))

    @property
    def usual_game(self) -> Game | None:
        """Short nardy."""
        return Game("short")

    def player(self, game: Game) -> core.Player:
        """Its native form.

        Raises:
            InputError: the game is not short nardy with 15 checkers, for which its weights were made.
        """
        rules = game.core_rules
        if rules.family != "short" or rules.checkers != CHECKERS:
            raise InputError(
                f"pubeval plays short nardy with {CHECKERS} checkers, not {game.name}: "
                "take greedy or random there"
            )
        return core.pubeval_player(*pubeval_weights(), noise=self._noise)
