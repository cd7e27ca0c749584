"""The process in which `bgsage` runs: `python -m nardy_ai.bots.sage_process PLIES`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from nardy_ai.bots.board_process import answer_positions
from nardy_ai.bots.bot import Boards

CHECKERS = 15
HIS_BAR, MY_BAR = 0, 25


def to_sage(board: Boards) -> list[int]:
    """Its board: index 1..24 the mover's points, his checkers positive; both bars as plain counts."""
    mine, his = board.tolist()
    return [his[24], *(mine[point] - his[23 - point] for point in range(24)), mine[24]]


def from_sage(found: Sequence[int]) -> Boards:
    """Our board, int8 [2, 26], of one of its."""
    after = np.zeros((2, 26), dtype=np.int8)
    points = np.array(found[1:25], dtype=np.int8)
    after[0, :24] = np.maximum(points, 0)
    after[1, :24] = np.maximum(-points, 0)[::-1]
    after[:, 24] = found[MY_BAR], found[HIS_BAR]
    after[:, 25] = CHECKERS - after.sum(axis=1)
    return after


def _load(plies: int) -> Callable[[Boards, int, int], Boards]:
    from bgsage import BgBotAnalyzer

    # It counts plies one higher than we do.
    judge = BgBotAnalyzer(eval_level=f"{plies + 1}ply", cubeful=False, parallel_threads=1)

    def choose(board: Boards, first: int, second: int) -> Boards:
        moves = judge.checker_play(to_sage(board), first, second, jacoby=False).moves
        return from_sage(moves[0].board) if moves else board

    return choose


if __name__ == "__main__":
    answer_positions(_load)
