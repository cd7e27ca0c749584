"""A Ray cluster as a place for workers: each is an actor of one processor. Ray itself is imported here alone.

The cluster is one that runs already (`ray start` on each machine), and this process must be on one of its
machines. Actors belong to this process: Ray ends them when it ends, however that comes about.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from nardy_ai.core import InputError
from nardy_ai.training.build import Build
from nardy_ai.training.cluster_workers import Introduction, Lost, Ticket
from nardy_ai.training.shares import Share
from nardy_ai.training.workers import RoundJob

__all__ = ["RayCluster"]

# Seconds for a connection to a port, and for all that joining a cluster needs. (Ray itself tries for two
# minutes and then ends the process, so another process tries first.)
_CONNECT, _JOIN = 3.0, 20.0

_ATTEMPT = """
import sys, ray
ray.init(address=sys.argv[1], log_to_driver=False, configure_logging=False)
ray.shutdown()
"""


class RayCluster:
    """The Ray cluster at an address: "auto" (the one this machine belongs to), or HOST:PORT of its head.

    RAY_ADDRESS in the environment says where "auto" is. Raises InputError where no cluster answers within
    some seconds, ModuleNotFoundError where Ray is not installed.
    """

    def __init__(self, address: str) -> None:
        # What its machines report would be printed by Ray, on stdout. What concerns a run is said by the run.
        os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
        import ray

        wanted = os.environ.get("RAY_ADDRESS", "") or address if address == "auto" else address
        _check_answers(wanted)
        with _signals_kept():
            ray.init(address=wanted, log_to_driver=False, configure_logging=False)
        self._ray = ray
        self._worker = _worker_class(ray)
        context = ray.get_runtime_context()
        self.name = f"the Ray cluster at {context.gcs_address}"

    def free(self) -> int:
        """Processors that no actor and no task of the cluster holds."""
        return int(self._ray.available_resources().get("CPU", 0))

    def hire(self) -> tuple[Any, Ticket]:
        """A new actor, on the host with most room, and its introduction."""
        worker = self._worker.remote()
        return worker, worker.introduce.remote()

    def share(self, job: RoundJob) -> Any:
        """The job in the object store, from which each host takes it once; it goes when the round is over."""
        return self._ray.put(job)

    def play(self, worker: Any, job: Any, share: Share) -> Ticket:
        """Samples that an actor will play; it holds the weights of the reference it was given last."""
        ticket: Ticket = worker.play.remote(job.hex(), job, tuple(share))
        return ticket

    def ready(self, tickets: Sequence[Ticket], seconds: float) -> list[Ticket]:
        """Waits in Ray, which wakes with the first result."""
        waited = list(tickets)
        done, _ = self._ray.wait(waited, num_returns=1, timeout=seconds)
        more, _ = self._ray.wait(waited, num_returns=len(waited), timeout=0)
        return [*dict.fromkeys([*done, *more])]

    def result(self, ticket: Ticket) -> Any:
        """An introduction, or samples (arrays that lie in the object store until they are joined) with the
        seconds that they took."""
        from ray.exceptions import RayError, RayTaskError

        try:
            found = self._ray.get(ticket)
        except RayTaskError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, Exception) and not isinstance(cause, RayError):
                raise cause from None
            raise Lost(_reason(error)) from error
        except RayError as error:
            raise Lost(_reason(error)) from error
        if isinstance(found, dict):
            build = found["build"] and Build(**found["build"])
            return Introduction(found["host"], build or None, found["fault"])
        return found

    def dismiss(self, worker: Any) -> None:
        """Kills the actor, which may be gone already."""
        with suppress(Exception):
            self._ray.kill(worker)

    def close(self) -> None:
        """Leaves the cluster, which ends this process's actors and frees what they made."""
        with _signals_kept():
            self._ray.shutdown()


def _worker_class(ray: Any) -> Any:
    """The actor's class. It is made in a function so that it travels whole: a host without this package, or
    with another version of it, can then still say so."""

    class RoundWorker:
        def __init__(self) -> None:
            self._key = ""
            self._play: Any = None

        def introduce(self) -> dict[str, Any]:
            import dataclasses
            import socket

            try:
                from nardy_ai.training.build import this_build
                from nardy_ai.training.workers import SelfPlay  # noqa: F401
            except Exception as error:
                fault = f"{type(error).__name__}: {error}"
                return {"host": socket.gethostname(), "build": None, "fault": fault}
            build = dataclasses.asdict(this_build())
            return {"host": socket.gethostname(), "build": build, "fault": ""}

        def play(self, key: str, job: Any, share: tuple[int, int]) -> Any:
            import time

            from nardy_ai.training.shares import Share
            from nardy_ai.training.workers import SelfPlay

            start = time.thread_time()
            if key != self._key:
                self._key, self._play = key, SelfPlay(job).play
            samples = self._play(Share(*share))
            return samples, time.thread_time() - start

    return ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(
        RoundWorker
    )


def _check_answers(address: str) -> None:
    """Raise InputError unless a cluster that this process can join answers at the address."""
    if address.startswith("ray://") or address == "local":
        raise InputError(
            f"--ray-address {address}: give HOST:PORT of the cluster's head or 'auto', and run nardy on one "
            "of its machines"
        )
    if address != "auto":
        _check_port(address)
    words = [sys.executable, "-c", _ATTEMPT, address]
    try:
        tried = subprocess.run(
            words, capture_output=True, text=True, timeout=_JOIN, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"no Ray cluster answers at {address} within {_JOIN:.0f} s; 'ray status' tells whether one runs"
        ) from None
    if tried.returncode:
        raise InputError(
            f"the Ray cluster at {address} can't be joined ({_last_line(tried.stderr)}); on each of its "
            "machines, this one too, run: ray start"
        )


def _check_port(address: str) -> None:
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise InputError(f"--ray-address {address!r} is no address; give HOST:PORT, e.g. 10.0.0.1:6379")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"no Ray cluster answers at {address} ({reason}); 'ray start --head' on its first machine prints "
            "the address"
        ) from None


def _reason(error: Exception) -> str:
    """A loss in a few words; Ray's own first line where we have none."""
    from ray import exceptions

    if isinstance(error, exceptions.OutOfMemoryError):
        return "its machine is short of memory"
    if isinstance(error, exceptions.RayActorError):
        return "its process or its machine is gone"
    if isinstance(error, exceptions.ObjectLostError):
        return "what it had played is gone"
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0].rstrip('.')}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "no reason is given"


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Ray sets its own handler of SIGTERM when it is joined; ours are put back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
