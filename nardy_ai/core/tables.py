"""Tables of the engine: bear-off, and small games solved exactly, on arrays that belong to the caller.

A row is where the checkers of one side stand, as a number. Blocks of rows are the unit in which work is given
to threads: every function here that builds or solves releases the interpreter lock.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import Float32, Int8, UInt8, columns
from nardy_ai.core.rule_options import Rules

Float64 = npt.NDArray[np.float64]

BEAROFF_POSITIONS = 54264
"""Ways to have up to 15 checkers on six points."""
BEAROFF_ROLLS = 32
"""Rolls that a one-sided table tells apart; the last holds the rest."""
PAIR_POSITIONS = 924
"""Ways to have up to 6 checkers on six points: the first of all positions."""
SHORTFALL = np.dtype([("points", np.float32), ("turns", np.float32)])
"""An entry of the table of a policy: points that it will still lose, and its turns with a choice."""


# --- bear-off -----------------------------------------------------------------------------------------------


class BearoffKind(NamedTuple):
    """What of the rules bear-off tables depend on; profiles of equal kind share them."""

    six: int
    """Filling all six home points: 0 allowed, 1 forbidden even in passing, 2 only at the end of a turn."""
    checkers: int
    """Checkers of the game where the two-sided table holds a side with none off, else 0."""
    last_roll: bool
    mars: float
    """What a mars or gammon at home scores, in plain wins; 0 where the table has none."""
    seats: int
    """Seats of the two-sided table: 2 with a last roll."""
    width: int
    """Its numbers for each position: win, loss, draw, mars won, mars lost of the player on roll, exclusive;
    those at the end that are always 0 are left out."""


def bearoff_kind(rules: Rules) -> BearoffKind:
    """The kind of tables that these rules need."""
    six, checkers, last_roll, mars, seats, width = _core.bearoff_kind(rules._handle)
    return BearoffKind(six, checkers, bool(last_roll), mars, seats, width)


def bearoff_counts() -> Int8:
    """``int8 [54264, 6]``: the checkers on points 1..6 of each numbered position, fewest checkers first."""
    return np.frombuffer(_core.bearoff_counts(), np.int8).reshape(-1, 6)


def build_bearoff(rules: Rules) -> tuple[Float32, Float32]:
    """The one-sided tables, ``float32 [54264, 32]`` each, in about a second.

    The chance that the last checker leaves on roll 1, 2, …, and that the next one does, each for play that
    makes its own mean smallest.
    """
    finish = np.zeros((BEAROFF_POSITIONS, BEAROFF_ROLLS), np.float32)
    first, means = np.zeros_like(finish), np.zeros((BEAROFF_POSITIONS, 2))
    _core.bearoff_build(rules._handle, 0, BEAROFF_POSITIONS, finish, first, means)
    return finish, first


def build_bearoff_pairs(rules: Rules) -> Float32:
    """The two-sided table of best play, ``float32 [seats, 924, 924, width]``: seat, mover, opponent."""
    kind = bearoff_kind(rules)
    shape = (kind.seats, PAIR_POSITIONS, PAIR_POSITIONS, kind.width)
    return np.frombuffer(_core.bearoff_build_pairs(rules._handle), np.float32).reshape(shape)


class BearoffTables:
    """Tables held by the engine; the arrays are used where they lie and must not change.

    ``finish`` and ``first`` are those of `build_bearoff`, ``pairs`` that of `build_bearoff_pairs`, or None.
    """

    def __init__(self, rules: Rules, finish: Float32, first: Float32, pairs: Float32 | None) -> None:
        kind = bearoff_kind(rules)
        shape = (kind.seats, PAIR_POSITIONS, PAIR_POSITIONS, kind.width)
        for name, table, wanted in (
            ("finish", finish, (BEAROFF_POSITIONS, BEAROFF_ROLLS)),
            ("first", first, (BEAROFF_POSITIONS, BEAROFF_ROLLS)),
            ("pairs", pairs, shape),
        ):
            if table is not None and (table.shape != wanted or table.dtype != np.float32):
                raise InputError(
                    f"the table {name} must be float32 {list(wanted)}, not {table.dtype} {list(table.shape)}"
                )
        self.rules = rules
        self.kind = kind
        self.finish, self.first, self.pairs = finish, first, pairs
        self._handle = _core.bearoff(rules._handle, finish, first, pairs)

    def outcomes(self, boards: Int8, seats: UInt8 | None = None) -> tuple[Float32, npt.NDArray[np.bool_]]:
        """Outcomes ``float32 [n, k]`` for the player on roll, and ``bool [n]`` which boards the tables reach.

        They reach unfinished games with both sides at home: exactly up to 6 checkers a side and in a pending
        last roll, else nearly so. Where they do not, outcomes are 0. ``seats`` are needed with a last roll.
        """
        if seats is None and self.rules.uses_seat:
            raise InputError(
                "the seats of the players on roll are needed: give uint8 [n], 0 where he started the game"
            )
        found, covered = _core.bearoff_outcomes(
            self._handle, self.rules._handle, *columns(boards, seats, None)
        )
        return (
            np.frombuffer(found, np.float32).reshape(-1, len(self.rules.outcomes)),
            np.frombuffer(covered, np.bool_),
        )


# --- small games --------------------------------------------------------------------------------------------


class SmallGame:
    """The positions of a game of up to three checkers a side, and where every play leads.

    Tables of values are ``float64 [seats, opponent's row, row of the player on roll]``, NaN where both sides
    would stand on one point. Raises InputError for a larger game.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._handle = _core.small_game(rules._handle)
        self.rows, self.seats, self.blocks, self.start_row = _core.small_game_facts(self._handle)
        self.filling = threading.Lock()
        """Held while plays are listed, so that no two threads list those of one row."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of a table of values."""
        return self.seats, self.rows, self.rows

    def fill(self, begin: int, end: int) -> None:
        """Lists the plays of rows from ``begin`` to ``end`` where that is not done.

        All must be listed before anything is solved. Threads that work at once must take different rows.
        """
        _core.small_game_fill(self._handle, begin, end)

    def boards_against(self, row: int) -> tuple[npt.NDArray[np.int32], Int8]:
        """Rows ``int32 [n]`` that can be on roll against a row, and the boards ``int8 [n, 2, 26]``."""
        rows, boards = _core.small_game_boards(self._handle, row)
        return np.frombuffer(rows, np.int32), np.frombuffer(boards, np.int8).reshape(-1, 2, 26)

    def solve_blocks(self, values: Float64, previous: Float64 | None, a: int, b: int) -> float:
        """Solves the positions of two blocks of rows in place; how far a value moved since ``previous``.

        Blocks with a smaller sum of numbers must be done; those of an equal sum can be done at once. Without
        hits one sweep over all is exact and ``previous`` is None; else it is the table of the sweep before.
        """
        moved: float = _core.solve_blocks(self._handle, values, previous, a, b)
        return moved

    def openings(self, values: Float64) -> Openings:
        """What a solved table does not hold: first turns, which can have rules of their own."""
        second, start, opening = _core.solve_openings(self._handle, values)
        return Openings(np.frombuffer(second, np.float64), start, opening)


@dataclass(frozen=True)
class Openings:
    """Equities of the player on roll before first turns."""

    second: Float64
    """``float64 [rows]``: the second player's first turn, by the first player's row."""
    start: float
    """The starting position, over all 21 rolls."""
    opening: float
    """The same over the rolls that can open a game: what starting is worth."""


@dataclass(frozen=True)
class SolvedGame:
    """A small game with its table of exact equities."""

    game: SmallGame
    values: Float64
    openings: Openings

    @property
    def _parts(self) -> tuple[object, Float64, Float64, float, float]:
        return (
            self.game._handle,
            self.values,
            self.openings.second,
            self.openings.start,
            self.openings.opening,
        )

    def equities(self, boards: Int8, seats: UInt8 | None, turns: UInt8 | None) -> Float64:
        """``float64 [n]``: exact equities of the players on roll before the throw.

        ``turns`` (3 where left out) tell a first turn, where the rules know one, from a later one on the same
        board. Raises InputError where ``seats`` are needed and left out.
        """
        if seats is None and self.game.rules.uses_seat:
            raise InputError(
                "the seats of the players on roll are needed: give uint8 [n], 0 where he started the game"
            )
        return np.frombuffer(_core.solved_equities(self._parts, *columns(boards, seats, turns)), np.float64)

    def policy_blocks(
        self,
        scores: Float64,
        table: npt.NDArray[np.void],
        previous: npt.NDArray[np.void] | None,
        a: int,
        b: int,
    ) -> float:
        """As `SmallGame.solve_blocks`, for what a policy loses against perfect play.

        The policy plays what leaves the other the least by ``scores``, equities of the player on roll in the
        layout of the values, equal ones by the bytes of their boards. ``table`` is `SHORTFALL` [2, *shape]:
        the policy on roll, perfect play on roll.
        """
        moved: float = _core.policy_blocks(self._parts, scores, table, previous, a, b)
        return moved

    def policy_start(self, scores: Float64, table: npt.NDArray[np.void]) -> tuple[float, float, float, float]:
        """Points lost and turns with a choice: in a game that the policy starts, then in another."""
        points, turns, other_points, other_turns = _core.policy_start(self._parts, scores, table)
        return points, turns, other_points, other_turns
