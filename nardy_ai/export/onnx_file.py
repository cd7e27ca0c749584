"""A model as one ONNX file, checked against PyTorch and the engine before it counts as written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.core.whole_files import naming
from nardy_ai.export.chosen_game import chosen_game
from nardy_ai.export.mismatch import ExportMismatch
from nardy_ai.export.place import place_beside
from nardy_ai.export.varied_boards import varied_boards
from nardy_ai.models.evaluator import outcome_places
from nardy_ai.models.layers import CLASSES
from nardy_ai.models.model_file import ModelFile, read_model

__all__ = ["BATCHES", "FORMAT", "TOLERANCE", "Export", "ExportMismatch", "export_onnx"]

# Version of the file's inputs, outputs and metadata.
FORMAT: Final = "1"
BATCHES: Final = (1, 2, 7, 1024)
TOLERANCE: Final = 1e-5

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Export:
    """What was written, and how far its outputs were from the other two evaluators on the same boards."""

    path: Path
    profile: str
    bytes: int
    boards: int
    """Boards compared, over all batch sizes."""
    classes: dict[str, int]
    """How many of them were of each class of positions."""
    against_torch: float
    """Largest difference of an outcome or of an equity."""
    against_engine: float
    """The same against the C engine."""


@dataclass(frozen=True)
class _Use:
    """The rules that a model is exported for."""

    profile: str
    rules: core.Rules
    places: list[int]
    """For each output of the nets its outcome under the rules, -1: none."""


def _use(model: ModelFile, profile: str | None, name: str) -> _Use:
    if profile is None:
        rules = core.Rules(model.rules)
        return _Use(model.profile, rules, list(range(len(rules.outcomes))))
    game = chosen_game(model, profile, name)
    return _Use(game.name, game.core_rules, outcome_places(model, game))


def export_onnx(model_path: Path, out: Path, profile: str | None = None) -> Export:
    """Writes the model of `model_path` to `out` as ONNX, whole or not at all.

    `profile` names the rules that it is for, by default those it was trained under.

    Input `board` int8 [n, 2, 26] (and `seat` uint8 [n] where the encoding reads it), outputs `outcomes`
    float32 [n, k] and `equity` float32 [n]: the net with impossible outcomes masked, seen by the player on
    roll before the throw. Folders are made. Raises `InputError` for a model file,
    profile or place that will not do,
    and `ExportMismatch` where the file differs from PyTorch or the engine by more than `TOLERANCE`.
    """
    model = read_model(model_path)
    use = _use(model, profile, str(model_path))
    digest = hashlib.sha256(model_path.read_bytes()).hexdigest()
    # A part that is missing is found before anything is made.
    for part in ("onnx", "onnxruntime", "torch"):
        import_module(part)
    if out.is_symlink():
        out = out.resolve()  # the file that it names is replaced, and not the link
    aside = _place_aside(out, model_path)

    import onnx

    from nardy_ai.export.onnx_graph import build_graph

    graph = build_graph(use.rules, model.encoding, model.nets, use.places)
    for key, value in _metadata(model, use, digest).items():
        graph.metadata_props.add(key=key, value=value)
    onnx.checker.check_model(graph, full_check=True)
    try:
        with naming(out, aside):
            aside.write_bytes(graph.SerializeToString(deterministic=True))
        report = _check(aside, out, model, use)
        aside.replace(out)
    finally:
        aside.unlink(missing_ok=True)
    return report


def _place_aside(out: Path, model_path: Path) -> Path:
    """A name beside `out`, in a folder that exists and can be written; finds out before any work is done."""
    if out.exists() and out.samefile(model_path):
        raise InputError(f"{out} is the model itself; name another file with --out")
    if out.exists() and not out.is_file() and not out.is_dir():
        raise InputError(f"{out} is no ordinary file; name another with --out")
    if out.is_dir():
        raise InputError(f"{out} is a folder; name a file in it: --out {out / 'model.onnx'}")
    return place_beside(out)


def _metadata(model: ModelFile, use: _Use, digest: str) -> dict[str, str]:
    rules = use.rules
    return {
        "format": FORMAT,
        "game": model.game,
        "profile": use.profile,
        "trained_under": model.profile,
        "rules": json.dumps(dict(rules.options), sort_keys=True),
        "encoding": model.encoding,
        "classes": json.dumps([name for name in CLASSES if name in model.nets]),
        "outcomes": json.dumps(list(rules.outcomes)),
        "points": json.dumps([float(points) for points in rules.points]),
        "point_of_view": "the player on roll (row 0), before the throw",
        "board": "row 0 the player on roll, row 1 the other; each from its own side: columns 0..23 own "
        "points 1..24, 24 bar, 25 borne off",
        "seat": "0: the player on roll started the game, 1: the other did",
        "model_sha256": digest,
        "provenance": json.dumps(dict(model.provenance), sort_keys=True, ensure_ascii=False),
    }


def _check(path: Path, out: Path, model: ModelFile, use: _Use) -> Export:
    """Loads the file back and compares it; raises `ExportMismatch` where it differs too much."""
    rules = use.rules
    boards, seats = varied_boards(rules, sum(BATCHES))
    classes = core.position_classes(rules, boards)
    worst = {"PyTorch": 0.0, "the engine": 0.0}
    exported = _onnx_answers(path, boards, seats)
    others = {
        "PyTorch": _torch_answers(model, use, boards, seats),
        "the engine": core.net(
            core.Model(rules, model.encoding, model.nets, use.places), rules, boards, seats
        ),
    }
    for name, (outcomes, equity) in others.items():
        # Unlike Python's own, NumPy's maximum of a NaN is a NaN, and that is above every bound.
        worst[name] = float(
            np.maximum(np.abs(exported[0] - outcomes).max(), np.abs(exported[1] - equity).max())
        )
        if not worst[name] <= TOLERANCE:
            raise ExportMismatch(
                f"the exported graph differs from {name} by {worst[name]:.2e} on {len(boards)} boards, "
                f"more than {TOLERANCE:.0e}; {out} was not written"
            )
    return Export(
        path=out,
        profile=use.profile,
        bytes=path.stat().st_size,
        boards=len(boards),
        classes={name: int((classes == number).sum()) for number, name in enumerate(CLASSES)},
        against_torch=worst["PyTorch"],
        against_engine=worst["the engine"],
    )


def _slices(count: int) -> Iterator[slice]:
    first = 0
    for batch in BATCHES:
        yield slice(first, first + batch)
        first += batch
    assert first == count


def _onnx_answers(
    path: Path, boards: npt.NDArray[np.int8], seats: npt.NDArray[np.uint8]
) -> tuple[FloatArray, FloatArray]:
    """Outcomes and equities by ONNX Runtime, asked once per batch size."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its own classes are not public
        raise ExportMismatch(
            f"what was written does not load in ONNX Runtime ({error}); nothing was kept"
        ) from error
    wanted = {entry.name for entry in session.get_inputs()}
    answers: list[list[FloatArray]] = []
    for part in _slices(len(boards)):
        given: dict[str, Any] = {"board": boards[part], "seat": seats[part]}
        feed = {name: value for name, value in given.items() if name in wanted}
        answers.append(session.run(["outcomes", "equity"], feed))
    return np.concatenate([a[0] for a in answers]), np.concatenate([a[1] for a in answers])


def _torch_answers(
    model: ModelFile, use: _Use, boards: npt.NDArray[np.int8], seats: npt.NDArray[np.uint8]
) -> tuple[FloatArray, FloatArray]:
    """Outcomes and equities by the PyTorch net, asked once per batch size."""
    import torch

    from nardy_ai.models.value_net import ValueNet

    net = ValueNet(model.nets).eval()
    rules, places = use.rules, np.array(use.places)
    points = torch.tensor(rules.points, dtype=torch.float32)
    counts = torch.zeros(len(places), len(rules.outcomes))
    counts[np.flatnonzero(places >= 0), places[places >= 0]] = 1
    outcomes: list[FloatArray] = []
    equities: list[FloatArray] = []
    with torch.inference_mode():
        for part in _slices(len(boards)):
            features = torch.from_numpy(core.encode(model.encoding, boards[part], seats[part]))
            ruled_out = core.impossible(rules, boards[part], seats[part]).astype(bool)
            # The last column, which no rule knows, stands for outputs of no outcome.
            ruled_out = np.pad(ruled_out, ((0, 0), (0, 1)), constant_values=True)
            impossible = torch.from_numpy(ruled_out[:, places])
            classes = torch.from_numpy(core.position_classes(rules, boards[part]))
            shares = torch.softmax(net(features, impossible, classes), dim=1) @ counts
            outcomes.append(shares.numpy())
            equities.append((shares @ points).numpy())
    return np.concatenate(outcomes), np.concatenate(equities)
