"""The model file: what is written is read back, and everything else is refused in one sentence."""

import dataclasses
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from untrained import untrained_model

from nardy_ai.core import InputError
from nardy_ai.models.model_file import ModelFile, Strength, model_bytes, read_model, write_model


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return untrained_model("long", tmp_path / "model.safetensors")


def changed(path: Path, change: Callable[[dict[str, np.ndarray], dict[str, str]], None]) -> Path:
    """The file with tensors and metadata changed, written by the safetensors library itself."""
    with safetensors.safe_open(path, framework="np") as file:
        metadata = dict(file.metadata())
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    change(tensors, metadata)
    safetensors.numpy.save_file(tensors, path, metadata)
    return path


def test_what_is_written_is_read_back(path: Path) -> None:
    model = read_model(path)
    line = Strength("greedy", "long/fns", 1000, 7, 0.51, 0.42, 0.6, 0.7)
    fuller = dataclasses.replace(model, provenance={"seed": 3, "games": 10}, strength=(line,))
    write_model(path, fuller)
    again = read_model(path)
    assert (again.game, again.profile, again.encoding) == ("long", "long/fns", model.encoding)
    assert again.outcomes == ("win", "win_mars", "lose", "lose_mars", "draw")
    assert again.provenance == {"seed": 3, "games": 10}
    assert again.strength == (line,)
    assert again.rules == model.rules
    assert again.shape == "195/24-12/5"
    for name in ("contact", "race"):
        for (w, b), (v, a) in zip(model.nets[name], again.nets[name], strict=True):
            assert w.tobytes() == v.tobytes()
            assert b.tobytes() == a.tobytes()


def test_equal_models_give_equal_bytes_in_every_process(path: Path) -> None:
    """The safetensors library writes metadata in another order each time."""
    program = (
        "import sys, hashlib; from pathlib import Path; from nardy_ai.models.model_file import *;"
        "print(hashlib.sha256(model_bytes(read_model(Path(sys.argv[1])))).hexdigest())"
    )
    here = hashlib.sha256(model_bytes(read_model(path))).hexdigest()
    there = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_file_opens_with_the_safetensors_library(path: Path) -> None:
    tensors = safetensors.numpy.load_file(path)
    assert tensors["contact.0.weight"].shape == (24, 195)
    assert tensors["contact.0.weight"].tobytes() == read_model(path).nets["contact"][0][0].tobytes()


def test_a_write_that_fails_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, before = read_model(path), path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_model(path, dataclasses.replace(model, provenance={"seed": 9}))
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_folders_are_made_for_a_new_file(path: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "new" / "deeper" / "m.safetensors", read_model(path))
    assert read_model(tmp_path / "new" / "deeper" / "m.safetensors").game == "long"


@pytest.mark.parametrize("length", [0, 5, 100, -1, -1000])
def test_a_truncated_file_is_refused(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match="is not a nardy-ai model") as caught:
        read_model(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    import pickle

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "exploded",))

    path = tmp_path / "model.safetensors"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(InputError, match="is not a nardy-ai model"):
        read_model(path)
    assert not (tmp_path / "exploded").exists()


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    for place in (tmp_path / "none.safetensors", tmp_path):
        with pytest.raises(InputError, match="there is no nardy-ai model at"):
            read_model(place)


@pytest.mark.parametrize("name", ["a\0b", "n" * 5000])
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"nardy-ai model") as caught:
        read_model(tmp_path / name)
    assert "damaged" not in str(caught.value)


@pytest.mark.parametrize("method", ["is_file", "open"])
def test_a_file_that_may_not_be_read_is_not_called_damaged(
    path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def forbidden(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, method, forbidden)
    with pytest.raises(InputError, match=r"can't be read \(Permission denied\)") as caught:
        read_model(path)
    assert "damaged" not in str(caught.value)


Tensors, Metadata = dict[str, np.ndarray], dict[str, str]


def _wrong_shape(tensors: Tensors, _: Metadata) -> None:
    tensors["contact.1.weight"] = tensors["contact.1.weight"][:, :-1].copy()


def _wrong_type(tensors: Tensors, _: Metadata) -> None:
    tensors["race.0.bias"] = tensors["race.0.bias"].astype(np.float64)


def _not_finite(tensors: Tensors, _: Metadata) -> None:
    tensors["contact.0.weight"][3, 4] = np.nan


def _missing_tensor(tensors: Tensors, _: Metadata) -> None:
    del tensors["contact.2.bias"]


def _extra_tensor(tensors: Tensors, _: Metadata) -> None:
    tensors["contact.3.bias"] = np.zeros(3, np.float32)


def _no_format(_: Tensors, metadata: Metadata) -> None:
    del metadata["format"]


def _other_sizes(_: Tensors, metadata: Metadata) -> None:
    metadata["layers"] = json.dumps({"contact": [195, 0, 5], "race": [195, 24, 12, 5]})


def _other_inputs(_: Tensors, metadata: Metadata) -> None:
    metadata["encoding"] = "short-1"


def _bad_rules(_: Tensors, metadata: Metadata) -> None:
    metadata["rules"] = metadata["rules"].replace('"conditional"', '"sometimes"')


FAULTS: dict[str, tuple[Callable[[Tensors, Metadata], None], str]] = {
    "no format": (_no_format, "is not a nardy-ai model"),
    "newer format": (lambda _, m: m.update(format="2"), "format '2' is unknown"),
    "other encoding version": (lambda _, m: m.update(encoding="long-9"), "encoding 'long-9' is unknown"),
    "inputs of another encoding": (_other_inputs, "195 inputs and 5 outputs"),
    "activations": (lambda _, m: m.update(activations="tanh"), "activations 'tanh' are unknown"),
    "outcomes": (lambda _, m: m.update(outcomes='["win", "lose"]'), "are not those of the file's rules"),
    "rules": (_bad_rules, "block"),
    "unknown class": (lambda _, m: m.update(classes='["contact", "sprint"]'), "classes"),
    "no contact": (lambda _, m: m.update(classes='["race"]'), "'contact'"),
    "not JSON": (lambda _, m: m.update(layers="{"), "metadata 'layers' can't be read"),
    "JSON of another type": (lambda _, m: m.update(layers='{"contact": ["a"]}'), "can't be read"),
    "sizes": (_other_sizes, "out of range"),
    "shape": (_wrong_shape, r"float32 \[12, 23\], expected float32 \[12, 24\]"),
    "type": (_wrong_type, "float64"),
    "not finite": (_not_finite, "not finite"),
    "missing tensor": (_missing_tensor, "'contact.2.bias' is missing"),
    "extra tensor": (_extra_tensor, "'contact.3.bias' belongs to no layer"),
    "nested": (lambda _, m: m.update(provenance='{"a":' + "[" * 100_000), "metadata 'provenance' can't be"),
    "NUL": (lambda _, m: m.update(profile="long/\0"), "metadata 'profile' hold a NUL"),
    "no game": (lambda _, m: m.pop("game") and None, "'game'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_whose_parts_do_not_agree_is_refused(path: Path, fault: str) -> None:
    change, message = FAULTS[fault]
    changed(path, change)
    with pytest.raises(InputError, match=message) as caught:
        read_model(path)
    assert str(caught.value).startswith(f"{path}")
    assert "\n" not in str(caught.value)


def test_an_unchanged_file_passes_the_same_road(path: Path) -> None:
    """So that the faults above are refused for what was changed."""
    assert isinstance(read_model(changed(path, lambda _tensors, _metadata: None)), ModelFile)
