"""The two simplest opponents: one that draws lots, and a hand-made linear judgement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from nardy_ai import core
from nardy_ai.bots.bot import NativeBot, fingerprint_of
from nardy_ai.bots.levels import noise_by_steps
from nardy_ai.core import InputError
from nardy_ai.rules import Game

DATA_FORMAT = 1
_WEAKEST = {"long": 500.0, "short": 1000.0}
"""The noise of greedy's level 1 in units of its score: it costs nearly a point a game against itself."""


def read_data(name: str) -> tuple[dict[str, Any], str]:
    """A weight file of the package, and its fingerprint.

    Raises:
        InputError: the file is of another format, as when an old copy lies in the package's place.
    """
    text = resources.files("nardy_ai.bots").joinpath("data", name).read_text(encoding="utf-8")
    data = json.loads(text)
    if data.get("format") != DATA_FORMAT:
        raise InputError(
            f"{name} has format {data.get('format')!r}, but {DATA_FORMAT} is read: reinstall nardy-ai"
        )
    return data, fingerprint_of(json.dumps(data, sort_keys=True))


class RandomBot(NativeBot):
    """Each legal result with the same probability; its lots hang on seed, pair, seat and turn alone."""

    name = "random"
    fingerprint = fingerprint_of("random", "1")

    def player(self, game: Game) -> core.Player:
        """The same in every game."""
        return core.random_player()


@cache
def greedy_weights(family: str) -> dict[str, int]:
    """Names and weights of the features that `greedy` adds up, in the engine's order.

    Args:
        family: "long" or "short".

    Raises:
        InputError: there is no such family.
    """
    families = read_data("greedy.json")[0]["families"]
    if family not in families:
        raise InputError(f"greedy has no weights for {family!r}: it plays {' and '.join(sorted(families))}")
    return {str(name): int(weight) for name, weight in families[family].items()}


class GreedyBot(NativeBot):
    """A linear judgement of the board that a play leaves: sum of weight × feature, the highest wins.

    `core.greedy_names` lists the features and the package's `data/greedy.json` holds the weights, whole
    numbers, so that it judges alike on every machine. It is a ruler: both are frozen.

    Args:
        weights: for each family the weight of each feature; the package's own where left out.
        name: how reports name it.
        level: of play, 1 (weakest) .. 10 (all it can do), by noise on its judgement.

    Raises:
        InputError: a weight for a feature that does not exist, or none for one that does; no such level.
    """

    def __init__(
        self,
        weights: Mapping[str, Mapping[str, float]] | None = None,
        name: str = "greedy",
        *,
        level: int | None = None,
    ) -> None:
        self._weights = {
            family: _in_order(family, (weights or {}).get(family) or greedy_weights(family))
            for family in ("long", "short")
        }
        self._name = name
        self.level = level
        """Of play; None: it plays as well as it can."""
        full = core.LEVELS if level is None else core.checked_level(level)
        self._noise = {family: noise_by_steps(weakest, full) for family, weakest in _WEAKEST.items()}
        noise = () if full == core.LEVELS else ("noise", json.dumps(self._noise, sort_keys=True))
        self._fingerprint = fingerprint_of("greedy", json.dumps(self._weights, sort_keys=True), *noise)

    @property
    def name(self) -> str:
        """How reports name it."""
        return self._name if self.level is None else f"{self._name}#{self.level}"

    @property
    def fingerprint(self) -> str:
        """A hash of its weights."""
        return self._fingerprint

    def at_level(self, level: int) -> GreedyBot:
        """The same judgement at a level, 1 .. 10 (all it can do). Raises InputError outside of these."""
        weights = {
            family: dict(zip(core.greedy_names(family), found, strict=True))
            for family, found in self._weights.items()
        }
        return GreedyBot(weights, self._name, level=core.checked_level(level))

    def player(self, game: Game) -> core.Player:
        """Its native form: the weights of the game's family."""
        family = game.core_rules.family
        return core.greedy_player(self._weights[family], self._noise[family])


def _in_order(family: str, weights: Mapping[str, float]) -> list[float]:
    names = core.greedy_names(family)
    strangers = [name for name in weights if name not in names]
    if strangers:
        raise InputError(
            f"greedy has no feature {strangers[0]!r} in {family} nardy: it has {', '.join(names)}"
        )
    missing = [name for name in names if name not in weights]
    if missing:
        raise InputError(
            f"greedy has no weight for its {family} feature {missing[0]!r}: give one, 0 to ignore it"
        )
    return [float(weights[name]) for name in names]
