"""Which build of the package plays: what must be alike wherever games of one run are played."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path

import nardy_ai
from nardy_ai import core
from nardy_ai.core import _core
from nardy_ai.models.layers import fresh_layers
from nardy_ai.rules import Game

__all__ = ["Build", "this_build"]

# The trial: so many games of each game, cut early, by a net of so many hidden units.
_GAMES, _TURNS, _HIDDEN, _SEED = 2, 24, (24, 12), 20


@dataclass(frozen=True)
class Build:
    """What the bytes of a game depend on beside its seed and the weights."""

    version: str
    """Of the package."""
    engine: str
    """First 16 hex digits of the SHA-256 of the engine's library file."""
    kernel: str
    """The inner loops that this processor runs."""
    trial: str
    """The same of what a few games gave here: it holds whatever the other three don't tell."""

    def difference(self, other: Build) -> str | None:
        """What sets another build apart, in words with the cure; None where the games are the same."""
        if other.version != self.version:
            return f"nardy-ai {other.version} where this is {self.version}; install {self.version} there"
        if other.engine != self.engine:
            return (
                f"another build of nardy-ai {self.version} (engine {other.engine} where this is "
                f"{self.engine}); install one wheel everywhere"
            )
        if other.kernel != self.kernel:
            return (
                f"another processor type (it runs {other.kernel} where this one runs {self.kernel}); use "
                "processors of one type"
            )
        if other.trial != self.trial:
            return (
                f"other results in a trial of {2 * _GAMES} games ({other.trial} where here they were "
                f"{self.trial}); use the same system and processors everywhere"
            )
        return None


@functools.cache
def this_build() -> Build:
    """The build of this process, on this processor. Takes some milliseconds."""
    library = Path(str(_core.__file__)).read_bytes()
    return Build(
        version=nardy_ai.__version__,
        engine=hashlib.sha256(library).hexdigest()[:16],
        kernel=core.kernels()[0],
        trial=_trial(),
    )


def _trial() -> str:
    digest = hashlib.sha256()
    for name in ("long", "short"):
        rules = Game(name).core_rules
        encoding = core.encoding_name(rules)
        inputs = core.encoding_table(encoding).inputs
        layers = fresh_layers(inputs, _HIDDEN, len(rules.outcomes), _SEED)
        model = core.Model(rules, encoding, {"contact": layers})
        played = core.self_play(model, rules, _SEED, 0, _GAMES, targets="exact", stride=3, max_turns=_TURNS)
        for column in ("boards", "targets"):
            digest.update(played[column].tobytes())
    return digest.hexdigest()[:16]
