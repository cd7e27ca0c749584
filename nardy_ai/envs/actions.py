"""Actions: single movements of checkers, and the turns that they make up.

A roll has up to about two thousand legal results, so a result is no action. An action is a movement: a
checker on one of 25 places (own points 1..24, 25 the bar) goes on by a die of 1..6. The number means the same
whatever was thrown. There is one action more, the pass, for a turn in which nothing can be moved.

Which movements are open is read off the engine's list of legal results and nothing else: the list comes with
one way to each result, and an action is open if it goes on along one of these ways. So a turn cannot end
anywhere but on the list, every result can be reached, and each in exactly one way: the orders of the same
movements that lead to the same board are not offered twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.rules import Game
from nardy_ai.rules.position import facing_point

Boards = npt.NDArray[np.int8]
Path = tuple[int, ...]

PLACES = 25
"""Points 1..24 and the bar."""
FACES = 6
PASS = PLACES * FACES
"""The action of a turn in which nothing can be moved, 150."""
ACTIONS = PASS + 1
"""How many actions there are, 151."""
BAR, OFF = 25, 0


def action_of(point: int, die: int) -> int:
    """The action that moves a checker from an own point 1..24 or the bar (25) by a die of 1..6."""
    if not (1 <= point <= PLACES and 1 <= die <= FACES):
        raise InputError(f"there is no movement from {point} by {die}: points are 1 to 25, dice 1 to 6")
    return (point - 1) * FACES + die - 1


def movement_of(action: int) -> tuple[int, int] | None:
    """(point, die) of an action, the point 25 for the bar; None for the pass. InputError where none is."""
    if not 0 <= action < ACTIONS:
        raise InputError(f"there is no action {action}: actions are 0 to {ACTIONS - 1}")
    return None if action == PASS else (action // FACES + 1, action % FACES + 1)


def action_text(action: int) -> str:
    """An action in words: `13 by 6`, `the bar by 2`, `pass`."""
    movement = movement_of(action)
    if movement is None:
        return "pass"
    point, die = movement
    return f"{'the bar' if point == BAR else point} by {die}"


class Turn:
    """One turn on its way: which movements are open, and the board as it stands.

    Args:
        game: the rules.
        board: int8 [2, 26], player on roll in row 0.
        dice: two numbers 1..6.
        seat: 0 where he started the game.
        turns: turns he has had, at most 3.
    """

    def __init__(self, game: Game, board: Boards, dice: Sequence[int], seat: int, turns: int) -> None:
        self._short = game.family == "short"
        self.dice = (max(dice), min(dice))
        self.board: Boards = board.copy()
        """int8 [2, 26], the mover in row 0, after the movements that were made."""
        self._results, self._moves = core.plays(game.core_rules, board, *self.dice, seat, turns)
        self._live: Sequence[int] = range(len(self._moves))
        self._made: list[int] = []
        # A bot's turn is completed in one go, and nobody asks what is open.
        self._known: tuple[int, ...] | None = None

    @property
    def results(self) -> Boards:
        """int8 [n, 2, 26]: every legal result, the mover in row 0; the unchanged board alone for a pass."""
        return self._results

    @cached_property
    def paths(self) -> list[Path]:
        """The actions that lead to each of `results`."""
        return [_path(steps, self.dice) for steps in self._moves]

    @property
    def open(self) -> tuple[int, ...]:
        """The actions that can be taken now, ascending; none once the turn is over."""
        if self._known is None:
            # No way goes on from the end of another, so all that are alive agree on whether there is more.
            depth = len(self._made)
            ways = [self.paths[i] for i in self._live]
            self._known = tuple(sorted({way[depth] for way in ways if depth < len(way)}))
        return self._known

    @property
    def made(self) -> tuple[int, ...]:
        """The actions that were taken."""
        return tuple(self._made)

    @property
    def over(self) -> bool:
        """Whether the turn is complete; then `board` is one of `results`."""
        return not self.open

    def dice_left(self) -> Boards:
        """int8 [6]: how many movements by each die 1..6 are still to be made, as far as they can be.

        A double starts with four of its number; all are 0 once the turn is over.
        """
        left = np.zeros(FACES, np.int8)
        if self.open:
            for die in self.dice * 2 if self.dice[0] == self.dice[1] else self.dice:
                left[die - 1] += 1
            for action in self._made:
                left[action % FACES] -= 1
        return left

    def mask(self) -> Boards:
        """int8 [151]: 1 for each action that is open."""
        mask = np.zeros(ACTIONS, np.int8)
        mask[list(self.open)] = 1
        return mask

    def take(self, action: int) -> None:
        """Makes a movement. Raises InputError, with what is open, where it is not."""
        if action not in self.open:
            raise InputError(self.fault(action))
        depth = len(self._made)
        self._live = [i for i in self._live if self.paths[i][depth] == action]
        self._made.append(action)
        self._known = None
        if action != PASS:
            self._move(*divmod(action, FACES))

    def fault(self, action: int) -> str:
        """One sentence about an action that is not open."""
        if not 0 <= action < ACTIONS:
            return f"there is no action {action}: actions are 0 to {ACTIONS - 1}"
        shown = ", ".join(f"{number} ({action_text(number)})" for number in self.open[:6])
        more = f" and {len(self.open) - 6} more" if len(self.open) > 6 else ""
        dice = f"{self.dice[0]}-{self.dice[1]}"
        return f"action {action} ({action_text(action)}) is not legal with {dice}: take {shown}{more}"

    def path_to(self, result: Boards) -> Path:
        """The actions that are left from here to a legal result.

        Args:
            result: int8 [2, 26], the mover in row 0.

        Raises:
            InputError: it is no result of this turn, or what was taken does not lead there.
        """
        return self.paths[self._number_of(result)][len(self._made) :]

    def complete(self, result: Boards) -> None:
        """Makes all movements that are left to a legal result; raises what `path_to` raises."""
        self.board = self._results[self._number_of(result)].copy()
        self._known = ()

    def _number_of(self, result: Boards) -> int:
        wanted = np.asarray(result, np.int8).tobytes()
        for i in self._live:
            if self._results[i].tobytes() == wanted:
                return i
        raise InputError("no action of this turn leads to that board")

    def _move(self, column: int, face: int) -> None:
        to = column - face - 1
        self.board[0, column] -= 1
        self.board[0, to if to >= 0 else OFF - 1] += 1
        if self._short and to >= 0:
            facing = facing_point("short", to + 1) - 1
            if self.board[1, facing]:
                self.board[1, facing] -= 1
                self.board[1, BAR - 1] += 1


def _path(steps: Sequence[tuple[int, int]], dice: tuple[int, int]) -> Path:
    """Movements (from, to) as actions: finds the die of each, which a bearing off does not say."""
    if not steps:
        return (PASS,)
    high, low = dice
    if high == low:
        return tuple(action_of(point, high) for point, _ in steps)
    for order in ((high, low), (low, high)):
        pairs = list(zip(steps, order, strict=False))
        # The steps are legal in one order. Where two bear off and the larger die could be either's, the
        # first one is it: a die that bears off from below its number does so from the highest point.
        if all(point - to == die or (to == OFF and point < die) for (point, to), die in pairs):
            return tuple(action_of(point, die) for (point, _), die in pairs)
    raise RuntimeError(f"the engine's movements {steps} do not fit the roll {high}-{low}")
