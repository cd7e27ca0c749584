"""The program GNU Backgammon, run by its own Python on a script; what it answers comes back as JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

MARK = "ANSWER "
PRELUDE = """
import json, gnubg
def answer(value):
    print("\\n{mark}" + json.dumps(value), flush=True)
for command in (
    "set jacoby off", "set threads 1", "set display off", "set automatic game off", "set automatic roll off",
    "set automatic bearoff off", "set automatic move off", "set confirm new off", "set player 0 human",
    "set player 1 human",
):
    gnubg.command(command)
""".replace("{mark}", MARK)


def gnubg_path() -> str:
    """The program; a test is skipped where there is none, and fails where outside programs are expected."""
    for found in (shutil.which("gnubg"), "/usr/games/gnubg"):
        if found is not None and Path(found).is_file():
            return found
    if os.environ.get("NARDY_PEERS") == "1":
        pytest.fail("the program gnubg is not installed, and NARDY_PEERS=1 wants it (Debian package gnubg)")
    pytest.skip("the program gnubg is not installed")


def gnubg_tool(name: str) -> str:
    """A program that comes with gnubg, such as `makehyper`; skips and fails as `gnubg_path` does."""
    beside = Path(gnubg_path()).with_name(name)
    if beside.is_file():
        return str(beside)
    if os.environ.get("NARDY_PEERS") == "1":
        pytest.fail(f"the program {name} is not installed, and NARDY_PEERS=1 wants it (Debian package gnubg)")
    pytest.skip(f"the program {name} is not installed")


def _environment() -> dict[str, str]:
    """Without libraries that are loaded into the tests, such as a sanitizer's."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def run_gnubg(script: str, folder: Path, patience: float = 120) -> list[Any]:
    """Runs a script that calls `answer(value)`, and returns the values. `folder` must be the test's own."""
    file = folder / "script.py"
    file.write_text(PRELUDE + script, encoding="utf-8")
    done = subprocess.run(
        [gnubg_path(), "-t", "-q", "-r", "-s", str(folder), "-p", str(file)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=folder,
        env={**_environment(), "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        timeout=patience,
        check=False,
    )
    output = done.stdout.decode("utf-8", "replace")
    answers = [json.loads(line[len(MARK) :]) for line in output.splitlines() if line.startswith(MARK)]
    assert answers, f"exit status {done.returncode}\n" + output + done.stderr.decode("utf-8", "replace")
    return answers
