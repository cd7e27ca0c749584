"""Builds the package as its users get it: a source archive, the wheel made from it, a fresh environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest
from package_under_test import Built, Installed, only_programs_of

REPOSITORY = Path(__file__).resolve().parents[2]


def _pip(python: Path | str, *words: str | Path, cwd: Path, **variables: str) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", *map(str, words)]
    env = {**os.environ, **variables}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The source archive of this tree, and the wheel that an empty folder makes of it."""
    place = tmp_path_factory.mktemp("built")
    backend = place / "backend"
    _pip(sys.executable, "install", "--target", backend, "scikit-build-core", cwd=place)
    script = "import sys, scikit_build_core.build as b; print(b.build_sdist(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", script, str(place)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(backend)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    sdist = place / done.stdout.split()[-1]
    empty = place / "empty"
    empty.mkdir()
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", place, sdist, cwd=empty)
    return Built(sdist, next(place.glob("*.whl")))


@pytest.fixture(scope="session")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment whose path has spaces and letters beyond ASCII."""
    folder = tmp_path_factory.mktemp("nardy") / "мои нарды и ещё" / "venv"
    venv.create(folder, with_pip=True)
    return put_into(folder, built)


def put_into(folder: Path, built: Built) -> Installed:
    """Installs the wheel into an environment, with no compiler and no other tool on the PATH."""
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    python = binaries / "python"
    needed = [
        "msgspec",
        "numpy",
        "safetensors",
        "tomli-w",
        "tqdm",
        "tyro",
        "pytest",
        "pytest-timeout",
        "hypothesis",
    ]
    alone = only_programs_of(python)
    _pip(python, "install", "--only-binary", ":all:", *needed, cwd=folder, **alone)
    _pip(python, "install", "--no-deps", built.wheel, cwd=folder, **alone)
    return Installed(python, binaries / "nardy")


@pytest.fixture(params=["3.11", "3.12", "3.13", "3.14"])
def other_python(
    request: pytest.FixtureRequest, built: Built, tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    """The wheel in an environment of another Python, where this machine has one."""
    interpreter = _interpreter(request.param)
    if interpreter is None:
        pytest.skip(f"there is no Python {request.param} here")
    folder = tmp_path_factory.mktemp("other") / "venv"
    subprocess.run([interpreter, "-m", "venv", folder], check=True, timeout=120)
    return put_into(folder, built)


def _interpreter(version: str) -> str | None:
    """One on the PATH, or one of pyenv."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for found in (*home.glob(f"{version}.*/bin/python{version}"), shutil.which(f"python{version}")):
        if found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
            return str(found)
    return None


@pytest.fixture(scope="session")
def unpacked(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive's folder, unpacked."""
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built.sdist) as archive:
        archive.extractall(place, filter="data")
    return next(place.iterdir())
