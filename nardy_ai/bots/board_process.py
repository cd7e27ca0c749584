"""Programs of ours around a Python package: they take boards and dice, and answer boards.

A request is one position of 54 bytes: the board (int8 [2, 26], mover in row 0) and two dice. The answer is
the board after the play chosen, 52 bytes, mover still in row 0.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from nardy_ai.bots.bot import Boards
from nardy_ai.bots.outside import PATIENCE, OutsideProcess, framed, read_frame, write_frame
from nardy_ai.bots.outside_bot import BackgammonBot, Questions

POSITION_BYTES = 54
BOARD_BYTES = 52


class BoardProcessBot(BackgammonBot[OutsideProcess]):
    """A bot whose process is a module of ours, run with the plies as its argument.

    Args:
        plies: its look-ahead as we count it: 0 is the net alone.
        patience: seconds that it has for one play.
    """

    process: ClassVar[str]
    """The module."""

    def __init__(self, plies: int, patience: float = PATIENCE) -> None:
        super().__init__(patience)
        self.plies = plies
        """Look-ahead with which it chooses."""

    def _started(self) -> OutsideProcess:
        command = [sys.executable, "-m", self.process, str(self.plies)]
        path = os.pathsep.join(folder for folder in sys.path if folder)
        return OutsideProcess(
            command, self.name, self.patience, environment={**os.environ, "PYTHONPATH": path}
        )

    def _answers(self, program: OutsideProcess, asked: Questions) -> Iterator[Boards]:
        rows = np.concatenate([asked.boards.reshape(-1, BOARD_BYTES), asked.dice.astype(np.int8)], axis=1)
        program.send(b"".join(framed(row.tobytes()) for row in rows))
        for _ in range(len(asked)):
            answer = program.receive()
            if len(answer) != BOARD_BYTES:
                program.fail(f"answered {len(answer)} bytes instead of {BOARD_BYTES}")
            yield np.frombuffer(answer, dtype=np.int8).reshape(2, 26)


def answer_positions(load: Callable[[int], Callable[[Boards, int, int], Boards]]) -> None:
    """The main part of such a process: answers requests until its input ends.

    Args:
        load: takes the plies and returns what chooses: it takes a board (int8 [2, 26], mover in row 0) and
            two dice, and returns the board after the play.
    """
    # Ctrl-C may reach every process of a terminal; the one that asks decides, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a library prints must not land among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    choose = load(int(sys.argv[1]))
    while (request := read_frame(sys.stdin.buffer)) is not None:
        position = np.frombuffer(request, dtype=np.int8)
        board = choose(position[:BOARD_BYTES].reshape(2, 26), int(position[52]), int(position[53]))
        write_frame(answers, np.asarray(board, dtype=np.int8).tobytes())
