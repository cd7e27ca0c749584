"""Runs that take a second, for the tests of the loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nardy_ai.training.config import TrainingConfig, config_from

SAMPLED = {"name": "sampled", "rounds": 4, "games": 12, "lr_from": 1e-3, "lr_to": 3e-4, "hidden": [8]}
EXACT = {
    "name": "exact",
    "targets": "exact",
    "rounds": 4,
    "games": 3,
    "lr_from": 3e-4,
    "lr_to": 3e-5,
    "hidden": [12, 12],
    "memory": 3,
    "replay": 2,
    "passes": 2,
    "stride": 3,
}


def tiny(*phases: dict[str, Any], **changes: Any) -> TrainingConfig:
    """A config of the given phases (by default one of each kind, with growth between them, and a scout)."""
    content = {"game": "short", "seed": 4, "tensorboard": False, "phases": list(phases)}
    if not phases:
        content |= {"phases": [SAMPLED, {**EXACT, "candidates": 3, "average": 4, "stray": 0.2}], "scout": [6]}
    return config_from({**content, **changes})


def fifty() -> TrainingConfig:
    """Fifty rounds with growth, a scout, replay, straying and a mean of the weights."""
    sampled = {**SAMPLED, "rounds": 20, "games": 40}
    exact = {**EXACT, "rounds": 30, "games": 6, "candidates": 3, "average": 4, "stray": 0.2}
    return tiny(sampled, exact, scout=[6], checkpoint=10)


def result_of(run: Path) -> dict[str, bytes]:
    """What must not depend on how a run came about: its model and its metrics."""
    return {name: (run / name).read_bytes() for name in ("model.safetensors", "metrics.jsonl")}
