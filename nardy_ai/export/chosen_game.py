"""The rules that an export is for: the model's own, or those of another profile of its game."""

from __future__ import annotations

from nardy_ai.models.evaluator import outcome_places
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game

__all__ = ["chosen_game"]


def chosen_game(model: ModelFile, profile: str | None, name: str = "the model") -> Game:
    """The game of that profile (None: the model's own); `InputError` where the model can't judge it."""
    game = Game(model.profile if profile is None else profile)
    outcome_places(model, game, name)
    return game
