"""How far the one-sided bear-off tables are from the truth, where the two-sided table tells it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from nardy_ai.core import Rules
from nardy_ai.core.tables import PAIR_POSITIONS, BearoffTables, bearoff_counts
from nardy_ai.models.bearoff_tables import bearoff_tables

__all__ = ["BearoffError", "one_sided_error"]


@dataclass(frozen=True)
class BearoffError:
    """Errors of the equity of the player on roll, in points, over every position of the two-sided table."""

    positions: int
    mean: float
    """Mean of the absolute error."""
    worst: float
    """The greatest absolute error."""
    bias: float
    """Mean of the error: above 0 where the one-sided tables think too well of the player on roll."""

    def as_dict(self) -> dict[str, float]:
        """All numbers, for a report."""
        return asdict(self)


def one_sided_error(rules: Rules) -> BearoffError:
    """Compares both kinds of table over all positions with 1 to 6 checkers a side at home, for every seat."""
    both = bearoff_tables(rules)
    alone = BearoffTables(rules, both.finish, both.first, None)
    points = np.asarray(rules.points, np.float64)
    counts = bearoff_counts()[:PAIR_POSITIONS]
    counts = counts[counts.sum(1) <= rules.checkers]
    errors = []
    for row in counts[1:]:
        boards = _boards_of(row, counts[1:], rules.checkers)
        for seat in range(2 if rules.uses_seat else 1):
            seats = np.full(len(boards), seat, np.uint8)
            exact, single = both.outcomes(boards, seats)[0], alone.outcomes(boards, seats)[0]
            errors.append((single.astype(np.float64) - exact) @ points)
    found = np.concatenate(errors)
    return BearoffError(
        len(found), float(np.abs(found).mean()), float(np.abs(found).max()), float(found.mean())
    )


def _boards_of(mine: npt.NDArray[np.int8], his: npt.NDArray[np.int8], checkers: int) -> npt.NDArray[np.int8]:
    boards = np.zeros((len(his), 2, 26), np.int8)
    boards[:, 0, :6], boards[:, 1, :6] = mine, his
    boards[:, :, 25] = checkers - boards[:, :, :6].sum(2)
    return boards
