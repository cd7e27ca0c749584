"""Runs the command line as a user does: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from nardy_ai.commands import main

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Ran:
    """What a command answered."""

    code: int
    out: str
    err: str

    def is_bad_input(self) -> bool:
        """Exit code 2, one sentence on stderr and nothing else."""
        sentence = self.err
        return (
            self.code == 2
            and self.out == ""
            and sentence.startswith("nardy: ")
            and sentence.count("\n") == 1
            and "Traceback" not in sentence
        )


def nardy(*words: str | Path, cwd: Path | None = None, stdin: str = "", **variables: str) -> Ran:
    """Runs `nardy WORDS` in `cwd` with `stdin` piped in."""
    done = subprocess.run(
        [sys.executable, "-m", "nardy_ai", *map(str, words)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=150,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100", **variables},
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def nardy_here(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Ran:
    """The same within this process, for long lists of commands that end at once."""
    capsys.readouterr()
    code = main([str(word) for word in words])
    return Ran(code, *capsys.readouterr())
