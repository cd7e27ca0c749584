"""Compiles an exported C folder as its users do, and asks what came out for the expected answers."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nardy_ai.export.mismatch import ExportMismatch

__all__ = ["FLAGS", "Compiled", "check_compiled", "compiler"]

FLAGS: Final = ("-std=c11", "-O2", "-ffp-contract=off", "-I.")
_COMPILERS: Final = ("cc", "gcc", "clang")
_SECONDS: Final = 300
_SAID: Final = re.compile(
    r"(?P<kernels>\w+) kernels: (?P<boards>\d+) boards, largest difference (?P<worst>\S+), the same bits on "
    r"(?P<same>\d+); (?P<rolls>\d+) rolls; (?P<best>\d+) best plays, (?P<equal>\d+) of them"
)


@dataclass(frozen=True)
class Compiled:
    """What a program made of the folder answered, with its plain kernels and with the processor's fastest."""

    compiler: str
    kernels: str
    """The fastest that the processor runs."""
    boards: int
    """Boards judged."""
    rolls: int
    """Rolls with all their plays."""
    best_plays: int
    """Rolls with their best play."""
    equal_worth: int
    """Best plays that differ, and are worth the same within the bound, over both kernels."""
    same_bits: int
    """Boards on which the plain kernels give the bits of the package's."""
    largest_difference: float
    """Of an outcome or an equity, over both kernels."""


def compiler() -> list[str] | None:
    """The C compiler of this machine as the words of a command: $CC, or the first there is; None: none."""
    named = shlex.split(os.environ.get("CC", ""))
    for words in [named] if named else [[name] for name in _COMPILERS]:
        if shutil.which(words[0]):
            return words
    return None


def check_compiled(folder: Path, build: Path, command: list[str]) -> Compiled:
    """Compiles `check.c` and `play.c` of `folder` with all sources into `build` and runs them.

    Raises `ExportMismatch` where they do not compile, or answer otherwise than the package.
    """
    sources = sorted(str(path.relative_to(folder)) for path in (folder / "src").glob("*.c"))
    objects = [f"{build / Path(source).stem}.o" for source in sources]
    for source, made in zip(sources, objects, strict=True):
        _run([*command, *FLAGS, "-c", source, "-o", made], folder, "compile")
    for program in ("check", "play"):
        out = str(build / program)
        _run([*command, *FLAGS, f"{program}.c", *objects, "-lm", "-o", out], folder, "compile")
    plain = _answers([str(build / "check"), ".", "plain"], folder)
    best = _answers([str(build / "check"), "."], folder)
    _run([str(build / "play"), "1"], folder, "play a game")
    return Compiled(
        compiler=shlex.join(command),
        kernels=best["kernels"],
        boards=int(plain["boards"]),
        rolls=int(plain["rolls"]),
        best_plays=int(plain["best"]),
        equal_worth=int(plain["equal"]) + int(best["equal"]),
        same_bits=int(plain["same"]),
        largest_difference=max(float(plain["worst"]), float(best["worst"])),
    )


def _answers(words: list[str], folder: Path) -> dict[str, str]:
    said = _run(words, folder, "answer as the package")
    found = _SAID.match(said)
    if not found:
        raise ExportMismatch(f"the compiled check said {said[:80]!r}; nothing was written")
    return found.groupdict()


def _run(words: list[str], folder: Path, doing: str) -> str:
    try:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = f"{words[0]} failed: {error}"
    else:
        if done.returncode == 0:
            return done.stdout
        reason = " ".join((done.stderr or done.stdout).split())[:300] or f"exit code {done.returncode}"
    raise ExportMismatch(f"the C sources do not {doing} here ({reason}); nothing was written")
