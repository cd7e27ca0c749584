"""What a clone holds, and that its documents say what is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import REPOSITORY
from untrained import untrained_model

from nardy_ai.commands import VERBS

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def clone_after_training(tmp_path: Path) -> Path:
    """A folder in which the README's runs have been made, with models that have learned nothing."""
    for run in sorted(set(re.findall(r"runs/([a-z]+)-quick/model\.safetensors", README))):
        profile = {"long": "long/fns", "short": "short/standard"}[run]
        untrained_model(profile, tmp_path / "runs" / f"{run}-quick" / "model.safetensors")
    return tmp_path


@pytest.mark.parametrize("number", range(len(blocks("python"))))
def test_python_examples_of_the_readme_run(number: int, clone_after_training: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", blocks("python")[number]],
        cwd=clone_after_training,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_there_are_examples_to_run() -> None:
    assert blocks("python")
    assert blocks("sh")


def test_commands_and_options_of_the_readme_exist() -> None:
    used = re.findall(r"^(?:\.venv/bin/)?nardy ([a-z]+)(.*)$", "\n".join(blocks("sh")), re.MULTILINE)
    assert used
    for verb, rest in used:
        assert verb in VERBS, verb
        known = subprocess.run(
            [sys.executable, "-m", "nardy_ai", verb, "--help"], capture_output=True, text=True, check=True
        ).stdout
        for option in re.findall(r"--[a-z]+", rest.split("#")[0]):
            assert option in known, f"nardy {verb} has no {option}"


def test_files_that_the_readme_names_exist() -> None:
    for name in re.findall(r"`((?:configs|scripts|tests|notebooks|checkpoints)/[\w./-]*)`", README):
        assert (REPOSITORY / name).exists(), name


def test_targets_of_make_exist() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for target in {"train", "test", "lint", "clean", *re.findall(r"`make ([a-z]+)", README)}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_no_core_file_is_built_for_the_machine_at_hand() -> None:
    recipe = (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "-march=native" not in recipe
    assert "-ffast-math" not in recipe
    assert "-ffp-contract=off" in recipe
