"""Run folders without training: a config and models with random weights that claim some rounds."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tiny_runs import tiny
from untrained import untrained_model

from nardy_ai.models.model_file import read_model, write_model
from nardy_ai.training.run_folder import RunFolder


def run_folder(path: Path, *rounds: int, game: str = "short") -> Path:
    """A run folder with a milestone for each of the rounds; returns its path."""
    RunFolder.create(path, tiny(game=game))
    for number in rounds:
        add_milestone(path, number, game)
    return path


def add_milestone(run: Path, number: int, game: str = "short", seed: int | None = None) -> Path:
    """One more milestone, of weights of their own where no seed is given."""
    file = run / "milestones" / f"round-{number:06d}.safetensors"
    return claim(untrained_model(game, file, seed=number if seed is None else seed), number)


def claim(file: Path, rounds: int) -> Path:
    """Makes a model file say that it has learned so many rounds."""
    model = read_model(file)
    write_model(file, dataclasses.replace(model, provenance={**model.provenance, "rounds": rounds}))
    return file
