"""Runs that were killed, stopped or damaged: they go on bit for bit, or say in one sentence why not."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import EXACT, SAMPLED, result_of, tiny

from nardy_ai.core import InputError
from nardy_ai.training import learner, run_folder
from nardy_ai.training.config import TrainingConfig, config_text
from nardy_ai.training.loop import TrainingResult, resume, train
from nardy_ai.training.run_folder import RunFolder, read_log


class Killed(BaseException):
    """Stands for the end of the process: nothing in the loop catches it."""


def run(config: TrainingConfig, folder: Path) -> TrainingResult:
    return train(config, folder, progress=False, say=lambda _line: None)


def go_on(folder: Path, **options: Any) -> TrainingResult:
    return resume(folder, **{"progress": False, "say": lambda _line: None, **options})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The result of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(tiny(), folder)
    return result_of(folder)


def dying(calls: int, inner: Callable[..., Any], before: bool) -> Callable[..., Any]:
    """`inner`, whose call number `calls` does not come back (it works first unless `before`)."""
    count = 0

    def call(*arguments: Any, **settings: Any) -> Any:
        nonlocal count
        count += 1
        if count == calls and before:
            raise Killed
        result = inner(*arguments, **settings)
        if count == calls:
            raise Killed
        return result

    return call


# A checkpoint of the tiny run is 3 files, and one for each round in the memory; config.toml comes first.
FILES = [3, 5, 6, 7, 10, 13, 14, 17, 22, 27, 32, 36]


@pytest.mark.parametrize("calls", FILES)
def test_killed_between_the_files_of_a_checkpoint(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(run_folder, "write_file", dying(calls, run_folder.write_file, before=True))
        try:
            run(tiny(), tmp_path / "run")
        except Killed:
            assert not (tmp_path / "run" / "model.safetensors").exists()
    if RunFolder(tmp_path / "run").rounds():
        go_on(tmp_path / "run", workers=1)
        assert result_of(tmp_path / "run") == whole
    else:
        with pytest.raises(InputError, match="has no checkpoint"):
            go_on(tmp_path / "run")


PLACES = {"save": RunFolder, "rotate": RunFolder, "learn": learner.Learner}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("calls", [2, 4, 7])
def test_killed_around_the_commit(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, name: str, calls: int
) -> None:
    owner = PLACES[name]
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, dying(calls, getattr(owner, name), before=False))
        with pytest.raises(Killed):
            run(tiny(), tmp_path / "run")
    lost = go_on(tmp_path / "run")
    assert lost.finished
    assert result_of(tmp_path / "run") == whole


PROGRAM = """
import sys
from pathlib import Path
from nardy_ai.training.config import read_config
from nardy_ai.training.loop import resume, train
folder = Path(sys.argv[2])
options = {"progress": False, "say": lambda line: print(line, flush=True)}
if sys.argv[1] == "train":
    result = train(read_config(Path(sys.argv[3])), folder, **options)
else:
    result = resume(folder, **options)
sys.exit(0 if result.finished else 3)
"""


def started(*words: object) -> subprocess.Popen[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *map(str, words)], **pipes, text=True)


def wait_for_round(process: subprocess.Popen[str], folder: Path, number: int) -> None:
    """Until the run has a checkpoint of that round or a later one."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        rounds = RunFolder(folder).rounds()
        if rounds and rounds[-1] >= number:
            return
        time.sleep(0.002)
    raise AssertionError(f"no round {number}: {process.communicate(timeout=5)}")


def slow() -> TrainingConfig:
    """Rounds long enough to be killed in."""
    return tiny({**SAMPLED, "rounds": 15, "games": 60}, {**EXACT, "rounds": 15, "games": 8})


def test_a_process_that_was_killed_several_times_ends_with_the_same_bytes(tmp_path: Path) -> None:
    run(slow(), tmp_path / "whole")
    (tmp_path / "c.toml").write_text(config_text(slow()))
    folder = tmp_path / "run"
    words: tuple[object, ...] = ("train", folder, tmp_path / "c.toml")
    for moment in (2, 14, 21):
        process = started(*words)
        wait_for_round(process, folder, moment)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert not (folder / "model.safetensors").exists()
        words = ("resume", folder)
    before = RunFolder(folder).rounds()[-1]
    said: list[str] = []
    go_on(folder, say=said.append)
    assert said[0] == f"going on with {folder} after round {before} of 30"
    assert result_of(folder) == result_of(tmp_path / "whole")
    assert [line["round"] for line in read_log(folder / "timing.jsonl")] == list(range(1, 31))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_asked_to_stop_says_how_to_go_on(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "c.toml").write_text(config_text(slow()))
    folder = tmp_path / "run"
    process = started("train", folder, tmp_path / "c.toml")
    wait_for_round(process, folder, 2)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3, err
    assert err == ""
    last = RunFolder(folder).rounds()[-1]
    name = "Ctrl-C" if number == signal.SIGINT else "SIGTERM"
    assert f"stopped by {name} after round {last} of 30; go on with: nardy resume {folder}" in out
    assert [line["round"] for line in read_log(folder / "metrics.jsonl")] == list(range(1, last + 1))
    run(slow(), tmp_path / "whole")
    go_on(folder)
    assert result_of(folder) == result_of(tmp_path / "whole")


def test_a_stop_between_rare_checkpoints_loses_no_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = learner.Learner.learn

    def interrupted(self: Any, data: Any, rate: Any, **settings: Any) -> Any:
        if settings["round_number"] == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return inner(self, data, rate, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(learner.Learner, "learn", interrupted)
        result = run(tiny(checkpoint=100), tmp_path / "run")
    assert (result.finished, result.rounds) == (False, 3)
    assert RunFolder(tmp_path / "run").rounds() == [0, 3]


def test_what_was_half_written_is_cleared_away(tmp_path: Path, whole: dict[str, bytes]) -> None:
    stopped_after(5, tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    for log in (folder.metrics, folder.timing, folder.starts):
        with log.open("ab") as file:
            file.write(b'{"round": 6, "loss": 1.2')
    for path in (folder.checkpoints / ".round-000006.part-77", folder.checkpoints / "notes"):
        path.mkdir()
    (folder.path / ".model.safetensors.part-77").write_bytes(b"half")
    go_on(folder.path)
    assert result_of(folder.path) == whole
    assert [line["round"] for line in read_log(folder.timing)] == list(range(1, 9))
    assert [line["round"] for line in read_log(folder.starts)] == [0, 5]
    left = {path.name for path in (*folder.checkpoints.iterdir(), *folder.path.iterdir())}
    assert not [name for name in left if ".part-" in name]
    assert "notes" in left


def stopped_after(round_number: int, folder: Path) -> None:
    """A run that ended without a word after the checkpoint of that round."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunFolder, "save", dying(round_number + 1, RunFolder.save, before=False))
        with pytest.raises(Killed):
            run(tiny(), folder)


def test_a_finished_run_says_so_and_is_left_alone(tmp_path: Path) -> None:
    run(tiny(), tmp_path / "run")
    before = result_of(tmp_path / "run")
    said: list[str] = []
    result = go_on(tmp_path / "run", say=said.append)
    assert said == [f"{tmp_path / 'run'} is finished; its model is {tmp_path / 'run' / 'model.safetensors'}"]
    assert (result.finished, result.rounds, result.games) == (True, 8, 60)
    assert result_of(tmp_path / "run") == before


def test_a_run_that_lost_only_its_result_makes_it_again(tmp_path: Path, whole: dict[str, bytes]) -> None:
    run(tiny(), tmp_path / "run")
    (tmp_path / "run" / "model.safetensors").unlink()
    go_on(tmp_path / "run")
    assert result_of(tmp_path / "run") == whole


# ---- bad input -------------------------------------------------------------------------------------


def test_a_changed_config_is_refused_and_the_key_named(tmp_path: Path) -> None:
    stopped_after(3, tmp_path / "run")
    path = tmp_path / "run" / "config.toml"
    text = path.read_text()
    path.write_text(text.replace("games = 12", "games = 13"))
    with pytest.raises(InputError, match=r"phases\[0\].games is 13, but the checkpoint was made with 12"):
        go_on(tmp_path / "run")
    path.write_text(text.replace('"float32"', '"bf16"'))
    with pytest.raises(InputError, match=r"precision is 'bf16', but the checkpoint was made with 'float32'"):
        go_on(tmp_path / "run")
    path.write_text(text.replace("keep = 3", "keep = 5").replace("workers = 0", "workers = 1"))
    assert go_on(tmp_path / "run").finished


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no run folder"):
        go_on(tmp_path / "none")
    with pytest.raises(InputError, match=r"it has no config\.toml"):
        go_on(tmp_path)
    (tmp_path / "config.toml").write_text(config_text(tiny()))
    with pytest.raises(InputError, match="has no checkpoint in checkpoints/, so there is nothing"):
        go_on(tmp_path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("state.json", "state.json can't be read"),
        ("model.safetensors", "is not a nardy-ai model"),
        ("learner.safetensors", "is not a learner's state"),
        ("samples-000005.safetensors", "is not a replay memory file"),
    ],
)
def test_a_damaged_checkpoint_is_told_in_one_sentence(tmp_path: Path, name: str, message: str) -> None:
    stopped_after(6, tmp_path / "run")
    path = RunFolder(tmp_path / "run").folder_of(6) / name
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[: len(content) // 2])
    logs = (tmp_path / "run" / "metrics.jsonl").read_bytes()
    with pytest.raises(InputError, match=message) as caught:
        go_on(tmp_path / "run")
    assert "\n" not in str(caught.value)
    assert (tmp_path / "run" / "metrics.jsonl").read_bytes() == logs


def test_a_log_that_was_shortened_is_told(tmp_path: Path) -> None:
    stopped_after(3, tmp_path / "run")
    (tmp_path / "run" / "metrics.jsonl").write_text("")
    with pytest.raises(InputError, match=r"metrics.jsonl is shorter than at the last checkpoint"):
        go_on(tmp_path / "run")
