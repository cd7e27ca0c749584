"""Workers: threads that play a round's games in the native engine while the learner learns.

What plays a round is behind two small interfaces, `Workers` and `PlayedRound`: threads of this process are
here, processes on other machines in `cluster_workers`. Both cut a round as `Shares` does.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from typing import Any, Protocol

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.models.bearoff_tables import bearoff_tables
from nardy_ai.models.layers import Nets
from nardy_ai.training.config import MOST_THREADS, Phase, Targets, TrainingConfig
from nardy_ai.training.errors import WorkerError
from nardy_ai.training.shares import Share, Shares
from nardy_ai.training.targets import Samples


@dataclass(frozen=True)
class RoundJob:
    """A round's games and the weights they are played with: plain data that can be sent elsewhere."""

    round: int
    rules: core.Rules
    encoding: str
    nets: Nets
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
    tables: bool = True
    """Whether bear-offs are played and labelled by their tables."""

    @classmethod
    def of(
        cls, config: TrainingConfig, phase: Phase, rules: core.Rules, nets: Nets, number: int, first_game: int
    ) -> RoundJob:
        """Round `number` of a phase of a prepared config."""
        return cls(
            round=number,
            rules=rules,
            encoding=config.encoding,
            nets=nets,
            seed=config.seed,
            first_game=first_game,
            games=phase.games,
            targets=phase.targets,
            trace=phase.trace,
            stride=phase.stride,
            max_turns=config.max_turns,
            pruning=core.Pruning(phase.candidates, phase.margin, phase.doubt),
            plies=phase.plies,
            straying=(phase.stray, phase.stray_margin),
            tables=config.tables,
        )


class SelfPlay:
    """The weights of a job, held by the engine: plays any of its games. Threads can share it."""

    def __init__(self, job: RoundJob) -> None:
        self._job = job
        tables = bearoff_tables(job.rules) if job.tables else None
        self._model = core.Model(job.rules, job.encoding, job.nets, bearoff=tables)

    def play(self, share: Share) -> Samples:
        """The samples of these games of the round."""
        job = self._job
        settings: dict[str, Any] = {"targets": job.targets, "stride": job.stride, "max_turns": job.max_turns}
        if job.targets == "sampled":
            settings["trace"] = job.trace
        else:
            settings |= {"pruning": job.pruning, "plies": job.plies, "straying": job.straying}
        first = job.first_game + share.first
        return Samples.of(core.self_play(self._model, job.rules, job.seed, first, share.games, **settings))


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

    def cpu_elsewhere(self) -> float:
        """CPU seconds that the round took outside of this process."""
        ...


class Workers(Protocol):
    """Something that plays rounds: threads here, machines elsewhere. Same seeds, same bytes."""

    @property
    def count(self) -> int:
        """How many play at a time."""
        ...

    @property
    def place(self) -> str:
        """Where they are: "on 2 cores"."""
        ...

    def start(self, job: RoundJob) -> PlayedRound:
        """Begin to play a round and return at once; one round at a time."""
        ...

    def close(self) -> None:
        """Let all of them go; nothing is played after that."""
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


def failure_of(worker: str, job: RoundJob, share: Share, error: BaseException) -> WorkerError:
    """What is said of a worker that failed: who, which games, and its own words."""
    start = job.first_game + share.first
    failure = WorkerError(
        f"worker {worker} failed in round {job.round} while playing games {start} to "
        f"{start + share.games - 1} of seed {job.seed}: {type(error).__name__}: {error}"
    )
    failure.__cause__ = error
    return failure


class ThreadWorkers:
    """`count` threads of this process; the engine works without the interpreter's lock."""

    def __init__(self, count: int) -> None:
        self.count = count

    @property
    def place(self) -> str:
        """The cores that the threads share."""
        return f"on {cores()} cores"

    def start(self, job: RoundJob) -> PlayedRound:
        """Begin to play a round and return at once."""
        return _ThreadRound(job, self.count)

    def close(self) -> None:
        """Nothing to do: threads end with their round."""


class _ThreadRound:
    def __init__(self, job: RoundJob, count: int) -> None:
        self._job, self._play = job, SelfPlay(job).play
        self._shares = Shares(job.games, count)
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
        return self._shares.joined()

    def cancel(self) -> None:
        with self._changed:
            self._stopped = True
        for thread in self._threads:
            thread.join()

    def seconds(self) -> float:
        return self._ended - self._started

    def cpu_elsewhere(self) -> float:
        return 0.0

    def _work(self, number: int) -> None:
        while (share := self._take()) is not None:
            try:
                self._shares.put(share, self._play(share))
            except BaseException as error:
                self._fail(number, share, error)
        with self._changed:
            self._running -= 1
            self._ended = time.perf_counter()
            self._changed.notify_all()

    def _take(self) -> Share | None:
        with self._changed:
            return None if self._stopped else self._shares.take()

    def _fail(self, number: int, share: Share, error: BaseException) -> None:
        failure = failure_of(str(number), self._job, share, error)
        with self._changed:
            self._stopped = True
            self._failure = self._failure or failure
