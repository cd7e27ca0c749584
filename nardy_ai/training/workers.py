"""Workers: threads that play a round's games in the native engine while the learner learns.

A round is cut into chunks of consecutive games. Workers take them as they come free, and the chunks are
put together by game number: a game depends on the seed, its number and the weights alone, so neither the
number of workers nor their timing can be seen in the result.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from typing import Any, Protocol

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.training.config import MOST_THREADS, Targets
from nardy_ai.training.errors import WorkerError
from nardy_ai.training.targets import Samples

# Chunks for each worker: enough that none is left waiting for long at the end of a round. And no chunk is
# so long that a run that is asked to stop would have to wait for it.
_CHUNKS, _MOST_GAMES = 8, 64


@dataclass(frozen=True)
class RoundJob:
    """A round's games and the weights they are played with."""

    round: int
    model: core.Model
    rules: core.Rules
    seed: int
    first_game: int
    games: int
    targets: Targets
    trace: float
    stride: int
    max_turns: int
    pruning: core.Pruning = core.NO_PRUNING
    plies: int = 2
    straying: tuple[float, float] = (0.0, 0.0)


class PlayedRound(Protocol):
    """A round that is being played."""

    def wait(self, seconds: float) -> bool:
        """Wait up to so long; whether the round is over (played, failed or cancelled)."""
        ...

    def result(self) -> Samples:
        """The round's samples in game order; waits. Raises WorkerError when a worker failed."""
        ...

    def cancel(self) -> None:
        """Give the round up: workers stop after the chunk in hand, and this waits for them."""
        ...

    def seconds(self) -> float:
        """How long the workers were busy with the round, from its start to its last game."""
        ...


class Workers(Protocol):
    """Something that plays rounds: threads here, machines elsewhere. Same seeds, same bytes."""

    def start(self, job: RoundJob) -> PlayedRound:
        """Begin to play a round and return at once."""
        ...


def cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def check_workers(count: int | None) -> None:
    """Raise InputError for a number of workers that can't play; None leaves it to the config."""
    if count is not None and count < 1:
        raise InputError(f"workers: {count} must be at least 1")
    if count is not None and count > MOST_THREADS:
        raise InputError(f"workers: {count} must be at most {MOST_THREADS}")


class ThreadWorkers:
    """`count` threads of this process; the engine works without the interpreter's lock."""

    def __init__(self, count: int) -> None:
        self.count = count

    def start(self, job: RoundJob) -> PlayedRound:
        """Begin to play a round and return at once."""
        return _ThreadRound(job, self.count)


class _ThreadRound:
    def __init__(self, job: RoundJob, count: int) -> None:
        self._job = job
        size = min(max(1, -(-job.games // (count * _CHUNKS))), _MOST_GAMES)
        # A chunk is known by its first game. Nothing is laid out for chunks that nobody has come to yet.
        self._size, self._chunks = size, range(0, job.games, size)
        self._parts: dict[int, Samples] = {}
        self._left = iter(self._chunks)
        self._stopped = False
        self._failure: WorkerError | None = None
        self._changed = threading.Condition()
        self._running = count
        self._started = self._ended = time.perf_counter()
        self._threads = [
            threading.Thread(target=self._work, args=(number,), name=f"worker {number}", daemon=True)
            for number in range(1, count + 1)
        ]
        for thread in self._threads:
            thread.start()

    def wait(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._running == 0, seconds)

    def result(self) -> Samples:
        with self._changed:
            self._changed.wait_for(lambda: self._running == 0)
        if self._failure is not None:
            raise self._failure
        return Samples.joined([self._parts[first] for first in self._chunks])

    def cancel(self) -> None:
        with self._changed:
            self._stopped = True
        for thread in self._threads:
            thread.join()

    def seconds(self) -> float:
        return self._ended - self._started

    def _work(self, number: int) -> None:
        while (first := self._take()) is not None:
            games = min(self._size, self._job.games - first)
            try:
                self._parts[first] = self._play(first, games)
            except BaseException as error:
                self._fail(number, first, games, error)
        with self._changed:
            self._running -= 1
            self._ended = time.perf_counter()
            self._changed.notify_all()

    def _take(self) -> int | None:
        with self._changed:
            return None if self._stopped else next(self._left, None)

    def _fail(self, number: int, first: int, games: int, error: BaseException) -> None:
        start = self._job.first_game + first
        failure = WorkerError(
            f"worker {number} failed in round {self._job.round} while playing games {start} to "
            f"{start + games - 1} of seed {self._job.seed}: {type(error).__name__}: {error}"
        )
        failure.__cause__ = error
        with self._changed:
            self._stopped = True
            self._failure = self._failure or failure

    def _play(self, first: int, games: int) -> Samples:
        job = self._job
        settings: dict[str, Any] = {"targets": job.targets, "stride": job.stride, "max_turns": job.max_turns}
        if job.targets == "sampled":
            settings["trace"] = job.trace
        else:
            settings |= {"pruning": job.pruning, "plies": job.plies, "straying": job.straying}
        played = core.self_play(job.model, job.rules, job.seed, job.first_game + first, games, **settings)
        return Samples.of(played)
