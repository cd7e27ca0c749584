"""The bundle's engine and interface, run as a page runs them: Node imports the exported folder."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from command_line import REPOSITORY
from random_nets import random_layers

from nardy_ai import core
from nardy_ai.bots import load
from nardy_ai.export import web
from nardy_ai.export.web_vectors import Counts, vectors
from nardy_ai.models.layers import fresh_layers
from nardy_ai.models.model_file import ModelFile, write_model
from nardy_ai.rules import Game

CLIENT = Path(__file__).with_name("web_client.mjs")
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
MANY = Counts(boards=500, searched=4, rolls=200, levels=100, other_rolls=20)


def model_of(profile: str, hidden: list[int], path: Path) -> Path:
    rules = Game(profile).core_rules
    nets = {"contact": random_layers(rules, hidden, 3), "race": random_layers(rules, hidden, 4)}
    encoding = core.encoding_name(rules)
    write_model(path, ModelFile(rules.family, profile, rules.options, encoding, rules.outcomes, nets))
    return path


def rewritten(bundle: Path, out: Path, name: str, change: Callable[[bytes], bytes], sealed: bool) -> Path:
    """A copy with one file changed; `sealed`: the manifest says that it is so."""
    shutil.copytree(bundle, out)
    data = change((out / name).read_bytes())
    (out / name).write_bytes(data)
    if sealed:
        manifest = json.loads((out / "manifest.json").read_text("utf-8"))
        manifest["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        (out / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    return out


def flipped(data: bytes) -> bytes:
    changed = bytearray(data)
    changed[len(data) // 2] ^= 64
    return bytes(changed)


def damaged(bundle: Path, folder: Path) -> dict[str, Path]:
    """Folders that must not open, by what is wrong with them."""
    changes: dict[str, tuple[str, Callable[[bytes], bytes], bool]] = {
        "engine": ("engine-simd.wasm", flipped, False),
        "net": ("model.nardynet", flipped, False),
        "length": ("profiles.json", lambda data: data[:-9], False),
        "manifest": ("manifest.json", lambda data: data[:100], False),
        "other manifest": ("manifest.json", lambda _: b'{"files": {}}', False),
        "format": ("manifest.json", lambda data: data.replace(b'"format": 2', b'"format": 3'), False),
        "sealed net": ("model.nardynet", flipped, True),
    }
    found = {
        what: rewritten(bundle, folder / what, *change) for what, change in changes.items()
    }
    found["missing"] = rewritten(bundle, folder / "missing", "profiles.json", lambda data: data, False)
    (found["missing"] / "profiles.json").unlink()
    return found


def run_client(*folders: Path) -> dict[str, Any]:
    assert NODE is not None
    done = subprocess.run(
        [NODE, CLIENT, *folders], capture_output=True, text=True, encoding="utf-8", timeout=150, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture(scope="module", params=["short/standard", "long/fns"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the client reported about a bundle whose stored answers are many."""
    folder = tmp_path_factory.mktemp("web")
    model = model_of(request.param, [128, 64], folder / "model.safetensors")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(web, "vectors", lambda *given: vectors(*given, MANY))
        web.export_web(model, folder / "bundle")
    places = damaged(folder / "bundle", folder) if request.param.startswith("long") else {}
    report = run_client(folder / "bundle", *places.values())
    return {**report, "profile": request.param, "places": list(places), "model": str(model)}


@needs_node
def test_plays_outcomes_and_best_plays_are_those_of_the_package(ran: dict[str, Any]) -> None:
    assert set(ran["self_tests"]) == {"simd128", "plain"}
    for kernels, report in ran["self_tests"].items():
        print(ran["profile"], kernels, report)
        assert report["fault"] is None
        assert report["ok"] is True
        assert report["boards"] == 504
        assert report["rolls"] == 200 + 11 * 20
        assert report["bestPlays"] == 204
        assert report["levelPlays"] == 100
        assert 0 < report["largestDifference"] <= 1e-5
        assert report["equalWorth"] <= 2


@needs_node
def test_both_engines_give_the_same_bits(ran: dict[str, Any]) -> None:
    assert ran["same_bits"] is True


@needs_node
def test_a_best_play_takes_less_than_two_milliseconds(ran: dict[str, Any]) -> None:
    for kernels, each in ran["speed_ms"].items():
        print(f"{ran['profile']} 128-64, {kernels}: {each:.3f} ms of CPU a best play at 0 plies")
        assert 0 < each < 2


@needs_node
def test_a_game_of_the_page_is_a_game_of_the_package(ran: dict[str, Any]) -> None:
    game, told = Game(ran["profile"]), ran["game"]
    position = game.start()
    pair = game.profile.rules.opening_roll == "rolloff_pair"
    dice = core.dice(7, core.PURPOSES["dice_play"], 3, 0, len(told["turns"]), pair)
    assert len(told["turns"]) > 20
    for turn, roll in zip(told["turns"], dice.tolist(), strict=True):
        assert turn["dice"] == roll
        position = game.play(position, roll, turn["play"]).position
    assert position.key == told["end"]
    outcome = game.result(position)
    assert outcome is not None
    won = outcome.startswith("win")
    assert told["result"]["winner"] == (position.seat if won else 1 - position.seat)
    assert told["result"]["outcome"] == outcome.replace("lose", "win")
    assert told["result"]["points"] == abs(game.points[game.outcomes.index(outcome)])


@needs_node
def test_a_game_at_levels_is_the_one_that_the_package_plays(ran: dict[str, Any]) -> None:
    first, plain, other = ran["at_levels"]
    assert first == plain != other
    assert first["blurred"] > 3
    assert first["full"] == 0
    game, bot = Game(ran["profile"]), load(ran["model"]).at_level(2)
    position, same = game.start(), 0
    for number, turn in enumerate(first["turns"]):
        if number % 2 == 0:
            key = np.array([[7, 1, number]], np.uint64)
            columns = (np.array([[value]], np.uint8) for value in (position.seat, position.turns))
            seat, turns = (column[0] for column in columns)
            board = position.board[None]
            chosen = bot.choose_boards(game, board, np.array([turn["dice"]], np.uint8), seat, turns, key)[0]
            play = game.play(position, turn["dice"], turn["play"])
            same += bool(np.array_equal(play.board, chosen))
        position = game.play(position, turn["dice"], turn["play"]).position
    # The package judges bear-offs by its tables, and a bundle by the net.
    assert same >= 0.95 * len(first["turns"]) / 2


@needs_node
def test_plays_are_taken_back_one_by_one_and_their_rolls_stand(ran: dict[str, Any]) -> None:
    told = ran["taking_back"]
    assert told["first"] is False
    assert [turn for _, _, turn in told["states"]] == [0, 1, 2, 3]
    assert told["undone"] == told["states"]


@needs_node
def test_what_will_not_do_is_told_in_a_sentence(ran: dict[str, Any]) -> None:
    said = {
        "dice": "two whole numbers from 1 to 6",
        "fraction": "two whole numbers from 1 to 6",
        "plies": "0, 1, 2 or 3",
        "profile": 'no profile "long/none"',
        "family": "the other family",
        "count": "26 counts from 0 to 15",
        "sum": "bad position",
        "seat": "seat of a position is 0",
        "nothing": "a position has a board",
        "key": "no key of a position",
        "key_bits": "no key of a position",
        "seed": "0 to 2^64 - 1",
        "seed_text": "no seed",
        "early": "call roll() first",
        "twice": "call play() first",
        "illegal": "no legal play",
        "kernels": '"auto"',
        "level_0": "from 1 (weakest) to 10",
        "level_11": "from 1 (weakest) to 10",
        "level_text": "from 1 (weakest) to 10",
        "level_plies": "give level or plies, not both",
        "level_rank": "at no level",
        "level_key": "0 to 2^64 - 1",
    }
    assert set(ran["errors"]) == set(said)
    for name, words in said.items():
        message = ran["errors"][name]
        assert message is not None, name
        assert words in message, (name, message)
        assert "\n" not in message


@needs_node
def test_a_worker_answers_the_same_and_can_be_stopped(ran: dict[str, Any]) -> None:
    worker = ran["worker"]
    assert worker["facts"] == ["simd128", 12, ran["profile"]]
    assert worker["same_rank"] is True
    first, again = worker["saved"]
    assert first == again
    assert [set(turn) for turn in first["turns"]] == [{"dice", "play"}, {"dice"}]
    assert "await it first" in worker["refused"]
    assert "two whole numbers" in worker["wrong"]
    assert worker["at_level"] is True
    assert worker["stopped"] == ["rejected", "AbortError"]
    assert worker["answered"] is True
    assert worker["closed"] == ["the worker was closed"] * 2
    assert worker["self_test"] is True


@needs_node
def test_a_damaged_bundle_is_told_in_a_sentence(ran: dict[str, Any]) -> None:
    said = {
        "engine": "engine-simd.wasm is damaged",
        "net": "model.nardynet is damaged",
        "length": "profiles.json is damaged",
        "manifest": "manifest.json is not that of a nardy-ai web bundle",
        "other manifest": "manifest.json is not that of a nardy-ai web bundle",
        "format": "manifest.json has format 3",
        "sealed net": "checksum is wrong",
        "missing": "cannot be read (ENOENT)",
    }
    for place, message in zip(ran["places"], ran["not_opened"], strict=True):
        assert said[place] in message, (place, message)
        assert "\n" not in message
    if ran["places"]:
        whole, *others = ran["without_digests"]
        assert whole is None
        found = dict(zip(ran["places"], others, strict=True))
        assert "checksum is wrong" in found["net"]
        assert "damaged" in found["length"]
        assert found["engine"] is None or "the engine does not start" in found["engine"]


SELF_TEST = """
  for (const place of process.argv.slice(1))
    for (const kernels of ["simd", "plain"]) {
      const { open } = await import(`${place}/nardy.js`);
      console.log(JSON.stringify(await (await open({ kernels })).selfTest()));
    }"""


def self_tests(*bundles: Path) -> list[dict[str, Any]]:
    """Reports of the bundles' self-tests, of each first with SIMD and then without."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", SELF_TEST, *bundles], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@needs_node
def test_every_encoding_is_understood(tmp_path: Path) -> None:
    bundles = []
    for encoding in core.encodings():
        table = core.encoding_table(encoding)
        profile = f"{table.family}/{'fns' if encoding.endswith('-seat') else 'classic'}"
        game = Game(profile if table.family == "long" else "short/standard")
        # Widths that no loop over 64 inputs or 32 outputs takes evenly.
        nets = {"contact": fresh_layers(table.inputs, (80, 48), len(game.outcomes), 1)}
        # A scout has the plain inputs, also beside nets that see the shape of the board.
        plain = core.encoding_table(table.scout).inputs
        nets["scout"] = fresh_layers(plain, (8,), len(game.outcomes), 1)
        options, outcomes = game.core_rules.options, game.outcomes
        model = tmp_path / f"{encoding}.safetensors"
        write_model(model, ModelFile(table.family, game.name, options, encoding, outcomes, nets))
        web.export_web(model, tmp_path / encoding)
        bundles.append(tmp_path / encoding)
    reports = self_tests(*bundles)
    assert len(reports) == 2 * len(core.encodings()) >= 6
    assert [report["fault"] for report in reports] == [None] * len(reports)


@needs_node
def test_the_self_test_sees_a_wrong_answer(tmp_path: Path) -> None:
    model = model_of("short/hypergammon", [8, 8], tmp_path / "model.safetensors")
    web.export_web(model, tmp_path / "bundle")

    def change(edit: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
        def changed(data: bytes) -> bytes:
            content = json.loads(data)
            edit(content)
            return json.dumps(content).encode()

        return changed

    def worse(content: dict[str, Any]) -> None:
        content["evaluations"][0]["outcomes"][5][0] += 2e-5

    def fewer(content: dict[str, Any]) -> None:
        content["rules"][3]["rolls"][2]["plays"].pop()

    def other(content: dict[str, Any]) -> None:
        best = next(each for each in content["best"] if len(each["plays"]) > 2)
        best["plays"] = [best["plays"][-1], *best["plays"][1:-1], best["plays"][0]]

    def seen(content: dict[str, Any]) -> None:
        content["levels"][4]["noise"] += 1e-15

    def luck(content: dict[str, Any]) -> None:
        content["rules"][0]["dice"][4] = [7, 7]

    places = [tmp_path / "bundle"]
    for edit in (worse, fewer, other, luck, seen):
        place = tmp_path / edit.__name__
        places.append(rewritten(places[0], place, "model.vectors.json", change(edit), True))
    reports = self_tests(*places)[::2]
    assert [report["ok"] for report in reports] == [True, False, False, False, False, False]
    faults = [report["fault"] or "" for report in reports]
    said = ("differs by", "other plays", "best play", "other dice", "the noise of")
    for fault, words in zip(faults[1:], said, strict=True):
        assert words in fault


# --- the compiled engine --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("web_engine", REPOSITORY / "scripts" / "web_engine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_engine_was_compiled_from_these_sources(builder: ModuleType) -> None:
    record = json.loads(builder.RECORD.read_text("utf-8"))
    assert record["format"] == 1
    assert record["sources_sha256"] == builder.digest(), (
        "the engine in C has changed and that of the web bundle has not: run `make web-engine`"
    )
    for name, expected in record["modules"].items():
        assert hashlib.sha256((builder.BUNDLE / name).read_bytes()).hexdigest() == expected, name
    assert set(record["modules"]) == set(builder.VARIANTS)


def test_every_header_counts_as_a_source(builder: ModuleType) -> None:
    names = {path.name for path in builder.sources()}
    assert {"layout.c", "net_wasm.c", "nardy.h", "calls.h", "net_kernels.h", "plays_row.h"} <= names
    assert not names & {"binding.c", "arrays.h", "net_avx2.c", "net_avx512.c"}


def test_both_modules_are_small_together(builder: ModuleType) -> None:
    assert sum((builder.BUNDLE / name).stat().st_size for name in builder.VARIANTS) < 300_000


@needs_node
def test_the_modules_ask_nothing_of_their_surroundings(builder: ModuleType) -> None:
    script = """
      const { readFileSync } = require("node:fs");
      for (const path of process.argv.slice(1))
        console.log(WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(path))).length);"""
    assert NODE is not None
    places = [builder.BUNDLE / name for name in builder.VARIANTS]
    done = subprocess.run([NODE, "-e", script, *places], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "0"]


@needs_node
@pytest.mark.slow
def test_a_fresh_build_passes_the_same_checks(builder: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    model = model_of("long/fns", [32, 16], tmp_path / "model.safetensors")
    web.export_web(model, tmp_path / "bundle")
    builder.build(tmp_path)
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text("utf-8"))
    for name in builder.VARIANTS:
        data = (tmp_path / name).read_bytes()
        (tmp_path / "bundle" / name).write_bytes(data)
        manifest["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (tmp_path / "bundle" / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    report = run_client(tmp_path / "bundle")
    assert all(each["ok"] for each in report["self_tests"].values())


@needs_node
@pytest.mark.slow
def test_tables_judge_bear_offs_as_the_package_does(tmp_path: Path) -> None:
    from nardy_ai.models.evaluator import Evaluator

    model = model_of("short/standard", [16, 8], tmp_path / "model.safetensors")
    web.export_web(model, tmp_path / "bundle")
    game = Game("short/standard")
    board = [[2, 1, *[0] * 23, 12], [1, 2, *[0] * 23, 12]]
    position = game.position(board, seat=0, turns=3)
    evaluator = Evaluator.load(model)
    _, equity = evaluator.evaluate_boards(position.board[None])
    script = """
      const { open, positionOf } = await import(`${process.argv[1]}/nardy.js`);
      for (const tables of [false, true])
        console.log((await open({ tables })).evaluate(positionOf(process.argv[2])).equity);"""
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script, tmp_path / "bundle", position.key],
        capture_output=True,
        text=True,
        check=True,
    )
    without, exact = map(float, done.stdout.split())
    assert exact == pytest.approx(float(equity[0]), abs=1e-6)
    assert abs(without - exact) > 1e-3
