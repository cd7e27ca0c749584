"""A model as one JSON file: everything that an author of another evaluator needs, with vectors to test it.

Nothing is written by hand that the engine knows: the tables of the encoding, the tests for impossible
outcomes and the classes come from the engine, and before the file counts as written it is read back and
carried out by `json_check`, which knows nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.core.whole_files import plain_place
from nardy_ai.export import json_check
from nardy_ai.export.chosen_game import chosen_game
from nardy_ai.export.json_shape import shape_inputs
from nardy_ai.export.manifest import POINT_OF_VIEW, model_facts
from nardy_ai.export.mismatch import ExportMismatch
from nardy_ai.export.place import place_beside
from nardy_ai.export.varied_boards import varied_boards
from nardy_ai.models.evaluator import outcome_places
from nardy_ai.models.layers import CLASSES, Layers
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.models.tensor_file import write_file
from nardy_ai.rules import Game

__all__ = ["FORMAT", "KIND", "TOLERANCE", "VECTORS", "JsonExport", "export_json", "specification"]

FORMAT: Final = 1
KIND: Final = "nardy-ai net specification"
TOLERANCE: Final = 1e-5
VECTORS: Final = 50
_CHECKED: Final = 1024
_SEED: Final = 22
_STEPS: Final = (
    "board: two rows of 26 counts, row 0 the player on roll, row 1 the other, each from its own side: "
    "columns 0..23 are the own points 1..24, 24 is the bar, 25 borne off; seat: 0 where the player on "
    "roll started the game, else 1",
    "inputs: zeros; for every entry of encoding.places the numbers encoding.tables[table][count of that "
    "side and column] go to its inputs; encoding.seat_input, if there is one, is the seat",
    "shape, if encoding.shape is there: its entries are the inputs from first_input on. An entry with "
    "terms is the number of terms that hold, at most `most`, times scale; a term holds when each of its "
    "factors [side, column, least, most] does: least <= count <= most. The entry with pips is the sum of "
    "count x weight over [side, column, weight], divided and rounded up to a whole number, times scale. "
    "With terms and at_least it is scale where so many of them hold, else 0. With checkers and at_least it "
    "is scale where the sum of count x weight over [side, column, weight] is at_least that, else 0; with "
    "checkers and where it is that sum times scale where so many of the terms of `where` hold, else 0. "
    "With rolls it is, where all factors of `when` hold, the sum of the weights of those rolls [weight, "
    "ways] of which a way (a term) holds, else 0, times scale; with rolls_of [first, number] the sum of the "
    "weights of the rolls that count for at_least so many of those entries, numbered from 0, times scale",
    "net: `contact`, or `race` where race is there and applies: rearmost of a side is its highest number "
    "of point with a checker on it (bar 25, none 0); it applies where the sum (or the largest) of both is"
    " below `below`, or one of them is 0",
    "layers: output = weight x input + bias, then max(0, output) where activation is relu; weight is "
    "[outputs][inputs], bias [outputs], as little-endian float32 in base64",
    "impossible outcomes: those of the tests whose sum of count x weight over [side, column, weight] is "
    "at_least that; outputs[i] is the outcome of the net's output i, -1: none",
    "softmax over the outputs whose outcome is possible, the others 0; outputs of one outcome add up; "
    "equity is the sum of outcome x points",
)


@dataclass(frozen=True)
class JsonExport:
    """What was written, and how it was checked."""

    path: Path
    profile: str
    bytes: int
    vectors: int
    boards: int
    """Boards on which the file, read back, was carried out and compared with the engine."""
    largest_difference: float
    """Of an outcome or an equity."""


def export_json(model_path: Path, out: Path, profile: str | None = None) -> JsonExport:
    """Writes the model of `model_path` as a specification to `out`, whole or not at all.

    `out` is a file, or a folder that is there, in which the file gets the model's name. `profile` names the
    rules that it is for, by default those it was trained under. Raises `InputError` for a model file, profile
    or place that will not do, and `ExportMismatch` where the file carried out gives other values.
    """
    model = read_model(model_path)
    game = chosen_game(model, profile, str(model_path))
    out = out / f"{model_path.stem}.json" if out.is_dir() else out
    if out.is_dir():
        raise InputError(f"{out} is a folder; name a file with --out")
    if out.exists() and out.samefile(model_path):
        raise InputError(f"{out} is the model itself; name another file with --out")
    place_beside(plain_place(out))
    text = _text(specification(model, game, hashlib.sha256(model_path.read_bytes()).hexdigest()))
    worst = _check(json.loads(text), model, game)
    write_file(out, text.encode())
    return JsonExport(out, game.name, len(text.encode()), VECTORS, _CHECKED + VECTORS, worst)


def specification(model: ModelFile, game: Game, digest: str) -> dict[str, Any]:
    """The content of the file; `digest` is the SHA-256 of the model file."""
    from nardy_ai import __version__

    rules = game.core_rules
    nets = {
        name: [_layer(*each) for each in _ends(model.nets[name])] for name in CLASSES if name in model.nets
    }
    return {
        "kind": KIND,
        "format": FORMAT,
        "nardy_ai": __version__,
        "steps": list(_STEPS),
        "point_of_view": POINT_OF_VIEW,
        "finished_games": "are judged by rule, and not by the net",
        "model": model_facts(model, game, digest),
        "weights_sha256": _weights_digest(model),
        "encoding": _encoding(model.encoding),
        "race": _race(rules) if "race" in nets else None,
        "impossible": _impossible(rules),
        "outputs": outcome_places(model, game),
        "tolerance": TOLERANCE,
        "vectors": list(_vectors(model, game)),
        "nets": nets,
    }


def _encoding(name: str) -> dict[str, Any]:
    table = core.encoding_table(name)
    tables: list[Any] = []
    places = []
    for side, column in np.ndindex(table.index.shape[:2]):
        inputs = [int(each) for each in table.index[side, column] if each >= 0]
        if not inputs:
            continue
        rows = [[_single(value) for value in row[: len(inputs)]] for row in table.value[side, column]]
        if rows not in tables:
            tables.append(rows)
        places.append({"side": side, "column": column, "table": tables.index(rows), "inputs": inputs})
    shape = None
    if table.shape_input >= 0:
        entries = shape_inputs(table.family, table.inputs - table.shape_input)
        shape = {"first_input": table.shape_input, "inputs": entries}
    return {
        "name": name,
        "inputs": table.inputs,
        "seat_input": table.seat_input if table.seat_input >= 0 else None,
        "tables": tables,
        "places": places,
        "shape": shape,
    }


def _race(rules: core.Rules) -> dict[str, Any]:
    short = rules.family == "short"
    return {"rearmost": "sum" if short else "largest", "below": 25 if short else 13}


def _impossible(rules: core.Rules) -> list[dict[str, Any]]:
    weights, thresholds, outcomes = core.impossible_tests(rules)
    return [
        {
            "outcome": int(outcome),
            "at_least": int(threshold),
            "weights": [
                [int(place) // 26, int(place) % 26, int(row.ravel()[place])] for place in np.flatnonzero(row)
            ],
        }
        for row, threshold, outcome in zip(weights, thresholds, outcomes, strict=True)
    ]


def _ends(layers: Layers) -> Iterator[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], bool]]:
    for number, (weight, bias) in enumerate(layers):
        yield weight, bias, number + 1 == len(layers)


def _layer(weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32], last: bool) -> dict[str, Any]:
    return {
        "inputs": weight.shape[1],
        "outputs": weight.shape[0],
        "activation": "none" if last else "relu",
        "weight": base64.b64encode(_bytes(weight)).decode(),
        "bias": base64.b64encode(_bytes(bias)).decode(),
    }


def _bytes(numbers: npt.NDArray[np.float32]) -> bytes:
    return np.ascontiguousarray(numbers, "<f4").tobytes()


def _weights_digest(model: ModelFile) -> str:
    """Of all weights and biases, decoded, in the order in which they stand in the file."""
    layers = [layer for name in CLASSES for layer in model.nets.get(name, [])]
    return hashlib.sha256(b"".join(_bytes(part) for layer in layers for part in layer)).hexdigest()


def _vectors(model: ModelFile, game: Game) -> Iterator[dict[str, Any]]:
    """Boards of every kind with what the net sees of them and what the engine says."""
    rules = game.core_rules
    boards, seats = _chosen(rules)
    inputs = core.encode(model.encoding, boards, seats)
    outcomes, equities = core.net(_native(model, game), rules, boards, seats)
    classes = core.position_classes(rules, boards)
    for i, board in enumerate(boards):
        race = "race" in model.nets and CLASSES[classes[i]] == "race"
        yield {
            "board": board.tolist(),
            "seat": int(seats[i]),
            "net": "race" if race else "contact",
            "inputs": [_single(value) for value in inputs[i]],
            "outcomes": [_single(value) for value in outcomes[i]],
            "equity": _single(equities[i]),
        }


def _chosen(rules: core.Rules) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8]]:
    """The start, then as many boards as can be of each mixture of class and impossible outcomes."""
    boards, seats = varied_boards(rules, 2000, _SEED)
    kinds: dict[bytes, list[int]] = {}
    masks = core.impossible(rules, boards, seats)
    for i, race in enumerate(core.position_classes(rules, boards)):
        kinds.setdefault(bytes([race, *masks[i].tolist()]), []).append(i)
    order: list[int] = []
    while len(order) < VECTORS - 1:
        order += [members.pop(0) for _, members in sorted(kinds.items()) if members]
    start = core.start_board(rules)[None]
    picked = order[: VECTORS - 1]
    return np.concatenate([start, boards[picked]]), np.concatenate([np.zeros(1, np.uint8), seats[picked]])


def _native(model: ModelFile, game: Game) -> core.Model:
    places = outcome_places(model, game)
    return core.Model(game.core_rules, model.encoding, model.nets, places, kernels="plain")


def _check(spec: dict[str, Any], model: ModelFile, game: Game) -> float:
    """The largest difference between the engine and the file carried out."""
    boards, seats = varied_boards(game.core_rules, _CHECKED, _SEED + 1)
    vectors = spec["vectors"]
    boards = np.concatenate([boards, np.array([each["board"] for each in vectors], np.int8)])
    seats = np.concatenate([seats, np.array([each["seat"] for each in vectors], np.uint8)])
    inputs = core.encode(model.encoding, boards, seats)
    expected = core.net(_native(model, game), game.core_rules, boards, seats)
    if not np.array_equal(json_check.inputs_of(spec, boards, seats), inputs):
        raise ExportMismatch("the encoding as written differs from the engine's; nothing was kept")
    found = json_check.evaluate(spec, boards, inputs)
    # Unlike Python's own, NumPy's maximum of a NaN is a NaN, and that is above every bound.
    worst = float(np.max([np.abs(ours - theirs).max() for ours, theirs in zip(found, expected, strict=True)]))
    if not worst <= TOLERANCE:
        raise ExportMismatch(
            f"carried out as written the file differs from the engine by {worst:.2e} on {len(boards)} boards,"
            f" more than {TOLERANCE:.0e}; nothing was kept"
        )
    return worst


def _single(number: np.float32) -> float:
    """A float32 in as few digits as give it back to the bit."""
    return float(f"{number:.9g}")


def _text(spec: dict[str, Any]) -> str:
    """JSON with a line for each entry, so that a person finds his way."""
    lines = []
    for key, value in spec.items():
        if isinstance(value, list) and value and isinstance(value[0], dict | str):
            inner = ",\n  ".join(_compact(each) for each in value)
            lines.append(f'"{key}": [\n  {inner}]')
        elif key == "nets":
            inner = ",\n  ".join(f'"{name}": [\n   {_joined(each)}]' for name, each in value.items())
            lines.append(f'"{key}": {{\n  {inner}}}')
        else:
            lines.append(f'"{key}": {_compact(value)}')
    return "{" + ",\n ".join(lines) + "}\n"


def _joined(layers: list[dict[str, Any]]) -> str:
    return ",\n   ".join(map(_compact, layers))


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
