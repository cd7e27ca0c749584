"""Bad input to every command: one sentence on stderr, exit code 2, nothing written and nothing lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command_line import nardy
from untrained import untrained_model

from nardy_ai.models.tensor_file import read_tensors, tensor_bytes

CONFIG = """
game = "long"
seed = 3
tensorboard = false

[[phases]]
name = "sampled"
rounds = 2
games = 20
lr_from = 1e-3
lr_to = 1e-3
hidden = [8]
"""


def contents(folder: Path) -> dict[str, bytes]:
    """Every file under the folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(*words: str | Path, folder: Path, naming: tuple[str, ...], stdin: str = "") -> None:
    """The command refuses, names what it must name, and leaves the folder as it was."""
    before = contents(folder)
    ran = nardy(*words, cwd=folder, stdin=stdin)
    assert ran.is_bad_input(), f"exit {ran.code}\n{ran.out}\n{ran.err}"
    for word in naming:
        assert word in ran.err, ran.err
    assert contents(folder) == before
    assert not (folder / "runs").exists()


@pytest.mark.parametrize(
    ("words", "naming"),
    [
        (["tarin"], ["tarin", "train"]),
        (["match", "random"], ["match", "B"]),
        (["match", "random", "greedy", "--pairs", "many"], ["--pairs", "many"]),
        (["match", "random", "greedy", "--game", "long", "--pairs", "0"], ["pairs", "0"]),
        (["match", "random", "greedy", "--game", "long", "--seed", "-1"], ["seed", "-1"]),
        (["match", "random", "greedy", "--game", "long", "--threads", "0"], ["threads", "0"]),
        (["match", "random", "greedy", "--game", "long", "--plies", "-1"], ["plies", "-1", "3"]),
        (["match", "random", "greedy", "--game", "long", "--plies", "4"], ["plies", "4", "3"]),
        (["match", "random", "greedy"], ["random", "greedy", "long"]),
        (["match", "random", "greedy", "--game", "lomg"], ["lomg", "long"]),
        (["match", "random", "greedy", "--game", "long/clasic"], ["long/clasic", "long/classic"]),
        (["match", "randon", "greedy", "--game", "long"], ["randon", "random"]),
        (["match", "random", "gnubg:far", "--game", "short"], ["gnubg:far", "gnubg:0"]),
        (["match", "random", "pubeval", "--game", "long"], ["pubeval", "short"]),
        (["match", "random", "nowhere/model.safetensors"], ["nowhere/model.safetensors"]),
        (["rules", "chess"], ["chess", "long", "short"]),
        (["rules", "long", "--lang", "de"], ["--lang", "de", "en", "ru"]),
        (["rules", "missing.toml"], ["missing.toml"]),
        (["play", "greedy", "--game", "shorts"], ["shorts", "short"]),
        (["play", "gredy"], ["gredy", "greedy"]),
        (["play", "greedy", "--seed", "-5"], ["--seed", "-5"]),
        (["play", "pubeval", "--game", "long"], ["pubeval", "short"]),
        (["export", "missing.safetensors"], ["missing.safetensors"]),
        (["export", "missing.safetensors", "--to", "tflite"], ["tflite", "onnx"]),
        (["train"], ["CONFIG"]),
        (["train", "configs/none.toml"], ["configs/none.toml"]),
        (["train", "/dev/zero"], ["/dev/zero", "config"]),
        (["train", "/dev/zero", "--dry-run"], ["/dev/zero", "config"]),
        (["resume", "runs/none"], ["runs/none", "train"]),
        (["doctor", "--loud"], ["--loud"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) and value else None,
)
def test_wrong_words(words: list[str], naming: list[str], tmp_path: Path) -> None:
    refused(*words, folder=tmp_path, naming=tuple(naming))


@pytest.mark.parametrize(
    ("old", "new", "naming"),
    [
        ("seed = 3", "sead = 3", ["sead", "seed"]),
        ("games = 20", "gamess = 20", ["gamess", "games"]),
        ("rounds = 2", 'rounds = "two"', ["rounds", "int"]),
        ("rounds = 2", "rounds = 0", ["rounds", "0", "1"]),
        ("seed = 3", "seed = -3", ["seed", "-3"]),
        ("lr_from = 1e-3", "lr_from = -1e-3", ["lr_from", "-0.001"]),
        ("rounds = 2", 'rounds = 2\ntargets = "sample"', ["targets", "sample"]),
        ("hidden = [8]", "", ["hidden"]),
        ('game = "long"', "", ["game"]),
        ('game = "long"', 'game = "lnog"', ["lnog", "long"]),
        ('game = "long"', 'game = "long', ["TOML"]),
        ('game = "long"', 'game = "long"\nopponents = [{ bot = "gredy", pairs = 10 }]', ["gredy", "greedy"]),
        (
            'game = "long"',
            'game = "long"\nopponents = [{ bot = "pubeval", pairs = 10 }]',
            ["pubeval", "short"],
        ),
        ('game = "long"', 'game = "long"\ninit = "none.safetensors"', ["none.safetensors"]),
        ('game = "long"', 'game = "long"\nencoding = "long-9"', ["long-9", "long-1"]),
    ],
)
def test_wrong_configs(old: str, new: str, naming: list[str], tmp_path: Path) -> None:
    assert old in CONFIG
    (tmp_path / "mine.toml").write_text(CONFIG.replace(old, new, 1), encoding="utf-8")
    refused("train", "mine.toml", folder=tmp_path, naming=tuple(naming))


@pytest.mark.parametrize(
    ("profile", "naming"),
    [
        ('format = 1\n[rules]\nfamily = "long"\ncheckers = 15\nstart = { 24 = 14 }\n', ["14", "15"]),
        ('format = 1\n[rules]\nfamily = "long"\nheadrule = true\n', ["headrule", "head_rule"]),
        ('format = 1\n[rules]\nfamily = "long"\nblock = "absolut"\n', ["absolut", "absolute"]),
        ('format = 9\n[rules]\nfamily = "long"\n', ["format", "9"]),
        ("format = 1\n[rules]\n", ["family"]),
    ],
)
def test_wrong_profile_files(profile: str, naming: list[str], tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text(profile, encoding="utf-8")
    for words in (["rules", "house.toml"], ["match", "random", "greedy", "--game", "house.toml"]):
        refused(*words, folder=tmp_path, naming=("house.toml", *naming))


def damaged(kind: str, whole: Path, path: Path) -> None:
    """Writes a copy of a model file that is wrong in one way."""
    data = whole.read_bytes()
    tensors, metadata = read_tensors(whole, "model")
    if kind == "truncated":
        data = data[: len(data) * 2 // 3]
    elif kind == "empty":
        data = b""
    elif kind == "foreign":
        data = b"PK\x03\x04 this is an archive of something else"
    elif kind == "other tensors":
        data = tensor_bytes({"layer": np.zeros(3, np.float32)}, {})
    elif kind == "other format":
        data = tensor_bytes(tensors, {**metadata, "format": "99"})
    elif kind == "other encoding":
        data = tensor_bytes(tensors, {**metadata, "encoding": "long-99"})
    path.write_bytes(data)


@pytest.mark.parametrize(
    "kind", ["truncated", "empty", "foreign", "other tensors", "other format", "other encoding"]
)
@pytest.mark.parametrize("verb", ["match", "play", "export"])
def test_wrong_model_files(kind: str, verb: str, long_model: Path, tmp_path: Path) -> None:
    damaged(kind, long_model, tmp_path / "bad.safetensors")
    words = {"match": ["match", "bad.safetensors", "random"], "play": ["play", "bad.safetensors"]}
    refused(*words.get(verb, ["export", "bad.safetensors"]), folder=tmp_path, naming=("bad.safetensors",))


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    # The bytes of a pickle that would make a file when it is loaded.
    (tmp_path / "bomb.safetensors").write_bytes(
        b"cpathlib\nPath.touch\n(cpathlib\nPath\n(S'%s'\ntRtR." % bytes(trap)
    )
    refused("export", "bomb.safetensors", folder=tmp_path, naming=("bomb.safetensors",))
    assert not trap.exists()


def test_models_of_another_game(long_model: Path, short_model: Path, tmp_path: Path) -> None:
    refused(
        "match",
        long_model,
        "random",
        "--game",
        "short",
        folder=tmp_path,
        naming=(str(long_model), "long", "short"),
    )
    refused("match", long_model, short_model, folder=tmp_path, naming=("long", "short"))
    refused(
        "play", short_model, "--game", "long", folder=tmp_path, naming=(str(short_model), "long", "short")
    )


def test_a_bot_at_a_level_is_given_no_other_one(long_model: Path, tmp_path: Path) -> None:
    refused("play", f"{long_model}#3", "--level", "4", folder=tmp_path, naming=("#3", "--level"))


def test_a_run_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "metrics.jsonl").write_text("precious\n")
    refused("train", "mine.toml", "--run", "old", folder=tmp_path, naming=("old", "exists", "resume"))


def test_a_run_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "file").write_text("not a folder\n")
    refused("train", "mine.toml", "--run", "file/run", folder=tmp_path, naming=("file/run",))


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    refused("resume", "empty", folder=tmp_path, naming=("empty", "config.toml"))


def test_an_export_that_cannot_be_written(long_model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder\n")
    refused("export", long_model, "--out", "file/m.onnx", folder=tmp_path, naming=("file", "--out"))


def test_exporting_over_the_model_itself(tmp_path: Path) -> None:
    untrained_model("long/fns", tmp_path / "m.safetensors")
    refused(
        "export",
        "m.safetensors",
        "--out",
        "./m.safetensors",
        folder=tmp_path,
        naming=("m.safetensors", "--out"),
    )


@pytest.mark.parametrize("line", ["24/1", "99/3", "e2e4", "13/7*", "24/20 24/20 24/20"])
def test_a_piped_play_that_is_not_legal(line: str, tmp_path: Path) -> None:
    ran = nardy("play", "random", "--game", "long", "--seed", "3", cwd=tmp_path, stdin=f"{line}\nplays\n")
    assert ran.code == 2
    assert ran.err.startswith("nardy: ")
    assert ran.err.count("\n") == 1
    assert line.split()[0] in ran.err
    assert list(tmp_path.iterdir()) == []
