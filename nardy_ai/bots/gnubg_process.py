"""The process in which `gnubg_nn` runs: `python -m nardy_ai.bots.gnubg_process PLIES`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nardy_ai.bots.board_process import answer_positions
from nardy_ai.bots.bot import Boards


def _load(plies: int) -> Callable[[Boards, int, int], Boards]:
    import gnubg_nn

    def choose(board: Boards, first: int, second: int) -> Boards:
        checkers = board.sum(axis=1)
        asked = [board[1, :25].tolist(), board[0, :25].tolist()]
        _, key = gnubg_nn.best_move(asked, first, second, plies, b=1)
        # The key names the position with the other side on roll, who stands second.
        sides = np.array(gnubg_nn.board_from_position_key(key), dtype=np.int8)
        after = np.empty((2, 26), dtype=np.int8)
        after[:, :25] = sides
        after[:, 25] = checkers - sides.sum(axis=1)
        return after

    return choose


if __name__ == "__main__":
    answer_positions(_load)
