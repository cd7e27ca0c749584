"""A run folder that nobody trained: logs by formulas, models with random weights, and what was measured."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hand_made_benchmark import short_benchmark
from untrained import untrained_model

from nardy_ai.bots import bot, load
from nardy_ai.evaluation.decisions import decision_loss
from nardy_ai.models.model_file import ModelFile, model_bytes, read_model

CONFIG = """game = "short"
format = 1
watch = 200
watch_pairs = 300

[[phases]]
name = "sampled"
rounds = 400

[[phases]]
name = "exact"
rounds = 600
"""
# A bot may be called like this.
EVIL = "<script>alert(1)</script>"
DOLLARS = "$x$ & co"
OPPONENTS = ("pubeval", "gnubg:0", EVIL, DOLLARS)

Line = dict[str, Any]


def synthetic_run(folder: Path, rounds: int = 1000, *, cpu: bool = True) -> Path:
    """Writes the folder: two phases, a match against each opponent every 100 rounds, and two models."""
    rng = np.random.default_rng(7)
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "config.toml").write_text(CONFIG)
    metrics, timing = [], []
    for number in range(1, rounds + 1):
        metrics.append(_round(number, float(rng.normal())))
        if number % 100 == 0:
            metrics += [{"round": number, "match": match_of(number, name)} for name in OPPONENTS]
        if number % 200 == 0:
            metrics.append({"round": number, "watched": [0.01, -0.02, 0.04]})
        timing.append(_timing(number, cpu))
    write_lines(folder / "metrics.jsonl", metrics)
    write_lines(folder / "timing.jsonl", timing)
    for number in {max(0, rounds - 50), rounds}:
        model_of_round(folder / "checkpoints" / f"round-{number:06d}" / "model.safetensors", number)
    return folder


def write_lines(path: Path, lines: list[Line]) -> None:
    """A .jsonl file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def match_of(number: int, opponent: str) -> Line:
    """Wide intervals around a curve that rises with the rounds; each number is found nowhere else."""
    ppg = 0.5 - math.exp(-number / 300) + len(opponent) / 1000
    return {
        "opponent": opponent,
        "game": "short/standard",
        "pairs": 500 + len(opponent),
        "seed": 11,
        "ppg": ppg,
        "low": ppg - 0.04,
        "high": ppg + 0.05,
        "wins": 0.5 + ppg / 4,
    }


def _round(number: int, chance: float) -> Line:
    exact = number > 400
    excess = 0.06 / number if not exact else 0.004 / (number - 350)
    return {
        "round": number,
        "phase": "exact" if exact else "sampled",
        "loss": (0.85 if exact else 1.1) + 0.5 / math.sqrt(number) + 0.01 * chance,
        "excess": excess * math.exp(0.2 * chance),
        "total_games": 250 * min(number, 400) + 100 * max(0, number - 400),
        "games": 100 if exact else 250,
    }


def _timing(number: int, cpu: bool) -> Line:
    line: Line = {"round": number, "seconds": 2.0, "games_per_second": 100.0, "learner_share": 0.4}
    return line | ({"cpu": 3.0} if cpu else {})


def model_of_round(path: Path, number: int) -> Path:
    """A model with weights of its own."""
    model = _untrained()
    nets = {
        name: [(weight, bias + np.float32(number / 1000)) for weight, bias in layers]
        for name, layers in model.nets.items()
    }
    provenance = {"rounds": number, "games": 100 * number, "version": "0.1.0", "commit": "c0ffee"}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model_bytes(dataclasses.replace(model, nets=nets, provenance=provenance)))
    return path


@functools.cache
def _untrained() -> ModelFile:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        return read_model(untrained_model("short/standard", path, classes=("contact",)))


def decisions_of(model: str | Path) -> Line:
    """What `nardy bench decisions --json` prints, of three decisions."""
    plain: Line = json.loads(json.dumps(decision_loss(bot(str(model)), short_benchmark()).as_dict()))
    return plain


def ladder_of(run: Path, rounds: tuple[int, ...]) -> Line:
    """A ladder.json of these rounds and two standing opponents."""
    hashes = {number: fingerprint_of_round(run, number) for number in rounds}
    places = [_place(f"round {number}", hashes[number], number, number / 2000) for number in rounds]
    places += [_place("greedy", "9" * 16, None, 0.0), _place(EVIL, "e" * 16, None, -1.2)]
    return {
        "kind": "nardy ladder",
        "format": 1,
        "game": "short/standard",
        "seed": 17,
        "anchor": "9" * 16,
        "entries": [],
        "ratings": places,
    }


def fingerprint_of_round(run: Path, number: int) -> str:
    """The hash of the checkpoint; an invented one where the run no longer holds it."""
    path = run / "checkpoints" / f"round-{number:06d}" / "model.safetensors"
    return load(str(path)).fingerprint if path.exists() else f"{number:016x}"


def _place(name: str, fingerprint: str, number: int | None, points: float) -> Line:
    return {
        "name": name,
        "hash": fingerprint,
        "round": number,
        "pairs": 750,
        "points": points,
        "interval": [points - 0.03, points + 0.03],
        "elo": 200 * points,
        "elo_interval": [200 * points - 10, 200 * points + 10],
        "confidence": 0.95,
    }


def speed_of(model: Line | None = None) -> Line:
    """What `nardy bench speed --json` prints, one row of it."""
    return {
        "rows": [
            {
                "name": "best play at 0-ply, 196/80",
                "unit": "plays/s",
                "rates": {"nardy-ai": 51234.0, "gnubg-nn": 20321.0},
                "ours_is_faster_by": {"gnubg-nn": 2.5},
                "bars": [],
                "facts": {},
            }
        ],
        "kernels": "avx2",
        "version": "0.1.0",
        "seed": 1,
        "rounds": 5,
        "seconds": 10.0,
        "peers": ["gnubg-nn"],
        "model": model,
    }
