"""The process in which `gnubg_nn` runs: `python -m nardy_ai.bots.gnubg_process PLIES`.

A request is n positions of 54 bytes: the board (int8 [2, 26], mover in row 0) and two dice. The answer is n
boards after the play chosen, mover still in row 0. It ends when its input does, so it can't outlive the
program that started it.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.bots.outside import read_frame, write_frame

POSITION_BYTES = 54
BOARD_BYTES = 52


def _chosen(gnubg: Any, position: npt.NDArray[np.int8], plies: int) -> npt.NDArray[np.int8]:
    """The board (int8 [2, 26], mover in row 0) after gnubg's play."""
    board = position[:52].reshape(2, 26)
    checkers = board.sum(axis=1)
    asked = [board[1, :25].tolist(), board[0, :25].tolist()]
    _, key = gnubg.best_move(asked, int(position[52]), int(position[53]), plies, b=1)
    # The key names the position with the other side on roll, who stands second.
    sides = np.array(gnubg.board_from_position_key(key), dtype=np.int8)
    after = np.empty((2, 26), dtype=np.int8)
    after[:, :25] = sides
    after[:, 25] = checkers - sides.sum(axis=1)
    return after


def main() -> None:
    """Answers requests until the input ends."""
    plies = int(sys.argv[1])
    # Ctrl-C reaches every process of a terminal; the one that asks decides, and closes our input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What the library prints must not land among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    import gnubg_nn

    while (request := read_frame(sys.stdin.buffer)) is not None:
        positions = np.frombuffer(request, dtype=np.int8).reshape(-1, POSITION_BYTES)
        boards = [_chosen(gnubg_nn, position, plies) for position in positions]
        write_frame(answers, np.array(boards, dtype=np.int8).tobytes())


if __name__ == "__main__":
    main()
