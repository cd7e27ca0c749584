"""`nardy train` and `nardy resume`, with runs of seconds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import REPOSITORY, nardy

from nardy_ai.models.model_file import read_model

CONFIG = """
game = "{game}"
seed = 4
tensorboard = false
opponents = [{{ bot = "random", pairs = 40 }}, {{ bot = "greedy", pairs = 40 }}]

[[phases]]
name = "sampled"
rounds = {rounds}
games = 40
lr_from = 2e-3
lr_to = 1e-3
hidden = [16]
"""


def config(folder: Path, game: str = "long", rounds: int = 3) -> Path:
    path = folder / "tiny.toml"
    path.write_text(CONFIG.format(game=game, rounds=rounds), encoding="utf-8")
    return path


def newest(run: Path) -> int:
    """The round of the newest checkpoint, 0 where there is none."""
    return max((int(path.name[6:]) for path in (run / "checkpoints").glob("round-*")), default=0)


@pytest.mark.parametrize("game", ["long", "short"])
def test_a_run_leaves_a_measured_model(game: str, tmp_path: Path) -> None:
    config(tmp_path, game)
    ran = nardy("train", "tiny.toml", cwd=tmp_path)
    assert ran.code == 0, ran.err
    for word in ("cpu", "rounds", "runs/tiny/model.safetensors", "random", "95 % interval", "40 pairs"):
        assert word in ran.out
    model = read_model(tmp_path / "runs" / "tiny" / "model.safetensors")
    assert model.game == game
    assert [line.opponent for line in model.strength] == ["random", "greedy"]
    assert all(line.pairs == 40 and line.low < line.ppg < line.high for line in model.strength)


def test_a_missing_folder_is_made_and_the_report_is_one_object(tmp_path: Path) -> None:
    config(tmp_path)
    ran = nardy("train", "tiny.toml", "--run", "new/place/one", "--json", "--workers", "1", cwd=tmp_path)
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    assert report["finished"] is True
    assert report["games"] == 120
    assert (tmp_path / report["model"]).is_file()
    assert len(report["strength"]) == 2


def test_resuming_a_finished_run_changes_nothing(tmp_path: Path) -> None:
    config(tmp_path)
    assert nardy("train", "tiny.toml", cwd=tmp_path).code == 0
    run = tmp_path / "runs" / "tiny"
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    ran = nardy("resume", "runs/tiny", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "finished" in ran.out
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path: Path) -> None:
    config(tmp_path, rounds=4000)
    run = tmp_path / "runs" / "tiny"
    process = subprocess.Popen(
        [sys.executable, "-m", "nardy_ai", "train", "tiny.toml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        deadline = time.monotonic() + 90
        while newest(run) < 2 and time.monotonic() < deadline:
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 1, err
    assert "nardy resume runs/tiny" in out
    assert "Traceback" not in err

    # A shorter plan would be another run, so the rest is not waited for: it goes on where it stopped.
    reached = newest(run)
    process = subprocess.Popen(
        [sys.executable, "-m", "nardy_ai", "resume", "runs/tiny"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 90
        while newest(run) < reached + 2 and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        assert newest(run) >= reached + 2
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert f"after round {reached} " in out
    rounds = [json.loads(line)["round"] for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert rounds == list(range(1, len(rounds) + 1))


def test_a_run_that_cannot_go_on_is_exit_code_1(tmp_path: Path) -> None:
    path = config(tmp_path)
    path.write_text(path.read_text().replace("2e-3", "1e6").replace("1e-3", "1e6"), encoding="utf-8")
    ran = nardy("train", "tiny.toml", cwd=tmp_path)
    assert ran.code == 1
    assert ran.err.startswith("nardy: ")
    assert "Traceback" not in ran.err


def test_the_script_of_make_train(tmp_path: Path) -> None:
    config(tmp_path)
    for number in ("", "-2"):
        done = subprocess.run(
            [sys.executable, str(REPOSITORY / "scripts" / "first_bot.py"), "tiny.toml"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        run = tmp_path / "runs" / f"tiny{number}"
        assert (run / "model.safetensors").is_file()
        assert (run / "model.onnx").is_file()
        for word in ("against random", "against greedy", f"runs/tiny{number}/model.onnx", "play"):
            assert word in done.stdout
