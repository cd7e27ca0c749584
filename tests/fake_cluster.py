"""A cluster in this process: workers play when their tickets are waited for, and are lost as a test says."""

from __future__ import annotations

import dataclasses
import pickle
import time
from collections.abc import Callable, Sequence
from typing import Any

from nardy_ai.training.build import Build, this_build
from nardy_ai.training.cluster_workers import Introduction, Lost, Ticket
from nardy_ai.training.shares import Share
from nardy_ai.training.workers import RoundJob, SelfPlay


@dataclasses.dataclass(eq=False)
class FakeWorker:
    number: int
    lost: bool = False


class FakeCluster:
    """`room` processors on hosts a and b; `dies(worker, share)` tells whether playing it ends the worker."""

    name = "the fake cluster"

    def __init__(self, room: int = 3, dies: Callable[[FakeWorker, Share], bool] | None = None) -> None:
        self.room, self.dies = room, dies or (lambda _worker, _share: False)
        self.hired: list[FakeWorker] = []
        self.dismissed: list[FakeWorker] = []
        self.played: list[tuple[int, Share]] = []
        self.shared = 0
        self.closed = False
        self.builds: dict[int, Build | None] = {}
        self.never_come: set[int] = set()
        self.raises: dict[int, Exception] = {}
        self.most_ahead = 0
        self._tickets: dict[int, tuple[FakeWorker, Any, Share | None]] = {}
        self._next = 0

    def free(self) -> int:
        return self.room

    def hire(self) -> tuple[Any, Ticket]:
        worker = FakeWorker(len(self.hired) + 1)
        self.hired.append(worker)
        return worker, self._ticket(worker, None, None)

    def share(self, job: RoundJob) -> Any:
        self.shared += 1
        return pickle.dumps(job)

    def play(self, worker: FakeWorker, job: Any, share: Share) -> Ticket:
        ticket = self._ticket(worker, job, share)
        ahead = sum(who is worker and what is not None for who, what, _ in self._tickets.values())
        self.most_ahead = max(self.most_ahead, ahead)
        return ticket

    def ready(self, tickets: Sequence[Ticket], seconds: float) -> list[Ticket]:
        """The newest first, as nobody may depend on their order."""
        known = [ticket for ticket in tickets if self._tickets[ticket][0].number not in self.never_come]
        if not known:
            time.sleep(min(seconds, 0.01))
        return known[::-1][:1]

    def result(self, ticket: Ticket) -> Any:
        worker, job, share = self._tickets.pop(ticket)
        if worker.lost:
            raise Lost("it was gone")
        if share is None:
            return self._introduction(worker)
        if self.dies(worker, share):
            worker.lost = True
            raise Lost("its machine went dark")
        if share.first in self.raises:
            raise self.raises[share.first]
        self.played.append((worker.number, share))
        return SelfPlay(pickle.loads(job)).play(share), 0.5

    def dismiss(self, worker: FakeWorker) -> None:
        self.dismissed.append(worker)

    def close(self) -> None:
        self.closed = True

    def _introduction(self, worker: FakeWorker) -> Introduction:
        build = self.builds.get(worker.number, this_build())
        return Introduction("ab"[worker.number % 2], build, "" if build else "No module named 'nardy_ai'")

    def _ticket(self, worker: FakeWorker, job: Any, share: Share | None) -> Ticket:
        self._next += 1
        self._tickets[self._next] = (worker, job, share)
        return self._next
