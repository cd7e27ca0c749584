"""The program GNU Backgammon itself, asked over its socket for external players.

It is found at run time (`gnubg` on PATH, or where Debian puts it) and started without a display, with a
folder of its own for its files and without the user's settings. Its look-ahead is what it is told at the
start; what it prints is kept for reports.
"""

from __future__ import annotations

import contextlib
import operator
import os
import shutil
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from nardy_ai.bots.bot import Boards, fingerprint_of
from nardy_ai.bots.net_bot import Evaluation, RankedPlay
from nardy_ai.bots.outside import PATIENCE, OutsideError, OutsideProcess, new_folder
from nardy_ai.bots.outside_bot import BackgammonBot, Questions, file_hash
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Position

MOST_PLIES = 7
PLACES = ("/usr/games/gnubg", "/usr/local/bin/gnubg", "/opt/homebrew/bin/gnubg")
MOST_LINE = 4096
BAR, OFF = 25, 0

SETTINGS = """\
set jacoby off
set threads 1
set evaluation chequerplay type evaluation
set evaluation chequerplay evaluation plies {plies}
set evaluation chequerplay evaluation cubeful off
set evaluation chequerplay evaluation prune on
set evaluation chequerplay evaluation noise 0
external {socket}
"""
"""What it is told at the start. Money games without the cube: with Jacoby's rule, which it has by default,
gammons would count nothing while the cube is in the middle."""


@cache
def find_gnubg() -> str | None:
    """Where the program is; None where it is not installed."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    return shutil.which("gnubg") or next((place for place in PLACES if os.access(place, os.X_OK)), None)


class GnubgServer:
    """A running GNU Backgammon that waits on its socket for one question at a time.

    Args:
        program: the file to start.
        title: how messages name it.
        plies: its look-ahead for choosing plays.
        patience: seconds to wait for one answer.

    Raises:
        OutsideError: it does not listen in time.
    """

    def __init__(self, program: str, title: str, plies: int, patience: float) -> None:
        folder = new_folder()
        address = Path(folder, "socket")
        commands = Path(folder, "commands")
        commands.write_text(SETTINGS.format(plies=plies, socket=address), encoding="utf-8")
        # A library that is preloaded into us, such as a sanitizer's, is none of its business.
        variables = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self._process = OutsideProcess(
            [program, "-t", "-q", "-r", "-s", folder, "-c", str(commands)],
            title,
            patience,
            environment={**variables, "HOME": folder, "LC_ALL": "C.UTF-8"},
            read=None,
            folder=folder,
        )
        self._socket = socket.socket(socket.AF_UNIX)
        self._received = b""
        try:
            self._connect(str(address), time.monotonic() + patience)
        except BaseException:
            self.stop()
            raise

    def ask(self, question: str) -> str:
        """Its answer to one line.

        Raises:
            OutsideError: it ended, gave no answer in time (it is then killed), or complained.
        """
        deadline = time.monotonic() + self._process.patience
        try:
            self._socket.settimeout(self._process.patience)
            self._socket.sendall(question.encode() + b"\n")
            while b"\n" not in self._received and len(self._received) <= MOST_LINE:
                self._socket.settimeout(max(deadline - time.monotonic(), 1e-3))
                data = self._socket.recv(MOST_LINE)
                if not data:
                    self.fail(self._process.how_it_ended())
                self._received += data
        except TimeoutError:
            self.fail(f"gave no answer in {self._process.patience:g} s and was stopped")
        except OSError:
            self.fail(self._process.how_it_ended())
        line, newline, self._received = self._received.partition(b"\n")
        answer = line.decode(errors="replace").strip()
        if not newline or self._received or answer.startswith("Error"):
            shown = (line + newline + self._received)[:200].decode(errors="replace").strip()
            self.fail(f"answered {shown!r}")
        return answer

    def fail(self, what: str) -> NoReturn:
        """Kills it and raises OutsideError with `what` it did and what it printed."""
        try:
            self._process.fail(what)
        finally:
            self._socket.close()

    def close(self) -> None:
        """Ends it."""
        self.stop()

    def stop(self) -> None:
        """Kills it at once."""
        # Wakes another thread that may wait for an answer.
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._process.stop()
        self._socket.close()

    def _connect(self, address: str, deadline: float) -> None:
        while True:
            try:
                self._socket.connect(address)
                return
            except (FileNotFoundError, ConnectionRefusedError):
                # It has not come to its socket yet.
                if not self._process.running():
                    self.fail(self._process.how_it_ended())
                if time.monotonic() > deadline:
                    self.fail(f"did not listen in {self._process.patience:g} s and was stopped")
                time.sleep(0.01)


class GnubgProgramBot(BackgammonBot[GnubgServer]):
    """GNU Backgammon as a program: cubeless money decisions with any look-ahead that it has.

    Args:
        plies: as GNU Backgammon counts them, 0 (the net alone) to 7; from 3 on a play can take many seconds.
        patience: seconds that it has for one play.

    Raises:
        InputError: the program is not installed, or plies or patience out of range.
    """

    def __init__(self, plies: int = 0, patience: float = PATIENCE) -> None:
        if not 0 <= plies <= MOST_PLIES:
            raise InputError(
                f"gnubg-program:{plies} looks too far ahead: take gnubg-program:0 up to "
                f"gnubg-program:{MOST_PLIES}"
            )
        found = find_gnubg()
        if found is None:
            raise InputError(
                f"gnubg-program:{plies} needs the program gnubg: install GNU Backgammon, such as the Debian "
                "package gnubg"
            )
        super().__init__(patience)
        self.plies = plies
        """Look-ahead with which it chooses."""
        self._program = found

    @property
    def name(self) -> str:
        """`gnubg-program:` and the plies."""
        return f"gnubg-program:{self.plies}"

    @property
    def fingerprint(self) -> str:
        """A hash of the program and its settings."""
        return fingerprint_of(self.name, file_hash(Path(self._program)), SETTINGS)

    def evaluate(self, pos: Position) -> Evaluation:
        """What a position is worth to the player on roll, before the throw.

        Raises:
            InputError: a position of another game.
            OutsideError: the program died, hung or answered nonsense.
        """
        return self._evaluations([pos])[0]

    def rank(self, pos: Position, dice: tuple[int, int]) -> list[RankedPlay]:
        """All plays of a roll with their equities, best first; plays of equal worth in the order of boards.

        Every play is judged with the whole look-ahead, while the bot's choice passes over those that a
        shallower look makes bad.

        Raises:
            InputError: dice outside 1..6, a finished game, or a position of another game.
            OutsideError: the program died, hung or answered nonsense.
        """
        plays = pos.game.plays(pos, dice)
        judged = self._evaluations([play.position for play in plays])
        ranked = [
            RankedPlay(play, -found.equity, _other_side(found.outcomes), self.plies)
            for play, found in zip(plays, judged, strict=True)
        ]
        return sorted(ranked, key=lambda entry: (-entry.equity, entry.play.board.tobytes()))

    def _started(self) -> GnubgServer:
        return GnubgServer(self._program, self.name, self.plies, self.patience)

    def _answers(self, program: GnubgServer, asked: Questions) -> Iterator[Boards]:
        for row, board in enumerate(asked.boards):
            answer = program.ask(board_line(board, asked.roll(row)))
            after = after_moves(board, answer)
            if after is None:
                program.fail(f"answered {answer[:200]!r}, which is no play")
            yield after

    def _evaluations(self, positions: list[Position]) -> list[Evaluation]:
        found = []
        with self._crew.one() as program:
            for pos in positions:
                self.player(pos.game)
                result = pos.result
                found.append(_by_rule(pos, result) if result is not None else self._evaluated(program, pos))
        return found

    def _evaluated(self, program: GnubgServer, pos: Position) -> Evaluation:
        answer = program.ask(
            f"evaluation fibsboard {board_line(pos.board, (0, 0))} plies {self.plies} cubeless "
            "jacobyrule off prune on"
        )
        try:
            win, gammon, backgammon, lost_gammon, lost_backgammon, _ = map(float, answer.split())
        except ValueError:
            program.fail(f"answered {answer[:200]!r}, which is no evaluation, at {pos.key}")
        worth = {
            "win": win - gammon,
            "win_gammon": gammon - backgammon,
            "win_backgammon": backgammon,
            "lose": 1 - win - lost_gammon,
            "lose_gammon": lost_gammon - lost_backgammon,
            "lose_backgammon": lost_backgammon,
        }
        return _scored(worth, pos.game)


def board_line(board: npt.NDArray[np.int8], dice: tuple[int, int]) -> str:
    """A board as FIBS writes it, the mover as player 1; dice 0, 0 stand for none. At most 160 characters."""
    mine, his = board.tolist()
    points = [-his[24], *(mine[point] - his[23 - point] for point in range(24)), mine[24]]
    sides = f"{mine[25]}:{his[25]}:{mine[24]}:{his[24]}"
    return (
        f"board:me:you:0:0:0:{':'.join(map(str, points))}:1:{dice[0]}:{dice[1]}:0:0:1:1:1:0:1:-1:0:25:"
        f"{sides}:0:0:0:0"
    )


def after_moves(board: npt.NDArray[np.int8], answer: str) -> Boards | None:
    """The board after a play such as `bar/22 13/11`, int8 [2, 26]; None where it can't be read or done."""
    after = np.array(board, dtype=np.int8)
    for word in answer.split():
        move = _move(word)
        if move is None or after[0, move.start - 1] < 1:
            return None
        after[0, move.start - 1] -= 1
        after[0, 25 if move.end == OFF else move.end - 1] += 1
        if move.end != OFF:
            hit = after[1, 24 - move.end]
            after[1, 24 - move.end] = 0
            after[1, 24] += hit
    return after


@dataclass(frozen=True)
class _Move:
    start: int
    end: int


def _move(word: str) -> _Move | None:
    start, slash, end = word.rstrip("*").partition("/")
    move = _Move(_point(start), _point(end))
    return move if slash and 1 <= move.start <= BAR and OFF <= move.end < BAR else None


def _point(word: str) -> int:
    named = {"bar": BAR, "off": OFF}
    return named.get(word, int(word) if word.isdecimal() else -1)


def _by_rule(pos: Position, result: str) -> Evaluation:
    return _scored({result: 1.0}, pos.game)


def _scored(worth: dict[str, float], game: Game) -> Evaluation:
    """Probabilities by the game's own outcomes; one that it does not count is the next lower one."""
    outcomes = dict.fromkeys(game.outcomes, 0.0)
    for name, value in worth.items():
        head = name.split("_")[0]
        known = [name, f"{head}_gammon", head] if name.endswith("_backgammon") else [name, head]
        outcomes[next(name for name in known if name in outcomes)] += value
    return Evaluation(outcomes, sum(map(operator.mul, outcomes.values(), game.points)))


def _other_side(outcomes: dict[str, float]) -> dict[str, float]:
    """The same probabilities, seen by the other player."""
    def other(name: str) -> str:
        return name.replace("win", "lose") if name.startswith("win") else name.replace("lose", "win")

    return {name: outcomes[other(name)] for name in outcomes}


__all__ = ["GnubgProgramBot", "GnubgServer", "OutsideError", "after_moves", "board_line", "find_gnubg"]
