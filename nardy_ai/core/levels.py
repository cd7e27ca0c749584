"""Noise by which a bot plays weaker on purpose, and what the levels of a model without a table are."""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import Int8, columns, natural

LEVELS = 10
"""The highest level: all that a bot can do. 1 is the weakest."""

_MOST_NOISE = 1e9


@dataclass(frozen=True)
class Level:
    """How a bot plays at a level: through noise on its judgement, and with little look-ahead."""

    noise: float
    """Standard deviation of the noise on the worth of every play, in points (a linear judgement: in its own
    units); 0: none."""
    plies: int
    """Look-ahead, 0..3; only without noise above 0."""


def checked_level(level: object) -> int:
    """The number of a level; InputError outside 1..10."""
    try:
        number = 0 if isinstance(level, bool) else operator.index(level)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if not 1 <= number <= LEVELS:
        shown = repr(level)[:40]
        raise InputError(
            f"level cannot be {shown}: give a whole number from 1 (weakest) to {LEVELS} (the full bot)"
        )
    return number


def checked_noise(noise: float) -> float:
    """A spread of noise; InputError where it is no number from 0, or so large that nothing is left."""
    if not 0 <= noise < _MOST_NOISE:
        raise InputError(f"noise cannot be {noise!r}: give a number from 0, below {_MOST_NOISE:g}")
    return float(noise)


def default_level(family: str, level: int) -> Level:
    """What a level is for a model that has no table of its own; ``family``: ``long`` or ``short``.

    InputError for a level outside 1..10 or another family.
    """
    if family not in ("long", "short"):
        raise InputError(f"unknown family {family!r}: choose one of long, short")
    noise, plies = _core.level_default(0 if family == "long" else 1, checked_level(level))
    return Level(noise, plies)


def noise_key(seed: int, game: int, seat: int, turn: int) -> int:
    """The key of a turn's noise in game number ``game``; both games of a pair have the same for a seat."""
    if seat not in (0, 1):
        raise InputError(f"seat is 0 or 1, not {seat!r}")
    which = natural(seed, 64, "seed"), natural(game, 64, "game")
    return int(_core.noise_key(*which, seat, natural(turn, 32, "turn")))


def noise(key: int, boards: Int8) -> npt.NDArray[np.float64]:
    """``float64 [n]``: the standard normal noise of boards after a play, mover in row 0, under a key."""
    batch = columns(boards, None, None)
    if ((batch[0] < 0) | (batch[0] > 15)).any():
        raise InputError("boards have a count below 0 or above 15")
    return np.frombuffer(_core.noise(natural(key, 64, "key"), *batch), np.float64)
