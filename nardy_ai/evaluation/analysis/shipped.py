"""The models that come with the repository."""

from __future__ import annotations

from pathlib import Path

from nardy_ai.core import InputError
from nardy_ai.rules import Game

__all__ = ["shipped_model"]

FOLDER = "checkpoints"
FULL_SIZE = 15


def shipped_model(game: Game) -> Path:
    """The model file of a game in `checkpoints/`: of the working folder, or of the clone that runs.

    Raises:
        InputError: there is none, so that a model must be named.
    """
    name = f"{game.family}.safetensors"
    if game.checkers == FULL_SIZE:
        for folder in (Path(), Path(__file__).resolve().parents[3]):
            path = folder / FOLDER / name
            if path.is_file():
                return path
    raise InputError(f"no model of {game.name} is in {FOLDER}/: name one that judges by --model")
