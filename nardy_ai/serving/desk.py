"""Where the work of requests is done: a few threads, a queue with an end, and a limit of time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Busy(Exception):
    """So much work is waiting that more is refused."""


class TooLong(Exception):
    """The work was not done in time."""


class Stop:
    """Tells work that nobody waits for it any more."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """From now on `check` raises."""
        self._event.set()

    def check(self) -> None:
        """Raises TooLong where the work is to be given up. To be called between parts of it."""
        if self._event.is_set():
            raise TooLong


class Desk:
    """Threads that judge. The engine lets go of Python's lock, so they use as many cores.

    Args:
        threads: how many.
        waiting: how much work may wait for a thread.
        seconds: how long one piece may take, waiting included.
    """

    def __init__(self, threads: int, waiting: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="nardy-judge")
        self._most = threads + waiting
        self._seconds = seconds
        self._pending = 0
        self._lock = threading.Lock()

    async def run(self, work: Callable[[Stop], T]) -> T:
        """What the work returns; what it raises.

        Raises:
            Busy: too much is waiting.
            TooLong: it took too long; it is told to stop.
        """
        if self._pending >= self._most:
            raise Busy
        with self._lock:
            self._pending += 1
        stop = Stop()
        future = self._pool.submit(work, stop)
        # A thread that is still at work counts, whether anybody waits for it or not.
        future.add_done_callback(self._done)
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise TooLong from None
        finally:
            stop.set()

    def close(self) -> None:
        """Drops what waits. What is at work ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _done(self, future: Future[T]) -> None:
        with self._lock:
            self._pending -= 1
