"""A position: the board and what stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import shown
from nardy_ai.rules.arrays import Boards
from nardy_ai.rules.position_id import encode_id

if TYPE_CHECKING:
    from nardy_ai.rules.dice import Dice
    from nardy_ai.rules.game import Game
    from nardy_ai.rules.play import Play

MANY_TURNS = 3
"""Where `turns` stops counting."""


def facing_point(family: str, point: int) -> int:
    """The opponent's number of an own point 1..24 in the `long` or the `short` family."""
    return 25 - point if family == "short" else (point + 11) % 24 + 1


def turned(boards: Boards) -> Boards:
    """Rows swapped: the same boards seen by the other player.

    Args:
        boards: int8 [2, 26] or [n, 2, 26].

    Returns:
        A new C-contiguous array of that shape: from mover-first to player-on-roll-first and back.
    """
    found = np.asarray(boards)
    if found.shape[-2:] != (2, 26) or found.ndim > 3:
        raise InputError(f"boards have shape {list(found.shape)}, and must be [2, 26] or [n, 2, 26]")
    return np.ascontiguousarray(found[..., ::-1, :])


def read_only(board: Boards) -> Boards:
    """A copy of a board that nobody can make writable again."""
    return np.frombuffer(np.ascontiguousarray(board, dtype=np.int8).tobytes(), np.int8).reshape(2, 26)


class Position:
    """A position with a player on roll. Immutable; `==` and `hash` by value.

    Games make positions (`Game.start`, `Game.position`, `Play.position`) and check them.
    """

    __slots__ = ("_board", "_game", "_seat", "_turns")

    _game: Game
    _board: Boards
    _seat: int
    _turns: int

    def __init__(self, game: Game, board: Boards, seat: int, turns: int) -> None:
        """Trusts its arguments; for a board from outside use `Game.position`, which checks it."""
        put = object.__setattr__
        put(self, "_game", game)
        put(self, "_board", read_only(board))
        put(self, "_seat", int(seat))
        put(self, "_turns", int(turns))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a Position cannot be changed ({name})")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Position cannot be changed ({name})")

    @property
    def game(self) -> Game:
        """The game whose rules hold."""
        return self._game

    @property
    def board(self) -> Boards:
        """int8 [2, 26], read-only: row 0 the player on roll, columns own points 1..24, bar, borne off."""
        return self._board

    @property
    def seat(self) -> int:
        """0 where the player on roll started the game, else 1."""
        return self._seat

    @property
    def turns(self) -> int:
        """Turns that the player on roll has had; 3 stands for three or more."""
        return self._turns

    @property
    def id(self) -> str:
        """The 14-character GNU Backgammon position ID, which knows the board alone."""
        return encode_id(self._board)

    @property
    def key(self) -> str:
        """`<id>:<seat>:<turns>`, from which `Game.position` restores the position."""
        return f"{self.id}:{self._seat}:{self._turns}"

    @property
    def pips(self) -> tuple[int, int]:
        """Pips that the player on roll and the other still have to go."""
        weights = np.arange(1, 26)
        mine, his = (self._board[:, :25].astype(np.int64) @ weights).tolist()
        return mine, his

    @property
    def off(self) -> tuple[int, int]:
        """Checkers borne off by the player on roll and by the other."""
        return int(self._board[0, 25]), int(self._board[1, 25])

    @property
    def bar(self) -> tuple[int, int]:
        """Checkers on the bar of the player on roll and of the other."""
        return int(self._board[0, 24]), int(self._board[1, 24])

    def on_point(self, point: int) -> tuple[int, int]:
        """Checkers of the player on roll and of the other on his point 1..24. Raises InputError elsewhere."""
        if type(point) is not int or not 1 <= point <= 24:
            raise InputError(f"a point is a whole number from 1 to 24, not {shown(point)}")
        facing = facing_point(self._game.family, point)
        return int(self._board[0, point - 1]), int(self._board[1, facing - 1])

    @property
    def result(self) -> str | None:
        """The outcome seen by the player on roll; None while the game goes on."""
        return self._game.result(self)

    @property
    def finished(self) -> bool:
        """Whether the game is over. A pending last roll is not the end."""
        return self.result is not None

    def after(self, board: Boards) -> Position:
        """The position once the player on roll has made `board` of it, with the other side on roll.

        `board`: int8 [2, 26], the mover still in row 0; it is trusted to be a legal result.
        """
        # Players alternate and seat 0 begins: after seat 0's turn the other has had one turn less than he.
        turns = min(self._turns + self._seat, MANY_TURNS)
        return Position(self._game, turned(board), 1 - self._seat, turns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self._seat == other._seat
            and self._turns == other._turns
            and self._board.tobytes() == other._board.tobytes()
            and self._game == other._game
        )

    def __hash__(self) -> int:
        return hash((self._board.tobytes(), self._seat, self._turns, self._game))

    def __repr__(self) -> str:
        return f"{self._game!r}.position({self.key!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self._game, self._board, self._seat, self._turns)

    def __str__(self) -> str:
        return self.text()

    def text(self, dice: Dice | None = None, *, ascii: bool = False, lang: str = "en") -> str:  # noqa: A002
        """The board as lines of text, points numbered for the player on roll, at most 80 columns.

        Words are in `en` or `ru`; InputError for another language.
        """
        from nardy_ai.rules.board_text import board_text

        return board_text(self, dice, ascii=ascii, lang=lang)

    def svg(
        self,
        dice: Dice | None = None,
        *,
        play: Play | None = None,
        better: Play | None = None,
        theme: Literal["light", "dark", "page"] = "light",
    ) -> str:
        """The board as an SVG document; a play of this position is drawn with arrows and its dice.

        With a `better` play beside it the arrows of both are told apart, see `board_svg`.
        """
        from nardy_ai.rules.board_svg import board_svg

        return board_svg(self, dice, play=play, better=better, theme=theme)

    def _repr_svg_(self) -> str:
        return self.svg()
