"""The worst decisions of a way to play a solved game, as its games against perfect play bring them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import Bot
from nardy_ai.bots.bot import Boards
from nardy_ai.core.tables import Float64
from nardy_ai.evaluation.played_turns import Turns, played_turns
from nardy_ai.evaluation.truth import Solution
from nardy_ai.rules import Play, Position

__all__ = ["SampledLosses", "WrongPlay", "sampled_losses"]


@dataclass(frozen=True)
class WrongPlay:
    """One decision that lost points."""

    position: Position
    dice: tuple[int, int]
    chosen: Play
    best: Play
    lost: float
    """Points, exactly."""
    times: int
    """How often it came about in the games."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "position": self.position.key,
            "dice": list(self.dice),
            "chosen": self.chosen.notation,
            "best": self.best.notation,
            "lost": self.lost,
            "times": self.times,
        }


@dataclass(frozen=True)
class SampledLosses:
    """What a bot lost in the decisions of some games against perfect play."""

    games: int
    """Games that were played, each seat in half of them."""
    seed: int
    """Of the dice."""
    decisions: int
    """Its turns with a choice in them."""
    lost: float
    """Mean points a game that it lost, which the exact loss is the expectation of."""
    worst: tuple[WrongPlay, ...]
    """Different decisions that lost the most, the worst first."""


def sampled_losses(solution: Solution, bot: Bot, *, games: int, seed: int, worst: int) -> SampledLosses:
    """Plays games of a bot against perfect play and looks at each of its decisions.

    Args:
        solution: of the game that is played.
        bot: starts the games of even numbers.
        games: how many, at least 1.
        seed: of the dice.
        worst: how many wrong plays are returned at most.

    Raises:
        InputError: the bot can't play the game.
    """
    turns = played_turns(
        solution.game,
        lambda here: _moved(solution, bot, here),
        seed=seed,
        purpose="dice_benchmark",
        first=0,
        games=games,
    )
    own = turns.at(_by_bot(turns))
    ends, offsets, left = _listed(solution, own)
    chosen = _places(ends, offsets, _asked(bot, solution, own))
    starts = offsets[:-1]
    best = starts + _first_least(left, offsets)
    lost = left[chosen] - left[best] if len(own) else np.empty(0)
    free = np.diff(offsets) > 1
    return SampledLosses(
        games=games,
        seed=seed,
        decisions=int(free.sum()),
        lost=float(lost.sum()) / games,
        worst=tuple(_worst(solution, own, ends, (chosen, best, lost), worst)),
    )


def _by_bot(turns: Turns) -> npt.NDArray[np.bool_]:
    return np.asarray((turns.games + turns.seats) % 2 == 0)


def _moved(solution: Solution, bot: Bot, here: Turns) -> Boards:
    after = np.empty_like(here.boards)
    own = _by_bot(here)
    if own.any():
        after[own] = _asked(bot, solution, here.at(own))
    if not own.all():
        ends, offsets, left = _listed(solution, here.at(~own))
        after[~own] = ends[offsets[:-1] + _first_least(left, offsets)]
    return after


def _asked(bot: Bot, solution: Solution, here: Turns) -> Boards:
    keys = np.stack([np.zeros(len(here), np.int64), here.games, here.numbers], 1).astype(np.uint64)
    return bot.choose_boards(solution.game, here.boards, here.dice, here.seats, here.turns, keys)


def _listed(solution: Solution, here: Turns) -> tuple[Boards, npt.NDArray[np.int64], Float64]:
    """All results, where those of each turn begin, and what each leaves the other side."""
    rules = solution.game.core_rules
    ends, offsets = core.legal_boards(rules, here.boards, here.dice, here.seats, here.turns)
    counts = np.diff(offsets)
    seats = np.repeat(here.seats, counts)
    # After seat 0's turn the other has had one turn less than he.
    had = np.minimum(np.repeat(here.turns, counts) + seats, 3).astype(np.uint8)
    left = solution.equities(np.ascontiguousarray(ends[:, ::-1]), (1 - seats).astype(np.uint8), had)
    return ends, offsets, left


def _first_least(values: Float64, offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """For each turn the place of its least value among its own."""
    return np.array([int(values[a:b].argmin()) for a, b in pairwise(offsets.tolist())], np.intp)


def _places(ends: Boards, offsets: npt.NDArray[np.int64], chosen: Boards) -> npt.NDArray[np.intp]:
    """Where each chosen board stands among all results."""
    same = (ends == np.repeat(chosen, np.diff(offsets), axis=0)).all(axis=(1, 2))
    return np.flatnonzero(same)


def _worst(
    solution: Solution, own: Turns, ends: Boards, found: tuple[Any, Any, Float64], most: int
) -> list[WrongPlay]:
    chosen, best, lost = found
    times: dict[bytes, int] = {}
    rows: dict[bytes, int] = {}
    for row in np.flatnonzero(lost > 0).tolist():
        low_high = sorted(own.dice[row].tolist())
        key = own.boards[row].tobytes() + bytes([*low_high, int(own.seats[row]), int(own.turns[row])])
        times[key] = times.get(key, 0) + 1
        rows.setdefault(key, row)
    ranked = sorted(rows, key=lambda key: (-float(lost[rows[key]]), key))[:most]
    wrong = []
    for key in ranked:
        row = rows[key]
        pos = solution.game.position(own.boards[row], seat=int(own.seats[row]), turns=int(own.turns[row]))
        dice = (int(own.dice[row].max()), int(own.dice[row].min()))
        plays = {play.board.tobytes(): play for play in solution.game.plays(pos, dice)}
        chosen_play, best_play = (plays[ends[int(place[row])].tobytes()] for place in (chosen, best))
        wrong.append(WrongPlay(pos, dice, chosen_play, best_play, float(lost[row]), times[key]))
    return wrong
