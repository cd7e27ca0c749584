"""Whether a checkpoint that was read is one that the run's config could have made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.models.layers import CLASSES, SCOUT, Nets, parameter_count, sizes_of
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game
from nardy_ai.training.config import Phase, TrainingConfig, nets_of
from nardy_ai.training.run_folder import Checkpoint, State
from nardy_ai.training.targets import Samples


def check_checkpoint(config: TrainingConfig, game: Game, checkpoint: Checkpoint) -> None:
    """Raise InputError, naming the file and what is wrong with it, unless training can go on from it.

    Call it after `check_same`: it takes the config's phases for those of the checkpoint.
    """
    state = checkpoint.state
    _check_place(config, state)
    phase = config.phases[state.phase]
    _check_model(config, game, checkpoint.model, phase.hidden if state.round_in_phase else ())
    in_flight = 0 < state.round_in_phase < phase.rounds
    _check_learner(checkpoint.learner, checkpoint.model.nets, _moments(phase, state), in_flight)
    for number, samples in checkpoint.memory:
        _check_samples(f"samples-{number:06d}.safetensors", samples, len(game.outcomes))


def _check_place(config: TrainingConfig, state: State) -> None:
    if not 0 <= state.phase < len(config.phases):
        raise InputError(f"state.json: phase {state.phase} is not one of the config's {len(config.phases)}")
    phase = config.phases[state.phase]
    if not 0 <= state.round_in_phase <= phase.rounds:
        raise InputError(
            f"state.json: round_in_phase {state.round_in_phase} is not one of the phase's {phase.rounds}"
        )
    before = sum(earlier.rounds for earlier in config.phases[: state.phase])
    if state.round != before + state.round_in_phase:
        raise InputError(
            f"state.json: round {state.round} is not round {state.round_in_phase} of phase {state.phase}"
        )
    numbers = (state.steps, state.games, state.metrics_bytes, state.timing_bytes)
    if min(numbers) < 0 or max(numbers) >= 2**63:
        raise InputError("state.json: a count of steps, games or bytes is out of range")
    first = state.round - min(phase.memory, state.round_in_phase) + 1
    if state.memory != tuple(range(first, state.round + 1)):
        raise InputError(f"state.json: the memory's rounds {list(state.memory)} are not the last ones")


def _check_model(config: TrainingConfig, game: Game, model: ModelFile, hidden: tuple[int, ...]) -> None:
    expected = (config.encoding, tuple(game.outcomes), nets_of(config))
    if (model.encoding, model.outcomes, set(model.nets)) != expected:
        raise InputError("model.safetensors: its inputs, outcomes or classes are not those of this run")
    scout = sizes_of(model.nets[SCOUT])[1:-1] if config.scout else ()
    if scout != config.scout:
        raise InputError(f"model.safetensors: its scout has {list(scout)}, not {list(config.scout)}")
    found = sizes_of(model.nets[CLASSES[0]])[1:-1]
    if hidden and found != hidden:
        raise InputError(f"model.safetensors: its hidden layers {list(found)} should be {list(hidden)}")


def _check_learner(
    tensors: Mapping[str, npt.NDArray[Any]], nets: Nets, moments: tuple[str, ...], in_flight: bool
) -> None:
    """Adam's state is there once something was learned, the round in flight's weights while there is one."""
    expected: dict[str, tuple[str, tuple[int, ...]]] = {}
    if moments:
        expected = {f"adam/{name}": ("float32", (parameter_count(nets),)) for name in moments}
        expected["adam/steps"] = ("int64", (1,))
    if in_flight:
        for name, layers in nets.items():
            for i, (weight, bias) in enumerate(layers):
                expected[f"playing/{name}.{i}.weight"] = ("float32", weight.shape)
                expected[f"playing/{name}.{i}.bias"] = ("float32", bias.shape)
    if different := sorted(set(expected) ^ set(tensors)):
        lack = "lacks" if different[0] in expected else "should not hold"
        raise InputError(f"learner.safetensors: it {lack} {different[0]!r}, so it is not this checkpoint's")
    for name, wanted in expected.items():
        _check_array(f"learner.safetensors: {name!r}", tensors[name], *wanted)
    if moments and (tensors["adam/second"].min() < 0 or tensors["adam/steps"][0] < 1):
        raise InputError("learner.safetensors: the optimizer's state is out of range")


def _moments(phase: Phase, state: State) -> tuple[str, ...]:
    """Names of the vectors of the optimizer's state; none before anything was learned."""
    if not state.round:
        return ()
    return ("first", "second", "values") if phase.average else ("first", "second")


def _check_samples(name: str, samples: Samples, outcomes: int) -> None:
    count = len(samples.targets) if samples.targets.ndim else 0
    _check_array(f"{name}: 'boards'", samples.boards, "int8", (count, 2, 26))
    _check_array(f"{name}: 'seats'", samples.seats, "uint8", (count,))
    _check_array(f"{name}: 'turns'", samples.turns, "uint8", (count,))
    _check_array(f"{name}: 'targets'", samples.targets, "float32", (count, outcomes))
    _check_array(f"{name}: 'outcomes'", samples.outcomes, "int64", (outcomes,))
    if not count:
        raise InputError(f"{name}: it holds no positions")


def _check_array(what: str, array: npt.NDArray[Any], dtype: str, shape: tuple[int, ...]) -> None:
    if array.dtype.name != dtype or array.shape != shape:
        raise InputError(f"{what} is {array.dtype.name} {list(array.shape)}, expected {dtype} {list(shape)}")
    if not np.isfinite(array).all():
        raise InputError(f"{what} holds values that are not finite")
