"""Times a best play in the web bundle (Node) and natively, on the same rolls, in CPU time of whole processes.

    python scripts/bench_web.py MODEL [MODEL ...]

Rounds of all contenders take turns: native plain kernels, the fastest native ones, the bundle with SIMD and
without. A round of 0 plies decides 40 rolls 15 times over, one of 2 plies the first 12 of them once, without
what an earlier round remembered. Figures are medians over rounds; a ratio is the median of those to the
native plain round beside it, with the least and the largest. `first` are the first 600 decisions after the
page was opened, with everything that compiling costs; all others come after 10,000. Natively all rolls of a
round are one call, with nothing but boards in it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from nardy_ai import core
from nardy_ai.export.varied_boards import varied_positions
from nardy_ai.export.web import export_web
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.rules import Game

ROLLS, AGAIN, WARM, DEEP = 40, 15, 250, 12
ROUNDS = {0: 9, 2: 3}  # of so many plies

CLIENT = """
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
const [place, rolls, kernels] = process.argv.slice(2);
const folder = pathToFileURL(`${place}/`);
const { open, positionOf } = await import(new URL("nardy.js", folder));
const placed = JSON.parse(readFileSync(rolls)).map(([key, dice]) => [positionOf(key), dice]);
let nardy = await open({ folder, kernels });
for await (const line of createInterface({ input: process.stdin })) {
  const [plies, count, times] = JSON.parse(line);
  if (plies > 0) nardy = await open({ folder, kernels });
  const began = process.cpuUsage();
  for (let i = 0; i < times; i++)
    for (const [position, dice] of placed.slice(0, count)) nardy.best(position, dice, { plies });
  const { user, system } = process.cpuUsage(began);
  console.log((user + system) / 1000 / count / times);
}
"""

Rolls = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Timed = Callable[[int, int, int], float]  # plies, rolls, how often: milliseconds a best play


def rolls_of(game: Game) -> Rolls:
    boards, seats, turns = varied_positions(game.core_rules, ROLLS, 5)
    dice = np.array([(1 + i % 6, 1 + i // 6 % 6) for i in range(ROLLS)], np.uint8)
    return boards, dice, seats, turns


def native(file: ModelFile, game: Game, rolls: Rolls, kernels: str) -> Timed:
    model = core.Model(game.core_rules, file.encoding, file.nets, kernels=kernels)

    def timed(plies: int, count: int, times: int) -> float:
        player = core.search_player(model, plies) if plies else core.net_player(model)
        boards, dice, seats, turns = (column[:count] for column in rolls)
        keys = np.zeros((count, 3), np.uint64)
        began = time.process_time()
        for _ in range(times):
            core.choose(player, model.rules, boards, dice, seats, turns, keys)
        return (time.process_time() - began) * 1000 / count / times

    return timed


def in_node(folder: Path, kernels: str, stack: ExitStack) -> Timed:
    words = ["node", folder / "client.mjs", folder / "bundle", folder / "rolls.json", kernels]
    pipe = subprocess.PIPE
    client = stack.enter_context(subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True))
    assert client.stdin
    assert client.stdout
    to, answers = client.stdin, client.stdout

    def timed(plies: int, count: int, times: int) -> float:
        print(json.dumps([plies, count, times]), file=to, flush=True)
        return float(answers.readline())

    return timed


def prepare(model: Path, game: Game, rolls: Rolls, folder: Path) -> None:
    """The bundle, the rolls as texts, and the program that decides them."""
    export_web(model, folder / "bundle")
    (folder / "client.mjs").write_text(CLIENT)
    keys = [
        game.position(board.tolist(), seat=int(seat), turns=int(turn)).key
        for board, _, seat, turn in zip(*rolls, strict=True)
    ]
    (folder / "rolls.json").write_text(json.dumps(list(zip(keys, rolls[1].tolist(), strict=True))))


def rounds_of(contenders: dict[str, Timed], plies: int, count: int, times: int) -> dict[str, list[float]]:
    rounds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS[plies]):
        for name, timed in contenders.items():
            rounds[name].append(timed(plies, count, times))
    return rounds


def told(rounds: list[float], plain: list[float]) -> str:
    ratios = [mine / other for mine, other in zip(rounds, plain, strict=True)]
    middle = statistics.median(ratios)
    return f"{statistics.median(rounds):7.4f} ms ({middle:.2f} x, {min(ratios):.2f}..{max(ratios):.2f})"


def compare(path: Path) -> None:
    file = read_model(path)
    game = Game(file.profile)
    rolls = rolls_of(game)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        prepare(path, game, rolls, Path(folder))
        contenders = {
            "native plain": native(file, game, rolls, "plain"),
            f"native {core.kernels()[0]}": native(file, game, rolls, core.kernels()[0]),
            "wasm simd": in_node(Path(folder), "simd", stack),
            "wasm plain": in_node(Path(folder), "plain", stack),
        }
        first = {name: timed(0, ROLLS, AGAIN) for name, timed in contenders.items()}
        for timed in contenders.values():
            timed(0, ROLLS, WARM)
        zero = rounds_of(contenders, 0, ROLLS, AGAIN)
        two = rounds_of(contenders, 2, DEEP, 1)
    print(f"{path}: {file.profile}, net {file.shape}")
    for name in contenders:
        said = [
            f"{plies} plies {told(rounds[name], rounds['native plain'])}"
            for plies, rounds in ((0, zero), (2, two))
        ]
        print(f"  {name:13} {'   '.join(said)}   first {first[name]:.4f} ms")


def main() -> int:
    for name in sys.argv[1:]:
        compare(Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
