"""The levels of play of a model: how much noise each has, and how strong it was measured to be.

The table stands as JSON under "levels" in the metadata of a model file. A model without one has the usual
levels of its family, which nobody measured for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec

from nardy_ai import core
from nardy_ai.core import InputError, Level

__all__ = [
    "FORMAT",
    "LevelEntry",
    "LevelTable",
    "Measured",
    "Score",
    "read_table",
    "table_of",
    "usual_levels",
]

FORMAT: Final = 1
_FULL: Final = core.LEVELS
_LONGEST: Final = 1000


class Score(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mean with its 95 % interval, in points: of a game, or of a decision."""

    mean: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.mean <= self.high):
            raise InputError(f"a score of {self.mean} with the interval {self.low} to {self.high} can't be")


class LevelEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One level and what was measured of it; None: it was not."""

    level: int
    """1 (weakest) .. 10 (the full bot)."""
    noise: float
    """Standard deviation of the noise on the worth of every play, in points."""
    plies: int
    """Look-ahead."""
    against_full: Score | None = None
    """Points a game against level 10."""
    against_next: Score | None = None
    """Points a game against the level above."""
    against_greedy: Score | None = None
    """Points a game against the bot `greedy`."""
    loss: Score | None = None
    """Points lost a decision, in the decisions that the table names."""


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a table was measured."""

    game: str
    """Profile whose rules were played, "long/fns"."""
    pairs: int
    """Pairs of games of every comparison."""
    seed: int
    version: str
    """Of nardy-ai."""
    decisions: str | None = None
    """The decisions that losses were measured in; None: losses were not measured."""

    def __post_init__(self) -> None:
        if self.pairs < 1 or not 0 <= self.seed < 2**64:
            raise InputError(f"levels can't be measured by {self.pairs} pairs and seed {self.seed}")
        # They are printed as they are: a terminal would obey what can't be.
        for text in (self.game, self.version, self.decisions or ""):
            if len(text) > _LONGEST or not text.isprintable():
                raise InputError("what levels were measured with must be named in a line of plain letters")


class LevelTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Levels 1 to 10 in their order.

    Raises InputError unless noise falls from 1 to 9, these do not look ahead, and 10 has no noise.
    """

    levels: tuple[LevelEntry, ...]
    measured: Measured | None = None
    """None: the levels are the usual ones, and nobody measured them for this model."""
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise InputError(
                f"levels have format {self.format}, and this version reads {FORMAT}; install the nardy-ai "
                "that wrote them"
            )
        if [entry.level for entry in self.levels] != list(range(1, _FULL + 1)):
            raise InputError(f"levels must be numbered from 1 to {_FULL} in their order")
        *blurred, full = self.levels
        if full.noise != 0 or not 0 <= full.plies <= core.MAX_PLIES:
            raise InputError(f"level {_FULL} must have no noise and 0 to {core.MAX_PLIES} plies")
        for entry in blurred:
            if entry.plies != 0 or not 0 <= entry.noise < 1e6:
                raise InputError(f"level {entry.level} must have 0 plies and a noise of 0 points or more")
        for lower, higher in pairwise(blurred):
            if lower.noise <= higher.noise:
                raise InputError(f"level {higher.level} has no less noise than level {lower.level}")

    def of(self, level: int) -> Level:
        """How a level plays; InputError outside 1..10."""
        entry = self.levels[core.checked_level(level) - 1]
        return Level(entry.noise, entry.plies)

    def as_list(self) -> list[dict[str, Any]]:
        """The levels as plain values for JSON."""
        return [msgspec.to_builtins(entry) for entry in self.levels]

    def json(self) -> str:
        """The text in a model file: the same for the same table."""
        return msgspec.json.encode(self, order="sorted").decode()


def read_table(text: str) -> LevelTable:
    """The table of such a text. Raises InputError where anything about it is wrong."""
    try:
        return msgspec.json.decode(text, type=LevelTable, strict=True)
    except msgspec.ValidationError as error:
        # What `__post_init__` refused is told as msgspec's own fault.
        raise InputError(str(error.__cause__ or error)) from None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"they can't be read: {error}") from None


def usual_levels(family: str) -> LevelTable:
    """The levels of a model that has no table: those that the engine has for `long` or `short`."""
    return table_of([core.default_level(family, level) for level in range(1, _FULL + 1)])


def table_of(levels: Sequence[Level]) -> LevelTable:
    """A table of levels that were not measured; raises InputError as `LevelTable` does."""
    return LevelTable(
        tuple(LevelEntry(number, each.noise, each.plies) for number, each in enumerate(levels, 1))
    )
