"""The training loop: play and learn in rounds, always one round behind, resumable at every checkpoint.

With W(k) the weights after round k, round k + 1 is learned from games that W(k - 1) played: while the
learner makes W(k) out of W(k - 1), the workers play the next round with W(k - 1). So all cores are busy,
and no result depends on who was faster. The first round of a phase waits: it is played with the newest
weights, so that a new kind of targets or a grown net does not begin with somebody else's games.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from nardy_ai import core
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.layers import Nets, parameter_count
from nardy_ai.models.model_file import ModelFile, Strength, read_model, write_model
from nardy_ai.models.value_net import ValueNet
from nardy_ai.rules import Game
from nardy_ai.training.backends import hired
from nardy_ai.training.beginning import check_same, first_checkpoint, prepared
from nardy_ai.training.checkpoint_check import check_checkpoint
from nardy_ai.training.config import Opponent, Phase, TrainingConfig
from nardy_ai.training.errors import TrainingError
from nardy_ai.training.learner import Device, Learned, Learner, Schedule, choose_device, drawn_rounds
from nardy_ai.training.learner_tensors import optimizer_in, packed, playing_in
from nardy_ai.training.progress import Board, Clock, Progress
from nardy_ai.training.provenance import provenance_of
from nardy_ai.training.room import check_room, memory_bytes
from nardy_ai.training.run_folder import Checkpoint, Log, RunFolder, or_the_one_before
from nardy_ai.training.run_lock import locked
from nardy_ai.training.stopping import StopRequest
from nardy_ai.training.targets import Samples, check_samples, report, target_entropy, training_set
from nardy_ai.training.teachers import Teacher, check_teachers, phases_left, teacher_of
from nardy_ai.training.workers import PlayedRound, RoundJob, Workers, check_workers

Judge: TypeAlias = Callable[[Evaluator, Opponent], Strength]
"""Measures a model against an opponent; the same arguments always give the same result."""

Gate: TypeAlias = Callable[[Evaluator, Path, float, int], tuple[bool, int]]
"""Whether a model is better than the one in a file by so many points, told by a sequential test of at most so
many pairs; and the pairs that were played. The same arguments always give the same result."""

Say: TypeAlias = Callable[[str], None]

# Points a game, against itself of some rounds before, below which a model is beyond what noise can do.
COLLAPSED = -0.2


@dataclass(frozen=True)
class TrainingResult:
    """How `train` or `resume` ended."""

    run: Path
    """The run folder."""
    finished: bool
    """False when it was stopped; then `resume` goes on."""
    rounds: int
    """Rounds that are over."""
    games: int
    """Games learned from."""
    model: Path | None
    """The model file when finished."""
    strength: tuple[Strength, ...]
    """What was measured at the end."""


def train(
    config: TrainingConfig,
    run: Path,
    *,
    workers: int | None = None,
    ray: str | None = None,
    judge: Judge | None = None,
    gate: Gate | None = None,
    progress: bool = True,
    say: Say = print,
) -> TrainingResult:
    """Learn what `config` says into the new folder `run`.

    `workers` (threads that play) overrides the config's; with `ray` they are on the Ray cluster at that
    address ("auto", or HOST:PORT) and the result is the same; `judge` plays the config's opponents and `gate`
    says what is promoted, which are left out without them; `progress` shows a bar; `say` gets the lines.
    Raises InputError before any work when config or folder can't be used, TrainingError when the run can't
    go on.
    """
    config, game = prepared(config)
    check_workers(workers)
    device = choose_device(config.device, config.precision)
    first = first_checkpoint(config, game, device.name)
    check_room(run, config, game, first.model.nets)
    show = Progress(say, progress)
    with hired(workers or config.workers or None, ray, show.line) as crew:
        folder = RunFolder.create(run, config)
        with locked(run):
            folder.begin(first)
            return _Loop(folder, config, game, device, first, crew, judge, gate, show).run()


def resume(
    run: Path,
    *,
    workers: int | None = None,
    ray: str | None = None,
    judge: Judge | None = None,
    gate: Gate | None = None,
    progress: bool = True,
    say: Say = print,
) -> TrainingResult:
    """Go on with a run that was stopped or killed, bit for bit as if it had not been; see `train`."""
    folder = RunFolder.open(run)
    check_workers(workers)
    with locked(run):
        return _resumed(folder, workers, ray, judge, gate, Progress(say, progress))


def _resumed(
    folder: RunFolder,
    workers: int | None,
    ray: str | None,
    judge: Judge | None,
    gate: Gate | None,
    show: Progress,
) -> TrainingResult:
    run = folder.path
    config, game = prepared(folder.read_config())
    last = folder.last_checkpoint()
    checkpoint = folder.load(last)
    state = checkpoint.state
    check_same(config, game, state, folder.config)
    with or_the_one_before(last):
        check_checkpoint(config, game, checkpoint)
    check_teachers(phases_left(config, state), game, checkpoint.model.provenance.get("teachers"))
    if folder.model.is_file() and state.round == config.rounds:
        show.line(f"{run} is finished; its model is {folder.model}")
        strength = read_model(folder.model).strength
        return TrainingResult(run, True, state.round, state.games, folder.model, strength)
    device = choose_device(config.device, config.precision)
    with hired(workers or config.workers or None, ray, show.line) as crew:
        folder.rewind(state)
        show.line(f"going on with {run} after round {state.round} of {config.rounds}")
        if device.name != state.device:
            show.line(f"the run began on {state.device}; on {device.name} its last bits will differ")
        return _Loop(folder, config, game, device, checkpoint, crew, judge, gate, show).run()


class _StopAsked(Exception):
    """The run was asked to stop and is at a place from which it can go on."""


class _Loop:
    def __init__(
        self,
        folder: RunFolder,
        config: TrainingConfig,
        game: Game,
        device: Device,
        start: Checkpoint,
        workers: Workers,
        judge: Judge | None,
        gate: Gate | None,
        progress: Progress,
    ) -> None:
        self.folder, self.config, self.game, self.device = folder, config, game, device
        self.rules: core.Rules = game.core_rules
        self.model: ModelFile = start.model
        self.state = start.state
        self.memory = list(start.memory)
        self.playing: Nets | None = playing_in(start.learner, start.model.nets)
        self.learner = Learner(ValueNet(start.model.nets), device, config.learner_threads)
        self.learner.restore_optimizer(optimizer_in(start.learner), self._phase.average)
        self.workers = workers
        self.judge, self.gate, self.progress = judge, gate, progress
        self.teacher: Teacher | None = None
        self.stop = StopRequest()
        self.clock, self.saving, self.committed = Clock(), 0.0, start.state.round

    def run(self) -> TrainingResult:
        """All phases that are left, then the result."""
        self._say_start()
        self.board = Board(self.folder.tensorboard, self.config.tensorboard, self.state.round + 1)
        self.metrics, self.timing = Log(self.folder.metrics), Log(self.folder.timing)
        try:
            self.folder.log_start(
                self.state.round, self.device.name, self.workers.count, self.config.learner_threads
            )
            with self.stop:
                while self._rounds_left():
                    self._run_phase()
                return self._finish()
        except _StopAsked:
            return self._stopped()
        finally:
            self.progress.close()
            self.board.close()
            self.metrics.close()
            self.timing.close()

    @property
    def _phase(self) -> Phase:
        return self.config.phases[self.state.phase]

    def _rounds_left(self) -> bool:
        """Whether there is a round to be played; steps into the next phase when one is over."""
        over = self.state.round_in_phase >= self._phase.rounds
        if over and self.state.phase + 1 < len(self.config.phases):
            self.state = dataclasses.replace(
                self.state, phase=self.state.phase + 1, round_in_phase=0, memory=()
            )
            over = False
        return not over

    def _run_phase(self) -> None:
        phase, state = self._phase, self.state
        if state.round_in_phase == 0:
            self._enter(phase)
        # Phases take hours, in which a teacher's file may have changed.
        check_teachers([phase], self.game, self.model.provenance.get("teachers"))
        self.teacher = teacher_of(phase, self.game)
        self.progress.phase(phase, state.phase + 1, len(self.config.phases), state.round_in_phase)
        self.clock.lap()
        pending = self._play(state.round + 1, state.games, self.playing or self.model.nets)
        try:
            for left in range(phase.rounds - state.round_in_phase, 0, -1):
                samples, played = self._await(pending), pending
                waited = self.clock.lap()
                self.playing = self.model.nets if left > 1 else None
                if self.playing is not None:
                    following = self.state.round + 2
                    pending = self._play(following, self.state.games + phase.games, self.playing)
                self._round(samples, waited, played)
                if self.stop.requested:
                    raise _StopAsked
        finally:
            pending.cancel()

    def _enter(self, phase: Phase) -> None:
        """A phase begins with an empty memory, and a grown net with a fresh optimizer."""
        self.memory, self.playing = [], None
        self.learner.begin_phase(phase.average)
        if phase.hidden and phase.hidden != self.learner.net.hidden():
            grown = self.learner.net.grown(phase.hidden, self.config.seed)
            self.learner = Learner(grown, self.device, self.config.learner_threads)
            self.learner.begin_phase(phase.average)
            self._take_weights()
            self.progress.line(f"{phase.name}: the net has grown to {self.model.shape}")

    def _play(self, round_number: int, first_game: int, nets: Nets) -> PlayedRound:
        job = RoundJob.of(self.config, self._phase, self.rules, nets, round_number, first_game)
        return self.workers.start(self.teacher.takes(job) if self.teacher else job)

    def _await(self, pending: PlayedRound) -> Samples:
        while not pending.wait(0.1):
            if self.stop.requested:
                # Nothing has changed since the last round, so this is the checkpoint that it could have had.
                if self.state.round > self.committed:
                    self._commit(milestone=False)
                raise _StopAsked
        return pending.result()

    def _round(self, samples: Samples, waited: float, played: PlayedRound) -> None:
        """Learn from a round that was played, log it, and commit it."""
        number = self.state.round + 1
        check_samples(self.rules, samples, f"round {number}")
        learned, excess = self._learn(number, samples)
        kept = [*self.memory, (number, samples)]
        self.memory = kept[max(0, len(kept) - self._phase.memory) :]
        self.state = dataclasses.replace(
            self.state,
            round=number,
            round_in_phase=self.state.round_in_phase + 1,
            steps=self.state.steps + learned.steps,
            games=self.state.games + samples.games,
            memory=tuple(kept for kept, _ in self.memory),
        )
        self._take_weights()
        self._log_round(samples, learned, excess)
        self._judge_now()
        self._watch()
        self._promote()
        speed = self._log_timing(samples.games, learned, waited, self.clock.lap(), played)
        if self._commit_when_due():
            self.folder.rotate(self.config.keep)
        self.saving = self.clock.lap()
        self.progress.round(speed, learned.loss)

    def _learn(self, number: int, samples: Samples) -> tuple[Learned, float]:
        """Learn a round with rounds drawn from the memory: what happened, and the loss above its least."""
        phase, place, seed = self._phase, self.state.round_in_phase, self.config.seed
        drawn = drawn_rounds(seed, number, len(self.memory), min(phase.replay, len(self.memory)))
        rounds = [samples, *(self.memory[i][1] for i in drawn)]
        data = training_set(self.rules, self.model.encoding, rounds)
        schedule = Schedule(phase.lr_from, phase.lr_to, phase.rounds)
        try:
            learned = self.learner.learn(
                data,
                lambda step, steps: schedule.rate(place, step, steps),
                batch=phase.batch,
                passes=phase.passes,
                seed=seed,
                round_number=number,
            )
        except TrainingError as error:
            raise TrainingError(
                f"round {number}: {error}; nothing of this round is kept, the last good checkpoint is "
                f"{self.folder.last_checkpoint()}; begin a new run with a lower learning rate (here it was "
                f"{schedule.rate(place, 0, 1):g})"
            ) from error
        return learned, learned.loss - target_entropy(data.targets)

    def _take_weights(self) -> None:
        """The learner's weights become the model's."""
        provenance = provenance_of(self.model.provenance, self.state.games, self.state.round)
        nets = self.learner.layers()
        self.model = dataclasses.replace(self.model, nets=nets, provenance=provenance)

    def _log_round(self, samples: Samples, learned: Learned, excess: float) -> None:
        line = {
            "round": self.state.round,
            "phase": self._phase.name,
            "loss": learned.loss,
            "excess": excess,
            "rate_first": learned.lr_first,
            "rate": learned.lr_last,
            "steps": self.state.steps,
            "total_games": self.state.games,
            **report(self.rules, samples),
        }
        self.metrics.write(line)
        self.board.write(line)

    def _log_timing(
        self, games: int, learned: Learned, waited: float, learning: float, played: PlayedRound
    ) -> float:
        """Log where the round's seconds went (saving: those of the round before); games a second."""
        seconds = waited + learning + self.saving
        speed = games / seconds
        line = {
            "round": self.state.round,
            "seconds": seconds,
            "games_per_second": speed,
            "waited": waited,
            "learning": learning,
            "saving": self.saving,
            "playing": played.seconds(),
            "learner_share": learning / seconds,
            "cpu": self.clock.cpu() + played.cpu_elsewhere(),
            "learner_cpu": self.clock.own_cpu(),
            "learned": learned.positions,
        }
        self.timing.write(line)
        self.board.write(line)
        return speed

    def _judge_now(self) -> None:
        """Measure against the opponents whose turn it is in this round."""
        for opponent in self.config.opponents:
            due = opponent.every and self.state.round % opponent.every == 0
            if due and self.state.round < self.config.rounds:
                self._measure(opponent)

    def _watch(self) -> None:
        """Play against the former self when it is time; end the run when the model has collapsed."""
        number, every = self.state.round, self.config.watch
        if not every or number % every or self.judge is None:
            return
        former = self.folder.former_self(number - every)
        if former.is_file():
            opponent = Opponent(str(former), self.config.watch_pairs)
            found = self.judge(Evaluator(self.model, self.game), opponent)
            self.metrics.write({"round": number, "watched": [found.ppg, found.low, found.high]})
            if found.high < COLLAPSED:
                raise TrainingError(
                    f"round {number}: the model has collapsed, {found.ppg:+.2f} points a game (95 % interval "
                    f"{found.low:+.2f} to {found.high:+.2f}, {found.pairs} pairs) against itself of round "
                    f"{number - every}; begin a new run with init = {str(former)!r} and a lower rate"
                )
        self.folder.keep_former_self(number, self.model)

    def _promote(self) -> None:
        """Make the model the run's best when it is time and a sequential test finds it better."""
        config, number = self.config, self.state.round
        if not config.promote or number % config.promote or self.gate is None:
            return
        better, pairs = True, 0
        if self.folder.best.is_file():
            evaluator = Evaluator(self.model, self.game)
            points, most = config.promote_points, config.promote_pairs
            better, pairs = self.gate(evaluator, self.folder.best, points, most)
        if better:
            self.folder.promote(self.model)
        self.metrics.write({"round": number, "promoted": better, "pairs": pairs})
        self.progress.line(f"round {number}: {'promoted' if better else 'not promoted'} after {pairs} pairs")

    def _measure(self, opponent: Opponent) -> Strength | None:
        if self.judge is None:
            return None
        strength = self.judge(Evaluator(self.model, self.game), opponent)
        line = {"round": self.state.round, "match": dataclasses.asdict(strength)}
        self.metrics.write(line)
        self.board.write(line)
        self.progress.line(
            f"round {self.state.round}: {strength.ppg:+.3f} points a game against {strength.opponent} "
            f"(95 % interval {strength.low:+.3f} to {strength.high:+.3f}, {strength.pairs} pairs, seed "
            f"{strength.seed}), {100 * strength.wins:.1f} % won"
        )
        return strength

    def _commit_when_due(self) -> bool:
        """Write a checkpoint at the end of a phase, on the config's beat, and before stopping."""
        config, ended = self.config, self.state.round_in_phase == self._phase.rounds
        if not (ended or self.state.round % config.checkpoint == 0 or self.stop.requested):
            return False
        self._commit(ended or bool(config.milestone and self.state.round % config.milestone == 0))
        return True

    def _commit(self, milestone: bool) -> None:
        self.state = dataclasses.replace(
            self.state, metrics_bytes=self.metrics.length(), timing_bytes=self.timing.length()
        )
        try:
            if milestone:
                self.folder.keep_milestone(self.state.round, self.model)
            self.folder.save(self._checkpoint())
        except OSError as error:
            raise TrainingError(
                f"the checkpoint of round {self.state.round} can't be written ({error.strerror}); make room, "
                f"then go on with: nardy resume {self.folder.path}"
            ) from error
        self.committed = self.state.round

    def _checkpoint(self) -> Checkpoint:
        tensors = packed(self.learner.optimizer_state(), self.playing)
        return Checkpoint(self.state, self.model, tensors, self.memory)

    def _finish(self) -> TrainingResult:
        self.progress.close()
        try:
            # Everything is committed, so there is nothing that a stop would have to wait for.
            with self.stop.at_once():
                measured = [self._measure(opponent) for opponent in self.config.opponents]
        except KeyboardInterrupt:
            if not self.stop.requested:
                raise
            raise _StopAsked from None
        strength = tuple(line for line in measured if line is not None)
        path, games = self.folder.model, self.state.games
        try:
            write_model(path, dataclasses.replace(self.model, strength=strength))
        except OSError as error:
            raise TrainingError(
                f"the model {path} can't be written ({error.strerror}); make room, then go on with: nardy "
                f"resume {self.folder.path}"
            ) from error
        self.progress.line(f"the model is {path} ({self.model.shape}, {games:,} games)")
        return TrainingResult(self.folder.path, True, self.state.round, games, path, strength)

    def _stopped(self) -> TrainingResult:
        self.progress.close()
        self.progress.line(
            f"stopped by {self.stop.signal_name} after round {self.state.round} of {self.config.rounds}; "
            f"go on with: nardy resume {self.folder.path}"
        )
        return TrainingResult(self.folder.path, False, self.state.round, self.state.games, None, ())

    def _say_start(self) -> None:
        self.progress.line(
            f"{self.game.name}: net {self.model.shape} ({parameter_count(self.model.nets):,} weights), seed "
            f"{self.config.seed}, {self.config.rounds} rounds"
        )
        threads = self.config.learner_threads
        self.progress.line(
            f"learner on {self.device}, {threads} thread{'s' * (threads > 1)}; "
            f"{self.workers.count} worker{'s' * (self.workers.count > 1)} {self.workers.place}"
        )
        held = memory_bytes(self.config, self.game) / 1e6
        self.progress.line(f"positions in memory: at most about {held:,.0f} MB")
        if self.config.opponents and self.judge is None:
            self.progress.line("the config's opponents are not played: nobody was given to judge")
