"""A player for GNU Backgammon: `set player 0 external HOST:PORT` there, and it asks here.

A connection asks one question at a time: a line `board:…`, which a NUL byte may follow, and waits for a line.
Whatever is no such question is answered by a line `Error: …`, after which the connection is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

from nardy_ai.bots.cube import doubles, takes
from nardy_ai.core import InputError, checked_plies
from nardy_ai.rules import Game
from nardy_ai.serving.gnubg_line import Question, read_question, written
from nardy_ai.serving.served import Served

MOST_LINE = 1024
"""Bytes of a question; GNU Backgammon's have at most 256."""
MOST_CONNECTIONS = 64
GAME = "short"
_TWO_AT_ONCE = "a second question came before the first was answered: ask one at a time"


class GnubgPlayer:
    """Answers questions with a model of short nardy.

    Args:
        served: its models; one has to be of short nardy.
        plies: the look-ahead with which it plays.
        patience: seconds in which a line that has begun must end.
        level: of play, 1 (weakest) .. 10 (the full bot), in place of plies; the cube knows no noise.

    Raises:
        InputError: there is no model of short nardy, plies or level out of range, or both are given.
    """

    def __init__(
        self, served: Served, plies: int = 0, patience: float = 10.0, *, level: int | None = None
    ) -> None:
        try:
            self._game: Game = served.game(GAME)
        except InputError:
            names = ", ".join(bot.name for bot in served.bots)
            raise InputError(
                f"GNU Backgammon plays short nardy, and {names} plays long nardy: name a model of short nardy"
            ) from None
        self._served = served
        self._plies, self._noise = checked_plies(plies), 0.0
        if level is not None:
            if plies:
                raise InputError("a level has its own look-ahead: give level or plies, not both")
            found = served.level(self._game, level)
            self._plies, self._noise = found.plies, found.noise
        self.patience = patience
        """Seconds in which a line that has begun must end."""

    def answer(self, line: str) -> str:
        """The answer to one line: a play, `roll` or `double`, `take` or `drop`, or `Error: …`."""
        try:
            question = read_question(line)
            return self._decision(question)
        except InputError as fault:
            return error_line(str(fault))

    def warm(self) -> None:
        """Makes ready what the first answer needs."""
        self._served.evaluate(self._game.start())

    def _decision(self, question: Question) -> str:
        position = question.position
        result = position.result
        if result is not None:
            raise InputError("the game is over, so there is nothing to decide")
        if question.dice is not None and not question.doubled:
            ranked, _ = self._served.rank(position, question.dice, self._plies, 1, noise=self._noise)
            return written(ranked[0].play)
        outcomes = self._served.evaluate(position, self._plies).outcomes
        if question.doubled:
            return "take" if takes(outcomes, question.stakes) else "drop"
        return "double" if doubles(outcomes, question.stakes) else "roll"


def error_line(message: str) -> str:
    """A refusal on one line."""
    return "Error: " + " ".join(message.split())


class _Lines:
    """The lines of a connection, read ahead so that more than one at once is noticed."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._received = b""
        self._coming: asyncio.Task[bytes] | None = None

    async def line(self, patience: float) -> str | None:
        """The next line without its end; None where the other side has closed.

        Before a line there is all the time of the world, within one there is not.

        Raises:
            InputError: it is too long, stops in the middle, or is not followed by silence.
        """
        if not await self._more():
            return None
        try:
            async with asyncio.timeout(patience):
                while b"\n" not in self._received and len(self._received) <= MOST_LINE:
                    if not await self._more():
                        raise InputError("the line stops in the middle")
        except TimeoutError:
            raise InputError(f"the line did not end within {patience:g} s") from None
        line, _, rest = self._received.partition(b"\n")
        self._received = b""
        if len(line) > MOST_LINE:
            raise InputError(f"a line has at most {MOST_LINE} bytes")
        if rest.strip(b"\0"):
            raise InputError(_TWO_AT_ONCE)
        return line.strip(b"\0\r").decode("ascii", "replace")

    async def check_silent(self) -> None:
        """Raises InputError where more has come since the last line."""
        while True:
            coming = self._next()
            await asyncio.wait([coming], timeout=0)
            if not coming.done() or coming.exception() is not None or not coming.result():
                # Nothing has come, or the end, which is for `line` to see.
                return
            if coming.result().strip(b"\0"):
                raise InputError(_TWO_AT_ONCE)
            self._coming = None

    def close(self) -> None:
        """Waits no longer."""
        if self._coming is not None:
            self._coming.cancel()

    async def _more(self) -> bool:
        """Takes what comes, without NULs ahead of a line; False at the end."""
        while True:
            data = await asyncio.shield(self._next())
            if not data:
                return False
            self._coming = None
            self._received = (self._received + data).lstrip(b"\0")
            if self._received:
                return True

    def _next(self) -> asyncio.Task[bytes]:
        if self._coming is None:
            self._coming = asyncio.create_task(self._reader.read(4096))
        return self._coming


class GnubgServer:
    """Connections of GNU Backgammon to one player.

    Args:
        player: it answers.
        threads: how many decisions are judged side by side.
    """

    def __init__(self, player: GnubgPlayer, threads: int = 1) -> None:
        self._player = player
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="nardy-judge")
        self._open: set[asyncio.Task[None]] = set()

    async def run(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Answers until `stop` is set; a decision that is being made is sent before that."""
        server = await asyncio.start_server(self._connected, sock=listener, limit=2 * MOST_LINE)
        async with server:
            await stop.wait()
            server.close()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        lines = _Lines(reader)
        try:
            if len(self._open) >= MOST_CONNECTIONS:
                raise InputError(f"there are {MOST_CONNECTIONS} connections already")
            self._open.add(task)
            await self._conversation(lines, writer)
        except InputError as fault:
            await _send(writer, error_line(str(fault)))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            lines.close()
            writer.close()

    async def _conversation(self, lines: _Lines, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        while (line := await lines.line(self._player.patience)) is not None:
            if line in ("exit", "quit"):
                return
            answer = loop.run_in_executor(self._pool, self._player.answer, line)
            try:
                found = await asyncio.shield(answer)
            except asyncio.CancelledError:
                # The server stops: whoever asked still gets his play.
                await _send(writer, await answer)
                raise
            await lines.check_silent()
            await _send(writer, found)
            if found.startswith("Error"):
                return


async def _send(writer: asyncio.StreamWriter, line: str) -> None:
    with contextlib.suppress(OSError):
        writer.write(line.encode("ascii", "replace") + b"\n")
        await writer.drain()


def serve_gnubg(player: GnubgPlayer, listener: socket.socket, threads: int = 1) -> None:
    """Answers until SIGINT or SIGTERM."""

    async def until_stopped() -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()

        def asked_to_stop(*_: object) -> None:
            loop.call_soon_threadsafe(stop.set)

        before = {sign: signal.signal(sign, asked_to_stop) for sign in (signal.SIGINT, signal.SIGTERM)}
        try:
            await GnubgServer(player, threads).run(listener, stop)
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)

    asyncio.run(until_stopped())
