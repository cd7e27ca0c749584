"""The table of levels in a model file: read back whole, or refused in a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from untrained import untrained_model

from nardy_ai.core import InputError
from nardy_ai.models.level_table import LevelEntry, LevelTable, Measured, Score, read_table, usual_levels
from nardy_ai.models.model_file import model_bytes, read_model
from nardy_ai.models.tensor_file import read_tensors, tensor_bytes


def measured() -> LevelTable:
    entries = [
        LevelEntry(each.level, each.noise, each.plies, Score(-0.1 * (10 - each.level), -2, 1))
        for each in usual_levels("long").levels
    ]
    return LevelTable(tuple(entries), Measured("long/fns", 2000, 1, "0.1.0"))


def test_a_table_reads_back_as_it_was() -> None:
    assert read_table(measured().json()) == measured()
    assert measured().json() == measured().json()


@pytest.mark.parametrize("family", ["long", "short"])
def test_usual_levels_are_not_measured(family: str) -> None:
    table = usual_levels(family)
    assert table.measured is None
    assert all(entry.against_full is None for entry in table.levels)
    assert table.of(10).noise == 0


def test_a_file_without_a_table_has_the_same_bytes_as_before_there_were_any(tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "m.safetensors")
    assert b'"levels"' not in path.read_bytes()
    assert model_bytes(read_model(path)) == path.read_bytes()


def entry(number: int, **changed: Any) -> Callable[[dict[str, Any]], None]:
    return lambda table: table["levels"][number - 1].update(changed)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.update(format=2), "levels have format 2, and this version reads 1"),
        (lambda table: table["levels"].pop(), "numbered from 1 to 10"),
        (lambda table: table["levels"].reverse(), "numbered from 1 to 10"),
        (entry(10, level=11), "numbered from 1 to 10"),
        (entry(3, noise=0.9), "level 3 has no less noise than level 2"),
        (entry(3, noise="much"), "Expected `float`"),
        (entry(1, noise=-0.5), "level 1 must have 0 plies and a noise of 0 points or more"),
        (entry(4, plies=1), "level 4 must have 0 plies"),
        (entry(10, noise=0.1), "level 10 must have no noise"),
        (entry(10, plies=4), "0 to 3 plies"),
        (entry(2, luck=1), "unknown field `luck`"),
        (entry(2, against_full={"mean": 3, "low": 4, "high": 5}), "can't be"),
        (lambda table: table.pop("levels"), "missing required field `levels`"),
    ],
)
def test_a_damaged_table_is_refused_with_its_file(
    change: Callable[[dict[str, Any]], None], said: str, tmp_path: Path
) -> None:
    path = untrained_model("short", tmp_path / "m.safetensors")
    table = json.loads(measured().json())
    change(table)
    rewrite(path, json.dumps(table))
    with pytest.raises(InputError) as caught:
        read_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: its table of levels is damaged: ") and said in message
    assert "\n" not in message


@pytest.mark.parametrize("game", ["long/fns", "long/classic", "long/fns with 3"])
def test_a_table_of_another_game_is_refused(game: str, tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "m.safetensors")
    table = json.loads(measured().json())
    table["measured"] |= {"game": game}
    rewrite(path, json.dumps(table))
    said = f"measured under {game[:8]}.*, and the model plays short nardy"
    with pytest.raises(InputError, match=said) as caught:
        read_model(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("game", ["short/hypergammon", "short/standard with 3", "long/own.toml", "mine.toml"])
def test_a_table_of_a_profile_of_the_game_or_of_ones_own_is_read(game: str, tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "m.safetensors")
    table = json.loads(measured().json())
    table["measured"] |= {"game": game}
    rewrite(path, json.dumps(table))
    levels = read_model(path).levels
    assert levels is not None and levels.measured is not None and levels.measured.game == game


def test_a_table_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "m.safetensors")
    for text in ("", "{", "[]", "null", "[" * 100_000):
        rewrite(path, text)
        with pytest.raises(InputError, match="its table of levels is damaged"):
            read_model(path)


def rewrite(path: Path, levels: str) -> None:
    tensors, metadata = read_tensors(path, "model")
    path.write_bytes(tensor_bytes(tensors, {**metadata, "levels": levels}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pairs": -5}, "by -5 pairs and seed 1"),
        ({"pairs": 0}, "by 0 pairs"),
        ({"seed": 10**30}, "seed 1000000"),
        ({"seed": -1}, "seed -1"),
        ({"game": "\x1b[31mlong"}, "plain letters"),
        ({"version": "1\n2"}, "plain letters"),
        ({"decisions": "d" * 5000}, "plain letters"),
    ],
)
def test_how_a_table_was_measured_must_be_possible_and_fit_for_a_terminal(
    change: dict[str, Any], said: str
) -> None:
    table = json.loads(measured().json())
    table["measured"].update(change)
    with pytest.raises(InputError, match=said):
        read_table(json.dumps(table))
