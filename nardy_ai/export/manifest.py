"""What exports say of themselves: the model's facts, and a checksum of every file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

import msgspec

from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game

__all__ = ["POINT_OF_VIEW", "json_bytes", "listed", "model_facts", "sha256"]

POINT_OF_VIEW: Final = "the player on roll, before the throw; of a play: its maker"


def model_facts(model: ModelFile, game: Game, digest: str) -> dict[str, Any]:
    """The model under the rules of `game`; `digest` is the SHA-256 of the model file."""
    return {
        "game": model.game,
        "profile": game.name,
        "encoding": model.encoding,
        "net": model.shape,
        "nets": list(model.nets),
        "outcomes": list(game.outcomes),
        "points": [float(points) for points in game.points],
        "point_of_view": POINT_OF_VIEW,
        "model_sha256": digest,
        "trained_under": model.profile,
        "provenance": dict(model.provenance),
        "strength": [asdict(line) for line in model.strength],
        "levels": model.level_table.as_list(),
        "levels_measured": msgspec.to_builtins(model.level_table.measured),
    }


def listed(files: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """Length and SHA-256 of every file, by name."""
    return {name: {"bytes": len(data), "sha256": sha256(data)} for name, data in sorted(files.items())}


def json_bytes(value: object, indent: int | None = 1) -> bytes:
    """A value as JSON, the same bytes each time."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def sha256(data: bytes) -> str:
    """The checksum that manifests hold."""
    return hashlib.sha256(data).hexdigest()
