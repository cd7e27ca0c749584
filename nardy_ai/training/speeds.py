"""How fast this machine plays and learns a phase: a second of the very work, timed.

What a label costs depends on how well a net plays: on the positions that it comes to, and on how many plays
a scout spares it. A run that begins with random weights is therefore rehearsed for two seconds first, and
what that gave is grown to the shape of each phase.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass

from nardy_ai.models.layers import Nets
from nardy_ai.models.value_net import ValueNet
from nardy_ai.rules import Game
from nardy_ai.training.config import Phase, TrainingConfig
from nardy_ai.training.learner import Device, Learner
from nardy_ai.training.shares import Share, Shares
from nardy_ai.training.targets import Samples, training_set
from nardy_ai.training.teachers import teacher_of
from nardy_ai.training.workers import RoundJob, SelfPlay

__all__ = ["learner_speed", "rehearsed", "worker_speed"]

CPU = Device("cpu", "measured")

# CPU seconds of rehearsal, and those that a speed is taken from.
_REHEARSAL, _SECONDS = 2.0, 0.5
# A round of the rehearsal, and its learning rate.
_GAMES, _RATE = 50, 2e-3
# Turns after which games are cut here: five times those of a decent game.
_MAX_TURNS = 300
# Positions that the learner is timed with: enough that whole batches count.
_POSITIONS = 4096


@dataclass(frozen=True)
class _Timer:
    """The clock that a piece of work is timed by."""

    now: Callable[[], float]

    @classmethod
    def of(cls, device: Device, threads: int) -> _Timer:
        """The thread's own clock, so that a busy machine does not count; the wall's where others work too."""
        alone = device.name == "cpu" and threads == 1
        return cls(time.thread_time if alone else time.perf_counter)

    def rate(self, work: Callable[[], int]) -> float:
        """Things a second that `work` does, which says how many it did."""
        done, start = 0, self.now()
        while (spent := self.now() - start) < _SECONDS or not done:
            done += work()
        return done / spent


def rehearsed(config: TrainingConfig, game: Game, nets: Nets) -> Nets:
    """The first nets of a run after some seconds of sampled games; as they are where a model gave them."""
    if config.init:
        return nets
    learner, number = Learner(ValueNet(nets), CPU, 1), 0
    start = time.thread_time()
    while time.thread_time() - start < _REHEARSAL:
        samples = _sampled(config, game, learner.layers(), number * _GAMES, _GAMES)
        number += 1
        data = training_set(game.core_rules, config.encoding, [samples])
        learner.learn(data, lambda _s, _n: _RATE, batch=256, passes=1, seed=1, round_number=number)
    return learner.layers()


def worker_speed(phase: Phase, config: TrainingConfig, nets: Nets, game: Game, workers: int) -> float:
    """Labels a second of one worker, in shares as large as the phase's."""
    job, teacher = _job(phase, config, nets, game), teacher_of(phase, game)
    playing = SelfPlay(teacher.takes(job) if teacher else job)
    share = Shares(phase.games, workers).take() or Share(0, 1)
    place = 0

    def play() -> int:
        nonlocal place
        place += 1
        return len(playing.play(Share(place * share.games, share.games)))

    return _Timer(time.thread_time).rate(play)


def learner_speed(phase: Phase, config: TrainingConfig, nets: Nets, game: Game, device: Device) -> float:
    """Positions a second that the learner goes through, with all that it does for them."""
    parts: list[Samples] = []
    while sum(map(len, parts)) < _POSITIONS:
        parts.append(_sampled(config, game, nets, len(parts) * 8, 8))
    samples = Samples.joined(parts)
    learner = Learner(ValueNet(nets), device, config.learner_threads)
    learner.begin_phase(phase.average)
    rounds = 0

    def learn() -> int:
        nonlocal rounds
        rounds += 1
        data = training_set(game.core_rules, config.encoding, [samples])
        settings = {"batch": phase.batch, "passes": 1, "seed": 1, "round_number": rounds}
        return learner.learn(data, lambda _step, _steps: 1e-9, **settings).positions

    # The first steps load what the others use.
    learn()
    return _Timer.of(device, config.learner_threads).rate(learn)


def _sampled(config: TrainingConfig, game: Game, nets: Nets, first: int, games: int) -> Samples:
    phase = Phase("rehearsal", rounds=1, games=games, lr_from=_RATE, lr_to=_RATE)
    return SelfPlay(_job(phase, config, nets, game)).play(Share(first, games))


def _job(phase: Phase, config: TrainingConfig, nets: Nets, game: Game) -> RoundJob:
    job = RoundJob.of(config, phase, game.core_rules, nets, 0, 0)
    return dataclasses.replace(job, max_turns=min(_MAX_TURNS, config.max_turns))
