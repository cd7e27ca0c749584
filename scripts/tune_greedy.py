"""Tunes the weights of the bot `greedy` by playing changed weights against the present ones.

    python scripts/tune_greedy.py long --out weights.json --log tune-long.jsonl
    python scripts/tune_greedy.py short --start weights.json --sweeps 1

One sweep tries, for every feature, the weight a quarter smaller and larger, doubled, dropped and with the
other sign. A change is taken when it gains over 2,000 pairs (the lower end of the 95 % interval is above 0)
and again over 2,000 fresh pairs: one test in forty is won by luck alone, and a sweep has some two hundred. It
ends with the first sweep that takes nothing, or after `--sweeps`. Every duel is a line of the log. The seed
of each duel follows from the sweep, the feature and the change, so a run can be repeated.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nardy_ai.bots import GreedyBot
from nardy_ai.bots.simple import greedy_weights
from nardy_ai.evaluation import match
from nardy_ai.evaluation.match_result import MatchResult
from nardy_ai.rules import Game

STEP = 50
"""What a weight of 0 is changed to, with either sign."""


def changes(weight: int) -> Iterator[int]:
    """The other values that are tried for a weight."""
    if weight == 0:
        yield from (STEP, -STEP)
        return
    tried = {weight}
    for factor in (1.25, 0.75, 2.0, 0.0, -1.0):
        value = round(weight * factor)
        if value not in tried:
            tried.add(value)
            yield value


class Tuner:
    """Weights of one family, and duels between them and changed ones."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.family: str = arguments.family
        self.game = Game(arguments.family)
        self.pairs: int = arguments.pairs
        self.seed: int = arguments.seed
        self.threads: int | None = arguments.threads
        self.weights = _start(arguments.start, self.family)
        self.log: Path | None = arguments.log
        self.clock = time.monotonic()

    def bot(self, weights: dict[str, int], name: str) -> GreedyBot:
        """The bot with these weights in this family."""
        return GreedyBot({self.family: weights}, name)

    def duel(self, weights: dict[str, int], seed: int) -> MatchResult:
        """Changed weights against the present ones."""
        changed, present = self.bot(weights, "changed"), self.bot(self.weights, "present")
        return match(changed, present, self.game, self.pairs, seed, self.threads, progress=False)

    def note(self, **line: Any) -> None:
        """One line of the log, and of the terminal where something was taken."""
        text = json.dumps(line)
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(text + "\n")
        if line.get("taken") or "feature" not in line:
            print(f"{time.monotonic() - self.clock:7.0f} s  {text}", flush=True)

    def gains(self, sweep: int, number: int, name: str, value: int) -> MatchResult | None:
        """The second duel of a change that gains in both, else None."""
        weights = {**self.weights, name: value}
        result = None
        for part in ("first", "second"):
            seed = ((self.seed * 1000 + sweep) * 1000 + number) * 2 + (part == "second")
            result = self.duel(weights, seed)
            low = result.interval[0] if result.interval else 0.0
            taken = part == "second" and low > 0.0
            self.note(
                sweep=sweep,
                feature=name,
                weight=self.weights[name],
                tried=value,
                part=part,
                seed=seed,
                pairs=result.pairs,
                ppg=result.ppg,
                interval=result.interval,
                taken=taken,
            )
            if low <= 0.0:
                return None
        return result

    def sweep(self, number: int) -> int:
        """Tries every change of every weight once; how many were taken."""
        taken = 0
        for place, name in enumerate(self.weights):
            found = {
                value: result
                for change, value in enumerate(changes(self.weights[name]))
                if (result := self.gains(number, place * 8 + change, name, value)) is not None
            }
            if found:
                self.weights[name] = max(found, key=lambda value: found[value].ppg)
                taken += 1
        return taken


def _start(path: Path | None, family: str) -> dict[str, int]:
    if path is None:
        return dict(greedy_weights(family))
    return {name: int(weight) for name, weight in json.loads(path.read_text(encoding="utf-8")).items()}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("family", choices=("long", "short"))
    parser.add_argument(
        "--start", type=Path, help="JSON file of weights to start from; by default the package's"
    )
    parser.add_argument("--out", type=Path, help="where to write the weights after each sweep")
    parser.add_argument("--log", type=Path, help="JSON-lines file to which every duel is added")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--sweeps", type=int, default=100, help="most sweeps")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int)
    return parser.parse_args()


def main() -> int:
    """Exit code 0 when the last sweep took nothing, else 1."""
    arguments = _arguments()
    tuner = Tuner(arguments)
    for number in range(arguments.sweeps):
        taken = tuner.sweep(number)
        tuner.note(sweep=number, taken=taken, weights=tuner.weights)
        if arguments.out is not None:
            arguments.out.write_text(json.dumps(tuner.weights, indent=1) + "\n", encoding="utf-8")
        if taken == 0:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
