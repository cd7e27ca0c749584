"""The C library, built once from this tree as its users build it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import REPOSITORY
from nardy_library import Library

# With the sanitizers' library loaded beforehand (LD_PRELOAD) the calls from Python can be checked by them.
SANITIZED = bool(os.environ.get("NARDY_SANITIZED_LIBRARY"))


def run(*words: str | Path, cwd: Path | None = None, **environment: str) -> str:
    """What a program printed; the test fails with all of it where the program did."""
    # A sanitizer that is loaded into this process is not meant for compilers.
    kept = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(
        list(map(str, words)),
        cwd=cwd,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def cmake() -> str:
    """The extra `dev` brings one; it lies beside the interpreter."""
    beside = Path(sys.executable).parent
    found = shutil.which("cmake", path=os.pathsep.join([str(beside), os.environ.get("PATH", "")]))
    assert found, "the tests need cmake: pip install cmake"
    return found


@pytest.fixture(scope="session")
def built(cmake: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the library was built."""
    folder = tmp_path_factory.mktemp("libnardy") / "build folder"
    # A Python that cannot be found shows that none is needed.
    nowhere = ["-DPython_EXECUTABLE=/nowhere", "-DCMAKE_DISABLE_FIND_PACKAGE_Python=ON"]
    sanitize = f"-DNARDY_SANITIZE={'ON' if SANITIZED else 'OFF'}"
    run(cmake, "-S", REPOSITORY, "-B", folder, "-DNARDY_LIBRARY=ON", "-DNARDY_WERROR=ON", sanitize, *nowhere)
    run(cmake, "--build", folder, "--parallel", "2")
    return folder


@pytest.fixture(scope="session")
def installed(cmake: str, built: Path) -> Path:
    """The folder to which it was installed."""
    prefix = built.parent / "installed"
    run(cmake, "--install", built, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="session")
def library(built: Path) -> Library:
    """The shared library, loaded."""
    return Library(next(path for path in built.glob("libnardy.*") if path.suffix in (".so", ".dylib")))
