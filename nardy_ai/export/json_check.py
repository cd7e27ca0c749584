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
        for number, entry in enumerate(encoding["shape"]["inputs"]):
            found[:, encoding["shape"]["first_input"] + number] = _shape(entry, boards)
    return found


def _shape(entry: Mapping[str, Any], boards: Boards) -> Float32:
    scale = np.float32(entry["scale"])
    if "pips" in entry:
        pips: Float32 = np.ceil(_sums(boards, entry["pips"]) / entry["divide"]).astype(np.float32)
        return pips * scale
    count = np.zeros(len(boards), np.float32)
    for term in entry["terms"]:
        holds = np.ones(len(boards), bool)
        for side, column, least, most in term:
            holds &= (least <= boards[:, side, column]) & (boards[:, side, column] <= most)
        count += holds
    capped: Float32 = count if entry["most"] is None else np.minimum(count, np.float32(entry["most"]))
    return capped * scale


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
