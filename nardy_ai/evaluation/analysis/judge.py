"""A model that grades plays: by how much each falls short of the best, and how lucky each roll was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import NetBot
from nardy_ai.core import InputError
from nardy_ai.evaluation.drivers import OPENING_CHANCES, ROLL_CHANCES
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.rules import Game, Play, Position
from nardy_ai.rules.dice import Dice
from nardy_ai.rules.play import play_of

__all__ = ["Judge", "Judged", "Ranked"]

SLICE = 8
"""Turns that a thread judges at a time."""
MOST_TOLD = 5
LUCK_PLIES = 1
"""Rolls are judged by the net on what their best plays leave, whatever the depth of the plays."""

Turn: TypeAlias = tuple[Position, Dice, Play | None]
"""A position, the roll thrown there, and the play that was made of it, if any."""
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ranked:
    """One of the plays of a roll."""

    place: int
    """Among all plays of the roll, from 1, the best."""
    play: Play
    equity: float
    """Points that the mover may expect behind it."""
    outcomes: tuple[float, ...]
    """Chances of the game's outcomes, for the mover."""
    plies: int
    """Depth at which it was judged."""


@dataclass(frozen=True)
class Judged:
    """What the judge says of one turn."""

    plays: tuple[Ranked, ...]
    """The best plays, best first, and last the one that was made where it is not among them."""
    choices: int
    """How many distinct plays the roll had; with one, the turn was no decision."""
    made: Ranked | None
    """The play that was made; None where none was."""
    luck: float
    """What the roll was worth to its player beyond the mean of all rolls that could have come, in points."""
    before: float
    """That mean: what the position was worth to the player on roll before the throw."""

    @property
    def loss(self) -> float | None:
        """Points that the play that was made lost, at least 0; None where none was made."""
        return None if self.made is None else self.plays[0].equity - self.made.equity


class Judge:
    """A model that judges at one depth. Threads may share it; what it says does not depend on them.

    Args:
        bot: the model.
        game: the rules that were played by.
        plies: depth at which plays are judged, 0 to 3.
        most: plays of a turn that are told, beside the one that was made.

    Raises:
        InputError: the model is of another game, or plies out of range.
    """

    def __init__(self, bot: NetBot, game: Game, plies: int, most: int = MOST_TOLD) -> None:
        if (bot.game.family, bot.game.checkers) != (game.family, game.checkers):
            raise InputError(
                f"{bot.name} is a model of {bot.game.name} and cannot judge {game.name}: give another --model"
            )
        self.bot, self.game, self.most = bot, game, most
        self.plies = core.checked_plies(plies)
        self._search = core.Search(Evaluator(bot.model, game, name=bot.name, quantised=bot.quantised).native)

    def judge(self, turns: Sequence[Turn], threads: int = 1) -> Iterator[Judged]:
        """What it says of turns of unfinished games, in their order, as they get done."""
        parts = [turns[first : first + SLICE] for first in range(0, len(turns), SLICE)]
        if threads == 1 or len(parts) < 2:
            yield from (judged for part in parts for judged in self._part(part))
            return
        pool = ThreadPoolExecutor(threads)
        try:
            for part in pool.map(self._part, parts):
                yield from part
        finally:
            pool.shutdown(cancel_futures=True)

    def chances(self, positions: Sequence[Position]) -> list[tuple[float, ...]]:
        """Chances of the outcomes of unfinished positions before the throw, for their players on roll."""
        if not positions:
            return []
        outcomes, _ = self._search.values(*_columns(list(positions)), plies=self.plies)
        return [tuple(map(float, row)) for row in outcomes]

    def _part(self, turns: Sequence[Turn]) -> list[Judged]:
        lucks, befores = self._luck([turn[0] for turn in turns], [turn[1] for turn in turns])
        return [
            self._one(*turn, luck, before)
            for turn, luck, before in zip(turns, lucks.tolist(), befores.tolist(), strict=True)
        ]

    def _one(self, pos: Position, dice: Dice, made: Play | None, luck: float, before: float) -> Judged:
        boards, moves, outcomes, equities, depths = self._search.rank(
            np.asarray(pos.board), *dice, pos.seat, pos.turns, plies=self.plies
        )
        worths, chances, plies = equities.tolist(), list(outcomes), depths.tolist()
        order = list(range(len(boards)))
        row = None if made is None else _row_of(made, boards)
        if row is not None and plies[row] < self.plies:
            # The search dropped it on its way: it is judged as deep as the best.
            chances[row], worths[row] = self._deepened(pos.after(boards[row]))
            plies[row] = self.plies
            order.remove(row)
            above = sum(plies[i] == self.plies and worths[i] >= worths[row] for i in order)
            order.insert(above, row)
        told = [place for place, i in enumerate(order, 1) if place <= self.most or i == row]
        plays = {
            order[place - 1]: Ranked(
                place,
                play_of(pos, dice, boards[i], moves[i]),
                float(worths[i]),
                tuple(map(float, chances[i])),
                plies[i],
            )
            for place in told
            for i in (order[place - 1],)
        }
        return Judged(
            plays=tuple(plays.values()),
            choices=len(boards),
            made=None if row is None else plays[row],
            luck=luck,
            before=before,
        )

    def _deepened(self, after: Position) -> tuple[npt.NDArray[np.float32], float]:
        """Outcomes and equity of a play for its maker, from the position that it left."""
        outcomes, equities = self._search.values(*_columns([after]), plies=self.plies)
        half = len(self.game.outcomes) // 2
        theirs = outcomes[0]
        mine = np.concatenate([theirs[half : 2 * half], theirs[:half], theirs[2 * half :]])
        return mine, -float(equities[0])

    def _luck(self, positions: list[Position], dice: list[Dice]) -> tuple[Doubles, Doubles]:
        """float64 [n] each: luck of the rolls, and means over the rolls that could have come."""
        values = self._search.roll_values(*_columns(positions), plies=LUCK_PLIES)
        opening = self.game.profile.rules.opening_roll == "rolloff_pair"
        chances = np.array(
            [
                OPENING_CHANCES if opening and pos.seat == 0 and pos.turns == 0 else ROLL_CHANCES
                for pos in positions
            ]
        )
        means = np.zeros(len(values))
        # Roll by roll, so that a sum does not depend on how many positions are asked about.
        for number in range(values.shape[1]):
            means += values[:, number] * chances[:, number]
        numbers = [high * (high - 1) // 2 + low - 1 for high, low in dice]
        return values[np.arange(len(values)), numbers] - means, means


def _row_of(made: Play, boards: npt.NDArray[np.int8]) -> int:
    return int(np.flatnonzero((boards == made.board).all(axis=(1, 2)))[0])


def _columns(
    positions: list[Position],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    return (
        np.stack([pos.board for pos in positions]),
        np.array([pos.seat for pos in positions], np.uint8),
        np.array([pos.turns for pos in positions], np.uint8),
    )
