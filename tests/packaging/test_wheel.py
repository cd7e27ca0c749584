"""What is in the archive and the wheel, and that the wheel works where it is put."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from command_line import REPOSITORY
from package_under_test import Built, Installed
from untrained import untrained_model

pytestmark = pytest.mark.timeout(400)


def names_of(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_one_wheel_serves_every_python_from_3_11(built: Built) -> None:
    assert "-cp311-abi3-" in built.wheel.name
    engine = [name for name in names_of(built.wheel) if "_core" in name and not name.endswith(".pyi")]
    assert len(engine) == 1
    assert ".abi3." in engine[0] or engine[0].endswith(".pyd")


def test_the_wheel_holds_its_data_and_sources_for_exports_alone(built: Built) -> None:
    names = names_of(built.wheel)
    for needed in (
        "nardy_ai/py.typed",
        "nardy_ai/rules/profiles/long/fns.toml",
        "nardy_ai/rules/profiles/short/standard.toml",
        "nardy_ai/bots/data/pubeval.json",
        "nardy_ai/bots/data/greedy.json",
        "nardy_ai/evaluation/decisions/files/long-fns.safetensors",
        "nardy_ai/evaluation/decisions/files/short-standard.safetensors",
        "nardy_ai/export/web/bundle/engine-simd.wasm",
    ):
        assert needed in names
    # The engine's sources are there for `nardy export --to c` alone, without those that know Python.
    sources = [name for name in names if name.endswith((".c", ".h"))]
    assert "nardy_ai/export/c/engine/plays.c" in sources
    assert not [name for name in sources if not name.startswith("nardy_ai/export/c/") or "binding" in name]
    assert not [name for name in names if name.startswith(("tests/", "scripts/", "configs/"))]


def test_the_archive_holds_what_build_and_tests_need(unpacked: Path) -> None:
    for needed in (
        "CMakeLists.txt",
        "LICENSE",
        "README.md",
        "configs/long-quick.toml",
        "nardy_ai/core/plays.c",
        "nardy_ai/core/plays.h",
        "scripts/first_bot.py",
        "tests/data/long_nardy_cases.json",
    ):
        assert (unpacked / needed).is_file(), needed
    assert not list(unpacked.rglob("*.so"))


def test_tests_of_the_archive_pass_with_the_wheel_built_from_it(installed: Installed, unpacked: Path) -> None:
    quick = [f"tests/rules/test_{part}.py" for part in ("long_cases", "notation", "profiles")]
    pytest_there = installed.python.with_name("pytest")
    done = installed.run(pytest_there, "-q", "-p", "no:cacheprovider", *quick, cwd=unpacked)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout


def test_works_from_any_folder_and_a_path_beyond_ascii(installed: Installed, tmp_path: Path) -> None:
    script = (
        "import nardy_ai as nardy\n"
        "game = nardy.Game('long')\n"
        "print(nardy.__file__)\n"
        "print([play.notation for play in game.plays(game.start(), (3, 1))])\n"
    )
    elsewhere = tmp_path / "другая папка"
    elsewhere.mkdir()
    for folder in (Path("/"), elsewhere):
        done = installed.run(installed.python, "-c", script, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert "мои нарды" in done.stdout
        assert "['24/20']" in done.stdout


def test_all_but_training_works_without_pytorch(installed: Installed) -> None:
    assert installed.run(installed.python, "-c", "import torch").returncode != 0
    match = installed.run(installed.nardy, "match", "random", "greedy", "--game", "long", "--pairs", "20")
    assert match.returncode == 0, match.stderr
    assert "greedy" in match.stdout
    assert installed.run(installed.nardy, "rules", "long").returncode == 0
    played = installed.run(
        installed.nardy, "play", "greedy", "--game", "short", "--seed", "1", stdin="quit\n"
    )
    assert played.returncode == 0, played.stderr


def test_training_without_pytorch_says_what_is_missing(
    installed: Installed, unpacked: Path, tmp_path: Path
) -> None:
    config = unpacked / "configs" / "long-quick.toml"
    done = installed.run(installed.nardy, "train", config, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "PyTorch" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_doctor_says_that_pytorch_is_missing(installed: Installed) -> None:
    done = installed.run(installed.nardy, "doctor")
    assert done.returncode == 1
    assert "torch" in done.stdout


def test_a_model_goes_out_as_c_sources_from_the_wheel(installed: Installed, tmp_path: Path) -> None:
    """The sources are those of the tree, though no compiler is found to check them with."""
    untrained_model("short/standard", tmp_path / "bot.safetensors")
    done = installed.run(installed.nardy, "export", "bot.safetensors", "--to", "c", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no C compiler was found" in done.stdout
    files = {path.name for path in (tmp_path / "bot-c" / "src").iterdir()}
    assert {"plays.c", "net_file.c", "calls.h"} <= files
    assert (tmp_path / "bot-c" / "nardy.h").read_bytes() == (REPOSITORY / "library" / "nardy.h").read_bytes()
    for kind in ("json", "web"):
        done = installed.run(installed.nardy, "export", "bot.safetensors", "--to", kind, cwd=tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_wheel_works_with_every_python_that_is_here(other_python: Installed, unpacked: Path) -> None:
    done = other_python.run(other_python.nardy, "doctor")
    assert done.returncode == 1  # without PyTorch it says what is missing
    assert "torch" in done.stdout
    for words in (["random", "greedy", "--game", "long"], ["greedy", "pubeval", "--game", "short"]):
        done = other_python.run(other_python.nardy, "match", *words, "--pairs", "20")
        assert done.returncode == 0, done.stderr
    pytest_there = other_python.python.with_name("pytest")
    quick = [f"tests/rules/test_{part}.py" for part in ("long_cases", "notation", "profiles")]
    parts = ["tests/core/test_encoding.py", *quick]
    done = other_python.run(pytest_there, "-q", "-p", "no:cacheprovider", *parts, cwd=unpacked)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
    print(other_python.run(other_python.python, "--version").stdout, done.stdout.splitlines()[-1])
