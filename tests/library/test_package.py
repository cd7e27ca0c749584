"""What is built and installed: names, versions, structures, and programs that use it."""

from __future__ import annotations

import ctypes as c
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command_line import REPOSITORY
from nardy_library import SIGNATURES, STRUCTURES, Library, Position
from untrained import untrained_model

import nardy_ai
from nardy_ai import core
from nardy_ai.core import Search
from nardy_ai.export.net_file import export_net_file
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.model_file import read_model

HEADER = (REPOSITORY / "library" / "nardy.h").read_text(encoding="utf-8")
EXAMPLE = REPOSITORY / "examples" / "self_game.c"
STRICT = ("-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror")


def output(*words: str | Path, **variables: str) -> str:
    done = subprocess.run(
        list(map(str, words)), env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def functions_of_the_header() -> set[str]:
    return set(re.findall(r"^NARDY_API [\w *]*?(nardy_\w+)\(", HEADER, re.MULTILINE))


def test_nothing_but_the_functions_of_the_header_is_exported(built: Path) -> None:
    lines = output("nm", "-D", "--defined-only", built / "libnardy.so").splitlines()
    names = {line.split()[-1].partition("@")[0] for line in lines}
    assert names == functions_of_the_header()
    assert len(names) > 30


def test_the_library_needs_only_the_c_library(built: Path) -> None:
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", built / "libnardy.so"))
    assert {name.partition(".")[0] for name in needed} <= {"libc", "libm", "ld-linux-x86-64", "libgcc_s"}


def test_every_function_is_described(library: Library) -> None:
    assert set(SIGNATURES) == functions_of_the_header()
    for block in re.split(r"\n\n+", HEADER):
        if block.startswith("NARDY_API"):
            pytest.fail(f"without a comment: {block}")


def test_header_library_and_package_have_one_version(library: Library) -> None:
    names = ("MAJOR", "MINOR", "PATCH")
    parts = [int(re.findall(rf"NARDY_VERSION_{name} (\d+)", HEADER)[0]) for name in names]
    assert ".".join(map(str, parts)) == nardy_ai.__version__
    assert library.call("version_text").decode() == nardy_ai.__version__
    assert library.call("version") == parts[0] * 10000 + parts[1] * 100 + parts[2]


def test_structures_lie_in_memory_as_python_mirrors_them(tmp_path: Path) -> None:
    """C is asked for every size and offset; the mirror is in tests/nardy_library.py."""
    lines, expected = [], []
    for name, mirror in STRUCTURES.items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append(c.sizeof(mirror))
        for field, *_ in mirror._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {field.rstrip("_")}));')
            expected.append(getattr(mirror, field).offset)
    source = tmp_path / "layout.c"
    source.write_text(
        '#include <stdio.h>\n#include "nardy.h"\nint main(void)\n{\n' + "\n".join(lines) + "\nreturn 0;\n}\n"
    )
    output("cc", *STRICT, f"-I{REPOSITORY / 'library'}", source, "-o", tmp_path / "layout")
    assert list(map(int, output(tmp_path / "layout").split())) == expected


@pytest.fixture(scope="module")
def flags(installed: Path) -> dict[str, str]:
    """What nardy.pc says, with its variables filled in."""
    text = (next(installed.rglob("nardy.pc"))).read_text(encoding="utf-8")
    values = {"pcfiledir": str(next(installed.rglob("nardy.pc")).parent)}
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
        values[name] = re.sub(r"\$\{(\w+)\}", lambda match: values[match[1]], value)
    lines = re.findall(r"^([\w.]+): (.*)$", text, re.MULTILINE)
    return {name: re.sub(r"\$\{(\w+)\}", lambda match: values[match[1]], value) for name, value in lines}


def test_what_is_installed(installed: Path, flags: dict[str, str]) -> None:
    names = {path.name for path in installed.rglob("*") if path.is_file() or path.is_symlink()}
    assert {"nardy.h", "nardy.pc", "libnardy.a", "libnardy.so", "nardy-config.cmake"} <= names
    assert flags["Version"] == nardy_ai.__version__


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("kind", ["shared", "static"])
def test_the_example_compiles_strictly_and_plays(
    installed: Path, flags: dict[str, str], tmp_path: Path, compiler: str, kind: str
) -> None:
    if compiler == "clang" and not shutil.which("clang"):
        pytest.skip("clang is not installed")
    includes, folder = flags["Cflags"].removeprefix("-I"), flags["Libs"].split(" -l")[0].removeprefix("-L")
    libraries = [f"{folder}/libnardy.a", "-lm"] if kind == "static" else [f"-L{folder}", "-lnardy"]
    program = tmp_path / "self_game"
    output(compiler, *STRICT, f"-I{includes}", EXAMPLE, *libraries, "-o", program)
    said = output(program, LD_LIBRARY_PATH=folder).splitlines()
    assert said[0].startswith(f"nardy {nardy_ai.__version__}, encoding short-1")
    assert re.fullmatch(r"turn 1, starter rolls \d-\d, \d+ plays", said[1])
    assert re.fullmatch(r"(starter|second): (win|lose)\w*, [+-][123] points", said[-1])


def test_the_header_is_good_for_cplusplus(tmp_path: Path) -> None:
    source = tmp_path / "user.cpp"
    source.write_text('#include "nardy.h"\nint main() { return nardy_version() != NARDY_VERSION_NUMBER; }\n')
    output("g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only",
           f"-I{REPOSITORY / 'library'}", source)  # fmt: skip


def test_another_project_finds_the_installed_package(cmake: str, installed: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(user LANGUAGES C)\nfind_package(nardy REQUIRED)\n"
        f'add_executable(user "{EXAMPLE}")\ntarget_link_libraries(user PRIVATE nardy::nardy_static)\n'
    )
    output(cmake, "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={installed}")
    output(cmake, "--build", tmp_path / "build")
    assert "starter rolls" in output(tmp_path / "build" / "user")


def test_the_example_ranks_plays_of_a_net_file_as_python_does(built: Path, tmp_path: Path) -> None:
    model = untrained_model("long/fns", tmp_path / "model.safetensors")
    export_net_file(model, tmp_path / "model.nardynet")
    said = output(built / "self_game", tmp_path / "model.nardynet", "3", "1")
    evaluator = Evaluator(read_model(model), tables=False)
    rules = evaluator.rules
    search, start = Search(evaluator.native), core.start_board(rules)
    dice = core.dice(3, core.PURPOSES["dice_play"], 0, 0, 1)[0].tolist()
    ranked = search.rank(start, *dice, 0, 0, plies=1)
    assert f"starter rolls {dice[0]}-{dice[1]}, {len(ranked[0])} plays" in said
    moves = " ".join(f"{from_}/{to or 'off'}" for from_, to in ranked[1][0])
    assert f"    {ranked[3][0]:+.4f}  at {ranked[4][0]} plies  {moves}\n" in said
    assert output(built / "self_game", tmp_path / "model.nardynet", "3", "1") == said


def test_the_example_says_what_is_wrong(built: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.nardynet"
    broken.write_bytes(b"NARDYNET" + bytes(40))
    for words, said in (([broken], "format 0"), ([tmp_path / "none"], "cannot be opened")):
        done = subprocess.run([built / "self_game", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("self_game: ")
        assert said in done.stderr
        assert done.stdout == ""


def test_a_position_is_as_small_as_a_python_one(library: Library) -> None:
    assert c.sizeof(Position) == 54
    rules = library.rules("family = short")
    start = Position()
    library.call("start", rules, c.byref(start))
    assert np.array_equal(start.board.array()[0], start.board.array()[1])
    library.call("rules_destroy", rules)
