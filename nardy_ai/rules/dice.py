"""The 21 different rolls of two dice."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from nardy_ai.core import InputError

Dice = tuple[int, int]

ROLLS: tuple[Dice, ...] = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""Every roll once, the larger die first."""

WEIGHTS: tuple[int, ...] = tuple(1 if high == low else 2 for high, low in ROLLS)
"""How many of the 36 ordered throws give each roll of ROLLS."""


def dice_pair(dice: Sequence[int]) -> Dice:
    """A roll with the larger die first. Raises InputError unless it is two whole numbers from 1 to 6."""
    try:
        pair = tuple(_die(die) for die in dice)
    except TypeError:
        pair = ()
    if len(pair) != 2 or not all(1 <= die <= 6 for die in pair):
        raise InputError(f"dice must be two whole numbers from 1 to 6, such as (3, 1), not {_short(dice)}")
    return max(pair), min(pair)


def _die(die: Any) -> int:
    if isinstance(die, bool):
        raise TypeError
    return operator.index(die)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
