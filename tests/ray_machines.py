"""A Ray cluster on this machine; its "machines" are node processes of one processor each, to be killed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

# The smallest object store that Ray allows is 75 MiB.
STORE = 80_000_000


class RayMachines:
    """Use it in a `with` block; `address` is where the cluster answers.

    Workers are started by the nodes and take the package that lies in `package`.
    """

    def __init__(self, machines: int = 2, package: Path = Path(__file__).parents[1]) -> None:
        self._count, self._package = machines, package

    def __enter__(self) -> RayMachines:
        self._before = dict(os.environ)
        os.environ |= {"PYTHONPATH": str(self._package), "RAY_USAGE_STATS_ENABLED": "0"}
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self._others: list[Any] = []
        for _ in range(self._count - 1):
            self.add_one()
        self.address = str(self._cluster.address)
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.shutdown()
        os.environ.clear()
        os.environ |= self._before

    def kill_one(self) -> None:
        """A machine, not the head, goes dark."""
        self._cluster.remove_node(self._others.pop(), allow_graceful=False)

    def add_one(self) -> None:
        """Another one joins."""
        self._others.append(self._cluster.add_node(num_cpus=1, object_store_memory=STORE))


def actors() -> list[int]:
    """Process ids of the workers that play on this machine."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and b"ray::RoundWorker" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def wait_until(true: Any, seconds: float) -> bool:
    """Whether `true()` came about within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.1)
    return bool(true())
