"""A program beside us: started when first needed, asked over pipes, ended with us.

Outside programs keep global state, hang and crash, so each has a process of its own. A keeper (`keeper.py`)
stands between, so that the program and all it started end when we do, even if we are killed. What it prints
beside its answers is kept, its last lines that is, and told when it fails.
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn, TypeAlias

from nardy_ai.core import InputError

LENGTH = struct.Struct("<I")
MOST_BYTES = 1 << 28
TAIL_BYTES = 2000
"""How much of what a program prints is kept for a report."""
PATIENCE = 60.0
"""Seconds that a program has for one answer, where nobody says another number."""
MOST_PATIENCE = 86400.0
GRACE = 1.0
"""Seconds that a program has to leave after it was told to quit."""
UNREAD_ANSWERS = 16
KEEPER = Path(__file__).with_name("keeper.py")

Reader: TypeAlias = Callable[[IO[bytes]], bytes | None]


class OutsideError(RuntimeError):
    """An outside program died, hung, or answered nonsense; the message holds what it printed last."""

    row: int | None = None
    """The number of the position, among those of one call, on which it failed."""


def checked_patience(seconds: float) -> float:
    """The number of seconds to wait for an answer. Raises InputError unless it is above 0 and finite."""
    if not (math.isfinite(seconds) and 0 < seconds <= MOST_PATIENCE):
        raise InputError(
            f"a bot can't have {seconds:g} seconds for a play: take a number above 0, at most "
            f"{MOST_PATIENCE:.0f}"
        )
    return float(seconds)


def read_frame(stream: IO[bytes]) -> bytes | None:
    """One frame: a length (uint32, little-endian) and that many bytes. None when the stream ends before."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    if size > MOST_BYTES:
        return None
    body = stream.read(size)
    return body if len(body) == size else None


def framed(body: bytes) -> bytes:
    """The bytes of one frame."""
    return LENGTH.pack(len(body)) + body


def write_frame(stream: IO[bytes], body: bytes) -> None:
    """Sends one frame at once."""
    stream.write(framed(body))
    stream.flush()


class Tail:
    """The last of what a program printed; filled by one thread and read by others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept = b""

    def add(self, data: bytes) -> None:
        """More was printed."""
        with self._lock:
            self._kept = (self._kept + data)[-TAIL_BYTES:]

    def text(self) -> str:
        """What is kept; bytes that are not UTF-8 are shown as ?."""
        with self._lock:
            return self._kept.decode(errors="replace").strip()


@dataclass(frozen=True)
class _Parts:
    """What has to be ended: kept apart from its owner, so that it can be ended once that is gone."""

    process: subprocess.Popen[bytes]
    lifeline: int | None
    requests: queue.Queue[bytes | None]
    answers: queue.Queue[bytes | None]
    threads: tuple[threading.Thread, ...]
    folder: str | None

    def end(self, farewell: bytes) -> None:
        """Says farewell if there is one, kills what has not left a moment later, and waits for its end."""
        self.requests.put(farewell or None)
        if farewell:
            self.requests.put(None)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE)
        if self.lifeline is None:
            self.process.kill()
        else:
            os.close(self.lifeline)
        try:
            self.process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self.threads:
            self._join(thread)
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _join(self, thread: threading.Thread) -> None:
        """Waits for a thread; one that waits on a pipe which somebody else holds open is left behind."""
        for _ in range(20):
            # Makes room for a reader that waits to hand over what the program had printed.
            with contextlib.suppress(queue.Empty):
                while True:
                    self.answers.get_nowait()
            thread.join(0.05)
            if not thread.is_alive():
                return


class OutsideProcess:
    """One running program; used by one thread at a time.

    Args:
        command: program and arguments.
        title: how messages name it.
        patience: seconds to wait for one answer.
        environment: its environment variables, ours where left out.
        read: takes one answer from its output, None at the end; where `read` is None, all that it prints is
            noise and it is asked in another way.
        farewell: what it is told before it is ended.
        folder: removed once it has ended.
    """

    def __init__(
        self,
        command: Sequence[str],
        title: str,
        patience: float = PATIENCE,
        environment: Mapping[str, str] | None = None,
        *,
        read: Reader | None = read_frame,
        farewell: bytes = b"",
        folder: str | None = None,
    ) -> None:
        self.title = title
        self.patience = patience
        self._tail = Tail()
        self._fault: str | None = None
        process, lifeline = _started(
            list(command), environment, folder, subprocess.STDOUT if read is None else subprocess.PIPE
        )
        self._requests: queue.Queue[bytes | None] = queue.Queue()
        self._answers: queue.Queue[bytes | None] = queue.Queue(UNREAD_ANSWERS)
        assert process.stdin is not None and process.stdout is not None
        threads = [_thread(_write_requests, process.stdin, self._requests)]
        if read is None:
            threads.append(_thread(_keep_noise, process.stdout, self._tail))
        else:
            assert process.stderr is not None
            threads.append(_thread(_read_answers, process.stdout, self._answers, read))
            threads.append(_thread(_keep_noise, process.stderr, self._tail))
        self._process = process
        parts = _Parts(process, lifeline, self._requests, self._answers, tuple(threads), folder)
        self._end = weakref.finalize(self, parts.end, farewell)
        self._parts = parts

    def ask(self, request: bytes) -> bytes:
        """The answer to one request.

        Raises:
            OutsideError: the program ended, or gave no answer in time (it is then killed).
        """
        self.send(request)
        return self.receive()

    def send(self, request: bytes) -> None:
        """Sends a request; a program that does not read it can't hold us up. Raises as `ask` does."""
        if not self._end.alive:
            raise OutsideError(self._fault or f"{self.title} has been closed")
        self._requests.put(request)

    def receive(self) -> bytes:
        """The next answer. Raises as `ask` does."""
        try:
            answer = self._answers.get(timeout=self.patience)
        except queue.Empty:
            self.fail(f"gave no answer in {self.patience:g} s and was stopped")
        if answer is None:
            self.fail(self.how_it_ended())
        return answer

    def unasked(self) -> bytes | None:
        """An answer that came without a request, None where there is none. Raises where it has ended."""
        try:
            answer = self._answers.get_nowait()
        except queue.Empty:
            return None
        if answer is None:
            self.fail(self.how_it_ended())
        return answer

    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def how_it_ended(self) -> str:
        """Its exit code in words, or that it closed its output."""
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return "closed its output"
        if code < 0:
            return f"was ended by signal {-code}"
        return f"ended with code {code}"

    def fail(self, what: str) -> NoReturn:
        """Kills the program and raises OutsideError with `what` it did and what it printed last."""
        self.stop()
        said = self._tail.text()
        self._fault = f"{self.title} {what}" + (f"; it said: {said}" if said else " and said nothing")
        raise OutsideError(self._fault)

    def close(self) -> None:
        """Ends the program, politely where it knows a farewell; asking it again fails."""
        self._end()

    def stop(self) -> None:
        """Kills the program at once."""
        if self._end.detach() is not None:
            self._parts.end(b"")
            # For another thread that may still wait for an answer.
            with contextlib.suppress(queue.Full):
                self._answers.put_nowait(None)


def _started(
    command: list[str], environment: Mapping[str, str] | None, folder: str | None, errors: int
) -> tuple[subprocess.Popen[bytes], int | None]:
    """The process and the descriptor to close for its end; that is None where there is no keeper."""
    pipe, variables = subprocess.PIPE, dict(os.environ if environment is None else environment)
    if os.name != "posix":
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, env=variables), None
    held, lifeline = os.pipe()
    try:
        keeper = [sys.executable, "-I", "-S", str(KEEPER), str(held), folder or "-", *command]
        # A session of its own: Ctrl-C in our terminal is for us alone to answer.
        process = subprocess.Popen(
            keeper,
            stdin=pipe,
            stdout=pipe,
            stderr=errors,
            env=variables,
            pass_fds=(held,),
            start_new_session=True,
        )
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(held)
    return process, lifeline


def new_folder() -> str:
    """An empty folder for a program's own files."""
    return tempfile.mkdtemp(prefix="nardy-")


def _thread(work: Callable[..., None], *arguments: object) -> threading.Thread:
    # Threads wait on pipes, because a pipe can't be waited for with a time limit on every system.
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def _write_requests(stream: IO[bytes], requests: queue.Queue[bytes | None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while (request := requests.get()) is not None:
            stream.write(request)
            if requests.empty():
                stream.flush()
    with contextlib.suppress(OSError, ValueError):
        stream.close()


def _read_answers(stream: IO[bytes], answers: queue.Queue[bytes | None], read: Reader) -> None:
    with contextlib.suppress(OSError, ValueError):
        while (answer := read(stream)) is not None:
            answers.put(answer)
    with contextlib.suppress(OSError, ValueError):
        stream.close()
    answers.put(None)


def _keep_noise(stream: IO[bytes], tail: Tail) -> None:
    with contextlib.suppress(OSError, ValueError):
        while data := stream.read1(4096):  # type: ignore[attr-defined]
            tail.add(data)
    with contextlib.suppress(OSError, ValueError):
        stream.close()
