"""Workers on a cluster: the bytes of threads whoever is lost, and nobody of another build among them."""

from __future__ import annotations

import dataclasses
import re
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import FakeCluster, FakeWorker
from tiny_runs import result_of, tiny

from nardy_ai.core import InputError
from nardy_ai.models.layers import fresh_layers
from nardy_ai.rules import Game
from nardy_ai.training import backends, cluster_workers, ray_cluster
from nardy_ai.training.build import Build, this_build
from nardy_ai.training.cluster_workers import ClusterWorkers
from nardy_ai.training.errors import WorkerError
from nardy_ai.training.loop import train
from nardy_ai.training.run_folder import read_log
from nardy_ai.training.shares import Share
from nardy_ai.training.targets import Samples
from nardy_ai.training.workers import RoundJob, ThreadWorkers


def job(games: int = 60, **changes: Any) -> RoundJob:
    settings: dict[str, Any] = {
        "round": 3,
        "rules": Game("short").core_rules,
        "encoding": "short-1",
        "nets": {"contact": fresh_layers(196, (8,), 6, seed=1)},
        "seed": 5,
        "first_game": 100,
        "games": games,
        "targets": "sampled",
        "trace": 0.0,
        "stride": 9,
        "max_turns": 40,
    }
    return RoundJob(**{**settings, **changes})


def content(samples: Samples) -> bytes:
    columns = (samples.boards, samples.seats, samples.turns, samples.targets, samples.outcomes)
    counts = (samples.games, samples.plies, samples.evaluations, samples.cut)
    return b"".join(array.tobytes() for array in columns) + repr(counts).encode()


@pytest.fixture(scope="module")
def by_threads() -> bytes:
    return content(ThreadWorkers(1).start(job()).result())


def crew(cluster: FakeCluster, count: int | None = 3, said: list[str] | None = None) -> ClusterWorkers:
    return ClusterWorkers(cluster, count, [].append if said is None else said.append)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_cluster_gives_the_bytes_of_threads(by_threads: bytes, count: int) -> None:
    cluster = FakeCluster()
    assert content(crew(cluster, count).start(job()).result()) == by_threads
    assert sorted(share.first for _, share in cluster.played) == list(range(0, 60, -(-60 // (count * 8))))
    assert cluster.shared == 1
    assert cluster.most_ahead == 2


def test_games_of_a_lost_worker_are_played_again_by_others(by_threads: bytes) -> None:
    cluster = FakeCluster(dies=lambda worker, share: worker.number == 2 and share.first > 9)
    said: list[str] = []
    workers = crew(cluster, said=said)
    assert content(workers.start(job()).result()) == by_threads
    assert [worker.number for worker in cluster.dismissed] == [2]
    assert "worker 2 on a is lost (its machine went dark); its games are played again" in said
    assert said[-1] == "worker 2 on a has come" or len(cluster.hired) == 4
    assert max(Counter(share for _, share in cluster.played).values()) == 1


def test_all_workers_may_be_lost_at_once_when_others_come(by_threads: bytes) -> None:
    cluster = FakeCluster(dies=lambda worker, _share: worker.number <= 3)
    workers = crew(cluster)
    assert content(workers.start(job()).result()) == by_threads
    assert {number for number, _ in cluster.played} <= {4, 5, 6}
    assert len(cluster.hired) == 6


def test_who_does_not_come_back_is_done_without(by_threads: bytes) -> None:
    cluster = FakeCluster(dies=lambda worker, _share: worker.number == 1)
    cluster.never_come = {4, 5, 6, 7}
    workers = crew(cluster)
    for _ in range(2):
        assert content(workers.start(job()).result()) == by_threads
    # One was asked for, and waits to be there when there is room again.
    assert len(cluster.hired) == 4
    assert {number for number, _ in cluster.played} == {2, 3}


def test_a_round_without_any_worker_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_workers, "_PATIENCE", 0.05)
    cluster = FakeCluster(dies=lambda _worker, _share: True)
    cluster.never_come = {4, 5, 6}
    with pytest.raises(WorkerError, match="round 3: no worker is left on the fake cluster; bring its machin"):
        crew(cluster).start(job()).result()


def test_games_that_nobody_survives_end_the_round() -> None:
    cluster = FakeCluster(dies=lambda _worker, share: share.first == 30)
    named = r"games 130 to 132 of seed 5 in round 3 were lost 5 times, at last by worker \d+ on [ab] \(its m"
    with pytest.raises(WorkerError, match=named):
        crew(cluster).start(job()).result()
    assert len({worker.number for worker in cluster.hired if worker.lost}) == 5


def test_a_worker_that_always_dies_at_once_is_not_hired_for_ever() -> None:
    cluster = FakeCluster(dies=lambda _worker, _share: True)
    with pytest.raises(WorkerError, match=r"were lost 5 times|no worker is left"):
        crew(cluster).start(job(100_000)).result()
    assert len(cluster.hired) < 40


def test_what_a_worker_raises_is_told_in_its_own_words() -> None:
    cluster = FakeCluster()
    cluster.raises[30] = MemoryError("no room")
    named = r"worker [123] on [ab] failed in round 3 while playing games 130 to 132 of seed 5: MemoryError: n"
    with pytest.raises(WorkerError, match=named) as caught:
        crew(cluster).start(job()).result()
    assert isinstance(caught.value.__cause__, MemoryError)


def test_a_round_that_was_given_up_ends_and_the_next_is_whole(by_threads: bytes) -> None:
    cluster = FakeCluster()
    workers = crew(cluster)
    playing = workers.start(job(100_000))
    assert not playing.wait(0.01)
    playing.cancel()
    assert playing.wait(0)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("round")]
    assert content(workers.start(job()).result()) == by_threads


# ---- builds ----------------------------------------------------------------------------------------

MINE = this_build()


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (dataclasses.replace(MINE, version="9.9"), f"nardy-ai 9.9 where this is {MINE.version}; install "),
        (dataclasses.replace(MINE, engine="e"), r"another build of nardy-ai .* \(engine e where .*one wheel"),
        (dataclasses.replace(MINE, kernel="abacus"), r"another processor type \(it runs abacus where "),
        (dataclasses.replace(MINE, trial="t"), "other results in a trial of 4 games"),
        (None, rf"no nardy-ai {MINE.version} \(No module named 'nardy_ai'\); install it there"),
    ],
)
def test_a_worker_of_another_build_is_refused_in_one_sentence(other: Build | None, words: str) -> None:
    cluster = FakeCluster()
    cluster.builds[2] = other
    with pytest.raises(InputError, match=f"^the worker on a has {words}") as caught:
        crew(cluster)
    assert "\n" not in str(caught.value)
    assert cluster.closed
    assert not cluster.played


def test_a_replacement_of_another_build_is_turned_away_and_the_run_goes_on(by_threads: bytes) -> None:
    cluster = FakeCluster(dies=lambda worker, _share: worker.number == 1)
    cluster.builds[4] = dataclasses.replace(MINE, version="0.0")
    said: list[str] = []
    workers = crew(cluster, said=said)
    assert content(workers.start(job()).result()) == by_threads
    assert {number for number, _ in cluster.played} == {2, 3}
    assert cluster.hired[3] in cluster.dismissed
    assert re.fullmatch(r"the worker on a has nardy-ai 0\.0 where .*; it is turned away", said[-1])


def test_the_trial_of_a_build_is_its_own() -> None:
    this_build.cache_clear()
    assert this_build() == MINE
    assert MINE.difference(MINE) is None
    assert len(MINE.trial) == len(MINE.engine) == 16


# ---- how many --------------------------------------------------------------------------------------


def test_by_default_one_processor_is_left_to_the_learner() -> None:
    assert [crew(FakeCluster(room), None).count for room in (1, 2, 9)] == [1, 1, 8]


@pytest.mark.parametrize(
    ("room", "count", "words"),
    [
        (0, None, "the fake cluster has no processor free; 'ray status'"),
        (3, 4, "workers: 4 are wanted, but the fake cluster has only 3 processors free; lower --workers"),
        (3, 0, "workers: 0 must be at least 1"),
    ],
)
def test_workers_that_there_is_no_room_for_are_refused(room: int, count: int | None, words: str) -> None:
    cluster = FakeCluster(room)
    with pytest.raises(InputError, match=words):
        crew(cluster, count)
    assert cluster.closed


def test_workers_that_do_not_begin_are_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_workers, "_BEGIN", 0.05)
    cluster = FakeCluster()
    cluster.never_come = {3}
    with pytest.raises(InputError, match="only 2 of 3 workers on the fake cluster began within 0 s"):
        crew(cluster)
    assert cluster.closed


# ---- a run -----------------------------------------------------------------------------------------


def test_a_run_whose_workers_die_all_the_time_gives_the_bytes_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths: set[tuple[int, int]] = set()

    def dies(worker: FakeWorker, share: Share) -> bool:
        """Every worker dies in its third share."""
        deaths.add((worker.number, share.first))
        return sum(number == worker.number for number, _ in deaths) > 2

    cluster = FakeCluster(2, dies)
    monkeypatch.setattr(ray_cluster, "RayCluster", lambda _address: cluster)
    said: list[str] = []
    options: dict[str, Any] = {"progress": False, "say": said.append}
    train(tiny(), tmp_path / "cluster", ray="auto", workers=2, **options)
    assert cluster.closed
    assert cluster.shared == 8
    assert len(cluster.hired) > 6
    assert said[1].endswith("2 workers on 2 hosts of the fake cluster")
    elsewhere = read_log(tmp_path / "cluster" / "timing.jsonl")
    assert all(line["cpu"] > 0.5 for line in elsewhere)
    train(tiny(), tmp_path / "threads", workers=1, **options)
    assert result_of(tmp_path / "cluster") == result_of(tmp_path / "threads")


def test_a_cluster_that_cannot_be_had_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "RayCluster", lambda _address: FakeCluster(0))
    with pytest.raises(InputError, match="no processor free"):
        train(tiny(), tmp_path / "run", ray="auto", progress=False)
    assert not (tmp_path / "run").exists()


def test_workers_are_let_go_however_a_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster()
    monkeypatch.setattr(ray_cluster, "RayCluster", lambda _address: cluster)
    with pytest.raises(KeyboardInterrupt), backends.hired(1, "auto", print):
        raise KeyboardInterrupt
    assert cluster.closed
