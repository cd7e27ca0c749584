"""What plays are worth in a game in the terminal: hints, and what the last play cost."""

from __future__ import annotations

from typing import Final

from nardy_ai.bots import Bot, NetBot
from nardy_ai.commands.terminal_words import TerminalWords
from nardy_ai.rules import Dice, Play, Position

__all__ = ["Judge"]

_HINTS: Final = 5


class Judge:
    """Judges by a bot that plays as well as it can, whatever the level of the one that is played against.

    Args:
        bot: who judges.
        words: of the language in which it is told.
    """

    def __init__(self, bot: Bot, words: TerminalWords) -> None:
        self._bot = bot
        self._words = words

    def hint(self, position: Position, dice: Dice) -> str:
        """The best plays of a roll with their worth; the bot's own play where it tells none."""
        if isinstance(self._bot, NetBot):
            ranked = self._bot.rank(position, dice, self._bot.plies)[:_HINTS]
            width = max(len(entry.notation) for entry in ranked)
            return "\n".join(f"  {entry.notation:<{width}}  {entry.equity:+.3f}" for entry in ranked)
        play = self._bot.choose(position, dice).notation
        return self._words("would_play", play=play, bot=self._bot.name)

    def cost(self, position: Position, dice: Dice, play: Play) -> str:
        """What a play of a roll cost against the best one."""
        if not isinstance(self._bot, NetBot):
            return self._words("cost_unknown", bot=self._bot.name)
        ranked = self._bot.rank(position, dice, self._bot.plies)
        best = ranked[0]
        own = next(entry for entry in ranked if entry.play == play)
        if len(ranked) == 1:
            return self._words("cost_forced", play=play.notation)
        if own is best:
            return self._words("cost_best", play=play.notation, worth=f"{own.equity:+.3f}")
        return self._words(
            "cost",
            play=play.notation,
            cost=f"{max(0.0, best.equity - own.equity):.3f}",
            best=best.notation,
            best_worth=f"{best.equity:+.3f}",
            worth=f"{own.equity:+.3f}",
        )
