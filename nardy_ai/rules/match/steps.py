"""The steps that a match is made of, as values: what a record keeps and what undo takes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from nardy_ai.rules.dice import Dice
from nardy_ai.rules.play import Play


@dataclass(frozen=True)
class RollOff:
    """One die each for who starts."""

    dice: tuple[int, int]
    """The dice of player 0 and of player 1."""


@dataclass(frozen=True)
class Starts:
    """A roll-off whose dice nobody wrote down."""

    player: int


@dataclass(frozen=True)
class Throw:
    """The player on roll throws both dice."""

    dice: Dice
    """The larger die first."""


@dataclass(frozen=True)
class Move:
    """He makes a play, or passes where nothing can be played."""

    play: Play


@dataclass(frozen=True)
class Double:
    """The player who is about to throw offers the cube."""


@dataclass(frozen=True)
class Take:
    """The offered cube is taken: by the doubled player, or after a beaver by the one who doubled first."""


@dataclass(frozen=True)
class Drop:
    """The offered cube is refused, which loses the present stake."""


@dataclass(frozen=True)
class Beaver:
    """The doubled player redoubles at once and keeps the cube."""


@dataclass(frozen=True)
class Resign:
    """A player gives the game up as a loss of that kind."""

    player: int
    kind: str


@dataclass(frozen=True)
class NextGame:
    """The next game of the match or of money play begins."""


Step: TypeAlias = RollOff | Starts | Throw | Move | Double | Take | Drop | Beaver | Resign | NextGame
