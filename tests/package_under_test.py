"""The package as its users get it, for the tests of packaging."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


def only_programs_of(python: Path) -> dict[str, str]:
    """A PATH of that environment alone; Windows finds its own libraries by its PATH and keeps it."""
    return {} if os.name == "nt" else {"PATH": str(python.parent)}


@dataclass(frozen=True)
class Built:
    """The archive and the wheel."""

    sdist: Path
    wheel: Path


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel and what it needs, but no PyTorch."""

    python: Path
    nardy: Path

    def run(
        self, *words: str | Path, cwd: Path = Path("/"), stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program of the environment, whose own programs are all that it finds: no compiler."""
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("PYTHON", "COV_", "NARDY_"))
        }
        return subprocess.run(
            [str(word) for word in words],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**kept, "PYTHONIOENCODING": "utf-8", **only_programs_of(self.python)},
            timeout=120,
            check=False,
        )
