"""The course of one game between two seats, movement by movement: what both environments stand on."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.envs.actions import ACTIONS, FACES, Turn
from nardy_ai.envs.observation import MANY_TURNS, observation_of
from nardy_ai.rules import Game, Position, turned

Int8 = npt.NDArray[np.int8]

MOST_TURNS = 4000
"""Turns of both sides after which a game is cut short, as in a match."""
MOST_SEED = 2**64 - 1


class Course:
    """One game. Its dice are those of pair `number` of a match with that seed.

    Args:
        game: the rules.
        seed: of the dice, 0 .. 2**64 - 1.
        number: which game of the seed.
        start: a position to begin from instead of the first; its turn has number 0 for the dice.
        most_turns: turns of both sides after which it is cut short.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        number: int,
        start: Position | None = None,
        most_turns: int = MOST_TURNS,
    ) -> None:
        self.game, self.seed, self.number = game, seed, number
        self.most_turns = most_turns
        self._opening_pair = start is None and game.profile.rules.opening_roll == "rolloff_pair"
        self.turn = 0
        """Turns that both have completed, passes included."""
        self._begin(game.start() if start is None else start)

    def _begin(self, position: Position) -> None:
        self.position = position
        """The position before the turn that is on."""
        self.result = position.result
        """The outcome as the player on roll sees it; None while the game goes on."""
        if self.result is None and self.turn < self.most_turns:
            key = self.seed, core.PURPOSES["dice_duel"], self.number
            rolled = core.dice(*key, self.turn, 1, self._opening_pair)[0]
            self.dice: tuple[int, int] | None = (int(rolled.max()), int(rolled.min()))
            self.on: Turn | None = Turn(self.game, position.board, self.dice, position.seat, position.turns)
        else:
            self.dice, self.on = None, None

    @property
    def seat(self) -> int:
        """The seat on roll: 0 is the one who started."""
        return self.position.seat

    @property
    def over(self) -> bool:
        """Whether the game has ended by the rules."""
        return self.result is not None

    @property
    def cut(self) -> bool:
        """Whether it was cut short."""
        return self.on is None and not self.over

    def take(self, action: int) -> bool:
        """Makes a movement of the player on roll; True where his turn is over with it.

        Raises:
            InputError: it is not legal, or the game is over.
        """
        if self.on is None:
            raise InputError("the game is over: reset the environment to play another")
        self.on.take(action)
        if not self.on.over:
            return False
        self._next_turn(self.on)
        return True

    def play(self, result: Int8) -> None:
        """Completes the turn so that it leads to a board, int8 [2, 26] with the mover in row 0."""
        if self.on is None:
            raise InputError("the game is over: reset the environment to play another")
        self.on.complete(result)
        self._next_turn(self.on)

    def _next_turn(self, done: Turn) -> None:
        self.turn += 1
        self._begin(self.position.after(done.board))

    def points(self, seat: int) -> float:
        """What the result is worth to a seat, in points; 0 while the game goes on, and for a draw."""
        if self.result is None:
            return 0.0
        worth = float(self.game.points[self.game.outcomes.index(self.result)])
        return worth if seat == self.seat else -worth

    def outcome(self, seat: int) -> str | None:
        """The name of the result as a seat sees it."""
        if self.result is None or seat == self.seat:
            return self.result
        swapped = {"win": "lose", "lose": "win"}
        head, *rest = self.result.split("_")
        return "_".join([swapped.get(head, head), *rest])

    def mask(self, seat: int) -> Int8:
        """int8 [151]: 1 for each action that this seat can take now."""
        return np.zeros(ACTIONS, np.int8) if self.on is None or seat != self.seat else self.on.mask()

    def observation(self, seat: int) -> Int8:
        """int8 [60]: what this seat sees, see `observation.py`."""
        board = self.position.board if self.on is None else self.on.board
        if seat == self.seat:
            left = np.zeros(FACES, np.int8) if self.on is None else self.on.dice_left()
            return observation_of(board, left, seat, self.position.turns)
        # Seat 0 begins: while seat 1 is on roll, he has had one turn more.
        turns = min(self.position.turns + (seat == 0), MANY_TURNS)
        return observation_of(turned(board), np.zeros(FACES, np.int8), seat, turns)


def seed_of(seed: Any) -> int:
    """A seed that was given, or one from the system where none was. InputError outside 0 .. 2**64 - 1."""
    if seed is None:
        return secrets.randbits(63)
    try:
        number = operator.index(seed)
    except TypeError:
        raise InputError(f"a seed is a whole number, not {type(seed).__name__}") from None
    if not 0 <= number <= MOST_SEED:
        raise InputError(f"the seed is {number}, and must be from 0 to 2**64 - 1")
    return number


def action_number(action: Any) -> int:
    """An action as a plain number. InputError for what is none."""
    try:
        return operator.index(action)
    except TypeError:
        kind = type(action).__name__
        raise InputError(f"an action is a whole number from 0 to {ACTIONS - 1}, not {kind}") from None


def game_of(game: Game | str) -> Game:
    """The rules that were named. InputError where there are none of that name."""
    return game if isinstance(game, Game) else Game(game)


class Schedule:
    """Which game comes next: numbers of the seed's games, counted up by each reset."""

    def __init__(self, game: Game | str, most_turns: int) -> None:
        self.game = game_of(game)
        if type(most_turns) is not int or not 1 <= most_turns <= 10**6:
            raise InputError(f"max_turns is {most_turns!r}, and must be a whole number from 1 to 1000000")
        self._most_turns = most_turns
        self._seed: int | None = None
        self.number = -1

    def next(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[int, Position | None]:
        """Counts on: (number of the game, position to start from).

        With a seed the count begins again at 0. `options` may hold `game`, the number itself, and `position`,
        a Position or its key; other keys belong to somebody else.
        """
        if not isinstance(options, Mapping | None):
            raise InputError(f"options are a mapping such as {{'game': 2}}, not {type(options).__name__}")
        given = options or {}
        # All of it is checked before any of it counts: a refused reset changes nothing.
        chosen, number = self._seed, self.number + 1
        if seed is not None or chosen is None:
            chosen, number = seed_of(seed), 0
        if "game" in given:
            number = _natural(given["game"])
        start = given.get("position")
        position = None if start is None else self._start(start)
        self._seed, self.number = chosen, number
        return number, position

    def course(self, number: int, start: Position | None) -> Course:
        """The game with the dice of that number."""
        assert self._seed is not None
        return Course(self.game, self._seed, number, start, self._most_turns)

    @property
    def seed(self) -> int:
        """The seed of the games."""
        assert self._seed is not None
        return self._seed

    def _start(self, start: Any) -> Position:
        if not isinstance(start, (str, Position)):
            raise InputError(f"options['position'] is a Position or its key, not {type(start).__name__}")
        position = self.game.position(start) if isinstance(start, str) else start
        result = self.game.result(position)
        if result is not None:
            raise InputError(f"options['position'] is a finished game ({result} for the player on roll)")
        return position


def _natural(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < 2**63:
        raise InputError(f"options['game'] is {number!r}, and must be the number of a game, 0 or more")
    return int(number)
