"""Whatever the engine can let choose plays: nets, a random mover, linear judgements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import Float32, Int8, UInt8, columns, exact, rolls, stated
from nardy_ai.core.levels import checked_noise
from nardy_ai.core.nets import Model
from nardy_ai.core.rule_options import Rules, handle_of

_GREEDY, _PUBEVAL = 2, 3
_PUBEVAL_INPUTS = 122


class Player:
    """Something that the engine can let choose plays; made by the functions below."""

    def __init__(
        self,
        kind: int,
        model: Model | None,
        weights: Sequence[float] | Float32,
        search: tuple[Any, ...] = (),
        noise: float = 0.0,
    ) -> None:
        self.kind = kind
        self.model = model
        self.weights = len(weights)
        handle = None if model is None else model._handle
        numbers = np.asarray(weights, np.float32).tobytes()
        self._handle = _core.player(kind, handle, numbers, checked_noise(noise), *search)


def net_player(model: Model, noise: float = 0.0) -> Player:
    """Plays the best result by the model, without look-ahead; ``noise``: see `nardy_ai.core.Level`."""
    return Player(0, model, (), noise=noise)


def random_player() -> Player:
    """Plays any distinct result with equal chance; its luck hangs on (seed, game, seat, turn)."""
    return Player(1, None, ())


def greedy_names(family: str) -> tuple[str, ...]:
    """Names of the features of the hand-made judgement, in the order of its weights."""
    return tuple(greedy_descriptions(family))


def greedy_descriptions(family: str) -> dict[str, str]:
    """What each feature counts, by its name. InputError for another family than ``long`` and ``short``."""
    if family not in ("long", "short"):
        raise InputError(f"unknown family {family!r}: choose one of long, short")
    return dict(_core.greedy_names(0 if family == "long" else 1))


def greedy_features(rules: Rules, boards: Int8) -> Float32:
    """``float32 [n, features]`` of boards after a play, mover in row 0."""
    handle, batch = handle_of(rules), columns(boards, None, None)
    _check_counts(batch[0])
    if (batch[0].sum(axis=2, dtype=int) != rules.checkers).any():
        raise InputError("boards have a row that does not add up to the game's number of checkers")
    found = np.frombuffer(_core.greedy_features(handle, *batch), np.float32)
    return found.reshape(-1, len(greedy_names(rules.family)))


def greedy_player(weights: Sequence[float], noise: float = 0.0) -> Player:
    """Plays the best result by a linear judgement; one weight for each of `greedy_names`.

    ``noise``: its spread in units of the judgement.
    """
    given = _finite(weights, "weights")
    sizes = {family: len(greedy_names(family)) for family in ("long", "short")}
    if len(given) not in sizes.values():
        raise InputError(
            f"{len(given)} weights were given, and there are {sizes['long']} features of long nardy and "
            f"{sizes['short']} of short"
        )
    return Player(_GREEDY, None, given, noise=noise)


def pubeval_inputs(boards: Int8) -> Float32:
    """``float32 [n, 122]`` of boards after a play, mover in row 0."""
    batch = columns(boards, None, None)
    _check_counts(batch[0])
    return np.frombuffer(_core.pubeval_inputs(*batch), np.float32).reshape(-1, _PUBEVAL_INPUTS)


def _check_counts(boards: Int8) -> None:
    if ((boards < 0) | (boards > 15)).any():
        raise InputError("boards have a count below 0 or above 15")


def pubeval_player(contact: Float32, race: Float32, noise: float = 0.0) -> Player:
    """Tesauro's linear player with its two vectors of 122 weights; ``noise`` in units of its judgement."""
    both = _finite(contact, "contact"), _finite(race, "race")
    if any(len(weights) != _PUBEVAL_INPUTS for weights in both):
        raise InputError(f"pubeval has {_PUBEVAL_INPUTS} weights each, not {len(both[0])} and {len(both[1])}")
    return Player(_PUBEVAL, None, np.concatenate(both), noise=noise)


def _finite(weights: npt.ArrayLike, name: str) -> Float32:
    try:
        found = np.asarray(weights, np.float32)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{name} must be numbers, one after the other") from None
    if found.ndim != 1 or not np.isfinite(found).all():
        raise InputError(f"{name} must be finite numbers, one after the other")
    return found


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
    batch = stated(boards, seats, turns)
    luck = exact(keys, np.uint64, "keys")
    if luck.shape != (len(batch[0]), 3):
        raise InputError(f"keys must have the shape [{len(batch[0])}, 3], not {list(luck.shape)}")
    found = _core.choose(player._handle, handle_of(rules), *batch, rolls(dice, len(batch[0])), luck)
    return np.frombuffer(found, np.int8).reshape(-1, 2, 26)


def check_player(player: Player, rules: Rules) -> None:
    """InputError where a player's model is held under other rules, or its judgement is of another family."""
    if player.kind == _GREEDY and player.weights != len(greedy_names(rules.family)):
        raise InputError(f"the player's judgement is not one of {rules.family} nardy")
    if player.kind == _PUBEVAL and rules.family != "short":
        raise InputError("pubeval judges short nardy alone")
    if player.model is not None and player.model.rules != rules:
        raise InputError("the player's model is held under the rules of another profile")
