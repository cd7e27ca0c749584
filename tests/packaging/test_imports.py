"""What an import costs and needs: nothing optional, and not PyTorch unless something is trained."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from untrained import untrained_model

# Hides packages from every finder, as if they were not installed.
BLOCKED = """
import sys
HIDDEN = {"torch", "onnx", "onnxruntime", "onnxscript", "tensorboard", "matplotlib", "gnubg_nn", "bgsage"}
HIDDEN |= {"fastapi", "starlette", "pydantic", "uvicorn", "httptools", "prometheus_client"}

class Without:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        return None if name.split(".")[0] in HIDDEN else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""


def python(script: str, *, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        input=stdin,
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = (
        "import sys, nardy_ai\n"
        "print([name for name in ('torch', 'onnx', 'numpy', 'tqdm', 'tyro') if name in sys.modules])"
    )
    assert python(script).stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    import nardy_ai

    for name in nardy_ai.__all__:
        assert getattr(nardy_ai, name) is not None
    assert set(nardy_ai.__all__) <= set(dir(nardy_ai))
    with pytest.raises(AttributeError, match="no attribute 'Gane'"):
        nardy_ai.Gane  # noqa: B018


@pytest.mark.parametrize("package", ["nardy_ai", "nardy_ai.core", "nardy_ai.rules", "nardy_ai.rules.match"])
def test_no_public_name_hides_a_module(package: str) -> None:
    """`from package import name` and `import package.name` mean one thing, in whatever order they come."""
    found = importlib.import_module(package)
    modules = {module.name for module in pkgutil.iter_modules(found.__path__)}
    public = {name for name in found.__all__ if not isinstance(getattr(found, name), ModuleType)}
    assert public & modules == set()


@pytest.mark.parametrize("profile", ["long/fns", "short/standard"])
def test_rules_play_and_evaluation_work_without_any_optional_part(profile: str, tmp_path: Path) -> None:
    untrained_model(profile, tmp_path / "bot.safetensors")
    script = BLOCKED + (
        "import nardy_ai as nardy\n"
        "bot = nardy.load('bot.safetensors')\n"
        "game = bot.game\n"
        "pos = game.start()\n"
        "ranked = bot.rank(pos, (3, 1))\n"
        "assert len(ranked) == len(game.plays(pos, (3, 1)))\n"
        "assert abs(sum(bot.evaluate(pos).outcomes.values()) - 1) < 1e-5\n"
        "print(nardy.match(bot, nardy.bot('random'), pairs=5).pairs)\n"
    )
    done = python(script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "5"


@pytest.mark.parametrize(
    "words",
    [
        ["rules"],
        ["rules", "long", "--lang", "ru"],
        ["match", "bot.safetensors", "greedy", "--pairs", "5"],
        ["play", "bot.safetensors"],
        ["analyze", "--position", "start", "--dice", "3", "1", "--model", "bot.safetensors"],
    ],
)
def test_commands_work_without_any_optional_part(words: list[str], tmp_path: Path) -> None:
    untrained_model("long/fns", tmp_path / "bot.safetensors")
    script = BLOCKED + f"from nardy_ai.commands import main\nsys.exit(main({words!r}))"
    done = python(script, stdin="hint\n1\nquit\n", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "naming"),
    [
        (["export", "bot.safetensors"], "[export]"),
        (["train", "tiny.toml"], "PyTorch"),
        (["serve", "bot.safetensors", "--port", "0"], "[serve]"),
        (["match", "bot.safetensors", "gnubg:0"], "[peers]"),
    ],
)
def test_what_needs_an_optional_part_says_how_to_get_it(
    words: list[str], naming: str, tmp_path: Path
) -> None:
    untrained_model("short/standard", tmp_path / "bot.safetensors")
    phase = 'name = "a"\nrounds = 1\ngames = 1\nlr_from = 1e-3\nlr_to = 1e-3\nhidden = [4]\n'
    (tmp_path / "tiny.toml").write_text(f'game = "long"\n[[phases]]\n{phase}')
    before = sorted(tmp_path.iterdir())
    script = BLOCKED + f"from nardy_ai.commands import main\nsys.exit(main({words!r}))"
    done = python(script, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("nardy: ")
    assert done.stderr.count("\n") == 1
    assert naming in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_runs_from_the_root_folder() -> None:
    done = python("import nardy_ai as nardy; print(nardy.Game('short').start().key)", cwd=Path("/"))
    assert done.returncode == 0, done.stderr
