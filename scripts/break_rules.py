"""Breaks the rules on purpose, one break at a time, and shows which test notices each.

    python scripts/break_rules.py [--only WORDS]

Every break (`rule_breaks.py`) is made in a copy of the package, whose engine is built there; then the tests
that should notice it run until one fails. First they run on the copy as it is. The exit code is 1 if a break
goes unnoticed. Needs gcc or clang on a Unix system, and the extra `dev`.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import tyro
from rule_breaks import BREAKS, REPOSITORY, Break, Misplaced, broken_text

KERNELS = {
    "net_avx2": ["-mavx2", "-mfma"],
    "net_avx512": ["-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mavx2", "-mfma"],
}
MODULE = "_core.abi3.so"
TIME_LIMIT = 300
"""Seconds for the tests of one break; a break may well make them hang."""

# In the tests' process. An editable installation would find the package of the repository first.
RUN_TESTS = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
sys.path.insert(0, sys.argv[1])
import nardy_ai
if not nardy_ai.__file__.startswith(sys.argv[1]):
    sys.exit(f"the tests would use {nardy_ai.__file__}")
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""
QUICK = ["-q", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider"]


@dataclass(frozen=True)
class Options:
    """Break the rules on purpose and show which test notices each break."""

    only: str = ""
    """Make only the breaks whose names hold these words."""


@dataclass(frozen=True)
class Outcome:
    """What the tests said."""

    noticed_by: str
    """The first test that failed; empty where all passed."""
    seconds: float
    """CPU seconds of building and testing."""


class Unclear(Exception):
    """The tests neither passed nor failed."""


class Copy:
    """A copy of the package, built and tested apart from the repository."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.core = place / "nardy_ai" / "core"
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
        shutil.copytree(REPOSITORY / "nardy_ai", place / "nardy_ai", ignore=ignored)
        for source in sorted(self.core.glob("*.c")):
            self.compile(source)
        self.link()

    def compile(self, source: Path) -> None:
        """Makes the object file of one source, quickly rather than well."""
        vector = KERNELS.get(source.stem, []) if platform.machine().lower() in ("x86_64", "amd64") else []
        flags = [
            "-std=c11",
            "-O1",
            "-w",
            "-fPIC",
            "-ffp-contract=off",
            "-DPy_LIMITED_API=0x030B0000",
            *vector,
        ]
        place = ["-I", sysconfig.get_path("include"), "-c", str(source), "-o", str(source.with_suffix(".o"))]
        self._run([*_compiler(), *flags, *place])

    def link(self) -> None:
        """Makes the extension module."""
        shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
        objects = sorted(map(str, self.core.glob("*.o")))
        self._run([*_compiler(), *shared, *objects, "-lm", "-o", str(self.core / MODULE)])

    @contextmanager
    def broken(self, item: Break) -> Iterator[None]:
        """Makes a break, builds what follows from it, and puts everything back afterwards."""
        path = self.place / item.file
        built = [path.with_suffix(".o"), self.core / MODULE] if path.suffix == ".c" else []
        aside = [file.rename(file.with_name(f"{file.name}.whole")) for file in built]
        whole = path.read_text(encoding="utf-8")
        path.write_text(broken_text(item, self.place), encoding="utf-8")
        try:
            if built:
                self.compile(path)
                self.link()
            yield
        finally:
            path.write_text(whole, encoding="utf-8")
            for saved, file in zip(aside, built, strict=True):
                saved.replace(file)

    def test(self, tests: Sequence[str]) -> str:
        """Runs tests of the repository on the copy; the first one that fails, or an empty text."""
        command = [sys.executable, "-B", "-c", RUN_TESTS, str(self.place), *QUICK, *tests]
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NARDY_PEERS")}
        try:
            done = subprocess.run(
                command,
                cwd=REPOSITORY,
                env=environment,
                capture_output=True,
                text=True,
                timeout=TIME_LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{tests[0]} (hung)"
        if done.returncode < 0:
            return f"{tests[0]} (crashed)"
        failed = re.search(r"^FAILED (\S+\.py)::(.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
        if done.returncode == 1 and failed:
            return f"{failed[1]}::{failed[2]}"
        if done.returncode != 0 or " passed" not in done.stdout:
            raise Unclear(f"{shlex.join(tests)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return ""

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unclear(f"{shlex.join(command)}\n{done.stderr[-3000:]}")


def _compiler() -> list[str]:
    found = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if not found:
        raise Unclear("there is no C compiler; name one with CC=…")
    return shlex.split(found)


def cpu_seconds() -> float:
    """Of this process and those it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def outcome_of(item: Break, copy: Copy) -> Outcome:
    """Runs the tests of a break on the copy that has it."""
    begun = cpu_seconds()
    with copy.broken(item):
        noticed_by = copy.test(item.tests)
    return Outcome(noticed_by, cpu_seconds() - begun)


def check_whole(copy: Copy, breaks: Sequence[Break]) -> None:
    """Raises Unclear where a test fails on the copy as it is: then it would notice nothing."""
    for tests in dict.fromkeys(item.tests for item in breaks):
        failed = copy.test(tests)
        if failed:
            raise Unclear(f"{failed} fails without any break")


def run(options: Options) -> int:
    """Makes the breaks and prints the table; the exit code."""
    breaks = [item for item in BREAKS if options.only.lower() in item.name.lower()]
    if not breaks:
        print(f"no break has {options.only!r} in its name", file=sys.stderr)
        return 2
    for item in breaks:
        broken_text(item)
    begun, unnoticed = time.monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="broken-rules-") as place:
        copy = Copy(Path(place).resolve())
        check_whole(copy, breaks)
        print(f"the copy as it is passes its tests ({cpu_seconds():.0f} CPU s)\n", flush=True)
        width = max(len(item.name) for item in breaks)
        print(f"{'break':<{width}}  {'file':<28}{'CPU s':>6}  noticed by")
        for item in breaks:
            outcome = outcome_of(item, copy)
            unnoticed += not outcome.noticed_by
            shown = outcome.noticed_by or "NOTHING"
            print(f"{item.name:<{width}}  {item.file[9:]:<28}{outcome.seconds:6.1f}  {shown}", flush=True)
    print(f"\n{len(breaks) - unnoticed} of {len(breaks)} noticed, {cpu_seconds():.0f} CPU s, ", end="")
    print(f"{time.monotonic() - begun:.0f} s on the clock")
    return 1 if unnoticed else 0


def main() -> int:
    """Runs the command line."""
    try:
        return run(tyro.cli(Options))
    except (Unclear, Misplaced) as fault:
        print(f"break_rules: {fault}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
