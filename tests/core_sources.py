"""The engine's C files for programs that are built from them without Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from command_line import REPOSITORY

CORE = REPOSITORY / "nardy_ai" / "core"
STRICT = ("-std=c11", "-pedantic-errors", "-Wall", "-Wextra", "-Wvla", "-Werror")
_FLAGS = {
    "net_avx2": ("-mavx2", "-mfma"),
    "net_avx512": ("-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mavx2", "-mfma"),
}


_SOLVERS = ("small_game", "solve", "solve_policy")


def compile_commands(compiler: str, flags: Sequence[str], folder: Path) -> list[list[str]]:
    """One command a C file that knows no Python, solvers of small games left out; objects go to `folder`."""
    commands = []
    for source in sorted(CORE.glob("*.c")):
        if not source.stem.startswith("binding") and source.stem not in ("arrays", *_SOLVERS):
            extra = _FLAGS.get(source.stem, ())
            object_file = folder / f"{source.stem}.o"
            commands.append([compiler, *STRICT, *flags, *extra, "-c", str(source), "-o", str(object_file)])
    return commands
