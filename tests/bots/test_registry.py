"""From names to bots."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai.bots import (
    BOT_NAMES,
    Bot,
    GnubgProgramBot,
    GreedyBot,
    NetBot,
    ProgramBot,
    PubevalBot,
    RandomBot,
    SageBot,
    find_gnubg,
    gnubg_found,
    sage_found,
)


@pytest.mark.parametrize(
    ("name", "kind"), [("random", RandomBot), ("greedy", GreedyBot), ("pubeval", PubevalBot)]
)
def test_names(name: str, kind: type) -> None:
    found = nardy.bot(name)
    assert type(found) is kind and found.name == name and isinstance(found, Bot)
    assert found.game is None and len(found.fingerprint) == 16


def test_every_name_that_is_listed_is_known() -> None:
    there = {"gnubg": gnubg_found(), "gnubg-program": find_gnubg() is not None, "sage": sage_found()}
    for listed in BOT_NAMES:
        name = listed.replace("COMMAND", shlex.join([sys.executable, "-c", "pass"]))
        if there.get(name.partition(":")[0], True):
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
        ("gnubg-program:8", "looks too far ahead: take gnubg-program:0 up to gnubg-program:7"),
        ("sage:4", r"take sage:0 \(Open Sage's 1-ply\) up to sage:3 \(its 4-ply\)"),
        ("sage", "did you mean 'sage:0'"),
        ("sgae:2", "did you mean 'sage:0'"),
        ("sage:", "write sage:0"),
        ("gnubg-programm:1", "did you mean 'gnubg-program:0'"),
        ("program", "did you mean 'program:COMMAND'"),
        ("progam:python examples/bots/random_bot.py", "did you mean 'program:COMMAND'"),
        ("program:", "needs a command line behind the colon, such as program:python my_bot.py"),
        ("sage@soon:1", "'soon' is no number of seconds for a play: write sage@10: for ten"),
        ("program@0:python", "can't have 0 seconds for a play"),
        ("gnubg@nan:0", "can't have nan seconds for a play"),
        (
            "xyzzy",
            "take random, greedy, pubeval, gnubg:0, gnubg-program:0, sage:0, program:COMMAND or the path of "
            "a model file",
        ),
        ("", "there is no bot ''"),
        ("no/such/folder/m.safetensors", "the folder no/such/folder does not exist either"),
    ],
)
def test_unknown_names_say_what_there_is(name: str, message: str) -> None:
    with pytest.raises(nardy.InputError, match=message):
        nardy.bot(name)


def test_outside_programs_have_as_long_as_their_name_says() -> None:
    command = shlex.join([sys.executable, "-c", "pass"])
    for name, kind, there in (
        ("program@0.5:" + command, ProgramBot, True),
        ("gnubg-program@0.5:3", GnubgProgramBot, find_gnubg() is not None),
        ("sage@0.5:1", SageBot, sage_found()),
    ):
        if there:
            found = nardy.bot(name)
            assert isinstance(found, kind) and found.patience == 0.5
            assert found.name == name.replace("@0.5", "")
            slower = nardy.bot(found.name)
            assert isinstance(slower, kind) and slower.patience == 60
            assert slower.fingerprint == found.fingerprint


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
        nardy.InputError, match=r"gnubg:0 needs the package gnubg-nn: .*pip install -e '.*\[peers\]'"
    ):
        nardy.bot("gnubg:0")
    monkeypatch.setattr("nardy_ai.bots.sage.sage_found", lambda: False)
    with pytest.raises(nardy.InputError, match=r"sage:1 needs the package bgsage: .*pip install"):
        nardy.bot("sage:1")
    monkeypatch.setattr("nardy_ai.bots.gnubg_program.find_gnubg", lambda: None)
    with pytest.raises(nardy.InputError, match=r"gnubg-program:2 needs the program gnubg: install"):
        nardy.bot("gnubg-program:2")


def test_bots_and_matches_need_neither_torch_nor_optional_packages() -> None:
    program = (
        "import sys\n"
        "for name in ('torch', 'gnubg_nn', 'onnx', 'matplotlib', 'scipy'): sys.modules[name] = None\n"
        "import nardy_ai as nardy\n"
        "print(nardy.match(nardy.bot('greedy'), nardy.bot('random'), 'short', pairs=3).pairs)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "3"), done.stderr
