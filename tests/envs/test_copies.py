"""Copies of environments go on as what they were made from; a refused reset changes nothing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from untrained import untrained_model

from nardy_ai.core import InputError
from nardy_ai.envs.aec import NardyAEC, env
from nardy_ai.envs.single import NardyEnv

WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda environment: pickle.loads(pickle.dumps(environment)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("opponent", ["random", "greedy#3", "MODEL", "MODEL:1", "MODEL#4"])
def test_a_copy_of_a_game_against_a_bot_goes_on_in_the_same_way(
    opponent: str, way: str, tmp_path: Path
) -> None:
    game = "short/hypergammon"
    model = str(untrained_model(game, tmp_path / "model.safetensors"))
    one = NardyEnv(game, opponent.replace("MODEL", model))
    one.reset(seed=3)
    one.step(np.flatnonzero(one.action_masks())[-1])
    two = WAYS[way](one)
    assert two.opponent.name == one.opponent.name
    for _ in range(60):
        action = np.flatnonzero(one.action_masks())[0]
        seen, *told, info = one.step(action)
        again, *retold, reinfo = two.step(action)
        assert np.array_equal(seen["observation"], again["observation"])
        assert (told, info.keys()) == (retold, reinfo.keys())
        if told[1]:
            one.reset()
            two.reset()
    assert one.course.number == two.course.number


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [NardyAEC, env])
def test_a_copy_of_both_sides_goes_on_in_the_same_way(make: Callable[[str], Any], way: str) -> None:
    one = make("long")
    one.reset(seed=3)
    for _ in range(5):
        one.step(int(np.flatnonzero(one.observe(one.agent_selection)["action_mask"])[0]))
    two = WAYS[way](one)
    for _ in range(20):
        mask = one.observe(one.agent_selection)["action_mask"]
        assert two.agent_selection == one.agent_selection
        assert np.array_equal(mask, two.observe(two.agent_selection)["action_mask"])
        for each in (one, two):
            each.step(int(np.flatnonzero(mask)[0]))


def test_a_refused_reset_changes_nothing() -> None:
    one, two = NardyEnv("short"), NardyEnv("short")
    one.reset(seed=5)
    two.reset(seed=5)
    for seed, options in ((-1, None), (6, {"game": -1}), (None, {"position": "x"}), (7, 5), (None, "game")):
        with pytest.raises(InputError):
            one.reset(seed=seed, options=options)  # type: ignore[arg-type]
    one_info, two_info = one.reset()[1], two.reset()[1]
    assert (one_info["game"], one_info["seed"]) == (two_info["game"], two_info["seed"]) == (1, 5)


def test_a_seed_may_be_a_number_of_numpy() -> None:
    assert NardyEnv("short").reset(seed=np.int64(5))[1]["seed"] == 5  # type: ignore[arg-type]
