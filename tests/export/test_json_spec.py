"""The specification in JSON: another evaluator, written from it alone, gives the values that it promises."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import REPOSITORY, nardy_here
from own_profiles import koks_profile_in
from untrained import untrained_model

from nardy_ai.core import InputError
from nardy_ai.export import json_check, json_spec
from nardy_ai.export.json_spec import export_json
from nardy_ai.export.mismatch import ExportMismatch
from nardy_ai.models.model_file import read_model
from nardy_ai.rules import Game

# Profile of the model, its encoding, the profile of the export.
CASES = [
    ("short/standard", "short-1", "short/standard"),
    ("short/standard", "short-2", "short/nackgammon"),
    ("short/hypergammon", "short-1", "short/hypergammon"),
    ("long/fns", "long-1-seat", "long/fns"),
    ("long/fns", "long-2-seat", "long/classic"),
    ("short/standard", "short-3", "short/standard"),
    ("long/fns", "long-3-seat", "long/fns"),
    ("long/aipbg", "long-1", "long/fns"),
    ("koks", "long-1", "long/fns"),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(case).replace("/", "_"))
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    trained, encoding, profile = request.param
    folder = tmp_path_factory.mktemp("json")
    trained = koks_profile_in(folder) if trained == "koks" else trained
    model = untrained_model(trained, folder / "bot.safetensors", encoding=encoding)
    return export_json(model, model.with_suffix(".json"), profile).path


class Reader:
    """An evaluator for whole arrays of boards by someone who has nothing but the file and NumPy."""

    def __init__(self, text: str) -> None:
        self.spec: dict[str, Any] = json.loads(text)
        self.boards = np.array([each["board"] for each in self.spec["vectors"]])
        self.seats = np.array([each["seat"] for each in self.spec["vectors"]])

    def inputs(self) -> np.ndarray:
        encoding = self.spec["encoding"]
        found = np.full((len(self.boards), encoding["inputs"]), np.nan, np.float32)
        tables = [np.array(table, np.float32) for table in encoding["tables"]]
        for place in encoding["places"]:
            counts = self.boards[:, place["side"], place["column"]]
            found[:, place["inputs"]] = tables[place["table"]][counts]
        if encoding["seat_input"] is not None:
            found[:, encoding["seat_input"]] = self.seats
        shape = encoding["shape"] or {"first_input": 0, "inputs": []}
        for i, entry in enumerate(shape["inputs"]):
            value = self.value(entry, shape["inputs"])
            found[:, shape["first_input"] + i] = value.astype(np.float32) * np.float32(entry["scale"])
        return found

    def value(self, entry: dict[str, Any], entries: list[dict[str, Any]]) -> np.ndarray:
        if "pips" in entry:
            return self.pips(entry)
        if "rolls" in entry:
            return np.array([[weight for weight, _ in entry["rolls"]]]) @ self.rolls(entry).T
        if "rolls_of" in entry:
            first, count = entry["rolls_of"]
            blots = sum(self.rolls(each).astype(int) for each in entries[first : first + count])
            weights = np.array([weight for weight, _ in entries[first]["rolls"]])
            return (blots >= entry["at_least"]) @ weights
        if "checkers" in entry:
            side, column, weight = np.array(entry["checkers"]).reshape(-1, 3).T
            checkers = (self.boards[:, side, column] * weight).sum(1)
            where = entry.get("where")
            return checkers * self.terms(where) if where else checkers >= entry["at_least"]
        return self.terms(entry)

    def rolls(self, entry: dict[str, Any]) -> np.ndarray:
        """bool [boards, rolls]."""
        when = self.terms({"terms": [entry["when"]], "most": None}) > 0
        ways = [self.terms({"terms": ways, "most": None}) > 0 for _, ways in entry["rolls"]]
        return np.array(ways).T & when[:, None]

    def pips(self, entry: dict[str, Any]) -> np.ndarray:
        assert entry["round"] == "up"
        side, column, weight = np.array(entry["pips"]).T
        return np.ceil((self.boards[:, side, column] * weight).sum(1) / entry["divide"])

    def terms(self, entry: dict[str, Any]) -> np.ndarray:
        total = np.zeros(len(self.boards), int)
        for term in entry["terms"]:
            side, column, least, most = np.array(term).T
            counts = self.boards[:, side, column]
            total += ((least <= counts) & (counts <= most)).all(1)
        if "at_least" in entry:
            return total >= entry["at_least"]
        return total if entry["most"] is None else np.minimum(total, entry["most"])

    def nets(self) -> list[str]:
        if self.spec["race"] is None:
            return ["contact"] * len(self.boards)
        held = (self.boards[:, :, :25] > 0) * np.arange(1, 26)
        rear = held.max(2)
        span = rear.sum(1) if self.spec["race"]["rearmost"] == "sum" else rear.max(1)
        race = (span < self.spec["race"]["below"]) | (rear.min(1) == 0)
        return ["race" if each else "contact" for each in race]

    def outcomes(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits = np.stack([self.logits(net, row) for net, row in zip(self.nets(), inputs, strict=True)])
        outputs, names = np.array(self.spec["outputs"]), self.spec["model"]["outcomes"]
        allowed = np.repeat(outputs[None] >= 0, len(logits), axis=0)
        for test in self.spec["impossible"]:
            side, column, weight = np.array(test["weights"]).T
            met = (self.boards[:, side, column] * weight).sum(1) >= test["at_least"]
            allowed &= ~(met[:, None] & (outputs == test["outcome"]))
        powers = np.exp(np.where(allowed, logits, -np.inf) - logits[:, :].max(1, keepdims=True))
        shares = powers / powers.sum(1, keepdims=True)
        merged = np.stack([shares[:, outputs == k].sum(1) for k in range(len(names))], axis=1)
        return merged, merged @ np.array(self.spec["model"]["points"])

    def logits(self, net: str, inputs: np.ndarray) -> np.ndarray:
        values = inputs.astype(np.float64)
        for layer in self.spec["nets"][net]:
            weight, bias = (np.frombuffer(base64.b64decode(layer[key]), "<f4") for key in ("weight", "bias"))
            values = weight.reshape(layer["outputs"], layer["inputs"]) @ values + bias
            values = np.maximum(values, 0) if layer["activation"] == "relu" else values
        return values


def test_an_evaluator_written_from_the_file_alone_reproduces_the_vectors(exported: Path) -> None:
    reader = Reader(exported.read_text("utf-8"))
    vectors = reader.spec["vectors"]
    inputs = reader.inputs()
    assert np.array_equal(inputs, np.array([each["inputs"] for each in vectors], np.float32))
    assert reader.nets() == [each["net"] for each in vectors]
    outcomes, equity = reader.outcomes(inputs)
    assert np.abs(outcomes - np.array([each["outcomes"] for each in vectors])).max() <= 1e-5
    assert np.abs(equity - np.array([each["equity"] for each in vectors])).max() <= 1e-5


def test_the_vectors_are_of_every_kind(exported: Path) -> None:
    spec = json.loads(exported.read_text("utf-8"))
    vectors = spec["vectors"]
    assert len(vectors) == 50
    assert {each["net"] for each in vectors} == {"contact", "race"}
    ruled_out = {tuple(share == 0 for share in each["outcomes"]) for each in vectors}
    assert len(ruled_out) >= 3
    boards = np.array([each["board"] for each in vectors])
    assert (boards.sum(2) == Game(spec["model"]["profile"]).checkers).all()
    assert (boards[:, :, 25] > 0).any()
    if spec["model"]["game"] == "short":
        assert (boards[:, :, 24] > 0).any()
    else:
        assert {each["seat"] for each in vectors} == {0, 1}


def test_it_names_profile_outcomes_view_and_checksums(exported: Path) -> None:
    spec = json.loads(exported.read_text("utf-8"))
    facts, model = spec["model"], exported.with_suffix(".safetensors")
    game = Game(facts["profile"])
    assert facts["outcomes"] == list(game.outcomes)
    assert facts["points"] == list(game.points)
    assert spec["encoding"]["name"] == facts["encoding"]
    assert spec["point_of_view"].startswith("the player on roll, before the throw")
    assert facts["model_sha256"] == hashlib.sha256(model.read_bytes()).hexdigest()
    weights = [layer[key] for net in spec["nets"].values() for layer in net for key in ("weight", "bias")]
    digest = hashlib.sha256(b"".join(map(base64.b64decode, weights))).hexdigest()
    assert spec["weights_sha256"] == digest


def test_the_weights_come_back_to_the_bit(exported: Path) -> None:
    spec = json.loads(exported.read_text("utf-8"))
    nets = read_model(exported.with_suffix(".safetensors")).nets
    assert set(spec["nets"]) == set(nets) - {"scout"}
    for name, layers in spec["nets"].items():
        for layer, (weight, bias) in zip(layers, nets[name], strict=True):
            assert base64.b64decode(layer["weight"]) == weight.astype("<f4").tobytes()
            assert base64.b64decode(layer["bias"]) == bias.astype("<f4").tobytes()
            assert weight.shape == (layer["outputs"], layer["inputs"])


def test_the_check_before_success_knows_nothing_of_the_engine() -> None:
    tree = ast.parse(Path(json_check.__file__).read_text("utf-8"))
    named = {
        name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in [str(node.module)]
    } | {each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names}
    assert named == {
        "__future__", "base64", "collections.abc", "typing", "numpy", "numpy.typing"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("part", "message"),
    [("_encoding", "encoding as written differs"), ("_race", "from the engine"), ("_impossible", "differs")],
)
def test_a_file_that_says_something_else_than_the_engine_does_is_not_written(
    part: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = untrained_model("short/standard", tmp_path / "bot.safetensors", encoding="short-2")
    right = getattr(json_spec, part)

    def wrong(given: Any) -> Any:
        found = right(given)
        if part == "_encoding":
            found["shape"]["inputs"][70]["most"] = 2
        elif part == "_race":
            found["below"] = 24
        else:
            found[0]["outcome"] = 0
        return found

    monkeypatch.setattr(json_spec, part, wrong)
    with pytest.raises(ExportMismatch, match=message):
        export_json(model, tmp_path / "bot.json")
    assert [path.name for path in tmp_path.iterdir()] == ["bot.safetensors"]


def test_the_command_writes_beside_the_model_into_a_folder_or_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = untrained_model("long/fns", tmp_path / "bot.safetensors")
    (tmp_path / "folder").mkdir()
    for words, place in (([], "bot.json"), (["folder"], "folder/bot.json"), (["new/x.json"], "new/x.json")):
        out = ["--out", tmp_path / words[0]] if words else []
        ran = nardy_here(capsys, "export", model, "--to", "json", *out)
        assert (ran.code, ran.err) == (0, "")
        assert f"wrote {tmp_path / place}" in ran.out
        assert "1074 boards" in ran.out
    assert (tmp_path / "bot.json").read_bytes() == (tmp_path / "new" / "x.json").read_bytes()
    report = json.loads(nardy_here(capsys, "export", model, "--to", "json", "--json").out)
    assert 0 < report["largest_difference"] <= report["tolerance"] == 1e-5
    with pytest.raises(InputError, match="the model itself"):
        export_json(model, model)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["short", "long", "short-quick", "long-quick", "short-judge"])
def test_the_shipped_bots_can_be_written(name: str, tmp_path: Path) -> None:
    model = REPOSITORY / "checkpoints" / f"{name}.safetensors"
    done = export_json(model, tmp_path / "bot.json")
    print(name, done.largest_difference)
    reader = Reader(done.path.read_text("utf-8"))
    outcomes, _ = reader.outcomes(reader.inputs())
    assert np.abs(outcomes - np.array([each["outcomes"] for each in reader.spec["vectors"]])).max() <= 1e-5
