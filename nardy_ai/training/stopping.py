"""Ctrl-C and SIGTERM as a wish: the loop stops at a place from which the run can go on."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class StopRequest:
    """While entered, the first SIGINT or SIGTERM only sets `signal_name`; the second one interrupts at once.

    Outside the main thread Python can't catch signals; then nothing is changed.
    """

    def __init__(self) -> None:
        self.signal_name: str | None = None
        self._earlier: dict[signal.Signals, Any] = {}

    @property
    def requested(self) -> bool:
        """Whether the run should stop."""
        return self.signal_name is not None

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._earlier[number] = signal.signal(number, self._caught)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._earlier.items():
            signal.signal(number, handler)

    def _caught(self, number: int, _frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.signal_name = "Ctrl-C" if number == signal.SIGINT else "SIGTERM"
