"""The file: what is written is read back, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hand_made_benchmark import short_benchmark
from untrained import untrained_model

from nardy_ai.core import CLASSES, InputError
from nardy_ai.evaluation.decisions.benchmark import (
    Benchmark,
    arrays_hash,
    benchmark_bytes,
    read_benchmark,
    shipped_benchmark,
    write_benchmark,
)
from nardy_ai.models.tensor_file import read_tensors, tensor_bytes
from nardy_ai.rules import Game


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_benchmark(tmp_path / "deep" / "mine.safetensors", short_benchmark())
    return tmp_path / "deep" / "mine.safetensors"


def test_what_is_written_is_read_back(path: Path) -> None:
    made, found = short_benchmark(), read_benchmark(path)
    assert found.game == Game("short")
    assert [CLASSES[number] for number in found.classes] == ["contact", "contact", "race"]
    for name in ("boards", "dice", "seats", "turns", "worths", "errors", "trials", "results", "offsets"):
        assert getattr(found, name).tobytes() == getattr(made, name).tobytes(), name
    assert found.header.judge == made.header.judge
    assert benchmark_bytes(found) == path.read_bytes()


def test_plays_stand_in_the_order_of_their_bytes() -> None:
    made = short_benchmark()
    for number in range(3):
        plays = made.plays(number)
        a, b = made.offsets[number : number + 2]
        assert [play.board.tobytes() for play in plays] == [board.tobytes() for board in made.results[a:b]]
        assert len(plays) > 3
    assert made.position(1).seat == 1
    assert made.roll(1) == (6, 5)


def test_a_thousand_decisions_stay_below_two_megabytes() -> None:
    made = short_benchmark()
    header = len(benchmark_bytes(made)) - sum(array.nbytes for array in _stored(made).values())
    # Positions of games have about 20 plays on average, the doubles included.
    assert header + 1000 * (52 + 5 + 8 + 20 * 24) < 1_000_000
    assert _stored(made)["worths"].nbytes + _stored(made)["errors"].nbytes == 16 * len(made.results)


def _stored(made: Benchmark) -> dict[str, Any]:
    return {
        name: getattr(made, name)
        for name in ("boards", "dice", "seats", "turns", "classes", "worths", "errors", "trials")
    }


def changed(path: Path, *, header: dict[str, Any] | None = None, **arrays: Any) -> None:
    """Writes the file anew with other numbers and fitting hashes, as if somebody had meant it."""
    tensors, metadata = read_tensors(path, "benchmark")
    tensors |= arrays
    said = json.loads(metadata["header"]) | (header or {})
    if not header or "arrays_hash" not in header:
        said["arrays_hash"] = arrays_hash(tensors)
    path.write_bytes(tensor_bytes(tensors, {**metadata, "header": json.dumps(said)}))


def test_the_changed_files_of_these_tests_are_whole(path: Path) -> None:
    changed(path)
    assert read_benchmark(path).header.decisions == 3


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"worths": np.zeros((3, 2), np.float32)}, "array 'worths'"),
        ({"worths": np.full((50, 2), np.nan, np.float32)}, "a worth is not a number"),
        ({"worths": np.full((50, 2), 7, np.float32)}, "a worth is not a number"),
        ({"errors": np.full((50, 2), -1, np.float32)}, "standard error"),
        ({"trials": np.full(50, 100, np.int64)}, "multiple of 36"),
        ({"dice": np.array([[3, 1], [6, 5], [1, 2]], np.uint8)}, "the larger first"),
        ({"dice": np.array([[7, 1], [6, 5], [2, 1]], np.uint8)}, "from 1 to 6"),
        ({"dice": np.array([[4, 1], [6, 5], [2, 1]], np.uint8)}, "other plays"),
        ({"classes": np.zeros(3, np.uint8)}, "another class"),
        ({"extra": np.zeros(3, np.uint8)}, "'extra' is none that"),
        ({"boards": np.zeros((3, 2, 26), np.int8)}, "checkers"),
        ({"seats": np.zeros(4, np.uint8)}, "array 'seats'"),
    ],
)
def test_numbers_that_do_not_fit(arrays: dict[str, Any], said: str, path: Path) -> None:
    plays = len(read_benchmark(path).results)
    for name in ("worths", "errors", "trials"):
        if name in arrays and len(arrays[name]) == 50:
            arrays = {name: np.resize(arrays[name], (plays, *arrays[name].shape[1:]))}
    changed(path, **arrays)
    with pytest.raises(InputError, match=said) as caught:
        read_benchmark(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ({"decisions": 2}, "expected"),
        ({"decisions": 0}, "expected|no decision"),
        ({"stranger": 1}, "stranger"),
        ({"seed": "1"}, "seed"),
        ({"plays_hash": "0" * 16}, "other plays"),
        ({"arrays_hash": "0" * 16}, "damaged"),
        ({"profile": {"format": 1}}, "rules"),
    ],
)
def test_headers_that_do_not_fit(header: dict[str, Any], said: str, path: Path) -> None:
    changed(path, header=header)
    with pytest.raises(InputError, match=said):
        read_benchmark(path)


def test_every_byte_that_was_changed_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    start = len(whole) - sum(array.nbytes for array in _stored(short_benchmark()).values()) - 24
    for place in range(start, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(InputError, match=r"mine\.safetensors"):
            read_benchmark(path)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_truncated_file(share: float, path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(InputError, match="not a nardy-ai decision benchmark"):
        read_benchmark(path)


def test_another_version_another_kind_and_no_file(path: Path, tmp_path: Path) -> None:
    tensors, metadata = read_tensors(path, "benchmark")
    path.write_bytes(tensor_bytes(tensors, {**metadata, "format": "9"}))
    with pytest.raises(InputError, match="format '9' is unknown here"):
        read_benchmark(path)
    model = untrained_model("short/standard", tmp_path / "model.safetensors")
    with pytest.raises(InputError, match="is not a nardy-ai decision benchmark"):
        read_benchmark(model)
    with pytest.raises(InputError, match="there is no nardy-ai decision benchmark at"):
        read_benchmark(tmp_path / "none.safetensors")


def test_a_disk_that_is_full_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    made = short_benchmark()
    other = replace(made, header=msgspec.structs.replace(made.header, seed=8))
    with pytest.raises(OSError, match="No space"):
        write_benchmark(path, other)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_games_without_a_file_of_their_own() -> None:
    for name in ("long with 3", "short/hypergammon"):
        with pytest.raises(InputError, match="no decision benchmark comes with nardy-ai for"):
            shipped_benchmark(Game(name))
