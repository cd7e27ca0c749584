"""What bots have in common that are programs of their own: processes, checks, reports of faults."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Generic, NamedTuple, NoReturn, Protocol, TypeVar

import numpy as np

from nardy_ai import core
from nardy_ai.bots.bot import BoardBot, Boards, Bytes, Keys
from nardy_ai.bots.outside import PATIENCE, OutsideError, checked_patience
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Position

CHECKERS = 15


class Running(Protocol):
    """A running program."""

    def fail(self, what: str) -> NoReturn:
        """Kills it and raises OutsideError with `what` it did and what it printed."""
        ...

    def close(self) -> None:
        """Ends it."""
        ...

    def stop(self) -> None:
        """Kills it at once."""
        ...


R = TypeVar("R", bound=Running)


class Crew(Generic[R]):
    """The running programs of one bot: one for each thread that asks at the same time, kept for the next."""

    def __init__(self, start: Callable[[], R]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._free: list[R] = []
        self._asked: list[R] = []

    @contextlib.contextmanager
    def one(self) -> Iterator[R]:
        """A program for this thread alone. Whatever is raised, Ctrl-C too, costs it its life."""
        with self._lock:
            program = self._free.pop() if self._free else None
        if program is None:
            program = self._start()
        with self._lock:
            self._asked.append(program)
        try:
            yield program
        except BaseException:
            # Its answers may no longer belong to our requests.
            program.stop()
            raise
        else:
            with self._lock:
                self._free.append(program)
        finally:
            with self._lock:
                self._asked.remove(program)

    def close(self) -> None:
        """Ends all; a thread that asks one at the moment gets an OutsideError."""
        with self._lock:
            free, self._free, asked = self._free, [], list(self._asked)
        for program in asked:
            program.stop()
        for program in free:
            program.close()


class Questions(NamedTuple):
    """Positions to choose plays for, as `Bot.choose_boards` takes them."""

    game: Game
    boards: Boards
    dice: Bytes
    seats: Bytes
    turns: Bytes
    keys: Keys

    def __len__(self) -> int:
        return len(self.boards)

    def position(self, row: int) -> Position:
        """One of them."""
        return Position(self.game, self.boards[row], int(self.seats[row]), int(self.turns[row]))

    def roll(self, row: int) -> tuple[int, int]:
        """Its dice, the larger first."""
        first, second = self.dice[row].tolist()
        return max(first, second), min(first, second)


class OutsideBot(BoardBot, Generic[R]):
    """A bot in processes of its own: a subclass says how one is started and how it answers.

    Args:
        patience: seconds that it has for one play; one that takes longer is stopped.

    Raises:
        InputError: patience that is no time.
    """

    concurrent = True

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = checked_patience(patience)
        """Seconds that it has for one play."""
        self._crew: Crew[R] = Crew(self._started)

    @abstractmethod
    def _started(self) -> R:
        """A new process."""

    @abstractmethod
    def _answers(self, program: R, asked: Questions) -> Iterator[Boards]:
        """For each position int8 [2, 26], the board after its play, mover in row 0."""

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        """The boards after its plays, see `Bot.choose_boards`.

        Raises:
            InputError: it can't play this game.
            OutsideError: it died, hung, or answered what is not a legal play; the position, the dice and what
                it printed are told, and `row` is the number of the position.
        """
        self.player(game)
        asked = Questions(game, np.ascontiguousarray(boards, dtype=np.int8), dice, seats, turns, keys)
        after = np.empty((len(asked), 2, 26), dtype=np.int8)
        if len(asked) == 0:
            return after
        row = 0
        with self._crew.one() as program:
            answers = self._answers(program, asked)
            try:
                for row in range(len(asked)):
                    after[row] = next(answers)
                if (illegal := _first_illegal(asked, after)) is not None:
                    row = illegal
                    program.fail("chose a play that is not legal")
            except OutsideError as error:
                raise _told(error, asked, row) from None
        return after

    def close(self) -> None:
        """Ends its processes, those too that other threads ask just now; the next choice starts another."""
        self._crew.close()


def _first_illegal(asked: Questions, after: Boards) -> int | None:
    """The number of the first position whose answer is not among the legal results."""
    legal, offsets = core.legal_boards(
        asked.game.core_rules, asked.boards, asked.dice, asked.seats, asked.turns
    )
    same = (legal == np.repeat(after, np.diff(offsets), axis=0)).all(axis=(1, 2))
    wrong = np.flatnonzero(~np.logical_or.reduceat(same, offsets[:-1]))
    return int(wrong[0]) if len(wrong) else None


def _told(error: OutsideError, asked: Questions, row: int) -> OutsideError:
    """The same with the position that it was asked about."""
    large, small = asked.roll(row)
    told = OutsideError(
        f"{error}; it was asked for {large}-{small} at {asked.position(row).key} of {asked.game.name}"
    )
    told.row = row
    return told


class BackgammonBot(OutsideBot[R]):
    """A bot in processes of its own that knows the plays of backgammon with 15 checkers alone."""

    @property
    def usual_game(self) -> Game | None:
        """Short nardy."""
        return Game("short")

    def player(self, game: Game) -> core.Player | None:
        """None, for it is asked in Python.

        Raises:
            InputError: the game is not backgammon as other programs know it.
        """
        rules = game.core_rules
        if rules.family != "short" or rules.checkers != CHECKERS or not rules.options["hit_and_run_home"]:
            raise InputError(
                f"{self.name} plays short nardy with {CHECKERS} checkers that may hit and run, not "
                f"{game.name}: take greedy or random there"
            )
        return None


@cache
def file_hash(path: Path) -> str:
    """A hash of a file's content, empty where it can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
