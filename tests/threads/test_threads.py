"""The engine under ThreadSanitizer: four threads on shared rules and models, each with scratch of its own."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from core_sources import CORE, STRICT, compile_commands

FLAGS = ("-O1", "-g", "-fsanitize=thread")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("threads")
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "the tests need a C compiler"
    commands = compile_commands(compiler, FLAGS, folder)
    for command in commands:
        subprocess.run(command, check=True)
    source = Path(__file__).with_name("threads.c")
    objects = [command[-1] for command in commands]
    link = [compiler, *STRICT, *FLAGS, f"-I{CORE}", str(source), *objects, "-lm", "-lpthread"]
    subprocess.run([*link, "-o", str(folder / "threads")], check=True)
    return folder / "threads"


def run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # Where addresses are drawn from a very wide range, the sanitizer of older compilers does not start.
    fixed = ["setarch", platform.machine(), "-R"]
    usable = shutil.which("setarch") and subprocess.run([*fixed, "true"], check=False).returncode == 0
    command = [*(fixed if usable else []), str(program), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_threads_share_models_and_rules_without_a_race_and_find_what_one_finds(program: Path) -> None:
    done = run(program)
    assert done.returncode == 0, done.stderr[:3000]
    assert done.stdout == "48 jobs on 4 threads, 0 wrong\n"
    assert done.stderr == ""


def test_a_race_would_be_told(program: Path) -> None:
    done = run(program, "--race")
    assert done.returncode == 66
    assert "WARNING: ThreadSanitizer: data race" in done.stderr
