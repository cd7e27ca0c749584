"""The kept inputs of the fuzz target, replayed through a build of the bare C files with the sanitizers."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "nardy_ai" / "core"
FUZZ = ROOT / "tests" / "fuzz"
NAMES = ("plays", "plays_tree", "position", "rules", "outcome", "encode", "encode_shape", "encode_prospects")
FILES = [CORE / f"{name}.c" for name in NAMES]


@pytest.fixture(scope="module")
def replay(tmp_path_factory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "the tests need a C compiler"
    program = tmp_path_factory.mktemp("fuzz") / "replay"
    flags = ["-std=c11", "-pedantic-errors", "-Wall", "-Wextra", "-Wvla", "-Werror", "-O1", "-g"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    sources = [FUZZ / "fuzz_plays.c", FUZZ / "replay.c", *FILES]
    command = [compiler, *flags, *sanitizers, f"-I{CORE}", *map(str, sources), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return program


def test_what_fuzzing_found_worth_keeping_still_holds(replay):
    corpus = sorted((FUZZ / "corpus").iterdir())
    assert len(corpus) >= 16
    done = subprocess.run([str(replay), *map(str, corpus)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == f"{len(corpus)} inputs\n"
