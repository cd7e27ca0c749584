"""Where a run's games are played: by threads of this process, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nardy_ai.training.workers import ThreadWorkers, Workers, check_workers, cores

__all__ = ["hired"]


@contextmanager
def hired(wanted: int | None, ray: str | None, say: Callable[[str], None]) -> Iterator[Workers]:
    """Workers until the end of the block: threads, or on the Ray cluster at the address `ray`.

    `wanted` None: a thread for each core, or a worker for each free processor of the cluster but one.
    Raises InputError where they can't be had.
    """
    check_workers(wanted)
    workers = _workers(wanted, ray, say)
    try:
        yield workers
    finally:
        workers.close()


def _workers(wanted: int | None, ray: str | None, say: Callable[[str], None]) -> Workers:
    if ray is None:
        return ThreadWorkers(wanted if wanted is not None else cores())
    from nardy_ai.training.cluster_workers import ClusterWorkers
    from nardy_ai.training.ray_cluster import RayCluster

    return ClusterWorkers(RayCluster(ray), wanted, say)
