"""Tesauro's public linear player, the classic ruler of backgammon programs."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots.bot import NativeBot
from nardy_ai.bots.simple import read_data
from nardy_ai.core import InputError
from nardy_ai.rules import Game

CHECKERS = 15


@cache
def pubeval_weights() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The contact and the race weights, float32 [122] each."""
    data = read_data("pubeval.json")[0]
    return np.array(data["contact"], dtype=np.float32), np.array(data["race"], dtype=np.float32)


class PubevalBot(NativeBot):
    """Score = w · x on the board after a play; race weights where the board before it had no contact."""

    name = "pubeval"

    @property
    def fingerprint(self) -> str:
        """A hash of its weights."""
        return read_data("pubeval.json")[1]

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
        return core.pubeval_player(*pubeval_weights())
