"""The official suites of PettingZoo and Gymnasium."""

from __future__ import annotations

import pickle
import re
import runpy
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from command_line import REPOSITORY
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from nardy_ai.core.installing import how_to_install_part
from nardy_ai.envs import ENV_ID, NardyEnv, env, raw_env
from nardy_ai.rules import profile_names

# What the suite says to every environment with dictionaries to see, save those that it knows by name.
EXPECTED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros",
)


@pytest.mark.parametrize("game", profile_names())
def test_pettingzoo_finds_nothing_in_any_profile(game: str) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(env(game), num_cycles=60)
    assert [str(one.message) for one in said if not str(one.message).startswith(EXPECTED)] == []


def test_pettingzoo_plays_whole_games_without_wrappers_too() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(raw_env("long"), num_cycles=1000)
        api_test(raw_env("short"), num_cycles=1000)


@pytest.mark.parametrize("game", ["short", "long"])
def test_a_seed_determines_a_game(game: str) -> None:
    seed_test(lambda: env(game), num_cycles=300)


@pytest.mark.parametrize("game", profile_names())
@pytest.mark.filterwarnings("error")
def test_gymnasium_finds_nothing_in_any_profile(game: str) -> None:
    check_env(gymnasium.make(ENV_ID, game=game, opponent="random").unwrapped, skip_render_check=True)


@pytest.mark.filterwarnings("error")
def test_gymnasium_finds_nothing_in_the_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    check_env(gymnasium.make(ENV_ID, game="short", opponent="greedy", seat=1).unwrapped)
    assert "rolled" in capsys.readouterr().out


def test_environments_in_processes_of_their_own_play_the_same() -> None:
    """Workers that are started anew know the environment by the module in its name."""
    name = f"nardy_ai.envs:{ENV_ID}"
    together = gymnasium.make_vec(name, 2, vectorization_mode="async", vector_kwargs={"context": "spawn"})
    alone = gymnasium.make_vec(name, 2, vectorization_mode="sync")
    for vector in (together, alone):
        vector.reset(seed=5)
    for _ in range(30):
        mask = np.asarray(_seen(alone)["action_mask"])
        actions = mask.argmax(axis=1)
        for seen, other in zip(together.step(actions)[:2], alone.step(actions)[:2], strict=True):
            np.testing.assert_equal(seen, other)
    together.close()
    alone.close()


def _seen(vector: Any) -> dict[str, np.ndarray[Any, Any]]:
    seen: dict[str, np.ndarray[Any, Any]] = vector._observations
    return seen


def test_an_environment_can_be_copied_by_pickle() -> None:
    first = raw_env("long/classic", max_turns=77)
    second = pickle.loads(pickle.dumps(first))
    assert (second.game.name, second._schedule._most_turns) == ("long/classic", 77)


def test_the_name_stands_for_the_class() -> None:
    assert isinstance(gymnasium.make(ENV_ID).unwrapped, NardyEnv)


@pytest.mark.parametrize("package", ["gymnasium", "pettingzoo"])
def test_a_missing_package_is_named_with_its_extra(package: str) -> None:
    script = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "try:\n    import nardy_ai.envs\n"
        "except ModuleNotFoundError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    expected = f"the environments need the package {package}: {how_to_install_part('envs')}\n"
    assert done.stdout == expected


def test_the_example_learns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """150 episodes of the learner from outside, where 800 give a whole point a game."""
    monkeypatch.setattr(sys, "argv", ["learn.py", "150"])
    runpy.run_path(str(REPOSITORY / "examples" / "environments" / "learn.py"), run_name="__main__")
    numbers = [float(number) for number in re.findall(r"[+-]\d\.\d{3}", capsys.readouterr().out)]
    before, after = numbers[0], numbers[3]
    assert after > before + 0.4
