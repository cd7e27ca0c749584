"""The model file: one .safetensors with the weights of a model's nets and everything that names them.

Tensors are "CLASS.LAYER.weight" float32 [outputs, inputs] and "CLASS.LAYER.bias" float32 [outputs]; the
metadata (strings) hold the format version, the game and the profile it was trained under, the encoding
with its version, classes, layer sizes and activations, the outcomes in their order, where the weights
come from and how strong they were measured to be. Reading checks all of it and needs no PyTorch.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.models.layers import CLASSES, NETS, SCOUT, Layers, Nets, sizes_of
from nardy_ai.models.level_table import LevelTable, read_table, usual_levels
from nardy_ai.models.tensor_file import read_tensors, tensor_bytes, write_file
from nardy_ai.rules.profile_reader import profile_names

FORMAT = "1"
ACTIVATIONS = "relu"
WHAT = "nardy-ai model"
MOST_LAYERS, MOST_UNITS = 16, 4096

T = TypeVar("T")


@dataclass(frozen=True)
class Strength:
    """One measured strength: never without its opponent, the number of pairs, the interval and the seed."""

    opponent: str
    """The bot that was played."""
    game: str
    """Profile whose rules were played, e.g. "long/fns"."""
    pairs: int
    """Pairs of games: the same dice with both seatings."""
    seed: int
    """Seed of the dice."""
    ppg: float
    """Mean points a game for this model."""
    low: float
    """Lower end of the 95 % interval of `ppg`."""
    high: float
    """Upper end of the 95 % interval of `ppg`."""
    wins: float
    """Share of games won, 0..1."""


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds; immutable."""

    game: str
    """The game, e.g. "long"."""
    profile: str
    """The profile that the model was trained under, e.g. "long/fns"."""
    rules: Mapping[str, Any]
    """That profile's resolved rule options, as core.Rules takes them."""
    encoding: str
    """Name of the inputs, version included, e.g. "long-1-seat"."""
    outcomes: tuple[str, ...]
    """Names of the outputs in their order."""
    nets: Nets
    """Layers by class of positions, and the scout's where there is one; "contact" is always there."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Where the weights come from: config_hash, seed, games, rounds, version, commit."""
    strength: tuple[Strength, ...] = ()
    """Measured strengths."""
    levels: LevelTable | None = None
    """Its levels of play; None: it has the usual ones of its family (`level_table`)."""

    @property
    def shape(self) -> str:
        """Layer sizes of the contact net as people write them: "196/128-64/6"."""
        inputs, *hidden, outputs = sizes_of(self.nets[CLASSES[0]])
        return f"{inputs}/{'-'.join(map(str, hidden))}/{outputs}"

    @property
    def level_table(self) -> LevelTable:
        """Its levels of play, the usual ones of its family where it has none of its own."""
        return usual_levels(self.game) if self.levels is None else self.levels


def write_model(path: Path, model: ModelFile) -> None:
    """Write a model file whole: beside its place first, then renamed. Folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, model_bytes(model))


def model_bytes(model: ModelFile) -> bytes:
    """The bytes of the model file; equal models give equal bytes."""
    tensors = {}
    for name, layers in model.nets.items():
        for i, (weight, bias) in enumerate(layers):
            tensors[f"{name}.{i}.weight"] = np.asarray(weight, np.float32)
            tensors[f"{name}.{i}.bias"] = np.asarray(bias, np.float32)
    metadata = {
        "format": FORMAT,
        "game": model.game,
        "profile": model.profile,
        "rules": _json(dict(model.rules)),
        "encoding": model.encoding,
        "classes": _json(list(model.nets)),
        "layers": _json({name: list(sizes_of(layers)) for name, layers in model.nets.items()}),
        "activations": ACTIVATIONS,
        "outcomes": _json(list(model.outcomes)),
        "provenance": _json(dict(model.provenance)),
        "strength": _json([dataclasses.asdict(line) for line in model.strength]),
    }
    if model.levels is not None:
        metadata["levels"] = model.levels.json()
    return tensor_bytes(tensors, metadata)


def read_model(path: Path) -> ModelFile:
    """Read and check a model file.

    Raises InputError, in one sentence with the path, for a file that is missing, truncated, of another
    kind, of another format or encoding version, or whose parts do not agree with one another.
    """
    tensors, metadata = read_tensors(path, WHAT)
    try:
        return _checked(tensors, metadata)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _checked(tensors: Mapping[str, npt.NDArray[Any]], metadata: Mapping[str, str]) -> ModelFile:
    version = metadata.get("format")
    if version is None or "encoding" not in metadata:
        raise InputError(f"this .safetensors file is not a {WHAT}: it names no format; take one that is")
    if version != FORMAT:
        raise InputError(
            f"model format {version!r} is unknown here (this version reads {FORMAT!r}); install the nardy-ai "
            "that wrote it"
        )
    encoding = metadata["encoding"]
    if encoding not in core.encodings():
        raise InputError(
            f"encoding {encoding!r} is unknown here (known: {', '.join(core.encodings())}); install the "
            "nardy-ai that wrote the file"
        )
    if (activations := _text(metadata, "activations")) != ACTIVATIONS:
        raise InputError(f"activations {activations!r} are unknown here (known: {ACTIVATIONS!r})")
    rules = _decoded(metadata, "rules", dict[str, Any])
    outcomes = tuple(_decoded(metadata, "outcomes", list[str]))
    expected = tuple(core.Rules(rules).outcomes)
    if outcomes != expected:
        raise InputError(f"outcomes {list(outcomes)} are not those of the file's rules, {list(expected)}")
    return ModelFile(
        game=_text(metadata, "game"),
        profile=_text(metadata, "profile"),
        rules=rules,
        encoding=encoding,
        outcomes=outcomes,
        nets=_nets(tensors, metadata, core.encoding_table(encoding), len(outcomes)),
        provenance=_decoded(metadata, "provenance", dict[str, Any]),
        strength=tuple(_decoded(metadata, "strength", list[Strength])),
        levels=_levels(metadata, rules["family"]),
    )


def _levels(metadata: Mapping[str, str], family: str) -> LevelTable | None:
    if "levels" not in metadata:
        return None
    try:
        table = read_table(metadata["levels"])
    except InputError as error:
        raise InputError(f"its table of levels is damaged: {error}; take a whole copy of the file") from None
    # A profile of a player's own has the name of its file, which tells nothing of the game.
    name = "" if table.measured is None else table.measured.game.partition(" with ")[0]
    if name in profile_names() and not name.startswith(f"{family}/"):
        raise InputError(
            f"its table of levels was measured under {name}, and the model plays {family} nardy; measure "
            "them anew: nardy levels MODEL --write"
        )
    return table


def _nets(
    tensors: Mapping[str, npt.NDArray[Any]],
    metadata: Mapping[str, str],
    encoding: core.EncodingTable,
    outputs: int,
) -> dict[str, Layers]:
    classes = _decoded(metadata, "classes", list[str])
    layers = _decoded(metadata, "layers", dict[str, list[int]])
    if CLASSES[0] not in classes or len(set(classes)) != len(classes) or not set(classes) <= set(NETS):
        raise InputError(f"wrong classes {classes}: known are {list(NETS)}, and {CLASSES[0]!r} is needed")
    if set(layers) != set(classes):
        raise InputError(f"layer sizes are given for {sorted(layers)}, but the classes are {sorted(classes)}")
    left = dict(tensors)
    inputs = dict.fromkeys(CLASSES, encoding.inputs) | {SCOUT: core.encoding_table(encoding.scout).inputs}
    nets = {
        name: _layers(name, layers[name], left, inputs[name], outputs) for name in NETS if name in classes
    }
    if left:
        raise InputError(f"tensor {min(left)!r} belongs to no layer")
    return nets


def _layers(
    name: str, sizes: list[int], left: dict[str, npt.NDArray[Any]], inputs: int, outputs: int
) -> Layers:
    if not 3 <= len(sizes) <= MOST_LAYERS + 1 or not all(1 <= size <= MOST_UNITS for size in sizes):
        raise InputError(f"layer sizes {sizes} of {name!r} are out of range")
    if (sizes[0], sizes[-1]) != (inputs, outputs):
        raise InputError(
            f"{name!r} has {sizes[0]} inputs and {sizes[-1]} outputs, but encoding and outcomes need "
            f"{inputs} and {outputs}"
        )
    result: Layers = []
    for i, (columns, rows) in enumerate(pairwise(sizes)):
        weight = _tensor(left, f"{name}.{i}.weight", (rows, columns))
        result.append((weight, _tensor(left, f"{name}.{i}.bias", (rows,))))
    return result


def _tensor(left: dict[str, npt.NDArray[Any]], name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    tensor = left.pop(name, None)
    if tensor is None:
        raise InputError(f"tensor {name!r} is missing")
    if tensor.dtype != np.float32 or tensor.shape != shape:
        raise InputError(
            f"tensor {name!r} is {tensor.dtype.name} {list(tensor.shape)}, expected float32 {list(shape)}"
        )
    if not np.isfinite(tensor).all():
        raise InputError(f"tensor {name!r} holds values that are not finite")
    return tensor


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _text(metadata: Mapping[str, str], key: str) -> str:
    if key not in metadata:
        raise InputError(f"metadata {key!r} are missing")
    if "\0" in metadata[key]:
        raise InputError(f"metadata {key!r} hold a NUL character")
    return metadata[key]


def _decoded(metadata: Mapping[str, str], key: str, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(_text(metadata, key), type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"metadata {key!r} can't be read: {error}") from None
