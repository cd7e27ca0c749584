"""How to install what is missing here: into this Python, and from where the package came."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

__all__ = ["TORCH", "how_to_install", "how_to_install_part"]

PACKAGE = "nardy-ai"
TORCH = "torch>=2.6,<2.14"
"""The PyTorch that the package works with."""
_TREE = Path(__file__).resolve().parents[2]


def how_to_install_part(extra: str) -> str:
    """The command that brings an optional part (`export`, `peers`): from the clone where one runs.

    A clone that was installed with `pip install -e` stays as it is; the index knows nothing of it.
    """
    if not (_TREE / "pyproject.toml").is_file():
        return how_to_install(f"{PACKAGE}[{extra}]")
    place = "." if Path.cwd() == _TREE else str(_TREE)
    return f"{_pip()} install -e {_quoted(f'{place}[{extra}]')}"


def how_to_install(requirement: str) -> str:
    """The command that brings a package into the Python that runs."""
    return f"{_pip()} install {_quoted(requirement)}"


def _pip() -> str:
    """`pip` where that is the one of this Python."""
    found = shutil.which("pip")
    beside = os.path.dirname(sys.executable)  # noqa: PTH120 - links of a virtual environment stay
    if found is not None and os.path.dirname(found) == beside:  # noqa: PTH120
        return "pip"
    return f"{shlex.quote(sys.executable)} -m pip"


def _quoted(word: str) -> str:
    """In quotes even where this shell needs none: another takes brackets for a pattern."""
    return f"'{word}'" if "[" in word and "'" not in word else shlex.quote(word)
