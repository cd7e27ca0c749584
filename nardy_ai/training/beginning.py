"""How a run begins: the plan checked as a whole, and the checkpoint of round 0. Nothing is written here."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.models.evaluator import outcome_places
from nardy_ai.models.layers import CLASSES, NETS, SCOUT, Layers, Nets, fresh_layers, growth_fault, sizes_of
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.models.value_net import ValueNet
from nardy_ai.rules import Game
from nardy_ai.training.config import TrainingConfig, config_hash, former_value, resolved, result_keys
from nardy_ai.training.provenance import file_hash, provenance_of
from nardy_ai.training.run_folder import Checkpoint, State
from nardy_ai.training.teachers import teacher_hashes

# Logit of an outcome that the first weights know nothing of.
_RARE = np.float32(-5.0)


def prepared(config: TrainingConfig) -> tuple[TrainingConfig, Game]:
    """The config with nothing left to defaults, and its game; raises InputError where they don't fit."""
    try:
        game = Game(config.game)
    except OSError as error:
        raise InputError(f"game: {config.game!r} can't be read ({error.strerror}); check the path") from None
    encoding = config.encoding or core.encoding_name(game.core_rules)
    if encoding not in core.encodings():
        raise InputError(f"encoding: {encoding!r} is unknown; known are {', '.join(core.encodings())}")
    if core.encoding_table(encoding).family != game.family:
        raise InputError(f"encoding: {encoding!r} is not for the {game.family} game; leave it out")
    return dataclasses.replace(resolved(config), game=game.name, encoding=encoding), game


def first_checkpoint(config: TrainingConfig, game: Game, device: str) -> Checkpoint:
    """Round 0 of a prepared config: random weights, or those of `init`; InputError for a wrong plan."""
    rules = game.core_rules
    nets = _first_nets(config, game)
    _check_growth(config, nets, len(rules.outcomes))
    identity = config_hash(config, rules.options)
    origin: dict[str, Any] = {"config_hash": identity, "seed": config.seed}
    if config.init:
        origin |= {"init": Path(config.init).name, "init_hash": file_hash(Path(config.init))}
    if teachers := teacher_hashes(config.phases, game):
        origin |= {"teachers": teachers}
    model = ModelFile(
        game=game.family,
        profile=game.name,
        rules=rules.options,
        encoding=config.encoding,
        outcomes=tuple(rules.outcomes),
        nets=nets,
        provenance=provenance_of(origin, 0, 0),
    )
    state = State(config_hash=identity, result_keys=result_keys(config, rules.options), device=device)
    return Checkpoint(state, model, {}, [])


def check_same(config: TrainingConfig, game: Game, state: State, place: Path) -> None:
    """Raise InputError, naming the first key that differs, unless a checkpoint was made with this config."""
    now = result_keys(config, game.core_rules.options)
    for key in sorted({*now, *state.result_keys}):
        here, there = (keys.get(key, former_value(key)) for keys in (now, state.result_keys))
        if here != there:
            raise InputError(
                f"{place}: {key} is {here!r}, but the checkpoint was made with {there!r}; put it back, or "
                "begin a new run with init"
            )


def _first_nets(config: TrainingConfig, game: Game) -> dict[str, Layers]:
    if not config.init:
        inputs = core.encoding_table(config.encoding).inputs
        hidden = config.phases[0].hidden
        nets = ValueNet.fresh(inputs, len(game.outcomes), hidden, config.classes, config.seed).layers()
        return nets | _first_scout(config, game, {})
    model = read_model(Path(config.init))
    nets = _with_inputs_of(config, model)
    places = outcome_places(model, game, config.init)
    matched = {name: _matched(nets[name], places, len(game.outcomes)) for name in nets}
    first = {name: matched.get(name, matched[CLASSES[0]]) for name in config.classes}
    return first | _first_scout(config, game, matched)


def _first_scout(config: TrainingConfig, game: Game, known: Nets) -> dict[str, Layers]:
    """The scout that the config asks for: the known one where it has these sizes, else a fresh one."""
    if not config.scout:
        return {}
    if SCOUT in known and sizes_of(known[SCOUT])[1:-1] == config.scout:
        return {SCOUT: known[SCOUT]}
    inputs = core.encoding_table(core.encoding_table(config.encoding).scout).inputs
    return {SCOUT: fresh_layers(inputs, config.scout, len(game.outcomes), config.seed, NETS.index(SCOUT))}


def _with_inputs_of(config: TrainingConfig, model: ModelFile) -> dict[str, Layers]:
    """The nets of `init` with the inputs of this run, of which the new ones are heard by nobody at first."""
    nets = {}
    for name, layers in model.nets.items():
        old, new = model.encoding, config.encoding
        if name == SCOUT:
            old, new = (core.encoding_table(each).scout for each in (old, new))
        places = core.places_within(old, new)
        if places is None:
            raise InputError(
                f"init: {config.init} has the inputs {model.encoding}, and {config.encoding} of this run "
                f"lacks some; set encoding = {model.encoding!r}, or one of the same game that has more"
            )
        weight, bias = layers[0]
        wider = np.zeros((weight.shape[0], core.encoding_table(new).inputs), np.float32)
        wider[:, places] = weight
        nets[name] = [(wider, bias), *layers[1:]]
    return nets


def _matched(layers: Layers, places: list[int], outcomes: int) -> Layers:
    """The layers with an output for every outcome of the profile.

    Of several outputs that count as one outcome the first (the most frequent) is taken: it is where
    learning starts, not what it ends with. An outcome that no output stands for begins as a rare one.
    """
    weight, bias = layers[-1]
    new_weight = np.zeros((outcomes, weight.shape[1]), np.float32)
    new_bias = np.full(outcomes, _RARE, np.float32)
    for outcome in range(outcomes):
        if outcome in places:
            output = places.index(outcome)
            new_weight[outcome], new_bias[outcome] = weight[output], bias[output]
    return [*layers[:-1], (new_weight, new_bias)]


def _check_growth(config: TrainingConfig, nets: Nets, outputs: int) -> None:
    hidden = sizes_of(nets[CLASSES[0]])[1:-1]
    for i, phase in enumerate(config.phases):
        wanted = phase.hidden or hidden
        if fault := growth_fault(hidden, wanted, outputs):
            raise InputError(f"phases[{i}].hidden: {list(hidden)} can't grow to {list(wanted)}: {fault}")
        hidden = wanted
