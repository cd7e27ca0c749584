"""A game: one rule profile, and what can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.rules.arrays import (
    Boards,
    Bytes,
    board_array,
    boards_array,
    dice_array,
    small_array,
    small_number,
)
from nardy_ai.rules.dice import dice_pair
from nardy_ai.rules.play import Play, play_of
from nardy_ai.rules.play_reader import read_play
from nardy_ai.rules.position import MANY_TURNS, Position
from nardy_ai.rules.position_id import decode_id
from nardy_ai.rules.profile import Profile
from nardy_ai.rules.profile_reader import load_profile


class Game:
    """The rules of one profile. Immutable; `==` and `hash` by value of the profile.

    Boards are int8 [2, 26]: row 0 the player on roll (or the mover, where said), row 1 the other, each in
    own numbers: columns 0..23 are points 1..24, 24 the bar, 25 borne off. `seat` is 0 where the player on
    roll started the game; `turns` counts the turns that he has had, 3 standing for three or more.
    """

    __slots__ = ("_profile", "_rules", "_start", "_start_row")

    _profile: Profile
    _rules: core.Rules
    _start: Boards
    _start_row: Boards

    def __init__(self, profile: str | os.PathLike[str] | Profile = "long") -> None:
        """`profile`: `long`, `short`, a profile's name such as `long/classic`, a `.toml` file, or a Profile.

        Raises InputError for an unknown name and for a wrong file.
        """
        found = profile if isinstance(profile, Profile) else load_profile(profile)
        put = object.__setattr__
        put(self, "_profile", found)
        try:
            put(self, "_rules", core.Rules(found.core_options()))
        except InputError as error:
            raise InputError(f"{found.name}: {error}") from None
        put(self, "_start", core.start_board(self._rules))
        put(self, "_start_row", self._start[0])

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a Game cannot be changed ({name})")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Game cannot be changed ({name})")

    # --- what it is -------------------------------------------------------------------------------------

    @property
    def profile(self) -> Profile:
        """The profile, with options that are not the engine's (match, cube) too."""
        return self._profile

    @property
    def name(self) -> str:
        """The profile's name: `long/fns`, or the path of a player's own file."""
        return self._profile.name

    @property
    def family(self) -> str:
        """`long` or `short`."""
        return self._profile.family

    @property
    def core_rules(self) -> core.Rules:
        """The engine's handle of the rules."""
        return self._rules

    @property
    def checkers(self) -> int:
        """Checkers a side."""
        return self._profile.rules.checkers

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Names of the exclusive outcomes: wins by rising points, losses in the same order, then `draw`."""
        return self._rules.outcomes

    @property
    def points(self) -> tuple[float, ...]:
        """What each outcome is worth to the player on roll; a draw is worth 0."""
        return self._rules.points

    @property
    def uses_seat(self) -> bool:
        """Whether plays or outcomes depend on who started: then array interfaces need seats."""
        return self._rules.uses_seat

    @property
    def uses_turns(self) -> bool:
        """Whether plays depend on the number of turns that the player on roll has had."""
        return self._rules.uses_turns

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self is other or self._profile == other._profile

    def __hash__(self) -> int:
        return hash((self._profile.name, self._rules))

    def __repr__(self) -> str:
        return f"nardy.Game({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Game, (self._profile,)

    # --- positions --------------------------------------------------------------------------------------

    def start(self) -> Position:
        """The position before the first roll, the starter on roll."""
        return Position(self, self._start, 0, 0)

    def position(
        self, where: str | npt.ArrayLike, *, seat: int | None = None, turns: int | None = None
    ) -> Position:
        """A position from outside.

        Args:
            where: a key `<id>:<seat>:<turns>`, a 14-character position ID, or a board [2, 26] of whole
                numbers with the player on roll in row 0.
            seat: 0 where the player on roll started the game, else 1. Needed where the rules use it, and
                where they use `turns` and these are below 3.
            turns: turns that he has had (3: three or more). By default 0 if he has not moved a checker,
                else 3; needed where a player who has not moved may have had to pass.

        Raises:
            InputError: what is given is malformed, contradictory, incomplete, or cannot stand on a board.
        """
        if isinstance(where, str):
            board, seat, turns = self._read_key(where, seat, turns)
        else:
            board = board_array(where)
        known_turns = self._turns_of(board[np.newaxis], turns)[0]
        if seat is None and (self.uses_seat or (self.uses_turns and known_turns < MANY_TURNS)):
            raise InputError(f"{self.name} needs seat: 0 if the player on roll started the game, else 1")
        known_seat = 0 if seat is None else small_number(seat, 1, "seat")
        self._check(board[np.newaxis], np.array([known_seat], np.uint8), np.array([known_turns], np.uint8))
        return Position(self, board, known_seat, int(known_turns))

    def _read_key(
        self, text: str, seat: int | None, turns: int | None
    ) -> tuple[Boards, int | None, int | None]:
        identity, *beside = text.split(":")
        if beside:
            if len(beside) != 2 or beside[0] not in ("0", "1") or beside[1] not in ("0", "1", "2", "3"):
                shown = text if len(text) <= 40 else text[:40] + "…"
                raise InputError(
                    f"{shown!r} is no position key <id>:<seat>:<turns> with seat 0 or 1 and turns 0 to 3"
                )
            for name, given, stated in (("seat", seat, beside[0]), ("turns", turns, beside[1])):
                if given is not None and given != int(stated):
                    raise InputError(f"the key {text!r} has {name} {stated}, but {name}={given!r} was given")
            seat, turns = int(beside[0]), int(beside[1])
        return decode_id(identity, self.checkers), seat, turns

    # --- plays ------------------------------------------------------------------------------------------

    def legal_boards(
        self,
        board: npt.ArrayLike,
        dice: Sequence[int],
        seat: int | None = None,
        turns: int | None = None,
    ) -> Boards:
        """Every distinct legal result of a roll.

        Args:
            board: [2, 26], whole numbers, the player on roll in row 0.
            dice: two numbers from 1 to 6; their order makes no difference.
            seat: 0 where he started the game, else 1; needed where the rules use it (`uses_seat`).
            turns: see `position`.

        Returns:
            int8 [n, 2, 26], the mover still in row 0; the unchanged board alone when the turn is passed.

        Raises:
            InputError: as `position`, for bad dice, and for a finished game.
        """
        boards = board_array(board)[np.newaxis]
        rolls = np.array([dice_pair(dice)], np.uint8)
        return self._legal(boards, rolls, seat, turns)[0]

    def legal_boards_batch(
        self,
        boards: npt.ArrayLike,
        dice: npt.ArrayLike,
        seats: npt.ArrayLike | None = None,
        turns: npt.ArrayLike | None = None,
    ) -> tuple[Boards, npt.NDArray[np.int64]]:
        """Every distinct legal result of one roll on each of many boards.

        Args:
            boards: [n, 2, 26], whole numbers, the player on roll in row 0.
            dice: [n, 2].
            seats: [n] or one number for all; needed where the rules use it (`uses_seat`).
            turns: [n] or one number for all, see `position`.

        Returns:
            Boards int8 [total, 2, 26], the mover still in row 0, and offsets int64 [n + 1]: the results of
            board i are those from offsets[i] to offsets[i + 1], at least one.

        Raises:
            InputError: naming the first wrong board.
        """
        checked = boards_array(boards)
        return self._legal(checked, dice_array(dice, len(checked)), seats, turns)

    def _legal(
        self, boards: Boards, rolls: Bytes, seats: npt.ArrayLike | None, turns: npt.ArrayLike | None
    ) -> tuple[Boards, npt.NDArray[np.int64]]:
        known_turns = self._turns_of(boards, turns)
        known_seats = self._seats_of(len(boards), seats)
        self._check_playable(boards, known_seats, known_turns)
        return core.legal_boards(self._rules, boards, rolls, known_seats, known_turns)

    def plays(self, pos: Position, dice: Sequence[int]) -> list[Play]:
        """Every legal play of a roll, one for each distinct result; a single one that passes if none moves.

        Raises InputError for a finished game, bad dice, or a position of another game.
        """
        self._check_own(pos)
        large, small = dice_pair(dice)
        result = self.result(pos)
        if result is not None:
            raise InputError(f"the game is over ({result} for the player on roll); there is nothing to play")
        boards, moves = core.plays(self._rules, pos.board, large, small, pos.seat, pos.turns)
        return [play_of(pos, (large, small), *found) for found in zip(boards, moves, strict=True)]

    def play(self, pos: Position, dice: Sequence[int], text: str) -> Play:
        """The play of a roll that a notation such as `8/5 6/5` or `pass` names.

        Raises InputError saying why, when it cannot be read, is not legal (NotationError, with the nearest
        legal plays) or is ambiguous (NotationError, with the candidates); and as `plays` does.
        """
        return read_play(text, pos, dice_pair(dice), self.plays(pos, dice))

    # --- ends -------------------------------------------------------------------------------------------

    def result(self, pos: Position) -> str | None:
        """The outcome of a finished game, one of `outcomes`, seen by the player on roll; else None."""
        self._check_own(pos)
        seats = np.array([pos.seat], np.uint8)
        index = int(core.results(self._rules, pos.board[np.newaxis], seats)[0])
        return None if index < 0 else self.outcomes[index]

    def results(self, boards: npt.ArrayLike, seats: npt.ArrayLike | None = None) -> npt.NDArray[np.int8]:
        """The outcomes of many boards.

        Args:
            boards: [n, 2, 26], whole numbers, the player on roll in row 0.
            seats: [n] or one number for all; needed where the rules use it.

        Returns:
            int8 [n]: index into `outcomes` as the player on roll sees it, -1 while the game goes on.

        Raises:
            InputError: naming the first wrong board.
        """
        checked = boards_array(boards)
        known_seats = self._seats_of(len(checked), seats)
        self._check(checked, known_seats, np.full(len(checked), MANY_TURNS, np.uint8))
        return core.results(self._rules, checked, known_seats)

    # --- checks -----------------------------------------------------------------------------------------

    def _check_own(self, pos: Position) -> None:
        if not isinstance(pos, Position):
            raise InputError(f"a Position is needed, not {type(pos).__name__}; make one with Game.position")
        if pos.game is not self and pos.game != self:
            raise InputError(f"this position belongs to {pos.game.name}, not to {self.name}")

    def _check(self, boards: Boards, seats: Bytes, turns: Bytes) -> None:
        try:
            core.check_boards(self._rules, boards, seats, turns)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None

    def _check_playable(self, boards: Boards, seats: Bytes, turns: Bytes) -> None:
        self._check(boards, seats, turns)
        over = np.flatnonzero(core.results(self._rules, boards, seats) >= 0)
        if over.size:
            which = f"board {int(over[0])}" if len(boards) > 1 else "this board"
            raise InputError(f"the game on {which} is over; there is nothing to play")

    def _seats_of(self, n: int, seats: npt.ArrayLike | None) -> Bytes:
        if seats is not None:
            return small_array(seats, n, 1, "seats")
        if self.uses_seat:
            raise InputError(f"{self.name} needs seats: 0 where the player on roll started the game, else 1")
        return np.zeros(n, np.uint8)

    def _turns_of(self, boards: Boards, turns: npt.ArrayLike | None) -> Bytes:
        if turns is not None:
            return small_array(turns, len(boards), MANY_TURNS, "turns")
        unmoved = (boards[:, 0] == self._start_row).all(axis=1)
        if self._first_turn_may_pass and unmoved.any():
            where = f" (board {int(np.flatnonzero(unmoved)[0])})" if len(boards) > 1 else ""
            raise InputError(
                f"{self.name} needs turns{where}: nothing has moved, which may be before the first turn (0) "
                "or after passes (1, 2, 3)"
            )
        return np.where(unmoved, 0, MANY_TURNS).astype(np.uint8)

    @property
    def _first_turn_may_pass(self) -> bool:
        """Whether a player may have had turns without having moved, where that matters.

        From 24 alone a first turn is stopped only by what `any_double_first_turn` lets the opponent place;
        for other starting boards nothing is assumed.
        """
        rules = self._profile.rules
        from_the_head = rules.start[23] == rules.checkers
        return self.uses_turns and (rules.head_exception == "any_double_first_turn" or not from_the_head)
