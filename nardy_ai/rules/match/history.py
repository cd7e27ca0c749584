"""A match with its past: every state since the beginning, and steps that were taken back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import needed
from nardy_ai.rules.match.state import MatchState
from nardy_ai.rules.match.steps import Step


@dataclass(frozen=True)
class History:
    """States and the steps between them. Immutable; `==` and `hash` by value."""

    states: tuple[MatchState, ...]
    """From the first one to the present one; one more than steps."""
    steps: tuple[Step, ...] = ()
    undone: tuple[Step, ...] = ()
    """Steps that `redo` makes again, the next one last."""

    def __post_init__(self) -> None:
        for name in ("states", "steps", "undone"):
            if not isinstance(getattr(self, name), tuple):
                raise InputError(f"{name} of a history are a tuple; History.of(state, steps) makes one")
        if len(self.states) != len(self.steps) + 1:
            raise InputError(f"{len(self.steps)} steps do not lead through {len(self.states)} states")

    @classmethod
    def of(cls, start: MatchState, steps: Iterable[Step] = ()) -> History:
        """The history of those steps from a state. Raises as the first illegal step does."""
        states, made = [needed(start, MatchState)], []
        if not isinstance(steps, Iterable):
            raise InputError(f"steps of a match are needed, one after the other, not {type(steps).__name__}")
        for step in steps:
            states.append(states[-1].after(step))
            made.append(step)
        return cls(tuple(states), tuple(made))

    @property
    def start(self) -> MatchState:
        """Where it began."""
        return self.states[0]

    @property
    def state(self) -> MatchState:
        """Where it stands."""
        return self.states[-1]

    def make(self, step: Step) -> History:
        """The history with one more step, which forgets what was undone. Raises as the step does."""
        return History((*self.states, self.state.after(step)), (*self.steps, step))

    def undo(self) -> History:
        """The history without its last step. Raises InputError where there is none."""
        if not self.steps:
            raise InputError("there is no step to take back")
        return History(self.states[:-1], self.steps[:-1], (*self.undone, self.steps[-1]))

    def redo(self) -> History:
        """The last step taken back, made again. Raises InputError where there is none."""
        if not self.undone:
            raise InputError("there is no step to make again")
        step = self.undone[-1]
        return History((*self.states, self.state.after(step)), (*self.steps, step), self.undone[:-1])
