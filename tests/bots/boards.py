"""Boards from the points on which checkers stand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def board(mine: dict[int, int], his: dict[int, int], checkers: int = 15) -> npt.NDArray[np.int8]:
    """int8 [2, 26], each side by its own points, 25 = bar; checkers that are not named are borne off."""
    found = np.zeros((2, 26), dtype=np.int8)
    for row, side in enumerate((mine, his)):
        for point, count in side.items():
            found[row, point - 1] = count
        found[row, 25] = checkers - sum(side.values())
    return found
