"""The run folder: config, logs and checkpoints, written so that a run can be killed at any moment.

    runs/NAME/
        .lock                   held by the one process that trains here
        config.toml             as resolved
        metrics.jsonl           one line a round and a measurement; reproducible
        timing.jsonl            speeds of the same rounds; never compared
        starts.jsonl            one line each time that it was begun or resumed: machine, versions, command
        tensorboard/            drawn from the two
        checkpoints/round-NNNNNN/
            state.json          where the run stands, and how long the logs were then
            model.safetensors   the weights, as a model file that can be played with
            learner.safetensors the optimizer, and the weights of the round in flight
            samples-NNNNNN.safetensors   the replay memory, a file a round
        milestones/round-NNNNNN.safetensors   model files that are kept
        watched/round-NNNNNN.safetensors      former selves that the model is watched against
        best.safetensors        the last model that was promoted
        model.safetensors       the result

A checkpoint is built beside its place; renaming its folder is the commit. Files of the replay memory do
not change, so a checkpoint shares them with the one before (hard links where the disk has them).
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from nardy_ai.core import InputError
from nardy_ai.models.layers import FloatArray
from nardy_ai.models.model_file import ModelFile, model_bytes, read_model
from nardy_ai.models.tensor_file import read_tensors, tensor_bytes, write_file
from nardy_ai.training.config import TrainingConfig, config_text, read_config
from nardy_ai.training.errors import TrainingError
from nardy_ai.training.machine import machine_facts
from nardy_ai.training.targets import Samples

_NAME = re.compile(r"round-(\d{6,})")


@dataclass(frozen=True)
class State:
    """Where a run stands after a round."""

    config_hash: str
    result_keys: dict[str, Any]
    """What the weights depend on, to say which key differs when the config was changed."""
    device: str
    round: int = 0
    """Rounds that are over, in the whole run."""
    phase: int = 0
    """Index of the phase of the last round."""
    round_in_phase: int = 0
    """Rounds that are over in that phase."""
    steps: int = 0
    """Optimizer steps so far."""
    games: int = 0
    """Games so far: the number of the next game, which is all the dice depend on beside the seed."""
    memory: tuple[int, ...] = ()
    """Rounds in the replay memory."""
    metrics_bytes: int = 0
    """Length of metrics.jsonl at this checkpoint."""
    timing_bytes: int = 0
    """Length of timing.jsonl."""


@dataclass(frozen=True)
class Checkpoint:
    """Everything that continuing bit for bit needs."""

    state: State
    model: ModelFile
    """The weights."""
    learner: Mapping[str, FloatArray]
    """Optimizer state ("adam/…"), and the weights of the round in flight when there is one ("playing/…")."""
    memory: Sequence[tuple[int, Samples]]
    """Replay memory: round numbers with their samples, oldest first."""


class RunFolder:
    """One run's folder on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / "checkpoints"
        self.milestones = path / "milestones"
        self.tensorboard = path / "tensorboard"
        self.metrics = path / "metrics.jsonl"
        self.timing = path / "timing.jsonl"
        self.starts = path / "starts.jsonl"
        self.config = path / "config.toml"
        self.model = path / "model.safetensors"

    @classmethod
    def create(cls, path: Path, config: TrainingConfig) -> RunFolder:
        """Make a new run's folder; raises InputError when it exists or can't be written, before any work."""
        run = cls(path)
        try:
            taken = path.exists() and (not path.is_dir() or any(path.iterdir()))
        except OSError as error:
            raise _unwritable(path, error) from None
        if taken and not path.is_dir():
            raise InputError(f"{path} is there and is no folder; choose another place for the run")
        if taken:
            raise InputError(
                f"{path} exists already; choose another folder, or go on with it: nardy resume {path}"
            )
        try:
            run.checkpoints.mkdir(parents=True)
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from None
        try:
            write_file(run.config, config_text(config).encode())
            run.metrics.touch()
            run.timing.touch()
        except OSError as error:
            shutil.rmtree(path, ignore_errors=True)
            raise _unwritable(path, error) from None
        return run

    def begin(self, first: Checkpoint) -> None:
        """Commit the checkpoint of round 0; where that fails nothing is left, and InputError says why."""
        try:
            self.save(first)
        except OSError as error:
            shutil.rmtree(self.path, ignore_errors=True)
            raise _unwritable(self.path, error) from None

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """An existing run's folder; raises InputError when there is none."""
        run = cls(path)
        try:
            is_folder, is_run = path.is_dir(), run.config.is_file()
        except OSError as error:
            raise InputError(
                f"the run folder {path} can't be read ({error.strerror}); check the path and your rights"
            ) from None
        if not is_folder:
            raise InputError(f"there is no run folder {_shown(path)}; begin a run with: nardy train CONFIG")
        if not is_run:
            raise InputError(f"{path} is no run folder: it has no config.toml; give one that train made")
        if not os.access(path, os.W_OK):
            raise InputError(f"the run folder {path} can't be written; get the right to write there")
        return run

    def read_config(self) -> TrainingConfig:
        """The config that the run was started with."""
        return read_config(self.config)

    def rounds(self) -> list[int]:
        """Rounds that have a checkpoint, rising."""
        if not self.checkpoints.is_dir():
            return []
        found = (_NAME.fullmatch(entry.name) for entry in self.checkpoints.iterdir() if entry.is_dir())
        return sorted(int(match[1]) for match in found if match)

    def folder_of(self, round_number: int) -> Path:
        """Where the checkpoint of a round lies."""
        return self.checkpoints / f"round-{round_number:06d}"

    def last_checkpoint(self) -> Path:
        """The newest checkpoint; raises InputError when there is none."""
        rounds = self.rounds()
        if not rounds:
            raise InputError(
                f"{self.path} has no checkpoint in {self.checkpoints.name}/, so there is nothing to go on "
                "from; begin again with: nardy train CONFIG"
            )
        return self.folder_of(rounds[-1])

    def save(self, checkpoint: Checkpoint) -> Path:
        """Commit a checkpoint: all of it is there, or none. Returns its folder."""
        final = self.folder_of(checkpoint.state.round)
        aside = self.checkpoints / f".{final.name}.part-{os.getpid()}"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        earlier = self.folder_of(rounds[-1]) if (rounds := self.rounds()) else None
        for number, samples in checkpoint.memory:
            _share_or_write(aside / _samples_name(number), earlier, samples)
        write_file(aside / "model.safetensors", model_bytes(checkpoint.model), durable=False)
        write_file(aside / "learner.safetensors", tensor_bytes(checkpoint.learner, {}), durable=False)
        state = msgspec.json.format(msgspec.json.encode(checkpoint.state))
        write_file(aside / "state.json", state, durable=False)
        if final.exists():
            shutil.rmtree(final)
        aside.rename(final)
        return final

    def load(self, folder: Path) -> Checkpoint:
        """Read a checkpoint; raises InputError when something in it is missing or damaged."""
        with or_the_one_before(folder):
            return self._load(folder)

    def _load(self, folder: Path) -> Checkpoint:
        try:
            state = msgspec.json.decode((folder / "state.json").read_bytes(), type=State)
        except (OSError, msgspec.MsgspecError, RecursionError) as error:
            raise InputError(f"{folder}/state.json can't be read ({error}); put it back") from None
        learner, _ = read_tensors(folder / "learner.safetensors", "learner's state")
        memory = [(number, _read_samples(folder / _samples_name(number))) for number in state.memory]
        return Checkpoint(state, read_model(folder / "model.safetensors"), learner, memory)

    def log_start(self, round_number: int, device: str, workers: int, learner_threads: int) -> None:
        """Note on what, with what and by which command the run goes on after this round."""
        log = Log(self.starts)
        try:
            at = {"round": round_number, "device": device, "workers": workers}
            log.write({**at, "learner_threads": learner_threads, **machine_facts()})
        finally:
            log.close()

    def rewind(self, state: State) -> None:
        """Bring the folder back to a checkpoint: logs cut to its length, what was half written deleted."""
        _truncate(self.metrics, state.metrics_bytes)
        _truncate(self.timing, state.timing_bytes)
        _cut_to_whole_lines(self.starts)
        for leftover in self.checkpoints.glob(".round-*.part-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        for leftover in self.path.glob(".*.part-*"):
            leftover.unlink(missing_ok=True)

    def rotate(self, keep: int) -> None:
        """Delete all checkpoints but the last `keep`."""
        for number in self.rounds()[:-keep]:
            shutil.rmtree(self.folder_of(number), ignore_errors=True)

    def keep_milestone(self, round_number: int, model: ModelFile) -> None:
        """Keep a model file for good."""
        self.milestones.mkdir(exist_ok=True)
        write_file(self.milestones / f"round-{round_number:06d}.safetensors", model_bytes(model))


    @property
    def best(self) -> Path:
        """The last model that was promoted."""
        return self.path / "best.safetensors"

    def promote(self, model: ModelFile) -> None:
        """Make a model the run's best."""
        write_file(self.best, model_bytes(model))

    def former_self(self, round_number: int) -> Path:
        """Where the model of a round is kept that later ones are watched against."""
        return self.path / "watched" / f"round-{round_number:06d}.safetensors"

    def keep_former_self(self, round_number: int, model: ModelFile) -> None:
        """Keep a model to watch later ones against, and the two before it, which a resumed run may need."""
        path = self.former_self(round_number)
        path.parent.mkdir(exist_ok=True)
        write_file(path, model_bytes(model))
        older = sorted(p for p in path.parent.iterdir() if _NAME.fullmatch(p.stem) and p.name < path.name)
        for old in older[:-2]:
            old.unlink()


@contextmanager
def or_the_one_before(folder: Path) -> Iterator[None]:
    """Add to an InputError about a checkpoint what always helps."""
    try:
        yield
    except InputError as error:
        raise InputError(
            f"{error}; or delete the folder {folder}, and resume goes on from the checkpoint before"
        ) from None


def fresh_name(parent: Path, stem: str) -> Path:
    """A folder in `parent` that does not exist yet: STEM, or STEM-2, STEM-3, …"""
    path, number = parent / stem, 2
    while path.exists():
        path, number = parent / f"{stem}-{number}", number + 1
    return path


class Log:
    """A .jsonl file that is appended to, a line a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            # Without a buffer nothing that failed is tried again when the file is closed.
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise self._unwritten(error) from error

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line, from which the same numbers are read back; TrainingError when it can't be."""
        left = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise self._unwritten(error) from error

    def _unwritten(self, error: OSError) -> TrainingError:
        return TrainingError(
            f"{self._path} can't be written ({error.strerror or error}); make room or get the right to write "
            f"there, then go on with: nardy resume {self._path.parent}"
        )

    def length(self) -> int:
        """Bytes so far."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a .jsonl file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _unwritable(path: Path, error: OSError | ValueError) -> InputError:
    reason = error.strerror or error if isinstance(error, OSError) else error
    return InputError(
        f"the run folder {_shown(path)} can't be written ({reason}); choose one where there is room and you "
        "may write"
    )


def _shown(path: Path) -> str:
    """The path as it can be printed."""
    return repr(str(path)) if "\0" in str(path) else str(path)


def _samples_name(number: int) -> str:
    return f"samples-{number:06d}.safetensors"


def _share_or_write(path: Path, earlier: Path | None, samples: Samples) -> None:
    if earlier is not None and (there := earlier / path.name).is_file():
        try:
            os.link(there, path)
        except OSError:
            shutil.copyfile(there, path)
        return
    tensors = {name: getattr(samples, name) for name in ("boards", "seats", "turns", "targets", "outcomes")}
    counts = {name: str(getattr(samples, name)) for name in ("games", "plies", "evaluations", "cut")}
    write_file(path, tensor_bytes(tensors, counts), durable=False)


def _read_samples(path: Path) -> Samples:
    tensors, counts = read_tensors(path, "replay memory file")
    numbers = {name: int(count) for name, count in counts.items() if count.isdecimal() and len(count) < 20}
    try:
        return Samples.of({**tensors, **numbers})
    except KeyError as error:
        raise InputError(f"{path} lacks {error}; take a whole copy of the file") from None


def _cut_to_whole_lines(path: Path) -> None:
    """Drop a last line that was not written to its end."""
    if path.is_file() and not (data := path.read_bytes()).endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)


def _truncate(path: Path, length: int) -> None:
    if not path.is_file() or path.stat().st_size < length:
        raise InputError(f"{path} is shorter than at the last checkpoint: it was changed, so put it back")
    os.truncate(path, length)
