"""The command that brings what is missing: for a clone and for an installed package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nardy_ai.core import installing
from nardy_ai.core.installing import how_to_install, how_to_install_part


@pytest.fixture(autouse=True)
def own_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", "/venv/bin/python")
    monkeypatch.setattr("shutil.which", lambda name: "/venv/bin/pip")
    monkeypatch.chdir(tmp_path)


def test_an_installed_package_is_named_as_the_index_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(installing, "_TREE", tmp_path)
    assert how_to_install_part("export") == "pip install 'nardy-ai[export]'"


def test_a_clone_is_named_by_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clone = tmp_path / "my clone"
    clone.mkdir()
    (clone / "pyproject.toml").touch()
    monkeypatch.setattr(installing, "_TREE", clone)
    assert how_to_install_part("peers") == f"pip install -e '{clone}[peers]'"
    monkeypatch.chdir(clone)
    assert how_to_install_part("peers") == "pip install -e '.[peers]'"


def test_the_pip_of_another_python_is_not_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    for found in (None, "/usr/bin/pip"):
        monkeypatch.setattr("shutil.which", lambda name, found=found: found)
        assert how_to_install("torch>=2") == "/venv/bin/python -m pip install 'torch>=2'"


def test_the_pytorch_is_that_of_the_package() -> None:
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8")
    assert f'"{installing.TORCH}"' in text
