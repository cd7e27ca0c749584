"""How a game of a match ended and what it paid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nardy_ai.rules.position import Position
from nardy_ai.rules.profile import DEFEATS

DRAW = "draw"


@dataclass(frozen=True)
class GameResult:
    """The end of one game."""

    winner: int | None
    """The player who won; None for a draw."""
    kind: str
    """`single`, `gammon`, `oin`, `mars`, …, or `draw`. A dropped double is the plainest kind."""
    how: Literal["play", "drop", "resignation"]
    points: int
    """What the winner scores; 0 for a draw, which scores `draw_points` for both."""


def kinds_of(position: Position) -> tuple[str, ...]:
    """Kinds of win that the profile scores, the plainest first."""
    return tuple(kind for kind, _ in position.game.profile.scores)


def played_out(position: Position, on_roll: int) -> tuple[int | None, str] | None:
    """Winner and kind on a finished board whose next player would be `on_roll`; None while play goes on."""
    outcome = position.result
    if outcome is None:
        return None
    if outcome == DRAW:
        return None, DRAW
    side, _, kind = outcome.partition("_")
    winner = on_roll if side == "win" else 1 - on_roll
    return winner, kind or DEFEATS[position.game.profile.family][0]
