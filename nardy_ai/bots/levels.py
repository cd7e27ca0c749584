"""Bots that play weaker on purpose."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from nardy_ai import core
from nardy_ai.bots.bot import Bot
from nardy_ai.core import InputError

__all__ = ["Levelled", "at_level", "noise_by_steps"]


@runtime_checkable
class Levelled(Protocol):
    """A bot that has levels."""

    def at_level(self, level: int) -> Bot:
        """The same bot at a level from 1 (weakest) to 10 (all it can do). Raises InputError outside them."""
        ...


def at_level(bot: Bot, level: int) -> Bot:
    """The bot at a level from 1 (weakest) to 10 (all it can do).

    Raises:
        InputError: there is no such level, or the bot has none.
    """
    if not isinstance(bot, Levelled):
        raise InputError(
            f"{bot.name} has no levels: they blur a judgement, and its own is not at hand; take a model "
            "file, greedy or pubeval"
        )
    return bot.at_level(level)


def noise_by_steps(weakest: float, level: int) -> float:
    """The noise of a level where it falls in even steps from `weakest` at level 1 to none at level 10."""
    return weakest * (core.LEVELS - core.checked_level(level)) / (core.LEVELS - 1)
