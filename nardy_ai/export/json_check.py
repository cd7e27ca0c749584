"""A specification read back and carried out as it is written, without the engine; NumPy and the text alone.

This is what an author of another evaluator would write; `docs/exports.md` describes the same steps in words.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["evaluate", "inputs_of"]

Boards = npt.NDArray[np.int8]
Float32 = npt.NDArray[np.float32]
Spec = Mapping[str, Any]


def evaluate(spec: Spec, boards: Boards, inputs: Float32) -> tuple[Float32, Float32]:
    """Outcomes float32 [n, k] and equity float32 [n] of boards int8 [n, 2, 26] with their inputs."""
    logits = _logits(spec["nets"]["contact"], inputs)
    if spec["race"] is not None:
        race = _is_race(spec["race"], boards)
        logits[race] = _logits(spec["nets"]["race"], inputs[race])
    outputs = np.array(spec["outputs"])
    kept = np.repeat(outputs[None] >= 0, len(boards), axis=0)
    for test in spec["impossible"]:
        kept &= ~(_sums(boards, test["weights"]) >= test["at_least"])[:, None] | (outputs != test["outcome"])
    logits = np.where(kept, logits, -np.inf)
    powers = np.exp(logits - logits.max(1, keepdims=True))
    shares = powers / powers.sum(1, keepdims=True)
    outcomes = np.zeros((len(boards), len(spec["model"]["outcomes"])), np.float32)
    for output in np.flatnonzero(outputs >= 0):
        outcomes[:, outputs[output]] += shares[:, output]
    return outcomes, outcomes @ np.array(spec["model"]["points"], np.float32)


def inputs_of(spec: Spec, boards: Boards, seats: npt.NDArray[np.uint8]) -> Float32:
    """What the net sees of boards int8 [n, 2, 26], float32 [n, inputs]."""
    encoding = spec["encoding"]
    found = np.zeros((len(boards), encoding["inputs"]), np.float32)
    for place in encoding["places"]:
        table = np.array(encoding["tables"][place["table"]], np.float32)
        found[:, place["inputs"]] = table[boards[:, place["side"], place["column"]]]
    if encoding["seat_input"] is not None:
        found[:, encoding["seat_input"]] = seats
    if encoding["shape"] is not None:
        rolls: dict[int, Float32] = {}
        for number, entry in enumerate(encoding["shape"]["inputs"]):
            if "rolls" in entry:
                rolls[number] = _rolls(entry, boards)
            value = _whole(entry, number, boards, rolls)
            found[:, encoding["shape"]["first_input"] + number] = value * np.float32(entry["scale"])
    return found


def _whole(entry: Mapping[str, Any], number: int, boards: Boards, rolls: Mapping[int, Float32]) -> Float32:
    """The entry before it is scaled; `rolls` are those of the entries so far, [n, rolls], 0 or the weight."""
    if "rolls" in entry:
        return np.asarray(rolls[number].sum(1), np.float32)
    if "rolls_of" in entry:
        first, count = entry["rolls_of"]
        several = np.array([rolls[first + place] for place in range(count)])
        enough = (several > 0).sum(0) >= entry["at_least"]
        return np.asarray((several.max(0) * enough).sum(1), np.float32)
    if "checkers" in entry:
        checkers = _sums(boards, entry["checkers"])
        if "where" in entry:
            return np.asarray(checkers * _enough(entry["where"], boards), np.float32)
        return np.asarray(checkers >= entry["at_least"], np.float32)
    if "pips" in entry:
        return np.asarray(np.ceil(_sums(boards, entry["pips"]) / entry["divide"]), np.float32)
    if "at_least" in entry:
        return np.asarray(_enough(entry, boards), np.float32)
    count = _count(entry["terms"], boards)
    return count if entry["most"] is None else np.minimum(count, np.float32(entry["most"]))


def _count(terms: list[list[list[int]]], boards: Boards) -> Float32:
    return np.asarray(sum((_holds(term, boards) for term in terms), np.zeros(len(boards))), np.float32)


def _enough(entry: Mapping[str, Any], boards: Boards) -> npt.NDArray[np.bool_]:
    return np.asarray(_count(entry["terms"], boards) >= entry["at_least"], bool)


def _rolls(entry: Mapping[str, Any], boards: Boards) -> Float32:
    found = np.zeros((len(boards), len(entry["rolls"])), np.float32)
    there = np.flatnonzero(_holds(entry["when"], boards))
    for roll, (weight, ways) in enumerate(entry["rolls"]):
        for way in ways:
            found[there[_holds(way, boards[there])], roll] = weight
    return found


def _holds(term: list[list[int]], boards: Boards) -> npt.NDArray[np.bool_]:
    holds = np.ones(len(boards), bool)
    for side, column, least, most in term:
        holds &= (least <= boards[:, side, column]) & (boards[:, side, column] <= most)
    return holds


def _sums(boards: Boards, weights: list[list[int]]) -> npt.NDArray[np.int64]:
    total = np.zeros(len(boards), np.int64)
    for side, column, weight in weights:
        total += boards[:, side, column].astype(np.int64) * weight
    return total


def _is_race(race: Mapping[str, Any], boards: Boards) -> npt.NDArray[np.bool_]:
    numbers = np.where(boards[:, :, :25] > 0, np.arange(1, 26), 0)
    rearmost = numbers.max(2)
    span = rearmost.sum(1) if race["rearmost"] == "sum" else rearmost.max(1)
    return np.asarray((span < race["below"]) | (rearmost.min(1) == 0), bool)


def _logits(layers: list[Mapping[str, Any]], values: Float32) -> Float32:
    for layer in layers:
        weight = _decoded(layer["weight"]).reshape(layer["outputs"], layer["inputs"])
        values = values @ weight.T + _decoded(layer["bias"])
        if layer["activation"] == "relu":
            values = np.maximum(values, 0)
    return values


def _decoded(text: str) -> Float32:
    return np.frombuffer(base64.b64decode(text), "<f4")
