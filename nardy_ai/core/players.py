"""Whatever the engine can let choose plays: nets, a random mover, linear judgements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import Float32, Int8, UInt8, columns, rolls
from nardy_ai.core.nets import Model
from nardy_ai.core.rule_options import Rules


class Player:
    """Something that the engine can let choose plays; made by the functions below."""

    def __init__(
        self, kind: int, model: Model | None, weights: Sequence[float] | Float32, search: tuple[Any, ...] = ()
    ) -> None:
        self.model = model
        handle = None if model is None else model._handle
        self._handle = _core.player(kind, handle, np.asarray(weights, np.float32).tobytes(), *search)


def net_player(model: Model) -> Player:
    """Plays the best result by the model, without look-ahead."""
    return Player(0, model, ())


def random_player() -> Player:
    """Plays any distinct result with equal chance; its luck hangs on (seed, game, seat, turn)."""
    return Player(1, None, ())


def greedy_names(family: str) -> tuple[str, ...]:
    """Names of the features of the hand-made judgement, in the order of its weights."""
    return tuple(name for name, _ in _core.greedy_names(0 if family == "long" else 1))


def greedy_descriptions(family: str) -> dict[str, str]:
    """What each feature counts."""
    return dict(_core.greedy_names(0 if family == "long" else 1))


def greedy_features(rules: Rules, boards: Int8) -> Float32:
    """``float32 [n, features]`` of boards after a play, mover in row 0."""
    found = np.frombuffer(_core.greedy_features(rules._handle, *columns(boards, None, None)), np.float32)
    return found.reshape(-1, len(greedy_names(rules.family)))


def greedy_player(weights: Sequence[float]) -> Player:
    """Plays the best result by a linear judgement; one weight for each of `greedy_names`."""
    return Player(2, None, weights)


def pubeval_inputs(boards: Int8) -> Float32:
    """``float32 [n, 122]`` of boards after a play, mover in row 0."""
    return np.frombuffer(_core.pubeval_inputs(*columns(boards, None, None)), np.float32).reshape(-1, 122)


def pubeval_player(contact: Float32, race: Float32) -> Player:
    """Tesauro's linear player with its two vectors of 122 weights."""
    return Player(3, None, np.concatenate([np.asarray(contact, np.float32), np.asarray(race, np.float32)]))


def choose(
    player: Player,
    rules: Rules,
    boards: Int8,
    dice: UInt8,
    seats: UInt8,
    turns: UInt8,
    keys: npt.NDArray[np.uint64],
) -> Int8:
    """The results that a player chooses, ``int8 [n, 2, 26]``, mover in row 0.

    ``keys``: ``uint64 [n, 3]``, the (seed, game, turn) of each, on which a random player's luck hangs.
    """
    check_player(player, rules)
    batch = columns(boards, seats, turns)
    luck = np.ascontiguousarray(keys, np.uint64)
    found = _core.choose(player._handle, rules._handle, *batch, rolls(dice, len(batch[0])), luck)
    return np.frombuffer(found, np.int8).reshape(-1, 2, 26)


def check_player(player: Player, rules: Rules) -> None:
    """InputError where a player's model is held under other rules."""
    if player.model is not None and player.model.rules != rules:
        raise InputError("the player's model is held under the rules of another profile")
