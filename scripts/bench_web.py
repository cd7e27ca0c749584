"""Times a best play in the web bundle (Node) and natively, on the same rolls, in CPU time of one thread.

    python scripts/bench_web.py MODEL [MODEL ...]

Each figure is the smallest of three rounds; a round of 0 plies decides 40 rolls 15 times over, one of 2 plies
the first 12 of them once, without what an earlier round remembered. Natively all rolls are one call.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from nardy_ai import core
from nardy_ai.export.varied_boards import varied_positions
from nardy_ai.export.web import export_web
from nardy_ai.models.model_file import read_model
from nardy_ai.rules import Game

ROLLS, AGAIN, DEEP, ROUNDS = 40, 15, 12, 3

CLIENT = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const folder = pathToFileURL(`${process.argv[2]}/`);
const { open, positionOf } = await import(new URL("nardy.js", folder));
const { rolls, again, deep, rounds } = JSON.parse(readFileSync(process.argv[3]));
const placed = rolls.map(([key, dice]) => [positionOf(key), dice]);
const cpu = (call) => {
  const began = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
};
const found = {};
for (const kernels of ["simd", "plain"]) {
  found[kernels] = [];
  for (let round = 0; round < rounds; round++) {
    const nardy = await open({ folder, kernels });
    const best = (count, plies) => {
      for (const [position, dice] of placed.slice(0, count)) nardy.best(position, dice, { plies });
    };
    const zero = cpu(() => { for (let i = 0; i < again; i++) best(placed.length, 0); });
    const two = cpu(() => best(deep, 2));
    found[kernels].push([zero / again / placed.length, two / deep]);
  }
}
console.log(JSON.stringify(found));
process.exit(0);
"""


Rolls = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def native(model: core.Model, rolls: Rolls) -> list[float]:
    """Milliseconds a best play at 0 plies and at 2."""

    def each(player: core.Player, count: int, times: int) -> float:
        boards, dice, seats, turns = (column[:count] for column in rolls)
        keys = np.zeros((count, 3), np.uint64)
        began = time.process_time()
        for _ in range(times):
            core.choose(player, model.rules, boards, dice, seats, turns, keys)
        return (time.process_time() - began) * 1000 / count / times

    rounds = [
        (each(core.net_player(model), ROLLS, AGAIN), each(core.search_player(model, 2), DEEP, 1))
        for _ in range(ROUNDS)
    ]
    return np.min(rounds, axis=0).tolist()


def main() -> int:
    for name in sys.argv[1:]:
        model = read_model(Path(name))
        game = Game(model.profile)
        boards, seats, turns = varied_positions(game.core_rules, ROLLS, 5)
        dice = np.array([(1 + i % 6, 1 + i // 6 % 6) for i in range(ROLLS)], np.uint8)
        keys = [
            game.position(board.tolist(), seat=int(seat), turns=int(turn)).key
            for board, seat, turn in zip(boards, seats, turns, strict=True)
        ]
        found = {
            kernels: native(
                core.Model(game.core_rules, model.encoding, model.nets, kernels=kernels),
                (boards, dice, seats, turns),
            )
            for kernels in core.kernels()
        }
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            export_web(Path(name), place / "bundle")
            (place / "client.mjs").write_text(CLIENT)
            rolls = list(zip(keys, dice.tolist(), strict=True))
            given = {"rolls": rolls, "again": AGAIN, "deep": DEEP, "rounds": ROUNDS}
            (place / "rolls.json").write_text(json.dumps(given))
            words = ["node", place / "client.mjs", place / "bundle", place / "rolls.json"]
            said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        for kernels, rounds in json.loads(said).items():
            found[f"wasm {kernels}"] = np.min(rounds, axis=0).tolist()
        print(f"{name}: {model.profile}, net {model.shape}")
        for kernels, (zero, two) in found.items():
            ratios = [mine / plain for mine, plain in zip((zero, two), found["plain"], strict=True)]
            print(
                f"  {kernels:10}  0 plies {zero:.4f} ms ({ratios[0]:.2f} x native plain)"
                f"   2 plies {two:6.2f} ms ({ratios[1]:.2f} x)"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
