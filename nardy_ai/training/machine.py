"""What a program ran on, with what and by which command, for those who read its figures later."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import nardy_ai
from nardy_ai import core
from nardy_ai.training.provenance import provenance_of
from nardy_ai.training.workers import cores

__all__ = ["command_line", "machine_facts"]

_PACKAGES = ("numpy", "torch")


def machine_facts() -> dict[str, Any]:
    """Plain values for JSON: hardware, versions, the command line of this process.

    What can't be found out is None. No name of the machine or its user is taken.
    """
    return {
        "command": command_line(sys.argv),
        "processor": _processor(),
        "cores": cores(),
        "memory_bytes": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "kernels": core.kernels()[0],
        "versions": {
            "nardy-ai": nardy_ai.__version__,
            "commit": str(provenance_of({}, 0, 0)["commit"]) or None,
            "python": platform.python_version(),
            **{name: _version(name) for name in _PACKAGES},
        },
    }


def command_line(words: list[str]) -> str:
    """The words as a shell would take them; a program that was started by its path has its name alone."""
    program = Path(words[0]).name if words and words[0] else "python"
    started = "nardy" if program in ("nardy", "nardy.exe", "__main__.py") else program
    return shlex.join([started, *words[1:]])


def _processor() -> str | None:
    """The processor as its maker names it, as far as the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    except OSError:
        pass
    return platform.processor() or None


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
