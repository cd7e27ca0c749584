"""Outside programs asked in this process, for measuring what a call costs: gnubg-nn and Open Sage.

They play standard short nardy. Each turns boards into its own form beforehand, so that only the program's own
work is timed. Matches take `gnubg:0` instead, which runs in a process of its own.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from nardy_ai.bots.gnubg_process import board_of_key
from nardy_ai.bots.sage_process import from_sage, to_sage

__all__ = ["Choices", "GnubgPeer", "Peer", "SagePeer", "peers_found"]

Boards = npt.NDArray[np.int8]
Dice = npt.NDArray[np.uint8]
Job = Callable[[], int]


@dataclass(frozen=True)
class Choices:
    """Plays to be decided; deciding can be timed apart from telling what came out."""

    decide: Job
    """Finds the best play of each roll and returns their number."""
    boards: Callable[[], Boards]
    """int8 [n, 2, 26]: what was decided, mover in row 0; to be asked afterwards."""


class Peer(Protocol):
    """A program to measure against. Boards are int8 [n, 2, 26], player on roll in row 0."""

    name: str

    def evaluation(self, boards: Boards) -> Job | None:
        """A job that judges every board without look-ahead and returns their number; None: it cannot."""
        ...

    def best_play(self, boards: Boards, dice: Dice, plies: int) -> Job | None:
        """A job that finds the best play of each roll; `plies` as nardy-ai counts them. None: not so deep."""
        ...

    def choices(self, boards: Boards, dice: Dice, plies: int) -> Choices | None:
        """The same, and which plays it found."""
        ...


class GnubgPeer:
    """The package gnubg-nn: GNU Backgammon's nets; it counts plies as we do."""

    name = "gnubg-nn"
    _MOST_PLIES = 2

    def __init__(self) -> None:
        import gnubg_nn

        self._program: Any = gnubg_nn

    def evaluation(self, boards: Boards) -> Job:
        """See `Peer.evaluation`: `probabilities` at 0 plies."""
        asked, probabilities = _gnubg_boards(boards), self._program.probabilities

        def job() -> int:
            for board in asked:
                probabilities(board, 0)
            return len(asked)

        return job

    def best_play(self, boards: Boards, dice: Dice, plies: int) -> Job | None:
        """See `Peer.best_play`: `best_move`."""
        if plies > self._MOST_PLIES:
            return None
        asked = list(zip(_gnubg_boards(boards), dice.tolist(), strict=True))
        best_move = self._program.best_move

        def job() -> int:
            for board, (first, second) in asked:
                best_move(board, first, second, plies)
            return len(asked)

        return job

    def choices(self, boards: Boards, dice: Dice, plies: int) -> Choices | None:
        """See `Peer.choices`."""
        if plies > self._MOST_PLIES:
            return None
        asked = list(zip(_gnubg_boards(boards), dice.tolist(), strict=True))
        best_move, read = self._program.best_move, self._program.board_from_position_key
        keys: list[Any] = []

        def decide() -> int:
            keys[:] = [best_move(board, *roll, plies, b=1)[1] for board, roll in asked]
            return len(keys)

        def found() -> Boards:
            pairs = zip(keys, boards.sum(axis=2), strict=True)
            return np.array([board_of_key(read(key), checkers) for key, checkers in pairs], np.int8)

        return Choices(decide, found)


class SagePeer:
    """The package bgsage (Open Sage), cubeless, one thread; it counts one ply more than we do."""

    name = "Open Sage"
    _MOST_PLIES = 2

    def __init__(self) -> None:
        import bgsage

        self._program: Any = bgsage
        self._analyzers: dict[int, Any] = {}

    def evaluation(self, boards: Boards) -> Job | None:
        """None: it has no call that judges one board without more around it."""
        return None

    def best_play(self, boards: Boards, dice: Dice, plies: int) -> Job | None:
        """See `Peer.best_play`: `checker_play` of an analyzer."""
        analyzer = self._analyzer(plies)
        if analyzer is None:
            return None
        asked = list(zip(_sage_boards(boards), dice.tolist(), strict=True))

        def job() -> int:
            for board, (first, second) in asked:
                analyzer.checker_play(board, first, second, jacoby=False)
            return len(asked)

        return job

    def choices(self, boards: Boards, dice: Dice, plies: int) -> Choices | None:
        """See `Peer.choices`."""
        analyzer = self._analyzer(plies)
        if analyzer is None:
            return None
        asked = list(zip(_sage_boards(boards), dice.tolist(), strict=True))
        answers: list[Any] = []

        def decide() -> int:
            answers[:] = [analyzer.checker_play(board, *roll, jacoby=False) for board, roll in asked]
            return len(answers)

        def found() -> Boards:
            return np.array([self._best(*pair) for pair in zip(answers, boards, strict=True)], np.int8)

        return Choices(decide, found)

    @staticmethod
    def _best(answer: Any, board: Boards) -> Boards:
        return from_sage(answer.moves[0].board) if answer.moves else board

    def _analyzer(self, plies: int) -> Any:
        """None: it does not look so deep."""
        if plies > self._MOST_PLIES:
            return None
        if plies not in self._analyzers:
            self._analyzers[plies] = self._program.create_analyzer(
                f"{plies + 1}ply", cubeful=False, parallel_threads=1
            )
        return self._analyzers[plies]


def _gnubg_boards(boards: Boards) -> list[list[list[int]]]:
    """Each as [other side, side on roll], 25 counts each."""
    return [[board[1, :25].tolist(), board[0, :25].tolist()] for board in boards]


def _sage_boards(boards: Boards) -> list[list[int]]:
    return [to_sage(board) for board in boards]


def peers_found() -> Sequence[Peer]:
    """Those whose packages are installed, loaded."""
    known: Sequence[tuple[str, Callable[[], Peer]]] = (("gnubg_nn", GnubgPeer), ("bgsage", SagePeer))
    return [make() for package, make in known if importlib.util.find_spec(package) is not None]
