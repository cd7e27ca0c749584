"""What a way to play loses against perfect play, exactly: summed up on a solved game, not played out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.core.tables import SHORTFALL, Float64
from nardy_ai.evaluation.truth import Array, Solution, Sweeps, checked_threads, settled

__all__ = ["Judge", "PolicyLoss", "policy_loss"]

Judge: TypeAlias = Callable[[npt.NDArray[np.int8], npt.NDArray[np.uint8]], Array]
"""Boards int8 [n, 2, 26] and seats uint8 [n] -> equities [n] of the players on roll before the throw."""

TOLERANCE = 1e-6
"""Points a game: with hits the losses are summed up until none moves by so much."""


@dataclass(frozen=True)
class PolicyLoss:
    """How far a policy falls short of perfect play, in points a game and a decision."""

    as_first: float
    """Points a game that it loses to perfect play where it starts."""
    as_second: float
    """The same where the other starts."""
    decisions: float
    """Its turns with a choice in a game, the mean of both seats."""

    @property
    def points_per_game(self) -> float:
        """Points a game, the mean of both seats: what a match of pairs against perfect play would show."""
        return (self.as_first + self.as_second) / 2

    @property
    def per_decision(self) -> float:
        """Points a turn with a choice; 0 where there is none."""
        return self.points_per_game / self.decisions if self.decisions > 0 else 0.0

    def as_dict(self) -> dict[str, float]:
        """All numbers, for a report."""
        return {**asdict(self), "points_per_game": self.points_per_game, "per_decision": self.per_decision}


def policy_loss(
    solution: Solution, judge: Judge, *, threads: int | None = None, progress: bool | None = None
) -> PolicyLoss:
    """The points that a policy loses against perfect play, over everything that the dice can bring.

    The policy plays what leaves the opponent the least equity by `judge`, plays of equal worth by the order
    of their boards' bytes: what a net's bot does without look-ahead. Finished games are judged by the rules,
    and each other position is judged once.

    Args:
        solution: of the game, under whose rules everything is judged.
        judge: see `Judge`; for a bot of a net `lambda boards, seats: bot.evaluate_boards(boards, seats)[1]`.
            Threads ask it at once.
        threads: as many as there are processors where left out; the numbers do not depend on them.
        progress: whether to show a bar on stderr; by default only on a terminal.

    Raises:
        InputError: a judge that answers with another number of equities, or with one that is not a number; a
            policy whose games need not end; a bad number of threads.
    """
    solved = solution.solved
    small = solved.game
    with Sweeps(small, checked_threads(threads), progress) as sweeps:
        sweeps.fill()
        scores = np.full(small.shape, np.nan)
        sweeps.rows("judging", lambda row: _judge_row(solution, judge, scores, row))
        table = _settled(solution, scores, sweeps)
    points, turns, other_points, other_turns = solved.policy_start(scores, table)
    return PolicyLoss(points, other_points, (turns + other_turns) / 2)


def _judge_row(solution: Solution, judge: Judge, scores: Float64, row: int) -> None:
    """Scores of all positions with this row of the opponent."""
    small = solution.solved.game
    rows, boards = small.boards_against(row)
    last_roll = bool(solution.game.core_rules.options.get("last_roll", False))
    for seat in range(small.seats):
        # Where a side is off the game is over, unless it has a last roll; the table knows what by.
        scores[seat, row, rows] = solution.solved.values[seat, row, rows]
        if row == 0 and not (last_roll and seat == 1):
            continue
        # Row 0 of the player on roll is the first: all his checkers are off.
        open_rows, open_boards = rows[1:], boards[1:]
        scores[seat, row, open_rows] = _asked(judge, open_boards, np.full(len(open_rows), seat, np.uint8))


def _asked(judge: Judge, boards: npt.NDArray[np.int8], seats: npt.NDArray[np.uint8]) -> Array:
    equities = np.asarray(judge(boards, seats), np.float64)
    if equities.shape != (len(boards),) or not np.isfinite(equities).all():
        raise InputError(f"the judge must answer with one finite equity for each of {len(boards)} boards")
    return equities


def _settled(solution: Solution, scores: Float64, sweeps: Sweeps) -> npt.NDArray[np.void]:
    solved = solution.solved
    table = np.zeros((2, *solved.game.shape), SHORTFALL)
    if solved.game.rules.family == "long":
        sweeps.sweep("adding up", lambda a, b: solved.policy_blocks(scores, table, None, a, b))
        return table

    def sweep(now: Array, before: Array, title: str) -> float:
        after, earlier = now.view(SHORTFALL), before.view(SHORTFALL)
        return sweeps.sweep(
            f"adding up, {title}", lambda a, b: solved.policy_blocks(scores, after, earlier, a, b)
        )

    numbers = table.view(np.float32)
    return settled(sweep, numbers, np.zeros_like(numbers), TOLERANCE)[0].view(SHORTFALL)
