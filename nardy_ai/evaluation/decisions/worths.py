"""What the plays of one decision are worth: rollouts by a judge, most trials where plays are close.

All plays that are rolled out have the same dice. Trials fall into two halves, block by block: whoever picks
the best play by one half can value it by the other, which chance has not favoured. Plays that are clearly
behind get no more trials; what they are worth is then told by their difference to the best over the trials
that both have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots.bot import Boards
from nardy_ai.core import BLOCK_TRIALS, InputError
from nardy_ai.evaluation.rollout import MAX_TURNS
from nardy_ai.rules import Position

__all__ = ["PlayJudge", "PlayWorths", "Trials", "losses_of"]

Values = npt.NDArray[np.float64]

ESTIMATED = -1.0
"""Stands for the error of a play that was not rolled out until it is known how good estimates are."""
LEAST_GROWTH = 2
"""Blocks that are added at least."""


@dataclass(frozen=True)
class Trials:
    """How plays are rolled out."""

    truncate: int = 5
    """Turns of either side after which the net judges."""
    plies: int = 0
    """Look-ahead with which plays of the trials are chosen."""
    least: int = 72
    """Trials that each play gets; rounded up to a multiple of 72, as `most` is."""
    most: int = 5184
    """Trials that no play gets more of."""
    target: float = 0.002
    """Points: close plays are left once the standard error of their difference is as small."""
    margin: float = 0.08
    """Points: plays further behind by the judge's 1-ply search are not rolled out."""
    keep: int = 8
    """Plays of a decision that are rolled out at most."""
    dropped_at: float = 3.0
    """Standard errors behind the best at which a play gets no more trials."""

    def __post_init__(self) -> None:
        core.checked_plies(self.plies)
        for name, low, high in (
            ("truncate", 1, MAX_TURNS),
            ("least", 1, 10**7),
            ("most", 1, 10**7),
            ("keep", 2, 1000),
        ):
            if not low <= getattr(self, name) <= high:
                raise InputError(f"{name} is {getattr(self, name)}: give a number from {low} to {high}")
        if self.most < self.least:
            raise InputError(f"most trials are {self.most}, fewer than the {self.least} that each play gets")
        for name in ("target", "margin", "dropped_at"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"{name} is {getattr(self, name)}: give a number above 0")

    @property
    def least_blocks(self) -> int:
        """`least` in blocks of 36, an even number."""
        return _even_blocks(self.least)

    @property
    def most_blocks(self) -> int:
        """`most` in blocks of 36."""
        return max(self.least_blocks, _even_blocks(self.most))


def _even_blocks(trials: int) -> int:
    return 2 * math.ceil(trials / (2 * BLOCK_TRIALS))


@dataclass(frozen=True)
class PlayWorths:
    """What the plays of a decision are worth to the mover, in points, in the order of their boards' bytes."""

    worths: Values
    """float64 [n, 2]: by either half of the trials."""
    errors: Values
    """float64 [n, 2]: standard errors of the worth and of its difference to the best; ESTIMATED "
    "where none."""
    trials: npt.NDArray[np.int64]
    """int64 [n]; 0: an estimate by 1-ply search."""
    close: int
    """Plays beside the best that could not be told from it at the end."""
    close_met: int
    """How many of these have a difference known to the target."""
    squares: float
    """Sum over the rolled-out plays beside the best: (difference by trials - difference by 1-ply search)²."""
    compared: int
    """How many plays that sum is over."""
    played: int
    """Trials of all plays together."""


class PlayJudge:
    """A model that rolls plays out. Threads may share one.

    Args:
        model: under the rules of the positions that it will be asked about.
        trials: how many, how long.
    """

    def __init__(self, model: core.Model, trials: Trials) -> None:
        self._trials = trials
        self._search = core.Search(model)
        # Estimates of all plays are compared, so that none may come from a lower ply.
        self._estimates = core.Search(model, core.NO_FILTERS)

    def judge(self, pos: Position, dice: tuple[int, int], seed: int) -> PlayWorths:
        """Rolls the plays of one decision out, in this thread.

        Args:
            pos: an unfinished position.
            dice: a roll with more than one play.
            seed: of the trials' dice.
        """
        boards, _, _, equities, _ = self._estimates.rank(pos.board, *dice, pos.seat, pos.turns, plies=1)
        order = sorted(range(len(boards)), key=lambda i: boards[i].tobytes())
        near = np.flatnonzero(equities[0] - equities <= self._trials.margin)[: self._trials.keep]
        field = _Field(self._search, self._trials, pos, boards[near], seed)
        if len(near) > 1:
            field.roll_out()
        return _worths(field, equities[order].astype(np.float64), np.argsort(order)[near])


class _Field:
    """The plays of a decision that are rolled out, and how far each has come."""

    def __init__(self, search: core.Search, trials: Trials, pos: Position, boards: Boards, seed: int) -> None:
        self._search, self._trials, self._seed = search, trials, seed
        self._after = [pos.after(board) for board in boards]
        self._points = np.asarray(pos.game.points, np.float64)
        self.values: list[Values] = [np.empty((0, BLOCK_TRIALS)) for _ in boards]
        """For each play float64 [blocks, 36]: what each trial showed, for the mover."""
        self.open = list(range(len(boards)))
        """Plays that still get trials."""
        self.best = 0

    def roll_out(self) -> None:
        """Gives trials until the close plays are known well enough, or have had as many as any may have."""
        blocks = self._trials.least_blocks
        while True:
            for play in self.open:
                self._extend(play, blocks)
            self.best = max(self.open, key=lambda play: (float(self.values[play].mean()), -play))
            gaps = {play: self.gap(play) for play in self.open if play != self.best}
            limit = self._trials.dropped_at
            self.open = [self.best, *(play for play, (gap, error) in gaps.items() if gap <= limit * error)]
            widest = max((gaps[play][1] for play in self.open[1:]), default=0.0)
            if widest <= self._trials.target or blocks >= self._trials.most_blocks:
                return
            wanted = 2 * math.ceil(1.05 * blocks * (widest / self._trials.target) ** 2 / 2)
            # The error is itself an estimate, so that no step more than doubles the trials.
            blocks = min(max(wanted, blocks + LEAST_GROWTH), 2 * blocks, self._trials.most_blocks)

    def differences(self, play: int) -> Values:
        """float64 [blocks, 36]: the best less this play, over the blocks that both have."""
        blocks = min(len(self.values[play]), len(self.values[self.best]))
        return self.values[self.best][:blocks] - self.values[play][:blocks]

    def gap(self, play: int) -> tuple[float, float]:
        """How far a play is behind the best, and the standard error of that."""
        differences = self.differences(play)
        return float(differences.mean()), stratified_error(differences)

    def _extend(self, play: int, blocks: int) -> None:
        done = len(self.values[play])
        fresh = self._played(self._after[play], done, blocks - done)
        self.values[play] = np.concatenate([self.values[play], fresh])

    def _played(self, after: Position, first: int, blocks: int) -> Values:
        result = after.result
        if result is not None:
            worth = -self._points[after.game.outcomes.index(result)]
            return np.full((blocks, BLOCK_TRIALS), worth)
        outcomes, _ = self._search.rollout(
            after.board,
            after.seat,
            after.turns,
            seed=self._seed,
            first_trial=first * BLOCK_TRIALS,
            trials=blocks * BLOCK_TRIALS,
            truncate=self._trials.truncate,
            max_turns=MAX_TURNS,
            plies=self._trials.plies,
        )
        return -(outcomes @ self._points).reshape(blocks, BLOCK_TRIALS)


def stratified_error(values: Values) -> float:
    """The standard error of the mean of values [blocks, 36], in which each column is one first roll.

    First rolls come equally often, so that only the spread within them counts.
    """
    return math.sqrt(float(values.var(axis=0, ddof=1).sum()) / len(values)) / BLOCK_TRIALS


def halves_of(values: Values) -> Values:
    """float64 [2]: means over the even blocks and over the odd ones."""
    return np.array([values[0::2].mean(), values[1::2].mean()])


def _worths(field: _Field, estimates: Values, places: npt.NDArray[np.intp]) -> PlayWorths:
    count = len(estimates)
    worths = np.repeat(estimates[:, None], 2, axis=1)
    errors = np.full((count, 2), ESTIMATED)
    trials = np.zeros(count, np.int64)
    best = places[field.best]
    errors[best, 1] = 0.0
    squares, met = 0.0, 0
    if len(places) > 1:
        top = halves_of(field.values[field.best])
        worths += (top - worths[best])[None]
        for play, place in enumerate(places.tolist()):
            behind = field.differences(play)
            worths[place] = top - halves_of(behind)
            errors[place] = stratified_error(field.values[play]), stratified_error(behind)
            trials[place] = field.values[play].size
            squares += (behind.mean() - (estimates[best] - estimates[place])) ** 2
        met = sum(field.gap(play)[1] <= field._trials.target for play in field.open[1:])
    return PlayWorths(
        worths=worths,
        errors=errors,
        trials=trials,
        close=len(field.open) - 1 if len(places) > 1 else 0,
        close_met=met,
        squares=float(squares),
        compared=max(0, len(places) - 1),
        played=int(trials.sum()),
    )


def losses_of(worths: npt.NDArray[np.floating], trials: npt.NDArray[np.int64]) -> tuple[Values, int]:
    """What each play of a decision loses against the best one, and which play is the best.

    The best play is picked by one half of the trials and valued by the other, both ways round, so that a
    play that was merely lucky in its trials does not count as better than it is: the losses are right on
    average, and single ones may fall below 0. Plays of the most trials compete; where none was rolled out,
    all do, by their estimates.

    Args:
        worths: [n, 2], by either half.
        trials: [n].

    Returns:
        float64 [n] in points, and the play of the highest mean.
    """
    values = np.asarray(worths, np.float64)
    rivals = np.flatnonzero(trials == trials.max())
    picked = rivals[values[rivals].argmax(axis=0)]
    valued = (values[picked[0], 1] + values[picked[1], 0]) / 2
    best = int(rivals[values[rivals].mean(axis=1).argmax()])
    return valued - values.mean(axis=1), best
