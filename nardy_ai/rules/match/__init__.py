"""Matches and money play as rules: terms, states, steps, history."""

from nardy_ai.rules.match.errors import RULES, IllegalStep
from nardy_ai.rules.match.history import History
from nardy_ai.rules.match.mid_game import set_up
from nardy_ai.rules.match.result import GameResult
from nardy_ai.rules.match.state import Cube, MatchState, Phase
from nardy_ai.rules.match.steps import (
    Beaver,
    Double,
    Drop,
    Move,
    NextGame,
    Resign,
    RollOff,
    Starts,
    Step,
    Take,
    Throw,
)
from nardy_ai.rules.match.terms import Terms

__all__ = [
    "RULES",
    "Beaver",
    "Cube",
    "Double",
    "Drop",
    "GameResult",
    "History",
    "IllegalStep",
    "MatchState",
    "Move",
    "NextGame",
    "Phase",
    "Resign",
    "RollOff",
    "Starts",
    "Step",
    "Take",
    "Terms",
    "Throw",
    "set_up",
]
