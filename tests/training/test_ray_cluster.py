"""A real Ray cluster of two nodes on this machine (slow), and what is said where there is none."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ray_machines import RayMachines, actors, wait_until
from tiny_runs import SAMPLED, fifty, result_of, tiny

from nardy_ai.core import InputError
from nardy_ai.models.layers import fresh_layers
from nardy_ai.rules import Game
from nardy_ai.training import ray_cluster
from nardy_ai.training.beginning import first_checkpoint, prepared
from nardy_ai.training.cluster_workers import ClusterWorkers
from nardy_ai.training.config import config_text
from nardy_ai.training.errors import WorkerError
from nardy_ai.training.loop import resume, train
from nardy_ai.training.ray_cluster import RayCluster
from nardy_ai.training.run_folder import RunFolder
from nardy_ai.training.workers import RoundJob

QUIET: dict[str, Any] = {"progress": False, "say": lambda _line: None}


# ---- addresses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("127.0.0.1:1", r"no Ray cluster answers at 127\.0\.0\.1:1 \(Connection refused\); 'ray start --he"),
        ("no.such.host.invalid:6379", r"no Ray cluster answers at no\.such\.host\.invalid:6379 \("),
        ("ray://10.0.0.1:10001", "give HOST:PORT of the cluster's head or 'auto', and run nardy on one of"),
        ("local", "give HOST:PORT"),
        ("somewhere", "'somewhere' is no address; give HOST:PORT"),
        (":6379", "is no address"),
        ("10.0.0.1:port", "is no address"),
        ("10.0.0.1:65536", "is no address"),
    ],
)
def test_an_address_where_no_cluster_is_is_told(address: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        ray_cluster._check_answers(address)
    assert "\n" not in str(caught.value)


def test_what_answers_and_is_no_cluster_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself would try for two minutes and then end the process."""
    monkeypatch.setattr(ray_cluster, "_JOIN", 0.3)
    monkeypatch.setattr(ray_cluster, "_ATTEMPT", "import time; time.sleep(60)")
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(InputError, match=f"no Ray cluster answers at {address} within 0 s"):
            ray_cluster._check_answers(address)


def test_a_cluster_that_cannot_be_joined_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "_ATTEMPT", "raise SystemExit('Version mismatch: Ray 2.1.')")
    with pytest.raises(InputError, match=r"at auto can't be joined \(Version mismatch: Ray 2.1\); on each"):
        ray_cluster._check_answers("auto")


def test_without_ray_the_command_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(config_text(tiny(SAMPLED)))
    program = "import sys; sys.modules['ray'] = None; from nardy_ai.commands import main; sys.exit(main())"
    words = [sys.executable, "-c", program, "train", "c.toml", "--backend", "ray"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith("nardy: this needs the package ray: ") and ran.stderr.endswith("[ray]'\n")
    assert not (tmp_path / "runs").exists()


def test_an_address_without_its_backend_is_refused(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "nardy_ai", "resume", "runs/x", "--ray-address", "a:1"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == "nardy: --ray-address is for --backend ray; add that, or leave the address out\n"


# ---- a cluster -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def machines() -> Iterator[RayMachines]:
    pytest.importorskip("ray")
    with RayMachines() as cluster:
        yield cluster


def started(cluster: RayMachines, folder: Path, *options: str) -> subprocess.Popen[str]:
    (folder.parent / "c.toml").write_text(config_text(fifty()))
    words = [sys.executable, "-m", "nardy_ai", "train", "c.toml", "--run", str(folder), "--workers", "2"]
    words += ["--backend", "ray", "--ray-address", cluster.address, *options]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, cwd=folder.parent, text=True, **pipes)


def reached(folder: Path, number: int) -> bool:
    return bool((rounds := RunFolder(folder).rounds()) and rounds[-1] >= number)


@pytest.mark.slow
def test_fifty_rounds_are_the_same_bytes_by_threads_by_ray_and_with_a_machine_killed(
    tmp_path: Path, machines: RayMachines
) -> None:
    train(fifty(), tmp_path / "one", workers=1, **QUIET)
    train(fifty(), tmp_path / "two", workers=2, **QUIET)
    process = started(machines, tmp_path / "ray")
    try:
        assert wait_until(lambda: reached(tmp_path / "ray", 10), 120)
        machines.kill_one()
        out, err = process.communicate(timeout=150)
    finally:
        process.kill()
        machines.add_one()
    assert process.returncode == 0, err
    assert err == ""
    assert "is lost (its process or its machine is gone); its games are played again" in out
    assert wait_until(lambda: not actors(), 30)
    results = [result_of(tmp_path / name) for name in ("one", "two", "ray")]
    assert results[0] == results[1] == results[2]


@pytest.mark.slow
def test_a_killed_run_leaves_no_actor_and_goes_on_with_threads(
    tmp_path: Path, machines: RayMachines
) -> None:
    process = started(machines, tmp_path / "run")
    try:
        assert wait_until(lambda: reached(tmp_path / "run", 20), 120)
        assert len(actors()) == 2
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert wait_until(lambda: not actors(), 60)
    resume(tmp_path / "run", **QUIET)
    train(fifty(), tmp_path / "whole", **QUIET)
    assert result_of(tmp_path / "run") == result_of(tmp_path / "whole")


@pytest.mark.slow
def test_ctrl_c_ends_the_actors_and_says_how_to_go_on(tmp_path: Path, machines: RayMachines) -> None:
    process = started(machines, tmp_path / "run")
    try:
        assert wait_until(lambda: reached(tmp_path / "run", 10), 120)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (1, "")
    assert f"go on with: nardy resume {tmp_path / 'run'}" in out
    assert wait_until(lambda: not actors(), 30)


@pytest.mark.slow
def test_what_an_actor_raises_comes_with_its_own_words(machines: RayMachines) -> None:
    handlers = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    workers = ClusterWorkers(RayCluster(machines.address), 2, print)
    try:
        config, game = prepared(tiny(SAMPLED))
        nets = first_checkpoint(config, game, "cpu").model.nets
        settings: dict[str, Any] = {"seed": 1, "first_game": 0, "games": 20, "targets": "sampled"}
        settings |= {"trace": 0.0, "stride": 0, "max_turns": 50}
        job = RoundJob(round=1, rules=game.core_rules, encoding="short-1", nets=nets, **settings)
        with pytest.raises(WorkerError, match=r"worker \d on .* in round 1 while playing .*ValueError: "):
            workers.start(job).result()
    finally:
        workers.close()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == handlers
    assert wait_until(lambda: not actors(), 30)


@pytest.mark.slow
def test_what_rounds_leave_in_the_object_store_is_freed(machines: RayMachines) -> None:
    """Sixty rounds of 2.6 MB of weights each go through stores of 80 MB, and nothing is put on the disk."""
    import ray

    game = Game("short")
    nets = {"contact": fresh_layers(196, (1024, 440), 6, seed=1)}
    settings: dict[str, Any] = {"seed": 1, "first_game": 0, "games": 4, "targets": "sampled"}
    settings |= {"trace": 0.0, "stride": 1, "max_turns": 10, "tables": False}
    workers = ClusterWorkers(RayCluster(machines.address), 2, print)
    try:
        whole, least = ray.cluster_resources()["object_store_memory"], float("inf")
        for number in range(60):
            job = RoundJob(number, game.core_rules, "short-1", nets, **settings)
            assert workers.start(job).result().games == 4
            least = min(least, ray.available_resources()["object_store_memory"])
        assert whole - least < 30e6
        assert wait_until(lambda: whole - ray.available_resources()["object_store_memory"] < 6e6, 30)
    finally:
        workers.close()
    assert not [path for path in Path("/tmp/ray/session_latest").glob("*spill*/*") if path.is_file()]


@pytest.mark.slow
def test_a_machine_without_the_package_is_told_before_any_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    other = tmp_path / "there" / "nardy_ai"
    other.mkdir(parents=True)
    # Ray lets workers look into the folder that a run was started in, too.
    monkeypatch.chdir(tmp_path)
    (other / "__init__.py").write_text("__version__ = '0.0'\n")
    words = r"has no nardy-ai .*No module named 'nardy_ai\.training'"
    with RayMachines(1, tmp_path / "there") as cluster, pytest.raises(InputError, match=words):
        ClusterWorkers(RayCluster(cluster.address), 1, print)
