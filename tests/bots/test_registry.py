"""From names to bots."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai.bots import BOT_NAMES, Bot, GreedyBot, NetBot, PubevalBot, RandomBot, gnubg_found


@pytest.mark.parametrize(
    ("name", "kind"), [("random", RandomBot), ("greedy", GreedyBot), ("pubeval", PubevalBot)]
)
def test_names(name: str, kind: type) -> None:
    found = nardy.bot(name)
    assert type(found) is kind and found.name == name and isinstance(found, Bot)
    assert found.game is None and len(found.fingerprint) == 16


def test_every_name_that_is_listed_is_known() -> None:
    for name in BOT_NAMES:
        if not name.startswith("gnubg") or gnubg_found():
            assert nardy.bot(name).name == name


def test_fingerprints_tell_bots_apart() -> None:
    assert len({nardy.bot(name).fingerprint for name in ("random", "greedy", "pubeval")}) == 3
    assert nardy.bot("greedy").fingerprint == nardy.bot("greedy").fingerprint


def test_a_model_file(tmp_path: Path) -> None:
    path = untrained_model("long", tmp_path / "m.safetensors")
    found = nardy.bot(str(path))
    assert isinstance(found, NetBot) and found.name == str(path) and found.game == nardy.Game("long")
    assert nardy.bot(str(path), "long/classic").game == nardy.Game("long/classic")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gredy", "there is no bot 'gredy': did you mean 'greedy'\\?"),
        ("Pubeval", "did you mean 'pubeval'"),
        ("gnubg", "did you mean 'gnubg:0'"),
        ("gnubg:two", "write gnubg:0"),
        ("gnubg:9", "looks too far ahead"),
        ("xyzzy", "take random, greedy, pubeval, gnubg:0 or the path of a model file"),
        ("", "there is no bot ''"),
        ("no/such/folder/m.safetensors", "the folder no/such/folder does not exist either"),
    ],
)
def test_unknown_names_say_what_there_is(name: str, message: str) -> None:
    with pytest.raises(nardy.InputError, match=message):
        nardy.bot(name)


def test_a_mistyped_path_names_the_nearest_file(tmp_path: Path) -> None:
    untrained_model("long", tmp_path / "long-quick.safetensors")
    with pytest.raises(nardy.InputError, match=r"did you mean .*long-quick\.safetensors\?"):
        nardy.bot(str(tmp_path / "long-quik.safetensors"))
    with pytest.raises(nardy.InputError, match="check the path"):
        nardy.bot(str(tmp_path / "zzz.safetensors"))


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    path.write_bytes(b"not a model")
    with pytest.raises(nardy.InputError, match=r"m\.safetensors"):
        nardy.bot(str(path))


def test_bots_of_another_game_are_refused(tmp_path: Path) -> None:
    path = untrained_model("long", tmp_path / "m.safetensors")
    with pytest.raises(nardy.InputError, match="is a model of long nardy"):
        nardy.bot(str(path), "short")
    with pytest.raises(nardy.InputError, match="pubeval plays short nardy"):
        nardy.bot("pubeval", "long")
    assert nardy.bot("greedy", "long/classic").game is None


def test_a_missing_optional_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nardy_ai.bots.gnubg.gnubg_found", lambda: False)
    with pytest.raises(
        nardy.InputError, match=r"gnubg:0 needs the package gnubg-nn: pip install 'nardy-ai\[peers\]'"
    ):
        nardy.bot("gnubg:0")


def test_bots_and_matches_need_neither_torch_nor_optional_packages() -> None:
    program = (
        "import sys\n"
        "for name in ('torch', 'gnubg_nn', 'onnx', 'matplotlib', 'scipy'): sys.modules[name] = None\n"
        "import nardy_ai as nardy\n"
        "print(nardy.match(nardy.bot('greedy'), nardy.bot('random'), 'short', pairs=3).pairs)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "3"), done.stderr
