"""Models that the tests of the commands share."""

from __future__ import annotations

from pathlib import Path

import pytest
from untrained import untrained_model


@pytest.fixture(scope="session")
def long_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of long nardy with random weights."""
    return untrained_model("long/fns", tmp_path_factory.mktemp("models") / "long.safetensors")


@pytest.fixture(scope="session")
def short_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of short nardy with random weights."""
    return untrained_model("short/standard", tmp_path_factory.mktemp("models") / "short.safetensors")
