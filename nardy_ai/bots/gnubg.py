"""GNU Backgammon in a process of its own, where the package `gnubg_nn` is installed."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib import metadata

import numpy as np

from nardy_ai import core
from nardy_ai.bots.bot import BoardBot, Boards, Bytes, Keys, fingerprint_of
from nardy_ai.bots.outside import OutsideError, OutsideProcess
from nardy_ai.core import InputError
from nardy_ai.rules import Game

PACKAGE, DISTRIBUTION = "gnubg_nn", "gnubg-nn"
CHECKERS = 15
MOST_PLIES = 2


def gnubg_found() -> bool:
    """Whether the package is installed; it is not loaded."""
    return importlib.util.find_spec(PACKAGE) is not None


class GnubgBot(BoardBot):
    """GNU Backgammon's nets, cubeless, with 0..2 plies of look-ahead (0: the net alone).

    Args:
        plies: as GNU Backgammon counts them.

    Raises:
        InputError: the package is not installed, or plies out of range.
    """

    def __init__(self, plies: int = 0) -> None:
        if not 0 <= plies <= MOST_PLIES:
            raise InputError(f"gnubg:{plies} looks too far ahead: take gnubg:0 up to gnubg:{MOST_PLIES}")
        if not gnubg_found():
            raise InputError(f"gnubg:{plies} needs the package {DISTRIBUTION}: pip install 'nardy-ai[peers]'")
        self._plies = plies
        self._process: OutsideProcess | None = None

    @property
    def name(self) -> str:
        """`gnubg:` and the plies."""
        return f"gnubg:{self._plies}"

    @property
    def fingerprint(self) -> str:
        """A hash of the package's version and the plies."""
        return fingerprint_of(self.name, metadata.version(DISTRIBUTION))

    @property
    def usual_game(self) -> Game | None:
        """Short nardy."""
        return Game("short")

    def player(self, game: Game) -> core.Player | None:
        """None, for it is asked in Python.

        Raises:
            InputError: the game is not backgammon as GNU Backgammon knows it.
        """
        rules = game.core_rules
        if rules.family != "short" or rules.checkers != CHECKERS or not rules.options["hit_and_run_home"]:
            raise InputError(
                f"{self.name} plays short nardy with {CHECKERS} checkers that may hit and run, not "
                f"{game.name}: take greedy or random there"
            )
        return None

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        """The boards after its plays, see `Bot.choose_boards`.

        Raises:
            InputError: it can't play this game.
            OutsideError: the program died or answered with the wrong number of boards.
        """
        self.player(game)
        if len(boards) == 0:
            return np.empty((0, 2, 26), dtype=np.int8)
        request = np.concatenate(
            [np.asarray(boards, dtype=np.int8).reshape(-1, 52), np.asarray(dice).astype(np.int8)], axis=1
        )
        answer = np.frombuffer(self._running().ask(request.tobytes()), dtype=np.int8)
        if answer.size != 52 * len(boards):
            raise OutsideError(f"{self.name} answered {answer.size} bytes for {len(boards)} boards")
        return answer.reshape(-1, 2, 26)

    def close(self) -> None:
        """Ends the process; the next choice starts another."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _running(self) -> OutsideProcess:
        if self._process is None:
            command = [sys.executable, "-m", "nardy_ai.bots.gnubg_process", str(self._plies)]
            path = os.pathsep.join(folder for folder in sys.path if folder)
            self._process = OutsideProcess(command, self.name, environment={**os.environ, "PYTHONPATH": path})
        return self._process
