"""Workers elsewhere: who plays which share, what is played again when one is lost, who is turned away.

The machines themselves are behind `Cluster`, so that all of this can be seen at work without any. A worker
is a process somewhere that introduces itself once and then plays shares of rounds. Two shares are on their
way to each, so that none waits for an answer. When one is lost, its shares go to the others and somebody
is hired in its place.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from nardy_ai.core import InputError
from nardy_ai.training.build import Build, this_build
from nardy_ai.training.config import MOST_THREADS
from nardy_ai.training.errors import WorkerError
from nardy_ai.training.shares import Share, Shares
from nardy_ai.training.targets import Samples
from nardy_ai.training.workers import PlayedRound, RoundJob, check_workers, failure_of

Ticket: TypeAlias = Hashable
"""Stands for something that is on its way."""

Say: TypeAlias = Callable[[str], None]

# Shares on their way to a worker: one that it plays, one that is there when it is done.
_AHEAD = 2
# Seconds that the first workers have to begin, and that a round waits for one when it has none left.
_BEGIN, _PATIENCE = 60.0, 120.0
# Seconds between two looks at whether the round was given up; news of the workers comes at once.
_LOOK = 0.25
# Times that the same share may be lost before the games are to blame, and that a hire may fail in a row.
_MOST_LOSSES, _MOST_HIRES = 4, 4


class Lost(Exception):
    """A worker, or what it had played, is gone; the message says how."""


@dataclass(frozen=True)
class Introduction:
    """How a worker introduces itself."""

    host: str
    """Name of its machine."""
    build: Build | None
    fault: str = ""
    """Why it has no build to show."""


class Cluster(Protocol):
    """Machines that workers can be hired on."""

    @property
    def name(self) -> str:
        """For people: "the Ray cluster at 10.0.0.1:6379"."""
        ...

    def free(self) -> int:
        """Processors that nobody uses now."""
        ...

    def hire(self) -> tuple[Any, Ticket]:
        """A new worker and the ticket of its `Introduction`; it may take as long as there is no room."""
        ...

    def share(self, job: RoundJob) -> Any:
        """Put a job where all workers can take it from, once."""
        ...

    def play(self, worker: Any, job: Any, share: Share) -> Ticket:
        """Let a worker play a share of a job that was shared; the ticket of its `Samples` and of the CPU
        seconds that they took."""
        ...

    def ready(self, tickets: Sequence[Ticket], seconds: float) -> list[Ticket]:
        """Those that have come, or failed; waits up to so long for the first."""
        ...

    def result(self, ticket: Ticket) -> Any:
        """What came for a ready ticket. Raises `Lost`, or what the worker itself raised."""
        ...

    def dismiss(self, worker: Any) -> None:
        """End a worker, at once."""
        ...

    def close(self) -> None:
        """End all workers and leave the cluster."""
        ...


@dataclass(eq=False)
class _Member:
    worker: Any
    number: int
    host: str = ""

    @property
    def name(self) -> str:
        return f"{self.number} on {self.host}" if self.host else str(self.number)


class ClusterWorkers:
    """`count` workers on a cluster; None: one for each free processor but one, which is the learner's.

    Raises InputError where the cluster has no room for them, where they don't begin in time, and where one
    of them is of another build; then all are let go.
    """

    def __init__(self, cluster: Cluster, count: int | None, say: Say) -> None:
        self.cluster, self._say = cluster, say
        self._members: list[_Member] = []
        self._coming: dict[Ticket, _Member] = {}
        self._failed_hires = 0
        try:
            self.count = self._room(count)
            self._begin()
        except BaseException:
            cluster.close()
            raise

    @property
    def place(self) -> str:
        """The cluster, and how many of its hosts."""
        hosts = len({member.host for member in self._members})
        return f"on {hosts} host{'s' * (hosts != 1)} of {self.cluster.name}"

    def start(self, job: RoundJob) -> PlayedRound:
        """Begin to play a round and return at once."""
        self.fill()
        return _ClusterRound(self, job)

    def close(self) -> None:
        """End all workers and leave the cluster."""
        self.cluster.close()

    # ---- the crew, which the thread of the round under way looks after ----------------------------------

    @property
    def members(self) -> Sequence[_Member]:
        """Those who are there."""
        return self._members

    @property
    def coming(self) -> list[Ticket]:
        """Tickets of those who were hired and are not there yet."""
        return list(self._coming)

    def fill(self) -> None:
        """Hire until there are as many as there should be."""
        self._failed_hires = 0
        while len(self._members) + len(self._coming) < self.count:
            self._hire()

    def welcome(self, ticket: Ticket) -> None:
        """Somebody has come in the place of one who was lost; who is of another build is turned away."""
        member = self._coming.pop(ticket)
        try:
            fault = self._met(member, self.cluster.result(ticket))
        except Lost as lost:
            self._hire_again(f"worker {member.name} could not begin ({lost})")
            return
        if fault:
            self.cluster.dismiss(member.worker)
            self._say(f"{fault}; it is turned away")
        else:
            self._failed_hires = 0
            self._say(f"worker {member.name} has come")

    def lose(self, member: _Member, lost: Lost) -> None:
        """Somebody is gone: hire another."""
        self._members.remove(member)
        self.cluster.dismiss(member.worker)
        self._hire_again(f"worker {member.name} is lost ({lost}); its games are played again")

    def _hire_again(self, news: str) -> None:
        self._say(news)
        self._failed_hires += 1
        # Who fails each time that he is hired is not hired for ever; the next round tries anew.
        if self._failed_hires <= _MOST_HIRES * self.count:
            self._hire()

    def _hire(self) -> None:
        taken = {member.number for member in (*self._members, *self._coming.values())}
        number = next(number for number in range(1, self.count + 1) if number not in taken)
        worker, ticket = self.cluster.hire()
        self._coming[ticket] = _Member(worker, number)

    def _room(self, wanted: int | None) -> int:
        free = self.cluster.free()
        if not free:
            raise InputError(f"{self.cluster.name} has no processor free; 'ray status' shows who uses them")
        check_workers(wanted)
        count = wanted if wanted is not None else min(max(1, free - 1), MOST_THREADS)
        if count > free:
            raise InputError(
                f"workers: {count} are wanted, but {self.cluster.name} has only {free} "
                f"processor{'s' * (free != 1)} free; lower --workers, or add machines to it"
            )
        return count

    def _begin(self) -> None:
        self.fill()
        deadline = time.monotonic() + _BEGIN
        while self._coming:
            ready = self.cluster.ready(self.coming, max(0.0, deadline - time.monotonic()))
            if not ready:
                raise InputError(
                    f"only {len(self._members)} of {self.count} workers on {self.cluster.name} began within "
                    f"{_BEGIN:.0f} s; 'ray status' shows what the others wait for"
                )
            for ticket in ready:
                member = self._coming.pop(ticket)
                try:
                    fault = self._met(member, self.cluster.result(ticket))
                except Lost as lost:
                    raise InputError(
                        f"worker {member.name} on {self.cluster.name} could not begin ({lost}); see "
                        "Ray's logs on its host"
                    ) from lost
                if fault:
                    raise InputError(fault)

    def _met(self, member: _Member, introduction: Introduction) -> str | None:
        """Take somebody in, or say why not."""
        member.host = introduction.host
        mine = this_build()
        if introduction.build is None:
            return (
                f"the worker on {member.host} has no nardy-ai {mine.version} ({introduction.fault}); install "
                "it there, for the Python that 'ray start' uses"
            )
        if difference := mine.difference(introduction.build):
            return f"the worker on {member.host} has {difference}"
        self._members.append(member)
        return None


class _Cancelled(Exception):
    """The round was given up."""


class _ClusterRound:
    """A round on a cluster. A thread of its own hands out shares while the learner learns."""

    def __init__(self, crew: ClusterWorkers, job: RoundJob) -> None:
        self._crew, self._cluster, self._job = crew, crew.cluster, job
        self._shares = Shares(job.games, crew.count)
        self._flying: dict[Ticket, tuple[_Member, Share]] = {}
        self._losses: Counter[Share] = Counter()
        self._stopped, self._over = threading.Event(), threading.Event()
        self._samples: Samples | None = None
        self._failure: BaseException | None = None
        self._cpu = 0.0
        self._started = self._ended = time.perf_counter()
        self._thread = threading.Thread(target=self._run, name=f"round {job.round}", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        return self._over.wait(seconds)

    def result(self) -> Samples:
        self._over.wait()
        if self._failure is not None:
            raise self._failure
        assert self._samples is not None
        return self._samples

    def cancel(self) -> None:
        self._stopped.set()
        self._thread.join()

    def seconds(self) -> float:
        return self._ended - self._started

    def cpu_elsewhere(self) -> float:
        return self._cpu

    def _run(self) -> None:
        try:
            self._samples = self._played()
        except BaseException as error:
            self._failure = error
        finally:
            # What is still on its way is not wanted any more, and what has come was copied.
            self._flying.clear()
            self._ended = time.perf_counter()
            self._over.set()

    def _played(self) -> Samples:
        held = self._cluster.share(self._job)
        alone_since = time.monotonic()
        while not self._shares.complete:
            if self._stopped.is_set():
                raise _Cancelled
            self._hand_out(held)
            for ticket in self._cluster.ready([*self._flying, *self._crew.coming], _LOOK):
                self._take_in(ticket)
            if self._crew.members:
                alone_since = time.monotonic()
            elif not self._crew.coming or time.monotonic() - alone_since > _PATIENCE:
                raise WorkerError(
                    f"round {self._job.round}: no worker is left on {self._cluster.name}; bring its machines "
                    "back, then go on with nardy resume"
                )
        return self._shares.joined()

    def _hand_out(self, held: Any) -> None:
        load = Counter(member.number for member, _ in self._flying.values())
        for depth in range(1, _AHEAD + 1):
            for member in self._crew.members:
                if load[member.number] >= depth:
                    continue
                if (share := self._shares.take()) is None:
                    return
                self._flying[self._cluster.play(member.worker, held, share)] = (member, share)
                load[member.number] += 1

    def _take_in(self, ticket: Ticket) -> None:
        if ticket in self._crew.coming:
            self._crew.welcome(ticket)
            return
        if ticket not in self._flying:
            # It was on its way with another of the same worker, who is lost.
            return
        member, share = self._flying.pop(ticket)
        try:
            samples, cpu = self._cluster.result(ticket)
        except Lost as lost:
            self._play_again(member, share, lost)
        except Exception as error:
            raise failure_of(member.name, self._job, share, error) from error
        else:
            self._shares.put(share, samples)
            self._cpu += cpu

    def _play_again(self, member: _Member, share: Share, lost: Lost) -> None:
        """Give back all that a lost worker had; a share that nobody survives ends the round."""
        self._losses[share] += 1
        if self._losses[share] > _MOST_LOSSES:
            first = self._job.first_game + share.first
            raise WorkerError(
                f"games {first} to {first + share.games - 1} of seed {self._job.seed} in round "
                f"{self._job.round} were lost {self._losses[share]} times, at last by worker {member.name} "
                f"({lost}); look into the logs there, then go on with nardy resume"
            ) from lost
        self._shares.give_back(share)
        for ticket in [ticket for ticket, (whose, _) in self._flying.items() if whose is member]:
            self._shares.give_back(self._flying.pop(ticket)[1])
        self._crew.lose(member, lost)
