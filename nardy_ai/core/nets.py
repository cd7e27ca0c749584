"""Nets held and asked by the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import (
    Float32,
    Int8,
    Moves,
    UInt8,
    columns,
    exact,
    natural,
    nearest,
    one_board,
    one_roll,
)
from nardy_ai.core.boards import CLASSES, SCOUT
from nardy_ai.core.encoding import encoding_number, encoding_table
from nardy_ai.core.rule_options import Rules
from nardy_ai.core.tables import BearoffTables


def kernels() -> tuple[str, ...]:
    """Names of the compiled inner loops that this processor runs, fastest first."""
    return tuple(_core.kernels())


Layers = Sequence[tuple[Float32, Float32]]


class Model:
    """Nets by position class, held by the engine under the rules of one profile. Immutable.

    ``nets`` maps ``contact`` (needed) and ``race`` (else contact serves) to layers (weight ``float32
    [out, in]``, bias ``float32 [out]``): ReLU between them, the last gives one logit per outcome. ``scout``
    may hold a small net more, which judges no position itself: it tells which plays are worth a look.
    ``outcome_of`` names for each logit its outcome under ``rules``, -1 where it cannot happen; by default
    they are the rules' own. ``kernels`` picks one of `kernels()`; by default the fastest. ``bearoff`` tables
    take the nets' place in `evaluate` and everything built on it, wherever they reach.

    ``quantised`` puts the layer behind the first of every net but the scout into whole numbers of 8 bits:
    faster, with other values. They too are the same in any batch and with any number of threads; that layer
    gives the same bits with any kernels. The range of each unit comes from `calibration_boards`.
    """

    def __init__(
        self,
        rules: Rules,
        encoding: str,
        nets: Mapping[str, Layers],
        outcome_of: Sequence[int] | None = None,
        kernels: str | None = None,
        bearoff: BearoffTables | None = None,
        *,
        quantised: bool = False,
    ) -> None:
        self.rules = rules
        self.quantised = quantised
        self.encoding = encoding
        for name in nets:
            if name not in (*CLASSES, SCOUT):
                raise InputError(f"unknown position class {name}: {nearest(name, (*CLASSES, SCOUT))}")
        if "contact" not in nets:
            raise InputError("a model needs a net for the class contact")
        if encoding_table(encoding).family != rules.family:
            raise InputError(f"encoding {encoding} is not one of {rules.family} nardy")
        outcomes = list(range(len(rules.outcomes))) if outcome_of is None else list(outcome_of)
        layers = [_layer_list(nets[name]) if name in nets else None for name in (*CLASSES, SCOUT)]
        places = exact(outcomes, np.int8, "outcome_of").tobytes()
        tables = None if bearoff is None else bearoff._handle
        ranges = _calibration(rules) if quantised else ()
        self._handle = _core.model(
            rules._handle, encoding_number(encoding), layers, places, kernels, tables, *ranges
        )


def _calibration(rules: Rules) -> tuple[Int8, UInt8, UInt8]:
    from nardy_ai.core.calibration import calibration_boards  # its players know models

    return calibration_boards(rules)


def _layer_list(layers: Layers) -> list[tuple[Float32, Float32, int, int]]:
    packed = []
    for weight, bias in layers:
        try:
            weight, bias = np.ascontiguousarray(weight, np.float32), np.ascontiguousarray(bias, np.float32)
        except (ValueError, TypeError, OverflowError):
            raise InputError("a layer has weight [out, in] and bias [out], arrays of numbers") from None
        if weight.ndim != 2 or bias.shape != weight.shape[:1]:
            raise InputError(
                f"a layer has weight [out, in] and bias [out], not {weight.shape} and {bias.shape}"
            )
        packed.append((weight, bias, weight.shape[1], weight.shape[0]))
    return packed


def _judge(
    model: Model, rules: Rules, boards: Int8, seats: UInt8 | None, by_rule: bool
) -> tuple[Float32, Float32]:
    if rules is not model.rules and rules != model.rules:
        raise InputError("the model is held under the rules of another profile")
    if seats is None and (rules.uses_seat or model.encoding.endswith("-seat")):
        raise InputError(
            "the seats of the players on roll are needed: give uint8 [n], 0 where he started the game"
        )
    outcomes, equities = _core.judge(model._handle, *columns(boards, seats, None), by_rule)
    return np.frombuffer(outcomes, np.float32).reshape(-1, len(rules.outcomes)), np.frombuffer(
        equities, np.float32
    )


def net(model: Model, rules: Rules, boards: Int8, seats: UInt8 | None = None) -> tuple[Float32, Float32]:
    """Outcomes ``float32 [n, k]`` and equity ``float32 [n]`` of the net alone, for the player on roll."""
    return _judge(model, rules, boards, seats, False)


def evaluate(model: Model, rules: Rules, boards: Int8, seats: UInt8 | None = None) -> tuple[Float32, Float32]:
    """The same; finished games are judged by rule (one-hot), bear-offs by the model's tables if any."""
    return _judge(model, rules, boards, seats, True)


def rank(
    model: Model, rules: Rules, board: Int8, d1: int, d2: int, seat: int, turns: int
) -> tuple[Int8, list[Moves], Float32, Float32]:
    """Every play of a roll, best first; equal ones in the order of their boards' bytes.

    Boards ``int8 [n, 2, 26]`` with the mover in row 0, movements, outcomes ``float32 [n, k]`` and equity
    ``float32 [n]``, the last two for the mover.
    """
    if rules is not model.rules and rules != model.rules:
        raise InputError("the model is held under the rules of another profile")
    found = _core.judge_plays(model._handle, *one_board(board, seat, turns), one_roll(d1, d2))
    boards = np.frombuffer(found[0], np.int8).reshape(-1, 2, 26)
    outcomes = np.frombuffer(found[2], np.float32).reshape(len(boards), -1)
    equities = np.frombuffer(found[3], np.float32)
    order = sorted(range(len(boards)), key=lambda i: (-float(equities[i]), boards[i].tobytes()))
    return boards[order], [found[1][i] for i in order], outcomes[order], equities[order]


@dataclass(frozen=True)
class Pruning:
    """Which plays of a roll a model's large nets see: the scout's best ones, and those that may be better."""

    keep: int
    """At most so many plays, 1 to 16; 0: all of them, and no scout is asked."""
    margin: float
    """Points that a play may lie behind the scout's best."""
    doubt: float = 0.0
    """0 to 100. Above 0 the scout is set right in every position by what the large nets said of its first
    choices there, and they also see each play that would be a roll's best if it were so many standard
    deviations better than it looks then."""


NO_PRUNING = Pruning(0, 0.0)
DEFAULT_PRUNING = Pruning(4, 0.3, 2.0)
"""Loses less than 0.0005 points of a value with the strong bots of either game, at two fifths of the cost."""
MOST_KEPT = 16
"""The most plays of a roll that a pruning keeps."""
MOST_DOUBT = 100
"""The largest doubt of a pruning."""


def exact_values(
    model: Model, boards: Int8, seats: UInt8, turns: UInt8, pruning: Pruning = NO_PRUNING
) -> Float32:
    """``float32 [n, k]``: the expectation over all 21 rolls of the best play, for the player on roll.

    With a ``pruning`` the best play is sought among those that the model's scout lets pass. Raises InputError
    for a model without a scout.
    """
    keep = natural(pruning.keep, 32, "keep")
    scouting = keep, pruning.margin, pruning.doubt
    found = _core.exact_values(model._handle, *columns(boards, seats, turns), *scouting)
    return np.frombuffer(found, np.float32).reshape(-1, len(model.rules.outcomes))
