"""A play: what one roll is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from nardy_ai.rules.arrays import Boards
from nardy_ai.rules.dice import Dice, dice_pair
from nardy_ai.rules.notation import Move, WrittenMove, moves_of, notation_of, written_moves
from nardy_ai.rules.position import Position, read_only

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, eq=False, repr=False)
class Play:
    """A legal result of a roll with a way to it. Immutable; equal when roll and both positions are."""

    before: Position
    """The position it was made in."""
    dice: Dice
    """The roll, larger die first."""
    board: Boards
    """int8 [2, 26], read-only: the board it leads to, with the mover still in row 0."""
    steps: tuple[Move, ...]
    """Single movements (from, to) in own numbers, in an order in which they can be made; 25 = bar, 0 = off.

    Several orders may lead to the same board; this is one of them. Empty for a pass.
    """

    @cached_property
    def hits(self) -> frozenset[int]:
        """Own points on which an opponent checker is hit; always empty in the long family."""
        if self.before.game.family == "long":
            return frozenset()
        gone = self.before.board[1, :24] > self.board[1, :24]
        return frozenset(24 - column for column in np.flatnonzero(gone).tolist())

    @cached_property
    def written(self) -> tuple[WrittenMove, ...]:
        """The tokens of its notation."""
        return written_moves(self.steps, self.hits)

    @cached_property
    def notation(self) -> str:
        """Its one canonical text, such as `8/5 6/5`; `pass` where nothing moves."""
        return notation_of(self.written)

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """(from, to) in own numbers, 25 = bar, 0 = off, in the order of the notation.

        Movements of one checker are one pair, except where it hits on its way.
        """
        return moves_of(self.written)

    @cached_property
    def position(self) -> Position:
        """The position after the play, the other side on roll (who may face a finished game)."""
        return self.before.after(self.board)

    @property
    def passed(self) -> bool:
        """Whether nothing can be moved."""
        return not self.steps

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Play):
            return NotImplemented
        return (
            self.dice == other.dice
            and self.board.tobytes() == other.board.tobytes()
            and self.before == other.before
        )

    def __hash__(self) -> int:
        return hash((self.dice, self.board.tobytes(), self.before))

    def __str__(self) -> str:
        return self.notation

    def __repr__(self) -> str:
        return f"<Play {self.dice[0]}-{self.dice[1]}: {self.notation}>"


def play_of(before: Position, dice: Sequence[int], board: Boards, steps: Iterable[Move]) -> Play:
    """The play that leads to a board: `board` int8 [2, 26] with the mover in row 0, `steps` its movements.

    Both are trusted to be legal; dice are checked.
    """
    return Play(before, dice_pair(dice), read_only(board), tuple((int(a), int(b)) for a, b in steps))
