"""A program beside us: started when first needed, asked over pipes, ended with us.

Outside programs keep global state and may crash, so each bot has a process of its own. Requests and answers
are
frames: a length (uint32, little-endian) and that many bytes.
"""

from __future__ import annotations

import contextlib
import queue
import struct
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import IO, Any

LENGTH = struct.Struct("<I")
MOST_BYTES = 1 << 28


class OutsideError(RuntimeError):
    """An outside program died, hung or answered nonsense; the message holds what it said last."""


def read_frame(stream: IO[bytes]) -> bytes | None:
    """One frame; None when the stream ends before it is whole."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    if size > MOST_BYTES:
        return None
    body = stream.read(size)
    return body if len(body) == size else None


def write_frame(stream: IO[bytes], body: bytes) -> None:
    """Sends one frame at once."""
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, errors):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


class OutsideProcess:
    """One running program; used by one thread at a time (callers queue for it).

    Args:
        command: program and arguments.
        title: how messages name it.
        patience: seconds to wait for one answer.
        environment: its environment variables, ours where left out.
    """

    def __init__(
        self,
        command: Sequence[str],
        title: str,
        patience: float = 120.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.title = title
        self.patience = patience
        self._turn = threading.Lock()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, env=environment
        )
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._end = weakref.finalize(self, _end, self._process, self._errors)
        reader = threading.Thread(
            target=_read_answers, args=(self._process.stdout, self._answers), daemon=True
        )
        reader.start()

    def ask(self, request: bytes) -> bytes:
        """The answer to one request.

        Raises:
            OutsideError: the program ended, or gave no answer in time (it is then killed).
        """
        with self._turn:
            stdin = self._process.stdin
            try:
                if stdin is None:
                    raise BrokenPipeError
                write_frame(stdin, request)
                answer = self._answers.get(timeout=self.patience)
            except queue.Empty:
                self._process.kill()
                raise OutsideError(
                    f"{self.title} gave no answer in {self.patience:g} s and was stopped"
                ) from None
            except (OSError, ValueError):
                answer = None
            if answer is None:
                raise OutsideError(self._last_words())
            return answer

    def close(self) -> None:
        """Ends the program; asking it again fails."""
        self._end()

    def _last_words(self) -> str:
        try:
            code: Any = self._process.wait(timeout=2.0)
        except subprocess.TimeoutExpired:
            code = None
        said = ""
        if not self._errors.closed:
            self._errors.seek(0)
            said = self._errors.read()[-2000:].decode(errors="replace").strip()
        how = "closed its output" if code is None else f"ended with code {code}"
        return f"{self.title} {how}" + (f"; it said: {said}" if said else " and said nothing")


def _read_answers(stream: IO[bytes] | None, answers: queue.Queue[bytes | None]) -> None:
    # A thread reads because a pipe can't be read with a time limit on every system.
    try:
        while stream is not None:
            frame = read_frame(stream)
            answers.put(frame)
            if frame is None:
                return
    except (OSError, ValueError):
        answers.put(None)
