"""Net files: written from model files, and refused by the C library when anything in them is wrong."""

from __future__ import annotations

import ctypes as c
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nardy_library import BAD_FILE, BAD_INPUT, NO_MEMORY, Library, LibraryError
from random_nets import random_layers
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.export.net_file import export_net_file, net_file_bytes, rules_text
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game

HEADER = 24


def small_model(**changes: object) -> ModelFile:
    rules = Game("long").core_rules
    fields = {
        "game": "long",
        "profile": "long/fns",
        "rules": rules.options,
        "encoding": "long-1-seat",
        "outcomes": rules.outcomes,
        "nets": {"contact": random_layers(rules, [1], 1)},
        **changes,
    }
    return ModelFile(**fields)


@pytest.fixture(scope="module")
def body() -> bytes:
    return net_file_bytes(small_model())[HEADER:]


def sealed(body: bytes, version: int = 1) -> bytes:
    """A file whose header says that this body is whole."""
    return b"NARDYNET" + struct.pack("<IIQ", version, zlib.crc32(body), len(body)) + body


def refusal(library: Library, data: bytes) -> LibraryError | None:
    """How the library refuses these bytes; None: it takes them."""
    try:
        library.call("model_destroy", library.made("model_read", data, len(data), None, None))
    except LibraryError as error:
        return error
    return None


def test_equal_models_give_equal_bytes_that_the_library_takes(library: Library, body: bytes) -> None:
    assert net_file_bytes(small_model()) == sealed(body)
    assert refusal(library, sealed(body)) is None


def test_any_truncation_is_told(library: Library, body: bytes) -> None:
    whole = sealed(body)
    for size in range(len(whole)):
        error = refusal(library, whole[:size])
        assert error is not None, size
        assert error.status == BAD_FILE, size


def test_a_truncation_that_its_header_hides_is_told(library: Library, body: bytes) -> None:
    for size in range(len(body)):
        error = refusal(library, sealed(body[:size]))
        assert error is not None, size
        assert error.status == BAD_FILE, size


def test_any_changed_bit_is_told(library: Library, body: bytes) -> None:
    whole = bytearray(sealed(body))
    for at in range(len(whole)):
        whole[at] ^= 1 << at % 8
        assert refusal(library, bytes(whole)) is not None, at
        whole[at] ^= 1 << at % 8


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 2000), st.binary(min_size=1, max_size=8)), min_size=1, max_size=4
    )
)
def test_hostile_bytes_are_refused_or_taken_and_nothing_else(
    library: Library, body: bytes, changes: list[tuple[int, bytes]]
) -> None:
    spoiled = bytearray(body)
    for at, new in changes:
        at %= len(body)
        spoiled[at : at + len(new)] = new
    error = refusal(library, sealed(bytes(spoiled)))
    assert error is None or error.status in (BAD_FILE, BAD_INPUT, NO_MEMORY)


def place_of_nets(body: bytes) -> int:
    """Where the number of nets stands: after five texts."""
    at = 0
    for _ in range(5):
        at += 4 + struct.unpack_from("<I", body, at)[0]
    return at


@pytest.mark.parametrize("number", [0, 4097, 2**31, 2**32 - 1])
def test_absurd_sizes_are_refused(library: Library, body: bytes, number: int) -> None:
    nets = place_of_nets(body)
    for words, said in (
        (0, "number of nets"),
        (2, "2 to 16 layers"),
        (3, "sizes of layers"),
        (4, "sizes of layers"),
    ):
        spoiled = bytearray(body)
        struct.pack_into("<I", spoiled, nets + 4 * words, number)
        error = refusal(library, sealed(bytes(spoiled)))
        assert error is not None
        assert said in str(error)


def test_sizes_that_the_file_does_not_hold_take_no_memory(library: Library, body: bytes) -> None:
    nets = place_of_nets(body)
    head = body[:nets] + struct.pack("<20I", 1, 0, 16, 195, *[4096] * 16)
    error = refusal(library, sealed(head + bytes(64)))
    assert error is not None
    assert "truncated" in str(error)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e7])
def test_weights_that_are_no_numbers_are_refused(library: Library, number: float) -> None:
    layers = random_layers(Game("long").core_rules, [1], 1)
    layers[1][0][0, 0] = number
    error = refusal(library, net_file_bytes(small_model(nets={"contact": layers})))
    assert error is not None
    assert "not a finite number" in str(error)


def test_a_newer_format_and_other_files_are_named(library: Library, body: bytes) -> None:
    error = refusal(library, sealed(body, version=2))
    assert error is not None
    assert "format 2" in str(error)
    assert "format 1" in str(error)
    for data in (b"", b"\0", b"NARDYNET", b"{}" * 100, sealed(body) + b"\0", sealed(body + b"\0")):
        error = refusal(library, data)
        assert error is not None
        assert error.status == BAD_FILE


def test_rules_and_outcomes_of_a_file_must_agree(library: Library) -> None:
    for changes in (
        {"outcomes": ("win", "lose")},
        {"outcomes": ("win", "win_mars", "lose", "lose_mars", "draws")},
        {"encoding": "long-7"},
    ):
        error = refusal(library, net_file_bytes(small_model(**changes)))
        assert error is not None
        assert error.status == BAD_FILE
    error = refusal(library, net_file_bytes(small_model(encoding="short-1")))
    assert error is not None
    assert "other family" in str(error)


def test_a_model_of_another_game_is_refused(library: Library, body: bytes) -> None:
    rules = library.rules("family = short")
    place = c.c_void_p()
    with pytest.raises(LibraryError, match="a model of long nardy") as caught:
        library.call("model_read", sealed(body), len(sealed(body)), rules, None, c.byref(place))
    assert caught.value.status == BAD_INPUT
    library.call("rules_destroy", rules)


def test_a_model_file_is_exported_whole_or_not_at_all(library: Library, tmp_path: Path) -> None:
    model = untrained_model("short/standard", tmp_path / "model.safetensors")
    out = tmp_path / "new folder" / "model.nardynet"
    size = export_net_file(model, out)
    assert out.stat().st_size == size
    assert refusal(library, out.read_bytes()) is None
    assert [path.name for path in out.parent.iterdir()] == ["model.nardynet"]
    for place in (model, tmp_path):
        with pytest.raises(InputError, match="name"):
            export_net_file(model, place)
    assert model.read_bytes()[8:9] == b"{"


def test_rules_text_tells_points_with_too_many_places() -> None:
    rules = core.Rules({"family": "long", "scores": {"oin": 1, "mars": 1.25}})
    assert "scores = oin:1 mars:1.25\n" in rules_text(rules)
    with pytest.raises(InputError, match="decimal places"):
        rules_text(core.Rules({"family": "long", "scores": {"oin": 1, "mars": 1.00000012}}))
