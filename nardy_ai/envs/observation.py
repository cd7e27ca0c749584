"""What a player sees, as one vector of whole numbers.

| numbers | what |
|---|---|
| 0..51 | the board [2, 26]: row 0 the observer, row 1 the other, each from his side: points 1..24, bar, off |
| 52..57 | movements by each die 1..6 that are still to be made; all 0 where the other is on roll |
| 58 | the observer's seat: 0 where he started the game |
| 59 | turns that the observer has had, 3 standing for three or more |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.envs.actions import ACTIONS

Int8 = npt.NDArray[np.int8]

BOARD, DICE = slice(0, 52), slice(52, 58)
SEAT, TURNS = 58, 59
SIZE = 60
"""Length of an observation."""
MOST_CHECKERS, MOST_MOVEMENTS, MANY_TURNS = 15, 4, 3


@dataclass(frozen=True)
class Seen:
    """The parts of an observation."""

    board: Int8
    """[2, 26], the observer in row 0."""
    dice: Int8
    """[6]: movements by each die that are still to be made; all 0 where the other is on roll."""
    seat: int
    turns: int


def observation_of(board: Int8, dice: Int8, seat: int, turns: int) -> Int8:
    """int8 [60] of its parts, see `Seen`."""
    seen = np.empty(SIZE, np.int8)
    seen[BOARD] = board.ravel()
    seen[DICE] = dice
    seen[SEAT] = seat
    seen[TURNS] = turns
    return seen


def read_observation(observation: npt.ArrayLike) -> Seen:
    """The parts of an observation int8 [60]. InputError where it has another shape."""
    seen = np.asarray(observation, np.int8)
    if seen.shape != (SIZE,):
        raise InputError(f"an observation has shape [{SIZE}], not {list(seen.shape)}")
    return Seen(seen[BOARD].reshape(2, 26), seen[DICE], int(seen[SEAT]), int(seen[TURNS]))


def observation_space() -> Any:
    """A dictionary of `observation`, int8 [60], and `action_mask`, int8 [151]."""
    most = np.full(SIZE, MOST_CHECKERS, np.int8)
    most[DICE] = MOST_MOVEMENTS
    most[SEAT], most[TURNS] = 1, MANY_TURNS
    return gymnasium.spaces.Dict(
        {
            "observation": gymnasium.spaces.Box(np.zeros(SIZE, np.int8), most, dtype=np.int8),
            "action_mask": gymnasium.spaces.Box(0, 1, (ACTIONS,), np.int8),
        }
    )
