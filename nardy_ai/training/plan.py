"""What a config would do, before any of it is done: rounds, nets, and an estimate of time and disk.

Times are estimated from some seconds of the very work on this machine (see `speeds`); the length of games
is that of games between two greedy bots.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from nardy_ai.models.layers import Nets, parameter_count
from nardy_ai.models.value_net import ValueNet
from nardy_ai.rules.screen import folded
from nardy_ai.training.beginning import first_checkpoint, prepared
from nardy_ai.training.config import Phase, TrainingConfig
from nardy_ai.training.learner import choose_device
from nardy_ai.training.room import disk_bytes, memory_bytes, turns_a_game
from nardy_ai.training.speeds import CPU, learner_speed, rehearsed, worker_speed
from nardy_ai.training.workers import check_workers, cores

__all__ = ["PhasePlan", "Plan", "plan"]


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
    """Estimated time with all workers."""
    labels_per_second: float
    """What one worker plays, estimated."""
    learned_per_second: float
    """Positions that the learner goes through, estimated."""
    learned_on_cpu: float
    """The same without a GPU; equal where there is none."""
    useful_workers: float
    """As many as one learner keeps up with: more bring nothing."""


@dataclass(frozen=True)
class Plan:
    """What a config would do on this machine."""

    game: str
    device: str
    workers: int
    place: str
    """Where they are."""
    phases: tuple[PhasePlan, ...]
    disk: int
    """Most bytes that the run folder comes to, estimated."""
    memory: int
    """Most bytes that positions take in memory, estimated."""

    @property
    def seconds(self) -> float:
        """Estimated time of all phases, the opponents left out."""
        return sum(phase.seconds for phase in self.phases)

    def __str__(self) -> str:
        rows = [_HEADINGS, *(_cells(phase) for phase in self.phases)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADINGS))]
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
                f"worker{'s' * (self.workers > 1)} {self.place}",
                "",
                *lines,
                "",
                "useful: as many workers as the learner keeps up with",
                *_slower_device(self),
                f"about {spell(self.seconds)} in all, without the matches against opponents",
                f"the run folder comes to about {self.disk / 1e6:.0f} MB",
                f"positions in memory: at most about {self.memory / 1e6:,.0f} MB",
            ]
        )

    def as_dict(self) -> dict[str, object]:
        """Everything, for a report."""
        return dataclasses.asdict(self) | {"seconds": self.seconds}


_HEADINGS = ("phase", "targets", "net", "rounds", "games", "labels", "useful", "time")


def _cells(phase: PhasePlan) -> tuple[str, ...]:
    counts = f"{phase.rounds:,}", f"{phase.games:,}", short(phase.labels), f"{phase.useful_workers:.1f}"
    return phase.name, phase.targets, phase.shape, *counts, spell(phase.seconds)


def _slower_device(found: Plan) -> list[str]:
    """What is said where a GPU is no gain: small nets leave it waiting."""
    slower = [phase for phase in found.phases if phase.learned_per_second < phase.learned_on_cpu]
    if not slower:
        return []
    names = ", ".join(phase.name for phase in slower)
    here, cpu = (short(getattr(slower[-1], key)) for key in ("learned_per_second", "learned_on_cpu"))
    said = f"{found.device} is slower than the CPU in {names} ({here} positions a second against {cpu})"
    return folded([f'{said}; write device = "cpu", or raise batch'])


def plan(config: TrainingConfig, *, workers: int | None = None, elsewhere: str = "") -> Plan:
    """The plan of a config. Takes some seconds and writes nothing.

    `elsewhere` names the place where the workers are ("on the Ray cluster") if they are not on this
    machine's cores; their processors are taken to be like this one's. Raises InputError exactly where
    training would refuse the config.
    """
    config, game = prepared(config)
    check_workers(workers)
    device = choose_device(config.device, config.precision)
    start = first_checkpoint(config, game, device.name).model
    count = workers if workers is not None else config.workers or cores()
    turns = turns_a_game(game)
    phases, nets = [], rehearsed(config, game, start.nets)
    for phase in config.phases:
        nets = _grown(phase, config, nets)
        labels = phase.games * turns / phase.stride
        label_speed = worker_speed(phase, config, nets, game, count)
        speed = on_cpu = learner_speed(phase, config, nets, game, device)
        if device.name != CPU.name:
            on_cpu = learner_speed(phase, config, nets, game, CPU)
        playing, learning = labels / label_speed, labels * (1 + phase.replay) * phase.passes / speed
        seconds = max(learning, playing / count) if elsewhere else _beside(playing, learning, count)
        phases.append(
            PhasePlan(
                name=phase.name,
                targets=phase.targets,
                shape=_shape(nets),
                weights=parameter_count(nets),
                rounds=phase.rounds,
                games=phase.rounds * phase.games,
                labels=int(phase.rounds * labels),
                seconds=phase.rounds * seconds,
                labels_per_second=label_speed,
                learned_per_second=speed,
                learned_on_cpu=on_cpu,
                useful_workers=playing / learning,
            )
        )
    disk = disk_bytes(config, game, start.nets)
    place = elsewhere or f"on {cores()} core{'s' * (cores() > 1)}"
    return Plan(game.name, device.name, count, place, tuple(phases), disk, memory_bytes(config, game))


def _grown(phase: Phase, config: TrainingConfig, nets: Nets) -> Nets:
    """The nets as they begin the phase."""
    net = ValueNet(nets)
    if not phase.hidden or phase.hidden == net.hidden():
        return nets
    return net.grown(phase.hidden, config.seed).layers()


def _shape(nets: Nets) -> str:
    layers = next(iter(nets.values()))
    hidden = "-".join(str(len(bias)) for _, bias in layers[:-1])
    return f"{layers[0][0].shape[1]}/{hidden}/{len(layers[-1][1])}"


def _beside(playing: float, learning: float, threads: int) -> float:
    """Seconds of a round: the workers play the next one while the learner learns this one."""
    if cores() == 1:
        return playing + learning
    # The learner takes a core of its own as long as it has something to do.
    return max(learning, playing / min(threads, cores()), (playing + learning) / cores())


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
