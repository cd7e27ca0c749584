"""What a config would do, before any of it is done: rounds, nets, and an estimate of time and disk.

Times are estimated from a second of work on this machine: labels by a net of each phase's shape, and a few
steps of the learner. The nets are untrained, which changes the plays but hardly their cost; the length of
games is that of games between two greedy bots.
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from nardy_ai import core
from nardy_ai.bots.simple import GreedyBot
from nardy_ai.models.layers import SCOUT, Nets, fresh_layers, parameter_count
from nardy_ai.models.value_net import ValueNet
from nardy_ai.rules import Game
from nardy_ai.training.beginning import first_checkpoint, prepared
from nardy_ai.training.config import Phase, TrainingConfig
from nardy_ai.training.learner import Learner, choose_device
from nardy_ai.training.targets import Samples, training_set
from nardy_ai.training.workers import check_workers, cores

__all__ = ["PhasePlan", "Plan", "plan"]

# Seconds of work that a speed is taken from, and games that the length of games is taken from.
_SECONDS, _PAIRS = 0.5, 20
# Bytes of a line of metrics, of timing and of TensorBoard for each round.
_LINES = 1500


@dataclass(frozen=True)
class PhasePlan:
    """One phase of a plan."""

    name: str
    targets: str
    shape: str
    """Inputs, hidden sizes and outputs of the nets."""
    weights: int
    """Weights and biases of all nets."""
    rounds: int
    games: int
    """Games of the whole phase."""
    labels: int
    """Labels that its games give, estimated."""
    seconds: float
    """Estimated time on `workers` cores."""


@dataclass(frozen=True)
class Plan:
    """What a config would do on this machine."""

    game: str
    device: str
    workers: int
    phases: tuple[PhasePlan, ...]
    disk: int
    """Most bytes that the run folder comes to, estimated."""

    @property
    def seconds(self) -> float:
        """Estimated time of all phases, the opponents left out."""
        return sum(phase.seconds for phase in self.phases)

    def __str__(self) -> str:
        rows = [("phase", "targets", "net", "rounds", "games", "labels", "time")]
        rows += [
            (p.name, p.targets, p.shape, f"{p.rounds:,}", f"{p.games:,}", short(p.labels), spell(p.seconds))
            for p in self.phases
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(7)]
        lines = [
            "  ".join(
                cell.ljust(width) if i < 3 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join(
            [
                f"{self.game}: learner on {self.device}, {self.workers} "
                f"worker{'s' * (self.workers > 1)} on {cores()} cores",
                "",
                *lines,
                "",
                f"about {spell(self.seconds)} in all, without the matches against opponents; the run folder "
                f"comes to about {self.disk / 1e6:.0f} MB",
            ]
        )

    def as_dict(self) -> dict[str, object]:
        """Everything, for a report."""
        return dataclasses.asdict(self) | {"seconds": self.seconds}


def plan(config: TrainingConfig, *, workers: int | None = None) -> Plan:
    """The plan of a config. Takes some seconds and writes nothing.

    Raises InputError exactly where training would refuse the config.
    """
    config, game = prepared(config)
    check_workers(workers)
    device = choose_device(config.device)
    start = first_checkpoint(config, game, device.name).model
    count = workers if workers is not None else config.workers or cores()
    turns = _turns_a_game(game)
    phases, disk, nets = [], 0, start.nets
    for phase in config.phases:
        nets = _nets_of(phase, config, nets, game)
        labels = phase.games * turns / phase.stride
        playing = _seconds_a_label(phase, config, nets, game) * labels
        learned = labels * (1 + phase.replay) * phase.passes
        learning = _seconds_a_position(phase, config, nets, game) * learned
        phases.append(
            PhasePlan(
                name=phase.name,
                targets=phase.targets,
                shape=_shape(nets),
                weights=parameter_count(nets),
                rounds=phase.rounds,
                games=phase.rounds * phase.games,
                labels=int(phase.rounds * labels),
                seconds=phase.rounds * _beside(playing, learning, min(count, cores())),
            )
        )
        disk = max(disk, _checkpoint_bytes(phase, config, nets, int(labels), len(game.outcomes)))
    kept = len(config.phases) + (config.rounds // config.milestone if config.milestone else 0)
    disk += kept * 4 * max(phase.weights for phase in phases) + config.rounds * _LINES
    return Plan(game.name, device.name, count, tuple(phases), disk)


def _nets_of(phase: Phase, config: TrainingConfig, before: Nets, game: Game) -> Nets:
    """Untrained nets of the phase's shape; the sizes of `before` where the phase names none."""
    if not phase.hidden:
        return before
    inputs = core.encoding_table(config.encoding).inputs
    nets = {
        name: fresh_layers(inputs, phase.hidden, len(game.outcomes), config.seed) for name in config.classes
    }
    return nets | ({SCOUT: before[SCOUT]} if config.scout else {})


def _shape(nets: Nets) -> str:
    layers = next(iter(nets.values()))
    hidden = "-".join(str(len(bias)) for _, bias in layers[:-1])
    return f"{layers[0][0].shape[1]}/{hidden}/{len(layers[-1][1])}"


def _turns_a_game(game: Game) -> float:
    player = GreedyBot().player(game)
    plies = core.duel(player, player, game.core_rules, 1, 0, _PAIRS)["plies"]
    return float(plies.mean())


def _label(phase: Phase, config: TrainingConfig, nets: Nets, game: Game, first_game: int) -> Samples:
    model = core.Model(game.core_rules, config.encoding, nets)
    # Cut, because the games of untrained nets are long.
    settings: dict[str, Any] = {"targets": phase.targets, "stride": phase.stride, "max_turns": 40}
    if phase.targets != "sampled":
        settings |= {"pruning": core.Pruning(phase.candidates, phase.margin), "plies": phase.plies}
    return Samples.of(core.self_play(model, game.core_rules, config.seed, first_game, 1, **settings))


def _seconds_a_label(phase: Phase, config: TrainingConfig, nets: Nets, game: Game) -> float:
    """Time of one thread, taken from the thread's own clock so that a busy machine does not count."""
    labels, number, start = 0, 0, time.thread_time()
    while (spent := time.thread_time() - start) < _SECONDS or not labels:
        labels += len(_label(phase, config, nets, game, number))
        number += 1
    return spent / labels


def _seconds_a_position(phase: Phase, config: TrainingConfig, nets: Nets, game: Game) -> float:
    samples = Samples.joined([_label(phase, config, nets, game, number) for number in range(8)])
    data = training_set(game.core_rules, config.encoding, [samples])
    learner = Learner(ValueNet(nets), choose_device(config.device), config.learner_threads)
    learner.begin_phase(phase.average)
    learned, start = 0, time.thread_time()
    while (spent := time.thread_time() - start) < _SECONDS:
        learner.learn(
            data, lambda _step, _steps: 1e-9, batch=phase.batch, passes=1, seed=1, round_number=learned
        )
        learned += len(data)
    return spent / learned


def _beside(playing: float, learning: float, threads: int) -> float:
    """Seconds of a round: the workers play the next one while the learner learns this one."""
    if cores() == 1:
        return playing + learning
    # The learner takes a core of its own as long as it has something to do.
    return max(learning, playing / threads, (playing + learning) / cores())


def _checkpoint_bytes(phase: Phase, config: TrainingConfig, nets: Nets, labels: int, outcomes: int) -> int:
    """Bytes of the checkpoints that are kept; they share the files of the replay memory."""
    vectors = 4 + (1 if phase.average else 0)
    one_position = np.dtype(np.int8).itemsize * 54 + 4 * outcomes
    shared = (phase.memory + config.keep * config.checkpoint) * labels * one_position if phase.memory else 0
    return config.keep * vectors * 4 * parameter_count(nets) + shared


def short(number: float) -> str:
    """A large number as people say it: 950, 12 k, 3.4 M."""
    if number < 1000:
        return f"{number:.0f}"
    return f"{number / 1e3:.0f} k" if number < 1e6 else f"{number / 1e6:.1f} M"


def spell(seconds: float) -> str:
    """A time as people say it: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
