"""Double, take or drop, from the outcomes of a position of short nardy.

**Take**: by the dead-cube take point with gammons: the game is thought to be played out at twice the stake
with no further doubles, and the double is taken where that is no worse than to drop. For money it is taken
while the doubler's equity is at most half a point, which is a winning chance of at least
(L - 1/2) / (W + L), W and L being the mean points of the games that the taker wins and loses.

**Double**: from the same two lines. The doubling window begins where playing on at twice the stake is worth
as much as at the old one, and ends at the other side's take point. A double is offered in its last fifth, and
in the last tenth where that gives an own cube away; in the whole window where the cube is of no use to the
other side any more; beyond it too; but never where playing on without it is worth more than to be dropped.

At the score of a match points are replaced by chances to win it (`match_equity`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nardy_ai.bots.match_equity import match_equity
from nardy_ai.core import InputError

POINTS = {
    "win": 1,
    "win_gammon": 2,
    "win_backgammon": 3,
    "lose": -1,
    "lose_gammon": -2,
    "lose_backgammon": -3,
}
"""What the outcomes of the standard game count, for the player on roll."""
FIRST_DOUBLE, REDOUBLE = 0.8, 0.9
"""How much of the doubling window a position must have passed."""
LONGEST_MATCH = 64
LARGEST_CUBE = 4096


@dataclass(frozen=True)
class Stakes:
    """What a game is played for, seen by the player on roll (who is the doubler)."""

    cube: int = 1
    """The cube's value before the double."""
    owned: bool = False
    """Whether the doubler owns the cube; it is in the middle else."""
    away: tuple[int, int] | None = None
    """Points that he and the other still need in the match; None for money."""

    def __post_init__(self) -> None:
        if self.away is not None and not all(1 <= points <= LONGEST_MATCH for points in self.away):
            raise InputError(f"points to go in a match are 1 to {LONGEST_MATCH}, not {self.away}")
        if not 1 <= self.cube <= LARGEST_CUBE or self.cube & (self.cube - 1):
            raise InputError(f"a cube shows 1, 2, 4 and so on up to {LARGEST_CUBE}, not {self.cube}")

    def worth(self, points: int) -> float:
        """Points won (or lost) as money, or as the chance to win the match after them."""
        if self.away is None:
            return float(points)
        mine, his = self.away
        # A cube in use where one side needs a point: the Crawford game is over.
        after = min(self.away) == 1
        return match_equity(mine - max(points, 0), his - max(-points, 0), post_crawford=after)


def mean_worth(outcomes: Mapping[str, float], stakes: Stakes, cube: int) -> float:
    """The game played out at that cube: the mean of what its outcomes are worth."""
    return sum(chance * stakes.worth(POINTS[name] * cube) for name, chance in outcomes.items())


@dataclass(frozen=True)
class CubeWorths:
    """What the doubler may expect of each decision, the cube being dead behind it.

    Points of the stake before the double: 1 is what a drop gives him. At the score of a match they are the
    points that change the chance to win it as much, a game won or lost at that stake counting 1 and -1.
    """

    no_double: float
    """He plays on at the old stake."""
    taken: float
    """He doubles, and it is taken."""

    @property
    def doubled(self) -> float:
        """He doubles, and the other side answers as is best for it."""
        return min(self.taken, 1.0)


def cube_worths(outcomes: Mapping[str, float], stakes: Stakes) -> CubeWorths:
    """What doubling and not doubling are worth. The arguments are those of `takes`."""
    won, lost = stakes.worth(stakes.cube), stakes.worth(-stakes.cube)
    middle, point = (won + lost) / 2, (won - lost) / 2
    return CubeWorths(
        *((mean_worth(outcomes, stakes, stakes.cube * times) - middle) / point for times in (1, 2))
    )


def takes(outcomes: Mapping[str, float], stakes: Stakes) -> bool:
    """Whether the other side takes a double.

    Args:
        outcomes: exclusive outcomes of short nardy, for the doubler.
        stakes: as the doubler sees them before the double.
    """
    return mean_worth(outcomes, stakes, 2 * stakes.cube) <= stakes.worth(stakes.cube) + 1e-9


def doubles(outcomes: Mapping[str, float], stakes: Stakes) -> bool:
    """Whether the player on roll doubles before he throws. The arguments are those of `takes`."""
    cube = stakes.cube
    dropped = stakes.worth(cube)
    win = sum(chance for name, chance in outcomes.items() if POINTS[name] > 0)
    if mean_worth(outcomes, stakes, cube) > dropped:
        return False
    won, won_doubled = (_given(outcomes, stakes, cube * times, 1) for times in (1, 2))
    lost, lost_doubled = (_given(outcomes, stakes, cube * times, -1) for times in (1, 2))
    gain, risk = won_doubled - won, lost - lost_doubled
    if gain <= 1e-9 or win <= 0:
        return False
    begins = risk / (gain + risk)
    ends = (dropped - lost_doubled) / (won_doubled - lost_doubled)
    return win >= begins + _share(stakes) * (ends - begins)


def _share(stakes: Stakes) -> float:
    if stakes.away is not None and 2 * stakes.cube >= stakes.away[1]:
        return 0.0
    return REDOUBLE if stakes.owned else FIRST_DOUBLE


def _given(outcomes: Mapping[str, float], stakes: Stakes, cube: int, side: int) -> float:
    """The mean worth of the games that the doubler wins (side 1) or loses (-1); single games if none."""
    part = {name: chance for name, chance in outcomes.items() if POINTS[name] * side > 0 and chance > 0}
    total = sum(part.values())
    return mean_worth(part, stakes, cube) / total if total > 0 else stakes.worth(side * cube)
