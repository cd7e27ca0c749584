"""Computed tables on disk: whole, truncated, damaged, of another version, and where they lie."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from nardy_ai.core import InputError
from nardy_ai.models.table_file import (
    TableFault,
    TableKey,
    cache_folder,
    check_writable,
    read_table,
    write_table,
)

KEY = TableKey("numbers", 1, {"rules": {"six": 1, "mars": 2.0}})
ARRAYS: dict[str, npt.NDArray[Any]] = {
    "values": np.arange(12, dtype=np.float64).reshape(3, 4),
    "small": np.array([1.5, 2.5, 3.5], np.float32),
}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "numbers.table"
    write_table(path, KEY, ARRAYS, {"seconds": 1.5})
    arrays, notes = read_table(path, KEY)
    assert notes == {"seconds": 1.5}
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)
        assert not arrays[name].flags.writeable
        assert arrays[name].ctypes.data % 64 == 0
    assert [file.name for file in path.parent.iterdir()] == ["numbers.table"]


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "numbers.table"
    write_table(path, KEY, ARRAYS)
    old, _ = read_table(path, KEY)
    write_table(path, KEY, {"values": np.zeros(3)})
    assert np.array_equal(old["values"], ARRAYS["values"])
    assert read_table(path, KEY)[0]["values"].tolist() == [0, 0, 0]


def test_a_file_of_any_other_length_or_content_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "numbers.table"
    write_table(path, KEY, ARRAYS)
    data = path.read_bytes()
    header = int.from_bytes(data[8:16], "little")
    for length in (0, 5, 15, 16, 40, 16 + header, len(data) - 70):
        path.write_bytes(data[:length])
        with pytest.raises(TableFault):
            read_table(path, KEY)
    for place in (0, 8, 14, 20, 16 + header, 16 + header + 95):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(TableFault):
            read_table(path, KEY)
    path.write_bytes(data)
    assert read_table(path, KEY)[0]


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"arrays": [{"name": "values", "dtype": "<f8", "shape": [10**9], "offset": 0}]},
        {"arrays": [{"name": "values", "dtype": "<f8", "shape": [-1], "offset": 0}]},
        {"arrays": [{"name": "values", "dtype": "O", "shape": [1], "offset": 0}]},
        {"arrays": [{"name": "values", "dtype": "<f8", "shape": [2], "offset": -64}]},
        {"arrays": 7},
        {"notes": 3},
        {"sha256": None},
    ],
)
def test_headers_that_lie(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "numbers.table"
    write_table(path, KEY, ARRAYS)
    data = path.read_bytes()
    size = int.from_bytes(data[8:16], "little")
    header = json.dumps({**json.loads(data[16 : 16 + size]), **change}).encode()
    header += b" " * (-(16 + len(header)) % 64)
    path.write_bytes(data[:8] + len(header).to_bytes(8, "little") + header + data[16 + size :])
    with pytest.raises(TableFault):
        read_table(path, KEY)


@pytest.mark.parametrize(
    "other",
    [
        TableKey("numbers", 2, KEY.facts),
        TableKey("letters", 1, KEY.facts),
        TableKey("numbers", 1, {"rules": {"six": 2, "mars": 2.0}}),
    ],
)
def test_another_version_or_other_rules(tmp_path: Path, other: TableKey) -> None:
    assert other.path(tmp_path) != KEY.path(tmp_path)
    write_table(tmp_path / "numbers.table", other, ARRAYS)
    with pytest.raises(TableFault, match="another version or of other rules"):
        read_table(tmp_path / "numbers.table", KEY)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TableFault, match="there is no table"):
        read_table(tmp_path / "numbers.table", KEY)
    with pytest.raises(TableFault, match="there is no table"):
        read_table(tmp_path, KEY)


def test_where_the_cache_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path / "здесь"))
    assert cache_folder() == tmp_path / "здесь"
    assert KEY.path().parent == tmp_path / "здесь"
    monkeypatch.delenv("NARDY_CACHE")
    for platform, variable, expected in (
        ("linux", "XDG_CACHE_HOME", tmp_path / "nardy-ai"),
        ("win32", "LOCALAPPDATA", tmp_path / "nardy-ai" / "cache"),
    ):
        monkeypatch.setattr("sys.platform", platform)
        monkeypatch.setenv(variable, str(tmp_path))
        assert cache_folder() == expected
        monkeypatch.delenv(variable)
        assert cache_folder().is_relative_to(Path.home())
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "nardy-ai"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"can't write to .*file.*NARDY_CACHE"):
        check_writable(tmp_path / "file" / "numbers.table")
    with pytest.raises(InputError, match="can't write to"):
        write_table(tmp_path / "file" / "numbers.table", KEY, ARRAYS)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match=r"No space left on device.*make room"):
        write_table(tmp_path / "numbers.table", KEY, ARRAYS)
    assert list(tmp_path.iterdir()) == []
