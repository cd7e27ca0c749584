"""Teachers: strong models that play and label a phase's games, so that a small net learns what they know."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nardy_ai.core import InputError
from nardy_ai.models.evaluator import outcome_places
from nardy_ai.models.layers import SCOUT, Nets
from nardy_ai.models.model_file import read_model
from nardy_ai.rules import Game
from nardy_ai.training.config import Phase, TrainingConfig
from nardy_ai.training.provenance import file_hash
from nardy_ai.training.run_folder import State
from nardy_ai.training.workers import RoundJob

__all__ = ["Teacher", "check_teachers", "phases_left", "teacher_hashes", "teacher_of"]


@dataclass(frozen=True)
class Teacher:
    """A model that plays and labels in place of the learning one, whose inputs may be others."""

    encoding: str
    nets: Nets

    def takes(self, job: RoundJob) -> RoundJob:
        """The same games with this model's weights."""
        return dataclasses.replace(job, encoding=self.encoding, nets=self.nets)


def teacher_of(phase: Phase, game: Game) -> Teacher | None:
    """The phase's teacher, None where the bot learns from its own games; InputError where it can't teach."""
    if not phase.teacher:
        return None
    model = read_model(Path(phase.teacher))
    if outcome_places(model, game, phase.teacher) != list(range(len(game.outcomes))):
        raise InputError(
            f"teacher: {phase.teacher} knows the outcomes {', '.join(model.outcomes)}, but {game.name} has "
            f"{', '.join(game.outcomes)}; take a model of this profile"
        )
    if phase.candidates and SCOUT not in model.nets:
        raise InputError(
            f"teacher: {phase.teacher} has no scout that could choose candidates; leave candidates out"
        )
    return Teacher(model.encoding, model.nets)


def teacher_hashes(phases: Sequence[Phase], game: Game) -> dict[str, str]:
    """The hash of every teacher's file by its name in the config; InputError where one can't teach."""
    taught = [phase for phase in phases if teacher_of(phase, game)]
    return {phase.teacher: file_hash(Path(phase.teacher)) for phase in taught}


def phases_left(config: TrainingConfig, state: State) -> tuple[Phase, ...]:
    """The phases in which rounds are still to be played; what taught in the others is no longer needed."""
    over = state.round_in_phase >= config.phases[state.phase].rounds
    return config.phases[state.phase + over :]


def check_teachers(phases: Sequence[Phase], game: Game, known: object) -> None:
    """Raise InputError unless all teachers are the files whose hashes (`teacher_hashes`) are known."""
    for name, found in teacher_hashes(phases, game).items():
        wanted = known.get(name) if isinstance(known, dict) else None
        if found != wanted:
            raise InputError(
                f"teacher: {name} is another file than the one that the run began with (hash {found}, then "
                f"{wanted}); put that one back, or begin a new run with init"
            )
