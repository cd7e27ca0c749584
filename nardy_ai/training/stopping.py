"""Ctrl-C and SIGTERM as a wish: the loop stops at a place from which the run can go on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any


class StopRequest:
    """While entered, the first SIGINT or SIGTERM only sets `signal_name`; the second one interrupts at once.

    Outside the main thread Python can't catch signals; then nothing is changed. A signal that the process
    was started to ignore (a job in a shell's background) stays ignored.
    """

    def __init__(self) -> None:
        self.signal_name: str | None = None
        self._earlier: dict[signal.Signals, Any] = {}
        self._at_once = False

    @property
    def requested(self) -> bool:
        """Whether the run should stop."""
        return self.signal_name is not None

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """In here the first signal interrupts too (KeyboardInterrupt), as does one that came before."""
        self._at_once = True
        try:
            if self.requested:
                raise KeyboardInterrupt
            yield
        finally:
            self._at_once = False

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                # None: a handler that Python did not set and could not put back.
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._earlier[number] = signal.signal(number, self._caught)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._earlier.items():
            signal.signal(number, handler)

    def _caught(self, number: int, _frame: FrameType | None) -> None:
        again = self.requested
        self.signal_name = self.signal_name or ("Ctrl-C" if number == signal.SIGINT else "SIGTERM")
        if again or self._at_once:
            raise KeyboardInterrupt
