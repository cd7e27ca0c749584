"""Positions as games bring them: whole games played out, and every turn of them kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots.bot import Boards, Bytes
from nardy_ai.rules import Game

MOST_TURNS = 3
"""Turns are counted up to this number, beyond which no rule looks."""
DICE_BLOCK = 64


@dataclass(frozen=True)
class Turns:
    """Positions with the rolls that were thrown there, one a row."""

    boards: Boards
    """int8 [n, 2, 26], player on roll in row 0."""
    dice: Bytes
    """uint8 [n, 2]."""
    seats: Bytes
    """uint8 [n], 0 where the player on roll started the game."""
    turns: Bytes
    """uint8 [n], turns that he has had, at most 3."""
    games: npt.NDArray[np.int64]
    """int64 [n]: the number of the game."""
    numbers: npt.NDArray[np.int64]
    """int64 [n]: the turn's number in it, both sides counted, from 0."""

    def __len__(self) -> int:
        return len(self.boards)

    def at(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> Turns:
        """Some of the rows."""
        return Turns(*(column[rows] for column in self._columns()))

    def _columns(self) -> tuple[npt.NDArray[Any], ...]:
        return self.boards, self.dice, self.seats, self.turns, self.games, self.numbers


Movers: TypeAlias = Callable[[Turns], Boards]
"""Who plays: one turn of many games -> the boards after it, int8 [n, 2, 26], the mover still in row 0."""


def played_turns(
    game: Game, movers: Movers, *, seed: int, purpose: str, first: int, games: int, max_turns: int = 2000
) -> Turns:
    """Plays games `first` .. `first + games - 1` side by side and returns all their turns, in their order.

    A game's dice depend on (seed, purpose, its number) alone.

    Args:
        game: the rules.
        movers: chooses the plays; they are trusted to be legal.
        seed: of the dice.
        purpose: one of `core.PURPOSES`, the stream of the dice.
        first: number of the first game.
        games: how many.
        max_turns: turns of both sides after which a game is left.
    """
    parts = list(_turn_by_turn(game, movers, seed, core.PURPOSES[purpose], first, games, max_turns))
    return joined(parts)


def joined(parts: list[Turns]) -> Turns:
    """All rows of several."""
    if not parts:
        none = np.empty(0, np.int64)
        empty = np.empty(0, np.uint8)
        return Turns(np.empty((0, 2, 26), np.int8), np.empty((0, 2), np.uint8), empty, empty, none, none)
    columns = zip(*(part._columns() for part in parts), strict=True)
    return Turns(*(np.concatenate(column) for column in columns))


def _turn_by_turn(
    game: Game, movers: Movers, seed: int, purpose: int, first: int, games: int, max_turns: int
) -> Iterator[Turns]:
    rules = game.core_rules
    opening = rules.options["opening_roll"] == "rolloff_pair"
    boards = np.repeat(core.start_board(rules)[None], games, axis=0)
    rolls = np.zeros((games, DICE_BLOCK, 2), np.uint8)
    live = np.arange(games)
    for turn in range(max_turns):
        if not len(live):
            return
        if turn % DICE_BLOCK == 0:
            for i in live.tolist():
                rolls[i] = core.dice(seed, purpose, first + i, turn, DICE_BLOCK, opening)
        here = Turns(
            boards[live],
            rolls[live, turn % DICE_BLOCK],
            np.full(len(live), turn & 1, np.uint8),
            np.full(len(live), min(turn // 2, MOST_TURNS), np.uint8),
            first + live.astype(np.int64),
            np.full(len(live), turn, np.int64),
        )
        yield here
        turned = np.ascontiguousarray(movers(here)[:, ::-1])
        boards[live] = turned
        over = core.results(rules, turned, np.full(len(live), (turn + 1) & 1, np.uint8)) >= 0
        live = live[~over]
