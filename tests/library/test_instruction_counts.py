"""How many instructions two fixed workloads take: a slower engine is told on a machine that others use too.

callgrind counts what a program does, whatever else the machine does. The counts belong to a compiler version
and are kept in `tests/data/instruction_counts.json`: within 3 % of them for a known compiler, and for an
unknown one within 30 % of the range of the known ones, so that a workload that doubled is told by any
compiler. The failure says what was counted; where a change is meant, that line replaces the old one.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_line import REPOSITORY
from core_sources import CORE, STRICT

RECORDED: dict[str, Any] = json.loads((REPOSITORY / "tests" / "data" / "instruction_counts.json").read_text())
FLAGS = ("-O3", "-ffp-contract=off")
CLOSE, WIDE = 0.03, 0.30
WORKLOADS = ("plays", "judge")


@pytest.fixture(scope="module")
def compiler(built: Path) -> str:
    """The one that the library was built with."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("instructions are counted on x86-64")
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    found = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", (built / "CMakeCache.txt").read_text(), re.MULTILINE)
    assert found
    return found[1]


def version_of(compiler: str) -> str:
    """ "gcc 12.2.0", "clang 14.0.6"."""
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    number = re.search(r"\d+\.\d+\.\d+", said.splitlines()[0])
    return f"{'clang' if 'clang' in said else 'gcc'} {number[0] if number else 'unknown'}"


@pytest.fixture(scope="module")
def program(compiler: str, built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("counts") / "workloads"
    source = Path(__file__).with_name("workloads.c")
    library = [str(built / "libnardy.a"), "-lm"]
    subprocess.run(
        [compiler, *STRICT, *FLAGS, f"-I{CORE}", str(source), *library, "-o", str(out)], check=True
    )
    return out


def counted(program: Path, workload: str) -> tuple[int, int]:
    """Instructions within the measured part, and the checksum of its work."""
    options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=measured"]
    command = ["valgrind", *options, str(program), workload]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1]), int(done.stdout)


def bounds(known: dict[str, Any], version: str, workload: str) -> tuple[float, float]:
    """The counts that are let pass."""
    if version in known:
        return known[version][workload] * (1 - CLOSE), known[version][workload] * (1 + CLOSE)
    counts = [entry[workload] for entry in known.values()]
    return min(counts) * (1 - WIDE), max(counts) * (1 + WIDE)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_engine_takes_as_many_instructions_as_it_did(program: Path, compiler: str, workload: str) -> None:
    version = version_of(compiler)
    instructions, checksum = counted(program, workload)
    line = f'"{version}": {workload} {instructions}, checksum {checksum}'
    assert checksum == RECORDED["checksums"][workload], f"the work itself has changed: {line}"
    low, high = bounds(RECORDED["instructions"], version, workload)
    assert low <= instructions <= high, f"{line}; recorded are {low:.0f} to {high:.0f}"


def test_a_known_compiler_is_held_to_3_percent_and_an_unknown_one_to_30_of_the_range() -> None:
    known = {"gcc 1": {"plays": 100}, "clang 1": {"plays": 200}}
    assert bounds(known, "gcc 1", "plays") == pytest.approx((97, 103))
    assert bounds(known, "clang 1", "plays") == pytest.approx((194, 206))
    assert bounds(known, "gcc 2", "plays") == pytest.approx((70, 260))
