"""What both kinds of environment tell of the game that is on."""

from __future__ import annotations

from nardy_ai.core import InputError
from nardy_ai.envs.actions import Turn
from nardy_ai.envs.course import Course
from nardy_ai.rules import Position


class OnCourse:
    """An environment with a game that is on from its first reset."""

    _course: Course | None

    @property
    def course(self) -> Course:
        """The game that is on. InputError before the first reset."""
        if self._course is None:
            raise InputError("no game has begun: reset the environment first")
        return self._course

    @property
    def position(self) -> Position:
        """The position before the turn that is on, which bots can be asked about."""
        return self.course.position

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll of the turn that is on, larger die first; None where the game is over."""
        return self.course.dice

    @property
    def turn(self) -> Turn | None:
        """The turn that is on, with its legal results and the actions to each; None where there is none."""
        return self.course.on
