"""How much room a run needs, on the disk and in memory, and whether the disk has it."""

from __future__ import annotations

import functools
import shutil
from itertools import pairwise
from pathlib import Path

from nardy_ai import core
from nardy_ai.bots.simple import GreedyBot
from nardy_ai.core import InputError
from nardy_ai.models.layers import CLASSES, SCOUT, Nets, parameter_count, sizes_of
from nardy_ai.rules import Game
from nardy_ai.training.config import Phase, TrainingConfig

__all__ = ["check_room", "disk_bytes", "memory_bytes", "phase_weights", "turns_a_game"]

# Pairs of games that the length of games is taken from.
_PAIRS = 20
# Bytes of a line of metrics, of timing and of TensorBoard for each round.
_LINES = 1500


def turns_a_game(game: Game) -> float:
    """Turns that a game between two greedy bots takes on average."""
    return _turns(game.core_rules, GreedyBot().player(game))


@functools.lru_cache(maxsize=32)
def _turns(rules: core.Rules, player: core.Player) -> float:
    return float(core.duel(player, player, rules, 1, 0, _PAIRS)["plies"].mean())


def phase_weights(config: TrainingConfig, first: Nets) -> list[int]:
    """Weights and biases of all nets in each phase of a config whose first nets are these."""
    sizes = sizes_of(first[CLASSES[0]])
    scout = parameter_count({SCOUT: first[SCOUT]}) if SCOUT in first else 0
    weights, hidden = [], sizes[1:-1]
    for phase in config.phases:
        hidden = phase.hidden or hidden
        layers = pairwise((sizes[0], *hidden, sizes[-1]))
        weights.append(scout + len(config.classes) * sum((inputs + 1) * units for inputs, units in layers))
    return weights


def disk_bytes(config: TrainingConfig, game: Game, first: Nets) -> int:
    """Most bytes that the run folder comes to, estimated."""
    weights, turns, outcomes = phase_weights(config, first), turns_a_game(game), len(game.outcomes)
    most = max(
        _checkpoints(phase, config, count, phase.games * turns / phase.stride, outcomes)
        for phase, count in zip(config.phases, weights, strict=True)
    )
    kept = len(config.phases) + (config.rounds // config.milestone if config.milestone else 0)
    return most + kept * 4 * max(weights) + config.rounds * _LINES


def _checkpoints(phase: Phase, config: TrainingConfig, weights: int, labels: float, outcomes: int) -> int:
    """Bytes of the checkpoints that are kept; they share the files of the replay memory."""
    vectors = 4 + (1 if phase.average else 0)
    rounds = phase.memory + config.keep * config.checkpoint if phase.memory else 0
    return config.keep * vectors * 4 * weights + int(rounds * labels * _position_bytes(outcomes))


def _position_bytes(outcomes: int) -> int:
    """Bytes of a labelled position: board, seat, turns, target."""
    return 2 * 26 + 1 + 1 + 4 * outcomes


def memory_bytes(config: TrainingConfig, game: Game) -> int:
    """Most bytes that the positions of a prepared config take in memory at a time, estimated.

    Held are the replay memory, the round that is learned and the one that is played (twice, while its parts
    are put together); and what is learned from as the net's inputs.
    """
    turns, outcomes = turns_a_game(game), len(game.outcomes)
    encoded = 4 * core.encoding_table(config.encoding).inputs + outcomes + 1 + 4 * outcomes
    return max(
        int(
            phase.games
            * turns
            / phase.stride
            * ((phase.memory + 3) * _position_bytes(outcomes) + (1 + phase.replay) * encoded)
        )
        for phase in config.phases
    )


def check_room(run: Path, config: TrainingConfig, game: Game, first: Nets) -> None:
    """Raise InputError where not even half of what a run is estimated to need is free."""
    place = run.absolute()
    try:
        while not place.exists():
            place = place.parent
        free = shutil.disk_usage(place).free
    except (OSError, ValueError):
        # A place that can't be is told by who makes the folder.
        return
    if free < (needed := disk_bytes(config, game, first)) / 2:
        raise InputError(
            f"the run folder {run} comes to about {needed / 1e6:,.0f} MB, but only {free / 1e6:,.0f} MB are "
            "free there; choose another place with --run, or lower memory, keep, checkpoint or milestone"
        )
