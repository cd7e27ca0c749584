"""A run meets a second process, a closed pipe, a full disk or damage: it says so and loses nothing."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import SAMPLED, result_of, tiny

from nardy_ai.core import InputError
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.model_file import Strength
from nardy_ai.models.tensor_file import read_tensors, tensor_bytes
from nardy_ai.training import loop, run_folder
from nardy_ai.training.config import Opponent, TrainingConfig, config_text
from nardy_ai.training.errors import TrainingError
from nardy_ai.training.loop import TrainingResult, resume, train
from nardy_ai.training.run_folder import RunFolder, read_log
from nardy_ai.training.stopping import StopRequest

NO_ROOM = OSError(28, "No space left on device")


def run(config: TrainingConfig, folder: Path, **options: Any) -> TrainingResult:
    return train(config, folder, **{"progress": False, "say": lambda _line: None, **options})


def go_on(folder: Path, **options: Any) -> TrainingResult:
    return resume(folder, **{"progress": False, "say": lambda _line: None, **options})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happened to, with all its checkpoints."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(tiny(keep=20), folder)
    return folder


@pytest.fixture
def stopped(whole: Path, tmp_path: Path) -> Path:
    """A copy of it as it stood after round 6 of 8."""
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    (folder / "model.safetensors").unlink()
    for number in (7, 8):
        shutil.rmtree(RunFolder(folder).folder_of(number))
    return folder


# ---- two processes ---------------------------------------------------------------------------------

PROGRAM = """
import sys
from pathlib import Path
from nardy_ai.training.config import read_config
from nardy_ai.training.loop import train
train(read_config(Path(sys.argv[1])), Path(sys.argv[2]), progress=False)
"""


def started(config: TrainingConfig, folder: Path, **pipes: Any) -> subprocess.Popen[str]:
    path = folder.with_suffix(".toml")
    path.write_text(config_text(config))
    words = [sys.executable, "-c", PROGRAM, str(path), str(folder)]
    return subprocess.Popen(words, text=True, **pipes)


def test_a_second_process_at_a_run_is_refused_until_the_first_was_killed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    config = tiny({**SAMPLED, "rounds": 2000, "games": 60})
    process = started(config, folder, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not RunFolder(folder).rounds()[1:] and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        logs = (folder / "metrics.jsonl").read_bytes()
        with pytest.raises(InputError, match=r"the run .* is in use by another process"):
            go_on(folder, judge=None)
        assert (folder / "metrics.jsonl").read_bytes() == logs
    finally:
        process.kill()
        process.wait()
    said: list[str] = []

    def stop_then(line: str) -> None:
        said.append(line)
        if line.startswith("learner on"):
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        go_on(folder, say=stop_then)
    assert said[0].startswith("going on with")


# ---- nobody to talk to -----------------------------------------------------------------------------


def test_a_reader_that_has_gone_does_not_end_the_run(tmp_path: Path, whole: Path) -> None:
    process = started(tiny(keep=20), tmp_path / "run", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    assert result_of(tmp_path / "run") == result_of(whole)


def test_a_say_that_fails_does_not_end_the_run(tmp_path: Path) -> None:
    def gone(_line: str) -> None:
        raise BrokenPipeError

    assert run(tiny(SAMPLED), tmp_path / "run", say=gone).finished


# ---- asked to stop ---------------------------------------------------------------------------------


def test_a_stop_while_waiting_for_workers_loses_no_round(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = loop._Loop._await

    def asked(self: Any, pending: Any) -> Any:
        if self.state.round == 6:
            os.kill(os.getpid(), signal.SIGINT)
            pending.wait = lambda _seconds: False
        return inner(self, pending)

    said: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(loop._Loop, "_await", asked)
        result = run(tiny(checkpoint=100), tmp_path / "run", say=said.append)
    assert (result.finished, result.rounds) == (False, 6)
    assert "after round 6 of 8" in said[-1]
    assert RunFolder(tmp_path / "run").rounds() == [0, 4, 6]
    assert [line["round"] for line in read_log(tmp_path / "run" / "metrics.jsonl")] == list(range(1, 7))
    go_on(tmp_path / "run")
    assert result_of(tmp_path / "run") == result_of(whole)


def test_a_stop_in_the_final_measuring_is_heard(tmp_path: Path) -> None:
    asked: list[bool] = []

    def slow(_evaluator: Evaluator, opponent: Opponent) -> Strength:
        if not asked:
            asked.append(True)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            asked.append(True)
        return Strength(opponent.bot, "short/standard", opponent.pairs, opponent.seed, 0.0, -0.1, 0.1, 0.5)

    opponents = [{"bot": "random", "pairs": 2}, {"bot": "greedy", "pairs": 2}]
    result = run(tiny(SAMPLED, opponents=opponents), tmp_path / "run", judge=slow)
    assert not result.finished
    assert len(asked) == 1
    assert not (tmp_path / "run" / "model.safetensors").exists()
    assert len(go_on(tmp_path / "run", judge=slow).strength) == 2


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with StopRequest() as stop:
            os.kill(os.getpid(), signal.SIGINT)
            assert not stop.requested
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


# ---- a disk that is full ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["config.toml", "learner.safetensors"])
def test_a_disk_that_is_full_at_the_start_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    inner = run_folder.write_file

    def full(path: Path, data: bytes, **settings: Any) -> None:
        if path.name == name:
            raise NO_ROOM
        inner(path, data, **settings)

    monkeypatch.setattr(run_folder, "write_file", full)
    with pytest.raises(InputError, match=r"can't be written \(No space left on device\)"):
        run(tiny(), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_at_the_end_is_told(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise NO_ROOM

    with monkeypatch.context() as patch:
        patch.setattr(loop, "write_model", full)
        with pytest.raises(TrainingError, match=r"the model .*\(No space .* nardy resume"):
            run(tiny(), tmp_path / "run")
    go_on(tmp_path / "run")
    assert result_of(tmp_path / "run") == result_of(whole)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to("/dev/full")
    log = run_folder.Log(tmp_path / "log")
    with pytest.raises(TrainingError, match=r"log can't be written \(No space .* nardy resume"):
        log.write({"round": 1})
    log.close()


def test_a_file_in_the_place_of_tensorboard_is_told(stopped: Path) -> None:
    config = stopped / "config.toml"
    config.write_text(config.read_text().replace("tensorboard = false", "tensorboard = true"))
    (stopped / "tensorboard").write_text("x")
    with pytest.raises(InputError, match=r"tensorboard can't be used for TensorBoard files"):
        go_on(stopped)


# ---- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["n" * 5000, "a\0b"])
def test_a_folder_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="can't be written"):
        run(tiny(), tmp_path / name)
    with pytest.raises(InputError, match="run folder"):
        go_on(tmp_path / name)


def test_a_folder_that_may_not_be_looked_into_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    for method in ("exists", "is_file"):
        monkeypatch.setattr(Path, method, forbidden)
    with pytest.raises(InputError, match="Permission denied"):
        RunFolder.create(tmp_path / "run", tiny())
    with pytest.raises(InputError, match="Permission denied"):
        RunFolder.open(tmp_path)


def test_a_game_whose_name_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="game"):
        run(tiny(game="n" * 5000), tmp_path / "run")


# ---- damaged checkpoints ---------------------------------------------------------------------------

Arrays = dict[str, Any]


def _without(prefix: str) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        for name in [name for name in arrays if name.startswith(prefix)]:
            del arrays[name]

    return change


TENSORS: dict[str, tuple[str, Callable[[Arrays], Any], str]] = {
    "another file": ("learner", lambda a: (a.clear(), a.update(x=np.zeros(3, np.float32))), "lacks 'adam/fi"),
    "no Adam": ("learner", _without("adam/"), "lacks 'adam/first'"),
    "no playing": ("learner", _without("playing/"), "lacks 'playing/contact.0.bias'"),
    "Adam's shape": (
        "learner",
        lambda a: a.update({"adam/first": a["adam/first"][1:]}),
        "'adam/first' is fl",
    ),
    "Adam's type": ("learner", lambda a: a.update({"adam/steps": np.zeros(1, np.uint8)}), "is uint8"),
    "playing's shape": (
        "learner",
        lambda a: a.update({"playing/contact.0.bias": np.zeros(3, np.float32)}),
        r"is float32 \[3\], expected float32 \[12\]",
    ),
    "not finite": ("learner", lambda a: a["adam/first"].fill(np.nan), "not finite"),
    "below 0": ("learner", lambda a: a["adam/second"].fill(-1), "out of range"),
    "boards": ("samples-000005", lambda a: a.update(boards=a["boards"][:, :1].copy()), "'boards' is int8"),
    "seats": ("samples-000005", lambda a: a.update(seats=a["seats"].astype(np.int64)), "'seats' is int64"),
    "turns": ("samples-000006", lambda a: a.update(turns=a["turns"][1:].copy()), "'turns' is uint8"),
    "targets": ("samples-000006", lambda a: a.update(targets=a["targets"][:, 1:].copy()), "'targets' is"),
    "outcomes": ("samples-000006", lambda a: a.pop("outcomes"), "lacks 'outcomes'"),
}


def refused(folder: Path, message: str) -> None:
    logs = (folder / "metrics.jsonl").read_bytes()
    with pytest.raises(InputError, match=message) as caught:
        go_on(folder)
    last = RunFolder(folder).folder_of(6)
    assert str(caught.value).endswith(
        f"or delete the folder {last}, and resume goes on from the checkpoint before"
    )
    assert "\n" not in str(caught.value)
    assert (folder / "metrics.jsonl").read_bytes() == logs


@pytest.mark.parametrize("fault", TENSORS)
def test_a_checkpoint_with_other_tensors_is_refused(stopped: Path, fault: str) -> None:
    name, change, message = TENSORS[fault]
    path = RunFolder(stopped).folder_of(6) / f"{name}.safetensors"
    arrays, metadata = read_tensors(path, "file")
    change(arrays)
    path.unlink()
    path.write_bytes(tensor_bytes(arrays, metadata))
    refused(stopped, message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"phase": 2}, "phase 2 is not one of the config's 2"),
        ({"phase": -1}, "phase -1 is not"),
        ({"round_in_phase": 5}, "round_in_phase 5 is not one of the phase's 4"),
        ({"round_in_phase": -1}, "round_in_phase -1 is not"),
        ({"round_in_phase": 1}, "round 6 is not round 1 of phase 1"),
        ({"steps": -1}, "out of range"),
        ({"memory": [6]}, "the memory's rounds"),
    ],
)
def test_a_state_that_the_config_cannot_lead_to_is_refused(
    stopped: Path, changes: dict[str, Any], message: str
) -> None:
    path = RunFolder(stopped).folder_of(6) / "state.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    refused(stopped, message)


@pytest.mark.parametrize(
    "name", ["state.json", "model.safetensors", "learner.safetensors", "samples-000005.safetensors"]
)
def test_without_a_file_the_checkpoint_before_is_pointed_to(stopped: Path, whole: Path, name: str) -> None:
    last = RunFolder(stopped).folder_of(6)
    (last / name).unlink()
    refused(stopped, name)
    shutil.rmtree(last)
    go_on(stopped)
    assert result_of(stopped) == result_of(whole)


def test_a_model_of_another_size_is_refused(stopped: Path) -> None:
    folder = RunFolder(stopped)
    shutil.copy(folder.folder_of(4) / "model.safetensors", folder.folder_of(6) / "model.safetensors")
    refused(stopped, r"its hidden layers \[8\] should be \[12, 12\]")
