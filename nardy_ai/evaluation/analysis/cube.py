"""Doubles and their answers judged by what the net expects, the cube being dead behind them.

One rule with the server's (`nardy_ai.bots.cube`): who takes is thought to play the game out at twice the
stake with no further doubles. So a loss is what a decision costs by that rule, in points of the stake before
the double. A double that costs nothing by it and that the server would not offer yet is told as early: what
an own cube would still be worth is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nardy_ai.bots.cube import LARGEST_CUBE, LONGEST_MATCH, POINTS, Stakes, cube_worths, doubles
from nardy_ai.evaluation.analysis.grades import grade
from nardy_ai.rules import Game, Position
from nardy_ai.rules.mat_games import CubeAction, CubeTurn, Event

__all__ = [
    "CubeTally",
    "GradedCube",
    "JudgedCube",
    "Offer",
    "cube_tally",
    "judged_cube",
    "offers_of",
    "unjudged",
]


@dataclass(frozen=True)
class JudgedCube:
    """What the rule says of one decision. Equities are points of the stake before the double."""

    outcomes: tuple[float, ...]
    """Chances of the game's outcomes before the throw, for the doubler."""
    no_double: float
    """What playing on without the double is worth to the doubler."""
    taken: float
    """What the double is worth to him once it is taken; a drop gives him 1."""
    loss: float
    """What the decision cost the one who made it, at least 0."""
    better: str
    """What would have been better, such as `no double`; empty where nothing would."""
    early: bool
    """A double that costs nothing by this rule, and for which a living cube would wait."""


@dataclass(frozen=True)
class GradedCube:
    """What somebody did with the cube, and what is said of it."""

    turn: CubeTurn
    judged: JudgedCube | None
    """None for what is no decision of this kind, or cannot be judged."""

    @property
    def grade(self) -> str:
        """`doubtful`, `bad`, `very bad`, or empty: by what it cost, as of plays."""
        return "" if self.judged is None else grade(self.judged.loss)

    def as_dict(self, outcomes: tuple[str, ...]) -> dict[str, Any]:
        """Plain values for JSON."""
        judged = self.judged
        return {
            "row": self.turn.row,
            "player": self.turn.player,
            "action": self.turn.action,
            "value": self.turn.value,
            "position": self.turn.position.key,
            "judged": None
            if judged is None
            else {
                "outcomes": dict(zip(outcomes, judged.outcomes, strict=True)),
                "no_double": judged.no_double,
                "taken": judged.taken,
                "loss": judged.loss,
                "grade": self.grade or None,
                "better": judged.better or None,
                "early": judged.early,
            },
        }


@dataclass(frozen=True)
class CubeTally:
    """Sums over the cube decisions of one player."""

    doubles: int
    wrong_doubles: int
    """That lost as much as a doubtful play."""
    early: int
    takes: int
    """Beavers too."""
    wrong_takes: int
    drops: int
    wrong_drops: int
    lost: float
    """Points of the stake before the double, over all of them."""

    @property
    def decisions(self) -> int:
        """How many were judged."""
        return self.doubles + self.takes + self.drops

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "decisions": self.decisions}


def cube_tally(cubes: Iterable[GradedCube]) -> CubeTally:
    """The sums over those that were judged."""
    judged = [cube for cube in cubes if cube.judged is not None]

    def counted(*actions: str) -> tuple[int, int]:
        these = [cube for cube in judged if cube.turn.action in actions]
        return len(these), sum(bool(cube.grade) for cube in these)

    return CubeTally(
        *counted("double"),
        sum(cube.judged is not None and cube.judged.early for cube in judged),
        *counted("take", "beaver"),
        *counted("drop"),
        lost=math.fsum(cube.judged.loss for cube in judged if cube.judged is not None),
    )


def unjudged(game: Game, length: int | None, score: tuple[float, float] | None) -> str:
    """Why doubles of a game cannot be judged; empty where they can."""
    known = zip(game.outcomes, game.points, strict=True)
    if not game.profile.cube.enabled or any(POINTS.get(name) != points for name, points in known):
        return f"{game.name} has no cube that there is a rule for"
    if length is None:
        return ""
    if score is None:
        return "the record does not tell the score of the match"
    away = [length - points for points in score]
    if not all(1 <= points <= LONGEST_MATCH and points == int(points) for points in away):
        return f"no match to {length} points is played on at {score[0]:g}–{score[1]:g}"
    return ""


@dataclass(frozen=True)
class Offer:
    """A double that was offered."""

    doubler: int
    stakes: Stakes
    position: Position
    """Before it, the doubler on roll."""


def offers_of(
    events: Sequence[Event], length: int | None, score: tuple[float, float] | None
) -> list[Offer | None]:
    """The double that each event of a game offers or answers; None for all others.

    What a doubler answers to a beaver is none: by this rule it is the double that he has offered already.
    """
    found: list[Offer | None] = []
    owned, open_offer = False, None
    for event in events:
        offer = None
        if isinstance(event, CubeTurn):
            if event.action == "double":
                offer = open_offer = _offer(event, owned, length, score)
            elif open_offer is not None and event.player != open_offer.doubler:
                offer, open_offer = open_offer, None
            owned = owned or event.action in ("take", "beaver")
        found.append(offer)
    return found


def _offer(
    double: CubeTurn, owned: bool, length: int | None, score: tuple[float, float] | None
) -> Offer | None:
    cube = double.value // 2
    if not 1 <= cube <= LARGEST_CUBE:
        return None
    away = None
    if length is not None and score is not None:
        away = int(length - score[double.player]), int(length - score[1 - double.player])
    return Offer(double.player, Stakes(cube, owned, away), double.position)


def _is_idle(stakes: Stakes) -> bool:
    """Whether a double changes nothing: whoever wins the game wins the match."""
    return all(
        stakes.worth(points * stakes.cube) == stakes.worth(2 * points * stakes.cube)
        for points in POINTS.values()
    )


def judged_cube(action: CubeAction, offer: Offer, outcomes: tuple[float, ...]) -> JudgedCube:
    """Judges a double or its answer by the chances of the outcomes before it, for the doubler."""
    named = dict(zip(offer.position.game.outcomes, outcomes, strict=True))
    worths = cube_worths(named, offer.stakes)
    taken = worths.taken
    loss, better = {
        "double": (worths.no_double - worths.doubled, "no double"),
        "take": (taken - 1, "drop"),
        "drop": (1 - taken, "take"),
        # Twice the stake once more: right where the taker is the favourite.
        "beaver": (2 * taken - worths.doubled, "take" if taken <= 1 else "drop"),
    }[action]
    early = action == "double" and loss <= 0 and not _is_idle(offer.stakes)
    early = early and not doubles(named, offer.stakes)
    return JudgedCube(
        outcomes, worths.no_double, taken, max(0.0, loss), better if loss > 0 else "", early
    )
