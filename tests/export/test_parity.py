"""One set of boards and rolls, and every form of a bot: the same plays, best plays and outcomes.

The suite takes all boards, some rolls and what runs everywhere; the whole set with shipped bots, Chromium and
onnxruntime-web is slow: `pytest tests/export/test_parity.py -m slow -s` prints the table of docs/measured.md.
"""

from __future__ import annotations

import ctypes
import functools
import http.server
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import REPOSITORY
from nardy_library import Library, Position, Value, position
from parity import Agreement, Judge, ParitySet, Reference, parity_set
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.export.onnx_file import export_onnx
from nardy_ai.export.web import export_web
from nardy_ai.models.model_file import ModelFile, read_model

CLIENT = Path(__file__).with_name("parity_client.mjs")
NODE, CHROMIUM, NPM = shutil.which("node"), shutil.which("chromium"), shutil.which("npm")
ORT_WEB = "onnxruntime-web@1.22.0"
HEADER = "| form | boards | largest difference | same bits | rolls | same best play | equal worth | other |"
Ruled = tuple[ModelFile, ParitySet, Reference, Path]

needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def made_of(path: Path, boards: int | None, rolls: int | None) -> Ruled:
    model = read_model(path)
    stored = parity_set(model.profile, boards, rolls)
    return model, stored, Reference(model, stored), path


@pytest.fixture(scope="module", params=[("short/standard", "short-3"), ("long/fns", "long-3-seat")])
def ruled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ruled:
    """All boards and a part of the rolls, with a small net of random weights."""
    profile, encoding = request.param
    folder = tmp_path_factory.mktemp("parity")
    model = untrained_model(profile, folder / "bot.safetensors", encoding=encoding)
    return made_of(model, None, 60)


# --- the forms ------------------------------------------------------------------------------------------


def by_pytorch(model: ModelFile, rules: core.Rules) -> Judge:
    import torch

    from nardy_ai.models.value_net import ValueNet

    net = ValueNet(model.nets).eval()

    def judge(boards: np.ndarray, seats: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            given = (
                core.encode(model.encoding, boards, seats),
                core.impossible(rules, boards, seats).astype(bool),
                core.position_classes(rules, boards),
            )
            return torch.softmax(net(*map(torch.from_numpy, given)), dim=1).numpy()

    return judge


def by_kernels(model: ModelFile, rules: core.Rules, kernels: str) -> Judge:
    native = core.Model(rules, model.encoding, model.nets, kernels=kernels)
    return lambda boards, seats: core.net(native, rules, boards, seats)[0]


def by_onnx_runtime(path: Path, folder: Path) -> Judge:
    import onnxruntime

    export_onnx(path, folder / "bot.onnx")
    session = onnxruntime.InferenceSession(str(folder / "bot.onnx"), providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]

    def judge(boards: np.ndarray, seats: np.ndarray) -> np.ndarray:
        given = {"board": boards, "seat": seats}
        found: np.ndarray = session.run(["outcomes"], {name: given[name] for name in names})[0]
        return found

    return judge


def by_node(ruled: Ruled, folder: Path) -> dict[str, Agreement]:
    _, stored, reference, path = ruled
    export_web(path, folder / "bundle")
    (folder / "set.json").write_text(json.dumps(stored.as_json()))
    assert NODE is not None
    words = [NODE, CLIENT, folder / "bundle", folder / "set.json", "simd", "plain"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    return {f"WASM in Node, {each['kernels']}": reference.told_by(each) for each in json.loads(done.stdout)}


# --- the suite ------------------------------------------------------------------------------------------


def test_the_set_is_whole_and_of_every_kind() -> None:
    for profile in ("short/standard", "long/fns"):
        stored = parity_set(profile)
        assert (len(stored.boards), len(stored.rolls)) == (2000, 500)
        assert len(set(stored.keys)) > 1900
        assert set(core.position_classes(stored.game.core_rules, stored.boards).tolist()) == {0, 1}
        assert set(stored.seats.tolist()) == {0, 1}
        counts = [count for _, _, _, count, _ in stored.rolls]
        assert min(counts) == 1
        assert max(counts) > 50
        stored.plays()


def test_pytorch_engine_and_onnx_runtime_agree(ruled: Ruled, tmp_path: Path) -> None:
    model, stored, reference, path = ruled
    rules = stored.game.core_rules
    judges = {f"C engine, {kernels}": by_kernels(model, rules, kernels) for kernels in core.kernels()}
    judges |= {"PyTorch": by_pytorch(model, rules), "ONNX Runtime": by_onnx_runtime(path, tmp_path)}
    for name, judge in judges.items():
        found = reference.judged_by(judge)
        print(found.row(name))
        assert found.holds(), name
        assert (found.boards, found.rolls) == (2000, 60)
    assert reference.judged_by(judges["C engine, plain"]).same_bits == 2000


@needs_node
def test_webassembly_agrees_to_the_bit_in_node(ruled: Ruled, tmp_path: Path) -> None:
    found = by_node(ruled, tmp_path)
    assert len(found) == 2
    for name, agreement in found.items():
        print(agreement.row(name))
        assert agreement.holds(), name
        assert agreement.same_bits == 2000


def test_what_differs_is_noticed(ruled: Ruled) -> None:
    model, stored, reference, _ = ruled
    right = by_kernels(model, stored.game.core_rules, "plain")
    slightly = reference.judged_by(lambda boards, seats: right(boards, seats) + np.float32(3e-5))
    assert not slightly.holds()
    assert slightly.largest == pytest.approx(3e-5, rel=0.05)
    turned = reference.judged_by(lambda boards, seats: right(boards, seats)[:, ::-1])
    assert turned.other_best > 5
    told = {"outcomes": reference.outcomes.tolist(), "rolls": []}
    for plays, worth in zip(reference.plays, reference.worth, strict=True):
        texts = ["".join(f"{count:x}" for count in board.ravel()) for board in plays]
        told["rolls"].append({"plays": texts, "best": texts[int(np.argmax(worth))]})
    assert reference.told_by(told).holds()
    told["rolls"][3]["plays"] = [*told["rolls"][3]["plays"], "0" * 52]
    with pytest.raises(AssertionError, match="other legal plays of roll 3"):
        reference.told_by(told)


# --- the whole of it, by hand ---------------------------------------------------------------------------


@contextmanager
def served(folder: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def guess_type(self, path: str | os.PathLike[str]) -> str:
            return "text/javascript" if str(path).endswith(".mjs") else super().guess_type(path)

        def log_message(self, *words: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder)
    ) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def in_chromium(folder: Path, script: str) -> Any:
    """What an async function of a page of that folder returns."""
    from playwright.sync_api import sync_playwright

    (folder / "page.html").write_text("<!doctype html><title>parity</title>")
    with served(folder) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.set_default_timeout(170_000)
        page.goto(f"{address}page.html")
        found = page.evaluate(script)
        browser.close()
    return found


WASM_PAGE = """async () => {
  const { open, positionOf } = await import("./bundle/nardy.js");
  const { told } = await import("./parity_client.mjs");
  const set = await (await fetch("set.json")).json();
  const folder = new URL("bundle/", location);
  const found = [];
  for (const kernels of ["simd", "plain"])
    found.push(told({ nardy: await open({ folder, kernels }), positionOf }, set));
  return found;
}"""

ORT_PAGE = """async () => {
  const ort = await import("./ort/ort.wasm.min.mjs");
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = new URL("ort/", location).href;
  const bytes = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
  const options = { executionProviders: ["wasm"] };
  const session = await ort.InferenceSession.create(await bytes("bot.onnx"), options);
  const boards = new Int8Array((await bytes("boards.bin")).buffer);
  const seats = await bytes("seats.bin");
  const found = [];
  for (let at = 0; at < seats.length; at += 1000) {
    const part = seats.subarray(at, at + 1000);
    const feeds = {
      board: new ort.Tensor("int8", boards.slice(52 * at, 52 * (at + part.length)), [part.length, 2, 26]),
      seat: new ort.Tensor("uint8", part.slice(), [part.length]),
    };
    for (const name of Object.keys(feeds)) if (!session.inputNames.includes(name)) delete feeds[name];
    found.push(...(await session.run(feeds)).outcomes.data);
  }
  return found;
}"""


def by_onnxruntime_web(folder: Path, outcomes: int) -> Judge:
    """What the npm package computes in Chromium; it is fetched once into build/."""
    home = REPOSITORY / "build" / "onnxruntime-web"
    dist = home / "node_modules" / "onnxruntime-web" / "dist"
    if not dist.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
        subprocess.run([str(NPM), "install", *quiet, "--prefix", home, ORT_WEB], check=True, timeout=170)
    (folder / "ort").mkdir()
    for path in dist.glob("ort*wasm*"):
        if "jsep" not in path.name and path.suffix != ".map":
            shutil.copy(path, folder / "ort")

    def judge(boards: np.ndarray, seats: np.ndarray) -> np.ndarray:
        (folder / "boards.bin").write_bytes(np.ascontiguousarray(boards, np.int8).tobytes())
        (folder / "seats.bin").write_bytes(np.ascontiguousarray(seats, np.uint8).tobytes())
        return np.array(in_chromium(folder, ORT_PAGE), np.float32).reshape(-1, outcomes)

    return judge


def by_c_library(ruled: Ruled, folder: Path) -> dict[str, Agreement]:
    """The folder of `--to c`, compiled into a shared library and called from Python."""
    from nardy_ai.export.c_check import FLAGS
    from nardy_ai.export.c_library import export_c

    _, stored, reference, path = ruled
    export_c(path, folder / "c")
    sources = [f"src/{source.name}" for source in (folder / "c" / "src").glob("*.c")]
    shared = ["-shared", "-fPIC", "-fvisibility=hidden", "-DNARDY_BUILDING"]
    words = ["cc", *FLAGS, *shared, *sources, "-lm", "-o", folder / "libnardy.so"]
    subprocess.run(words, cwd=folder / "c", check=True)
    library = Library(folder / "libnardy.so")
    placed = [position(*each) for each in zip(stored.boards, stored.seats, stored.turns, strict=True)]
    found = {}
    for kernels in core.kernels():
        net = str(folder / "c" / "model.nardynet").encode()
        model = library.made("model_load", net, None, kernels.encode())
        search = library.made("search_create", model, 0, ctypes.c_uint64(1 << 20))
        rules = library.call("model_rules", model)
        values = (Value * len(placed))()
        library.call("net", search, (Position * len(placed))(*placed), len(placed), values)
        rolls = []
        for number, *dice, _, _ in stored.rolls:
            plays = library.listed("list_plays", rules, ctypes.byref(placed[number]), *dice)
            ranked = library.listed("rank", search, ctypes.byref(placed[number]), *dice, 0)
            texts = [
                ["".join(f"{count:x}" for count in play.board.array().ravel()) for play in some]
                for some in (plays, ranked[:1])
            ]
            rolls.append({"plays": texts[0], "best": texts[1][0]})
        outcomes = [list(value.outcomes)[: len(stored.game.outcomes)] for value in values]
        found[f"C export, {kernels}"] = reference.told_by({"outcomes": outcomes, "rolls": rolls})
        library.call("search_destroy", search)
        library.call("model_destroy", model)
    return found


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["short", "long", "short-quick", "long-quick"])
def test_every_form_of_the_shipped_bots_agrees_on_the_whole_set(name: str, tmp_path: Path) -> None:
    if None in (NODE, CHROMIUM, NPM):
        pytest.skip("node, npm or chromium is not installed")
    ruled = made_of(REPOSITORY / "checkpoints" / f"{name}.safetensors", None, None)
    model, stored, reference, path = ruled
    rules = stored.game.core_rules
    shutil.copy(CLIENT, tmp_path)
    judges = {f"C engine, {kernels}": by_kernels(model, rules, kernels) for kernels in core.kernels()}
    judges |= {
        "PyTorch": by_pytorch(model, rules),
        "ONNX Runtime in Python": by_onnx_runtime(path, tmp_path),
        "onnxruntime-web in Chromium": by_onnxruntime_web(tmp_path, len(rules.outcomes)),
    }
    found = {form: reference.judged_by(judge) for form, judge in judges.items()}
    found |= by_c_library(ruled, tmp_path) | by_node(ruled, tmp_path)
    for told in in_chromium(tmp_path, WASM_PAGE):
        found[f"WASM in Chromium, {told['kernels']}"] = reference.told_by(told)
    print(f"\n{name}: {model.profile}, net {model.shape}\n{HEADER}")
    for form, agreement in found.items():
        print(agreement.row(form))
    assert {form for form, agreement in found.items() if not agreement.holds()} == set()
    assert {(agreement.boards, agreement.rolls) for agreement in found.values()} == {(2000, 500)}
