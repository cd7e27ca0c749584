"""Words for losses and luck, and the units of error rates.

A loss is in points: the equity of the best play less that of the play that was made, both cubeless and for
money, a plain win counting 1.
"""

from __future__ import annotations

from nardy_ai.rules import Game

__all__ = ["GRADES", "MILLIPOINTS", "grade", "luck_word", "performance", "rating"]

MILLIPOINTS = 1000
"""Of a point."""
PERFORMANCE = 500
"""By this many a mean loss of one point a decision is multiplied to give PR, as eXtreme Gammon does."""

GRADES = (("doubtful", 0.03), ("bad", 0.06), ("very bad", 0.12))
"""Words for losses from so many points on; the usual thresholds of GNU Backgammon."""
LUCK = (("lucky", 0.3), ("very lucky", 0.6))
"""Words for luck from so many points on, likewise; below 0 they are `unlucky` and `very unlucky`."""

_RATINGS = (
    (2.0, "supernatural"),
    (5.0, "world class"),
    (8.0, "expert"),
    (12.0, "advanced"),
    (18.0, "intermediate"),
    (26.0, "casual player"),
    (35.0, "beginner"),
)
"""Below so many millipoints a decision; GNU Backgammon's scale, whose decisions include those of the cube."""


def grade(loss: float | None) -> str:
    """The word for a loss in points; empty where it is none to speak of, or none is known."""
    return next((word for word, least in reversed(GRADES) if loss is not None and loss >= least), "")


def luck_word(luck: float) -> str:
    """The word for the luck of a roll, in points of its player; empty for a usual one."""
    word = next((word for word, least in reversed(LUCK) if abs(luck) >= least), "")
    return word.replace("lucky", "unlucky") if luck < 0 else word


def performance(mean_loss: float) -> float:
    """PR: 500 times the mean loss a decision, in points."""
    return PERFORMANCE * mean_loss


def rating(game: Game, mean_loss: float) -> str:
    """The word for a mean loss in points a decision; empty for games in which none is usual."""
    if game.name != "short/standard":
        return ""
    rate = MILLIPOINTS * mean_loss
    return next((word for below, word in _RATINGS if rate < below), "awful")
