"""Same seed, same bytes after fifty rounds: by one thread, by two, killed again and again, on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fake_cluster import FakeCluster
from tiny_runs import fifty, result_of

from nardy_ai.training import ray_cluster
from nardy_ai.training.loop import resume, train
from nardy_ai.training.run_folder import Checkpoint, RunFolder

QUIET: dict[str, Any] = {"progress": False, "say": lambda _line: None}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("one") / "run"
    assert train(fifty(), folder, workers=1, **QUIET).rounds == 50
    return result_of(folder)


def test_two_threads(tmp_path: Path, whole: dict[str, bytes]) -> None:
    train(fifty(), tmp_path / "run", workers=2, **QUIET)
    assert result_of(tmp_path / "run") == whole


class Killed(BaseException):
    """Stands for the end of the process."""


def test_killed_and_resumed(tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, inner = tmp_path / "run", RunFolder.save
    fatal = [10, 20, 40]

    def save(self: RunFolder, checkpoint: Checkpoint) -> Path:
        if checkpoint.state.round in fatal:
            fatal.remove(checkpoint.state.round)
            raise Killed
        return inner(self, checkpoint)

    monkeypatch.setattr(RunFolder, "save", save)
    with pytest.raises(Killed):
        train(fifty(), folder, workers=2, **QUIET)
    for workers in (1, 2):
        with pytest.raises(Killed):
            resume(folder, workers=workers, **QUIET)
    assert resume(folder, workers=1, **QUIET).rounds == 50
    assert result_of(folder) == whole


def test_a_cluster_whose_machines_come_and_go(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = FakeCluster(3, dies=lambda worker, share: worker.number % 2 == 0 and share.first > 3)
    monkeypatch.setattr(ray_cluster, "RayCluster", lambda _address: cluster)
    train(fifty(), tmp_path / "run", workers=3, ray="auto", **QUIET)
    assert result_of(tmp_path / "run") == whole
    assert any(worker.lost for worker in cluster.hired)
