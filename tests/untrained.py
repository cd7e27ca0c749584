"""Model files with random weights, small enough to be made in a moment."""

from __future__ import annotations

from pathlib import Path

from nardy_ai import core
from nardy_ai.models.layers import fresh_layers
from nardy_ai.models.model_file import ModelFile, write_model
from nardy_ai.rules import Game


def untrained_model(
    profile: str,
    path: Path,
    *,
    classes: tuple[str, ...] = ("contact", "race"),
    seed: int = 5,
    encoding: str = "",
) -> Path:
    """Writes a model of that profile, a net of 24 and 12 hidden units for each class; returns its path."""
    game = Game(profile)
    rules = game.core_rules
    encoding = encoding or core.encoding_name(rules)
    inputs = core.encoding_table(encoding).inputs
    nets = {
        name: fresh_layers(inputs, (24, 12), len(rules.outcomes), seed, stream)
        for stream, name in enumerate(classes)
    }
    model = ModelFile(
        game=rules.family,
        profile=game.name,
        rules=rules.options,
        encoding=encoding,
        outcomes=rules.outcomes,
        nets=nets,
    )
    write_model(path, model)
    return path
