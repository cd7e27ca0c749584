"""Making a benchmark: the same bytes for any number of threads, and however often it was stopped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from untrained import untrained_model

from nardy_ai.bots import bot, load
from nardy_ai.core import InputError
from nardy_ai.evaluation.decisions import MakingInterrupted, Trials, make_benchmark, read_benchmark
from nardy_ai.evaluation.decisions.making import Making
from nardy_ai.evaluation.decisions.work_file import WorkFile

COUNT = 12


@pytest.fixture(scope="module")
def making(tmp_path_factory: pytest.TempPathFactory) -> Making:
    """A judge that knows nothing, and trials that end soon."""
    file = untrained_model("short/standard", tmp_path_factory.mktemp("models") / "judge.safetensors")
    judge = load(file)
    return Making(
        judge=judge,
        players=(bot("greedy", judge.game), bot("random", judge.game)),
        decisions=COUNT,
        seed=3,
        trials=Trials(truncate=2, least=144, most=216, margin=0.05, keep=3),
        commit="c0ffee",
    )


@pytest.fixture(scope="module")
def whole(making: Making, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "made.safetensors"
    make_benchmark(making, path, threads=1, progress=False)
    return path.read_bytes()


def test_what_is_made(making: Making, whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "made.safetensors").write_bytes(whole)
    found = read_benchmark(tmp_path / "made.safetensors")
    header = found.header
    assert (len(found), header.decisions, header.seed, header.commit) == (COUNT, COUNT, 3, "c0ffee")
    assert header.judge.hash == making.judge.fingerprint
    assert header.players == (("greedy", bot("greedy").fingerprint), ("random", bot("random").fingerprint))
    assert header.trials == found.trials.sum() > 0
    assert 0 <= header.close_met <= header.close
    assert (header.terms.truncate, header.terms.trials_most) == (2, 216)
    assert "--decisions 12" in header.command and "--truncate 2" in header.command
    # Estimates have the error that estimates were seen to have; the best play of a decision has none.
    estimated = (found.trials == 0) & (found.errors[:, 1] > 0)
    assert np.unique(found.errors[estimated]) == pytest.approx([header.estimate_error])
    for a, b in zip(found.offsets[:-1], found.offsets[1:], strict=True):
        assert (found.errors[a:b, 1] == 0).any()


def test_threads_make_no_difference(making: Making, whole: bytes, tmp_path: Path) -> None:
    make_benchmark(making, tmp_path / "made.safetensors", threads=3, progress=False)
    assert (tmp_path / "made.safetensors").read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["made.safetensors"]


def test_another_seed_makes_another_file(making: Making, whole: bytes, tmp_path: Path) -> None:
    make_benchmark(replace(making, seed=4), tmp_path / "made.safetensors", threads=1, progress=False)
    assert (tmp_path / "made.safetensors").read_bytes() != whole


@pytest.mark.parametrize("threads", [1, 2])
def test_what_was_stopped_goes_on(
    threads: int, making: Making, whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = tmp_path / "made.safetensors", WorkFile.add
    work = tmp_path / "made.safetensors.work"
    judged: list[int] = []
    stop_at = 0

    def stopping(self: WorkFile, number: int, found: Any) -> None:
        if len(judged) == stop_at:
            raise KeyboardInterrupt
        judged.append(number)
        kept(self, number, found)

    monkeypatch.setattr(WorkFile, "add", stopping)
    for stop_at in (5, 8):
        with pytest.raises(MakingInterrupted, match=f"stopped with {stop_at} of {COUNT} decisions judged"):
            make_benchmark(making, path, threads=threads, progress=False)
        assert not path.exists()
        # A line that was cut off in the middle of writing is forgotten.
        work.write_bytes(work.read_bytes() + b'{"number": 11, "wor')
    stop_at = COUNT
    make_benchmark(making, path, threads=threads, progress=False)
    assert path.read_bytes() == whole
    assert not work.exists()
    assert sorted(judged) == list(range(COUNT))


def test_work_for_something_else_is_left_alone(making: Making, tmp_path: Path) -> None:
    work = tmp_path / "made.safetensors.work"
    WorkFile(work, replace(making, seed=9).purpose(), [5] * COUNT).close()
    before = work.read_bytes()
    with pytest.raises(InputError, match="other settings, another judge or another version"):
        make_benchmark(making, tmp_path / "made.safetensors", threads=1, progress=False)
    assert work.read_bytes() == before


def test_a_damaged_work_file(tmp_path: Path) -> None:
    path, purpose = tmp_path / "w", {"seed": 1}
    line = {
        "number": 1,
        "worths": [[0.5, 0.25], [0.1, 0.1]],
        "errors": [[0.1, 0.0], [0.1, 0.2]],
        "trials": [72, 72],
        "close": 1,
        "close_met": 0,
        "squares": 0.5,
        "compared": 1,
    }
    first = json.dumps(purpose, sort_keys=True) + "\n"
    path.write_text(first + json.dumps(line) + "\n")
    found = WorkFile(path, purpose, [3, 2])
    found.close()
    assert found.done[1].worths.tolist() == line["worths"]
    assert found.done[1].played == 144
    for wrong in ("nonsense", *(json.dumps(line | {"number": n}) for n in (-1, 0, 2))):
        path.write_text(first + wrong + "\n")
        with pytest.raises(InputError, match=r"line 2 of .* is damaged"):
            WorkFile(path, purpose, [3, 2])


def test_bad_input(making: Making, tmp_path: Path) -> None:
    for changes, said in (
        ({"decisions": 0}, "decisions is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"judge": making.judge.looking_ahead(1)}, "looks ahead by itself"),
    ):
        with pytest.raises(InputError, match=said):
            replace(making, **changes)
    with pytest.raises(InputError, match="threads is 0"):
        make_benchmark(making, tmp_path / "made.safetensors", threads=0)
    with pytest.raises(InputError, match="is a folder"):
        make_benchmark(making, tmp_path)
    with pytest.raises(InputError, match=r"must end in \.safetensors"):
        make_benchmark(making, tmp_path / "made.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't write the work file"):
        make_benchmark(making, tmp_path / "file" / "made.safetensors", threads=1)
