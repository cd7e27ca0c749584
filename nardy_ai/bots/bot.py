"""What every bot can do, and what bots have in common."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Play, Position

Boards: TypeAlias = npt.NDArray[np.int8]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Keys: TypeAlias = npt.NDArray[np.uint64]
Dice: TypeAlias = tuple[int, int]


@runtime_checkable
class Bot(Protocol):
    """Anything that can choose a play."""

    @property
    def name(self) -> str:
        """How reports name it: `random`, `greedy`, a model file's name, ..."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of all that its choices depend on; equal for two bots that always choose alike."""
        ...

    @property
    def game(self) -> Game | None:
        """The game it was made for; None where it plays any game, or has no profile of its own."""
        ...

    @property
    def usual_game(self) -> Game | None:
        """The game to take where nobody names one and no model has one; None where it has no such game."""
        ...

    def player(self, game: Game) -> core.Player | None:
        """Its native form under these rules, or None where it is asked in Python.

        Raises InputError where it can't play this game.
        """
        ...

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        """The boards after its plays, for many positions at once.

        Args:
            game: the rules.
            boards: int8 [n, 2, 26], player on roll in row 0.
            dice: uint8 [n, 2].
            seats: uint8 [n], 0 where the player on roll started the game.
            turns: uint8 [n], turns he has had, at most 3.
            keys: uint64 [n, 3], what lots are drawn by: (seed, pair, turn); the seat counts too.

        Returns:
            int8 [n, 2, 26], each a legal result, the mover still in row 0.

        Raises:
            InputError: it can't play this game.
        """
        ...

    def choose(self, pos: Position, dice: Dice) -> Play:
        """Its play of one roll. Raises InputError for dice outside 1..6, or where it can't play this game."""
        ...


def fingerprint_of(*parts: bytes | str) -> str:
    """Sixteen hexadecimal digits that stand for the parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]


class BoardBot(ABC):
    """A bot that is asked in Python: a subclass says its `name`, its `fingerprint` and `choose_boards`."""

    game: Game | None = None
    concurrent: bool = False
    """Whether several threads may ask it side by side."""

    @property
    def usual_game(self) -> Game | None:
        """None: it plays any game."""
        return None

    @property
    @abstractmethod
    def name(self) -> str:
        """How reports name it."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A hash of all that its choices depend on."""

    def player(self, game: Game) -> core.Player | None:
        """None: it has no native form. A subclass may refuse a game here by InputError."""
        return None

    @abstractmethod
    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        """The boards after its plays, see `Bot.choose_boards`."""

    def choose(self, pos: Position, dice: Dice) -> Play:
        """Its play of one roll; a random bot always does the same in the same position.

        Raises:
            InputError: dice outside 1..6, a finished game, or a game that it can't play.
        """
        plays = pos.game.plays(pos, dice)
        chosen = self.choose_boards(
            pos.game,
            np.asarray(pos.board, dtype=np.int8)[None],
            np.array([dice], dtype=np.uint8),
            np.array([pos.seat], dtype=np.uint8),
            np.array([pos.turns], dtype=np.uint8),
            _key_of(pos, dice),
        )[0]
        for play in plays:
            if np.array_equal(play.board, chosen):
                return play
        raise InputError(f"{self.name} chose a play that is not legal at {pos.key} with {dice[0]}-{dice[1]}")


class NativeBot(BoardBot):
    """A bot that the C core plays: a subclass says its `name`, its `fingerprint` and `player`."""

    concurrent = True

    @abstractmethod
    def player(self, game: Game) -> core.Player:
        """Its native form under these rules."""

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        """The boards after its plays, see `Bot.choose_boards`."""
        return core.choose(self.player(game), game.core_rules, boards, dice, seats, turns, keys)


def turn_key(pos: Position, dice: Dice) -> int:
    """The key of a level's noise where nothing but position and roll is known."""
    seed, game, turn = (int(part) for part in _key_of(pos, dice)[0])
    return core.noise_key(seed, game, pos.seat, turn)


def _key_of(pos: Position, dice: Dice) -> Keys:
    """Lots that depend on position and roll alone, uint64 [1, 3]."""
    digest = hashlib.sha256(f"{pos.key} {max(dice)}{min(dice)}".encode()).digest()
    seed, game = np.frombuffer(digest[:16], dtype="<u8")
    return np.array([[seed, game, 0]], dtype=np.uint64)
