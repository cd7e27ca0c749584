"""Any program that speaks our line protocol, as a bot; `docs/bot-protocol.md` describes the protocol.

Lines of UTF-8 text go both ways. The program is greeted, told the rules of the game, and asked about one turn
after the other; each question lists all legal plays, so that a simple program needs no rules.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NoReturn

import numpy as np

from nardy_ai import core
from nardy_ai.bots.bot import Boards, fingerprint_of
from nardy_ai.bots.outside import PATIENCE, OutsideProcess
from nardy_ai.bots.outside_bot import OutsideBot, Questions, file_hash
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Play

PROTOCOL = "nardy"
VERSION = 1
MOST_LINE = 4096
"""Bytes of the longest line that a program may write."""
MOST_NAME = 80
SHOWN = 200


def read_line(stream: IO[bytes]) -> bytes | None:
    """One line with its end, or the beginning of one that is too long; None at the end of the stream."""
    return stream.readline(MOST_LINE + 1) or None


def command_words(command: str) -> list[str]:
    """The words of a command line, the first as the file that is started.

    Raises:
        InputError: there is no such program, or the quotes don't match.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"the command line {command[:SHOWN]!r} can't be read: {error}") from None
    if not words:
        raise InputError("program: needs a command line behind the colon, such as program:python my_bot.py")
    found = shutil.which(words[0])
    if found is None:
        shown = words[0][:SHOWN]
        if Path(words[0]).is_file():
            raise InputError(
                f"{shown} is not executable: make it so, or name what runs it, such as program:python {shown}"
            )
        raise InputError(f"there is no program {shown!r} to be started: check the name or write its path")
    return [found, *words[1:]]


class Speaker:
    """A running program that has been greeted.

    Args:
        words: program and arguments.
        title: how messages name it.
        patience: seconds to wait for one answer.

    Raises:
        OutsideError: it did not answer the greeting as it must.
    """

    def __init__(self, words: list[str], title: str, patience: float) -> None:
        self._process = OutsideProcess(words, title, patience, read=read_line, farewell=b"quit\n")
        self._game: Game | None = None
        self._turns = 0
        try:
            self.own_name = self._greeted()
            """How the program calls itself."""
        except BaseException:
            self.stop()
            raise

    def enter(self, game: Game) -> str | None:
        """Tells it the rules, if they are not those that it was told last; why it refuses them, else None.

        Raises:
            OutsideError: it died, hung, or answered something else.
        """
        if game == self._game:
            return None
        answer = self._ask([*game_lines(game), f"seconds {self._process.patience:g}", "ready"])
        word, _, reason = answer.partition(" ")
        if word == "refuse":
            return reason.strip() or "it gives no reason"
        if answer != "ready":
            self.fail(f"answered {shown(answer)} to the rules of {game.name}, and must answer 'ready'")
        self._game = game
        return None

    def choose(self, asked: Questions, row: int) -> Boards:
        """The board after its play, int8 [2, 26], mover in row 0.

        Raises:
            OutsideError: it died, hung, or did not answer with a legal play.
        """
        self._turns += 1
        pos, dice = asked.position(row), asked.roll(row)
        plays = asked.game.plays(pos, dice)
        lines = [
            f"turn {self._turns}",
            f"position {pos.key}",
            f"board {numbers(pos.board)}",
            f"dice {dice[0]} {dice[1]}",
            f"lot {lot(asked, row)}",
        ]
        for play in plays:
            lines += [f"play {play.notation}", f"after {numbers(play.board)}"]
        answer = self._ask([*lines, "go"])
        kind, _, rest = answer.partition(" ")
        number, _, choice = rest.partition(" ")
        if kind not in ("play", "board") or number != str(self._turns) or not choice:
            self.fail(f"answered {shown(answer)}, and must answer 'play {self._turns} {plays[0].notation}'")
        return self._board(choice) if kind == "board" else self._played(choice, asked, row, plays)

    def fail(self, what: str) -> NoReturn:
        """Kills it and raises OutsideError with `what` it did and what it printed."""
        self._process.fail(what)

    def close(self) -> None:
        """Tells it to quit, and ends it."""
        self._process.close()

    def stop(self) -> None:
        """Kills it at once."""
        self._process.stop()

    def _greeted(self) -> str:
        answer = self._ask([f"{PROTOCOL} {VERSION}"])
        found = re.fullmatch(rf"{PROTOCOL} (\d{{1,9}})(?: (.*))?", answer)
        if found is None:
            self.fail(
                f"answered {shown(answer)} to the greeting, and must answer '{PROTOCOL} {VERSION} ITS NAME'"
            )
        if int(found[1]) != VERSION:
            self.fail(f"speaks version {found[1]} of the protocol, and {VERSION} is spoken here")
        name = (found[2] or "").strip()
        if not name or len(name) > MOST_NAME or not name.isprintable():
            self.fail(f"has no name of 1 to {MOST_NAME} letters in its greeting {shown(answer)}")
        return name

    def _ask(self, lines: list[str]) -> str:
        early = self._process.unasked()
        if early is not None:
            self.fail(f"wrote {shown(early)} without being asked")
        line = self._process.ask("".join(f"{line}\n" for line in lines).encode())
        if not line.endswith(b"\n"):
            if len(line) > MOST_LINE:
                self.fail(f"wrote a line of more than {MOST_LINE} bytes: {shown(line)}")
            self.fail(f"broke off at {shown(line)}")
        try:
            return line.decode().strip()
        except UnicodeDecodeError:
            self.fail(f"wrote {shown(line)}, which is not UTF-8")

    def _played(self, choice: str, asked: Questions, row: int, plays: list[Play]) -> Boards:
        for play in plays:
            if play.notation == choice:
                return play.board
        try:
            return asked.game.play(asked.position(row), asked.roll(row), choice).board
        except InputError as error:
            self.fail(f"chose a play that can't be made: {error}")

    def _board(self, choice: str) -> Boards:
        words = choice.split()
        if len(words) != 52 or not all(re.fullmatch(r"\d{1,2}", word) for word in words):
            self.fail(f"answered the board {shown(choice)}, which is not 52 numbers")
        return np.array([int(word) for word in words], dtype=np.int8).reshape(2, 26)


class ProgramBot(OutsideBot[Speaker]):
    """A program that speaks our line protocol.

    Args:
        command: its command line, split into words as a shell does; no shell is started.
        patience: seconds that it has for one play.

    Raises:
        InputError: there is no such program, or patience is no time.
    """

    def __init__(self, command: str, patience: float = PATIENCE) -> None:
        super().__init__(patience)
        self._command = command.strip()
        self._words = command_words(command)
        self._accepted: set[Game] = set()

    @property
    def name(self) -> str:
        """`program:` and the command line."""
        return f"program:{self._command}"

    @property
    def fingerprint(self) -> str:
        """A hash of the command line and of the files that it names."""
        return fingerprint_of("program", *self._words, *(file_hash(Path(word)) for word in self._words))

    def player(self, game: Game) -> core.Player | None:
        """None, for it is asked in Python; the program is started and told the rules.

        Raises:
            InputError: the program says that it can't play this game.
            OutsideError: it does not speak the protocol.
        """
        if game not in self._accepted:
            with self._crew.one() as program:
                refusal = program.enter(game)
            if refusal is not None:
                raise InputError(f"{self.name} does not play {game.name}: {shown(refusal)}")
            self._accepted.add(game)
        return None

    def _started(self) -> Speaker:
        return Speaker(self._words, self.name, self.patience)

    def _answers(self, program: Speaker, asked: Questions) -> Iterator[Boards]:
        refusal = program.enter(asked.game)
        if refusal is not None:
            program.fail(f"accepted {asked.game.name} before, and refuses it now: {shown(refusal)}")
        for row in range(len(asked)):
            yield program.choose(asked, row)


def game_lines(game: Game) -> Iterator[str]:
    """The rules of a game as the protocol tells them."""
    yield f"game {game.name}"
    for name, value in game.profile.core_options().items():
        yield f"rule {name} {json.dumps(value, separators=(',', ':'))}"
    for name, points in zip(game.outcomes, game.points, strict=True):
        yield f"outcome {name} {points:g}"


def numbers(board: Boards) -> str:
    """A board as 52 numbers: the mover's points 1..24, bar and borne off, then the other's in his numbers."""
    return " ".join(map(str, board.ravel().tolist()))


def lot(asked: Questions, row: int) -> int:
    """A random number from 0 to 2^53 - 1 that hangs on seed, pair, seat and turn alone."""
    seed, pair, turn = (int(key) for key in asked.keys[row])
    purpose = core.PURPOSES[f"choice_seat_{int(asked.seats[row])}"]
    low, high = core.random_words(seed, purpose, pair, turn)[:2].tolist()
    return int(low) | (int(high) & 0x1FFFFF) << 32


def shown(said: str | bytes) -> str:
    """What a program wrote, in quotes and not too long."""
    text = repr(said[: SHOWN + 1])
    return text if len(said) <= SHOWN else f"{repr(said[:SHOWN])[:-1]}…"
