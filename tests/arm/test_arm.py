"""The engine on 64-bit ARM, built by whatever cross compilers there are and run under emulation."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import REPOSITORY

from nardy_ai.export.net_file import export_net_file

GCC = shutil.which("aarch64-linux-gnu-gcc")
CLANG = importlib.util.find_spec("ziglang")


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not shutil.which("qemu-aarch64"), reason="qemu-aarch64 is not installed")
@pytest.mark.skipif(not (GCC or CLANG), reason="no cross compiler for 64-bit ARM is installed")
def test_arm_finds_what_this_machine_finds(tmp_path: Path) -> None:
    """A trained net of each game beside the random ones: plays, values, searches, games."""
    files = []
    for name in ("short-quick", "long-quick"):
        files.append(tmp_path / f"{name}.nardynet")
        export_net_file(REPOSITORY / "checkpoints" / f"{name}.safetensors", files[-1])
    done = subprocess.run(
        [str(REPOSITORY / "scripts" / "check_arm.sh"), *map(str, files)],
        env={**os.environ, "BUILD": str(tmp_path / "build"), "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for compiler in ("gcc",) * bool(GCC) + ("clang",) * bool(CLANG):
        said = re.findall(rf"^{compiler}: (.*)$", done.stdout, re.MULTILINE)
        assert "plays, values, searches and games, plain kernels: the same" in said
        assert "plays, values, searches and games, NEON against AVX2: the same" in said
        assert any(re.fullmatch(r"whole games, \d{2,} turns: the same", line) for line in said)
