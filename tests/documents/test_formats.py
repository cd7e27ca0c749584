"""Readers written from docs/formats.md alone agree with the package."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import REPOSITORY
from documents.document import blocks_of
from random_games import game_named, played
from tiny_runs import tiny
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.evaluation.decisions.benchmark import read_benchmark, shipped_benchmark
from nardy_ai.evaluation.ladder_file import Entry, Ladder, PairingCounts
from nardy_ai.evaluation.record import Terms
from nardy_ai.export.net_file import export_net_file
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.layers import NETS
from nardy_ai.models.level_table import usual_levels
from nardy_ai.models.model_file import ModelFile, read_model, write_model
from nardy_ai.models.table_file import TableKey, write_table
from nardy_ai.rules import Game

Function = Callable[..., Any]


def functions_of(name: str) -> dict[str, Any]:
    """What the file of that name in docs/formats.md defines."""
    (block,) = [block for block in blocks_of("formats.md") if block.what == f"file: {name}"]
    assert "nardy_ai" not in block.text
    space: dict[str, Any] = {}
    exec(compile(block.text, block.place, "exec"), space)
    return space


def boards_of(profile: str, count: int = 60) -> list[tuple[np.ndarray[Any, Any], int]]:
    """Boards of random games with their seats, one with a checker off among them at least."""
    found = []
    for seed in range(4):
        found += [(position.board, position.seat) for position, *_ in played(game_named(profile), seed)]
    chosen = found[:: max(1, len(found) // count)]
    assert any(board[0, 25] or board[1, 25] for board, _ in chosen)
    return chosen


@pytest.mark.parametrize("profile", ["short/standard", "long/fns", "long/classic"])
def test_the_reader_of_a_model_file_judges_as_the_engine(profile: str, tmp_path: Path) -> None:
    path = untrained_model(profile, tmp_path / "bot.safetensors", classes=("contact",))
    space = functions_of("read_model.py")
    model, evaluator = space["read_model"](path), Evaluator.load(path)
    chosen = boards_of(profile)
    if profile == "long/fns":
        # The starter has finished, and the second player has his last roll.
        pending = np.zeros((2, 26), np.int8)
        pending[0, [3, 25]], pending[1, 25] = [12, 3], 15
        chosen.append((pending, 1))
    boards, seats = np.array([board for board, _ in chosen]), np.array([seat for _, seat in chosen], np.uint8)
    shares, _ = evaluator.net(boards, seats)
    for board, seat, expected in zip(boards, seats, shares, strict=True):
        found = space["judge"](model, board.tolist(), int(seat))
        assert list(found) == list(evaluator.outcomes)
        np.testing.assert_allclose(list(found.values()), expected, atol=2e-5)


def test_the_reader_of_a_net_file_finds_the_model(tmp_path: Path) -> None:
    path = untrained_model("long/fns", tmp_path / "bot.safetensors", classes=("contact", "race", "scout"))
    model = read_model(path)
    export_net_file(path, tmp_path / "bot.nardynet")
    texts, nets = functions_of("read_net.py")["read_net_file"](tmp_path / "bot.nardynet")
    assert texts[:3] == [model.profile, model.encoding, " ".join(model.outcomes)]
    assert texts[3].splitlines()[-2:] == ["start = 24:15", "scores = oin:1 mars:2"]
    assert sorted(nets) == [0, 1, 2]
    for which, layers in nets.items():
        for (weight, bias), (own_weight, own_bias) in zip(layers, model.nets[NETS[which]], strict=True):
            assert weight.tobytes() == own_weight.tobytes()
            assert bias.tobytes() == own_bias.tobytes()


def test_a_damaged_net_file_is_noticed(tmp_path: Path) -> None:
    path = untrained_model("short/standard", tmp_path / "bot.safetensors")
    export_net_file(path, tmp_path / "bot.nardynet")
    data = bytearray((tmp_path / "bot.nardynet").read_bytes())
    data[-5] ^= 1
    (tmp_path / "bot.nardynet").write_bytes(data)
    with pytest.raises(AssertionError):
        functions_of("read_net.py")["read_net_file"](tmp_path / "bot.nardynet")


def test_every_key_of_the_model_file_is_listed(tmp_path: Path) -> None:
    path = untrained_model("short/standard", tmp_path / "bot.safetensors")
    write_model(path, replace(read_model(path), levels=usual_levels("short")))
    data = path.read_bytes()
    meta = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    section = _document().split("## The model file", 1)[1].split("### Inputs", 1)[0]
    listed = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    # This model has no levels of its own.
    assert listed == {*meta, "levels"}
    assert ModelFile.__dataclass_fields__.keys() <= {*listed, "nets"}


def _document() -> str:
    return (REPOSITORY / "docs" / "formats.md").read_text(encoding="utf-8")


# --- run folders, records, ladders, decisions, tables ------------------------------------------------------


def named_in(heading: str) -> set[str]:
    """Every word in code marks of a section, and those of its fenced blocks."""
    section = _document().split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return {word for code in re.findall(r"`([^`]+)`", section) for word in re.findall(r"\w+", code)}


def test_every_number_that_a_run_logs_is_explained(tmp_path: Path) -> None:
    loop = pytest.importorskip("nardy_ai.training.loop")
    loop.train(tiny(), tmp_path / "run", progress=False, say=lambda line: None)
    words = named_in("The run folder")
    for log in ("metrics.jsonl", "timing.jsonl"):
        lines = (tmp_path / "run" / log).read_text().splitlines()
        assert lines
        for line in lines:
            new = set(json.loads(line)) - words
            assert not new, f"docs/formats.md does not say what {sorted(new)} of {log} are"
    files = {path.name for path in (tmp_path / "run").iterdir()} - {"tensorboard", ".lock"}
    assert files <= {"config.toml", "metrics.jsonl", "timing.jsonl", "starts.jsonl", "model.safetensors"} | {
        "checkpoints",
        "milestones",
    }


def test_every_key_of_records_and_ladders_is_explained() -> None:
    words = named_in("ladder.json")
    for kind in (Ladder, Entry, PairingCounts):
        assert set(kind.__struct_fields__) <= words, kind
    section = _document().split("## The record of a match", 1)[1].split("\n## ", 1)[0]
    for key in Terms.__struct_fields__:
        assert f'"{key}"' in section, key


def test_the_shipped_decisions_are_read_from_the_text_alone() -> None:
    path = shipped_benchmark(Game("short"))
    own, data = read_benchmark(path), path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    meta = header.pop("__metadata__")
    assert (meta["format"], meta["kind"]) == ("1", "decisions")
    kinds = {"F32": "<f4", "I8": "i1", "U8": "u1", "I64": "<i8"}
    arrays = {}
    for name, place in header.items():
        begin, end = (8 + size + offset for offset in place["data_offsets"])
        arrays[name] = np.frombuffer(data[begin:end], kinds[place["dtype"]]).reshape(place["shape"])
    assert set(arrays) <= named_in("The decision file")
    assert len(arrays["plays"]) == len(arrays["boards"]) == json.loads(meta["header"])["decisions"]
    # The plays of a decision, in the order of their bytes, are those that the worths belong to.
    number = int(arrays["plays"][:30].argmax())
    begin = int(arrays["plays"][:number].sum())
    plays = own.plays(number)
    assert [play.board.tobytes() for play in plays] == sorted(play.board.tobytes() for play in plays)
    expected = own.worths[own.offsets[number] : own.offsets[number + 1]]
    assert arrays["worths"][begin : begin + len(plays)].tolist() == expected.tolist()


def test_a_table_is_read_from_the_text_alone(tmp_path: Path) -> None:
    written = {"a": np.arange(5, dtype=np.float32), "b": np.arange(6, dtype=np.uint8).reshape(2, 3)}
    write_table(tmp_path / "t.table", TableKey("made-up", 1, {"checkers": 3}), written, {"note": "yes"})
    data = (tmp_path / "t.table").read_bytes()
    assert data[:8] == b"NARDYTBL"
    size = int.from_bytes(data[8:16], "little")
    assert (16 + size) % 64 == 0
    header = json.loads(data[16 : 16 + size])
    assert set(header) | set(header["arrays"][0]) <= named_in("Tables")
    for entry in header["arrays"]:
        own = written[entry["name"]]
        begin = 16 + size + entry["offset"]
        assert entry["offset"] % 64 == 0
        found = np.frombuffer(data[begin : begin + own.nbytes], entry["dtype"]).reshape(entry["shape"])
        assert found.tolist() == own.tolist()


# --- the shape, written from the table of inputs alone -----------------------------------------------------


def shape_from_the_table(board: np.ndarray[Any, Any], short: bool) -> list[float]:
    found: list[float] = []
    for row, other in ((board[0], board[1]), (board[1], board[0])):
        made = {p for p in range(1, 25) if row[p - 1] >= (2 if short else 1)}
        found += [float(p in made and p + 1 in made) for p in range(1, 24)]
        found += [float(p in made and p + 2 in made) for p in range(1, 23)]
        found += [len(made & set(range(p, p + 6))) / 6 for p in range(1, 20)]
        pips = sum(p * int(row[p - 1]) for p in range(1, 26))
        found.append(-(-pips // 4) / 25)
        if short:
            # The other's checkers in my numbers; his bar lies before my point 1.
            theirs = {25 - q for q in range(1, 26) if other[q - 1]}
            blots = [p for p in range(1, 25) if row[p - 1] == 1]
            shots = {p: sum(1 for t in theirs if 1 <= p - t <= 6) for p in blots}
            found += [min(shots.get(p, 0), 3) / 3 for p in range(1, 25)]
            found += [min(sum(1 for p in blots if p - d in theirs), 3) / 3 for d in range(1, 13)]
        else:
            his = {p for p in range(1, 25) if other[(p + 11) % 24]}
            leaves = {p: sum(1 for die in range(1, 7) if p - die not in his) for p in range(1, 25)}
            found += [(leaves[p] if row[p - 1] else 0) / 6 for p in range(1, 25)]
    return found


def prospects_from_the_table(board: np.ndarray[Any, Any], short: bool) -> list[float]:
    """Without the shots, which take more than the table to count: they are NaN here."""
    found: list[float] = []
    for row, other in ((board[0], board[1]), (board[1], board[0])):
        if short:
            closed = sum(int(other[q] >= 2) for q in range(6))
            one, two = row[24] >= 1, row[24] >= 2
            found += [one * (36 - closed**2) / 36, two * (6 - closed) ** 2 / 36]
            found += [one * closed / 6, two * closed / 6]
            found += [float(row[18:25].sum() >= count) for count in range(1, 9)] + [np.nan] * 26
        else:
            mine = {p for p in range(1, 25) if row[p - 1]}
            his = {p for p in range(1, 25) if other[(p + 11) % 24]}
            six = [set(range(p, p + 6)) for p in range(1, 20)]
            found += [float(len(mine & points) >= least) for least in (4, 5, 6) for points in six]
            found += [row[max(points) : 24].sum() / 5 if len(his & points) >= 5 else 0 for points in six[:-1]]
    return found


@pytest.mark.parametrize("encoding", ["short-3", "long-3-seat"])
def test_the_prospects_are_what_the_table_says(encoding: str) -> None:
    short = encoding == "short-3"
    chosen = boards_of("short/standard" if short else "long/fns", 150)
    boards, seats = np.array([board for board, _ in chosen]), np.array([seat for _, seat in chosen], np.uint8)
    own = core.encoding_table(encoding.replace("3", "2")).inputs
    for board, inputs in zip(boards, core.encode(encoding, boards, seats)[:, own:], strict=True):
        expected = np.array(prospects_from_the_table(board, short))
        np.testing.assert_allclose(np.where(np.isnan(expected), np.nan, inputs), expected, atol=1e-6)


@pytest.mark.parametrize("encoding", ["short-2", "long-2-seat"])
def test_the_shape_is_what_the_table_says(encoding: str) -> None:
    short = encoding == "short-2"
    profile = "short/standard" if short else "long/fns"
    chosen = boards_of(profile, 150)
    boards, seats = np.array([board for board, _ in chosen]), np.array([seat for _, seat in chosen], np.uint8)
    encoded = core.encode(encoding, boards, seats)
    own = core.encode(encoding.replace("2", "1"), boards, seats).shape[1]
    for board, inputs in zip(boards, encoded, strict=True):
        np.testing.assert_allclose(inputs[own:], shape_from_the_table(board, short), atol=1e-6)


def test_the_numbers_of_inputs_are_those_of_the_table() -> None:
    rows = re.findall(r"^\| `([\w-]+-[123][\w-]*)` \| (\d+) \|", _document(), re.MULTILINE)
    assert {name: int(inputs) for name, inputs in rows} == {
        name: core.encoding_table(name).inputs for name in core.encodings()
    }


# --- positions and dice ------------------------------------------------------------------------------------


def id_from_the_text(board: np.ndarray[Any, Any]) -> str:
    bits = "".join("1" * int(n) + "0" for row in (board[1], board[0]) for n in row[:25]).ljust(80, "0")
    data = bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, 80, 8))
    return base64.b64encode(data).decode().rstrip("=")


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10 as Salmon et al. describe it."""
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        low = 0xFFFFFFFF
        counter = [b >> 32 ^ counter[1] ^ key[0], b & low, a >> 32 ^ counter[3] ^ key[1], a & low]
        key = [key[0] + 0x9E3779B9 & low, key[1] + 0xBB67AE85 & low]
    return counter


def dice_from_the_text(seed: int, purpose: int, game: int, turn: int, differ: bool) -> list[int]:
    kinds, low = 30 if differ else 36, 2**32 - 1
    words = philox([turn, purpose, game & low, game >> 32], [seed & low, seed >> 32])
    r = next(word for word in words if word <= 2**32 // kinds * kinds - 1) % kinds
    if not differ:
        return [r // 6 + 1, r % 6 + 1]
    s = r % 5
    return [r // 5 + 1, s + (s >= r // 5) + 1]


def test_position_ids_are_as_the_text_says() -> None:
    for profile in ("short/standard", "long/fns", "short/hypergammon"):
        for position, *_ in played(game_named(profile), 1):
            assert id_from_the_text(position.board) == position.id
    assert Game("short").start().key == "4HPwATDgc/ABMA:0:0"


def test_dice_are_as_the_text_says() -> None:
    for seed, game in ((1, 0), (2**40 + 7, 2**33 + 5)):
        for differ in (False, True):
            found = core.dice(seed, core.PURPOSES["dice_duel"], game, 0, 40, differ).tolist()
            expected = [dice_from_the_text(seed, 2, game, turn, differ and turn == 0) for turn in range(40)]
            assert found == expected
    section = _document().split("Purposes:", 1)[1].split("\n\n", 1)[0]
    # "seat 0 and 1" is no purpose.
    stated = {int(number) for number in re.findall(r"\d+", section.replace("seat 0 and 1", ""))}
    assert stated == set(core.PURPOSES.values())
