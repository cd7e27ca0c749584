"""The process in which `gnubg_nn` runs: `python -m nardy_ai.bots.gnubg_process PLIES`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from nardy_ai.bots.board_process import answer_positions
from nardy_ai.bots.bot import Boards


def board_of_key(sides: Sequence[Sequence[int]], checkers: npt.NDArray[np.integer]) -> Boards:
    """Our board, int8 [2, 26], of what its `board_from_position_key` says of the position after a play.

    The key names the position with the other side on roll, who stands second. `checkers`: [2], of either one.
    """
    after = np.empty((2, 26), dtype=np.int8)
    after[:, :25] = np.array(sides, dtype=np.int8)
    after[:, 25] = checkers - after[:, :25].sum(axis=1)
    return after


def _load(plies: int) -> Callable[[Boards, int, int], Boards]:
    import gnubg_nn

    def choose(board: Boards, first: int, second: int) -> Boards:
        asked = [board[1, :25].tolist(), board[0, :25].tolist()]
        _, key = gnubg_nn.best_move(asked, first, second, plies, b=1)
        return board_of_key(gnubg_nn.board_from_position_key(key), board.sum(axis=1))

    return choose


if __name__ == "__main__":
    answer_positions(_load)
