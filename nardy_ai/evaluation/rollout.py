"""Rollouts: a position played on many times by its own judge, with the luck of the dice taken out.

What a trial shows is what came out, less its luck: for each turn what the roll brought by the net's
judgement, less the mean of that over all 21 rolls. Luck is 0 on average whatever the net says, so the mean
stays what it is. Trials come in blocks of 36, in which each ordered pair of dice is the first roll once and
the second roll once. So the first roll adds nothing to the error, which is that of the spread among trials
with the same first roll.
"""

from __future__ import annotations

import math
import operator
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from nardy_ai import core
from nardy_ai.bots import NetBot
from nardy_ai.core import BLOCK_TRIALS, InputError
from nardy_ai.evaluation.rollout_result import RolloutResult
from nardy_ai.rules import Position
from nardy_ai.rules.dice import ROLLS

Values = npt.NDArray[np.float64]

MAX_TURNS = 5000
"""Turns of both sides after which a trial is cut; a game of long nardy takes about a hundred."""
MOST_TRIALS = 10**8
FEWEST_BLOCKS = 4
"""Before so many blocks no error is trusted to stop a rollout."""
MOST_CERTAIN = 20_000
"""Positions that are looked at to show that a game can end in one way only."""
NOTHING = 1e-12
"""A spread below this is none: it is what rounding leaves."""


class ZeroVariance(RuntimeError):
    """Every trial showed the same, though the position is not exactly known: no error can be stated."""


class RolloutInterrupted(KeyboardInterrupt):
    """The rollout was stopped by Ctrl-C; `result` tells about the complete trials, None if too few."""

    def __init__(self, result: RolloutResult | None) -> None:
        super().__init__("the rollout was stopped")
        self.result = result


def rollout(
    bot: NetBot,
    pos: Position,
    trials: int = 1296,
    *,
    truncate: int | None = None,
    plies: int = 0,
    seed: int = 1,
    threads: int | None = None,
    error: float | None = None,
    take_luck: bool = True,
    filters: core.Filters | None = None,
    progress: bool | None = None,
) -> RolloutResult:
    """Plays a position on many times, both sides by the same bot, and takes the mean of what came out.

    The result does not depend on threads. Rollouts with one seed have the same dice.

    Args:
        bot: a model; it chooses the plays of both sides, and judges where trials are truncated.
        pos: the position, under its own rules; the mean is over its first roll too.
        trials: how many at most, at least 72, rounded up to a multiple of 36; 1,296 meet every pair of
            first two rolls.
        truncate: turns of either side after which the net judges; None: trials are played to the end.
        plies: of the search by which plays are chosen, 0..3.
        seed: of the dice, 0 .. 2**64 - 1.
        threads: as many as there are processors where left out.
        error: the rollout stops once the standard error of the equity, in points, is as small as this, at a
            whole block and after 144 trials at the earliest.
        take_luck: whether the luck of the dice is taken out.
        filters: which plays a search follows; the default ones where left out.
        progress: whether to show a bar with the running result on stderr; by default only on a terminal.

    Raises:
        InputError: an argument is out of range, or the position is of another game than the model.
        ZeroVariance: all trials showed the same, and the position is not exactly known.
        RolloutInterrupted: Ctrl-C; what was complete is in its `result`.
    """
    blocks = max(2, math.ceil(_whole("trials", trials, 1, MOST_TRIALS) / BLOCK_TRIALS))
    turns = 0 if truncate is None else _whole("truncate", truncate, 1, MAX_TURNS)
    plies, seed = core.checked_plies(plies), _whole("seed", seed, 0, 2**64 - 1)
    threads = _whole("threads", _processors() if threads is None else threads, 1, 1024)
    if error is not None and not 0.0 < error < math.inf:
        raise InputError(f"error is {error}: give the standard error to stop at, a number above 0")
    model = bot.player(pos.game).model
    if model is None:
        raise InputError(f"{bot.name} has no net to judge with: roll positions out with a model")
    settings = _Settings(bot, model, pos, turns, plies, seed, take_luck, filters)
    if pos.finished:
        return settings.finished()
    shown = sys.stderr.isatty() if progress is None else progress
    sample = _Sample(np.asarray(pos.game.points, dtype=np.float64))
    with tqdm(total=blocks * BLOCK_TRIALS, unit="trial", disable=not shown, mininterval=0.25) as bar:
        try:
            for part in _parts(settings, blocks, threads, single=error is not None):
                if sample.take(part, error):
                    break
                bar.update(len(part.values))
                bar.set_postfix_str(sample.text(), refresh=False)
        except KeyboardInterrupt:
            unplayed = (blocks - sample.blocks) * BLOCK_TRIALS
            found = settings.result(sample, unplayed) if sample.blocks > 1 else None
            raise RolloutInterrupted(found) from None
    return settings.result(sample, 0)


@dataclass(frozen=True)
class _Part:
    """Some blocks of trials, in their order."""

    values: Values
    """float64 [trials, k]"""
    turns: int
    truncated: int
    cut: int


class _Sample:
    """Sums and squares of the trials so far, by first roll; a last column is the equity."""

    def __init__(self, points: Values) -> None:
        self._points = points
        self._sums = np.zeros((BLOCK_TRIALS, len(points) + 1))
        self._squares = np.zeros((BLOCK_TRIALS, len(points) + 1))
        self._first: Values = np.empty(0)
        self.blocks = 0
        self.turns = self.truncated = self.cut = 0

    def take(self, part: _Part, error: float | None) -> bool:
        """Counts the part's blocks one by one; True once the equity's error is as small as `error`."""
        self.turns += part.turns
        self.truncated += part.truncated
        self.cut += part.cut
        for block in part.values.reshape(-1, BLOCK_TRIALS, len(self._points)):
            self._add(np.column_stack([block, block @ self._points]))
            if error is not None and self.blocks >= FEWEST_BLOCKS and self.errors()[-1] <= error:
                return True
        return False

    def _add(self, rows: Values) -> None:
        if self.blocks == 0:
            self._first = rows[0].copy()
        # Differences from the first trial keep the squares exact where the spread is small.
        self._sums += rows - self._first
        self._squares += (rows - self._first) ** 2
        self.blocks += 1

    def means(self) -> Values:
        """float64 [k + 1], the equity last."""
        means: Values = self._first + self._sums.mean(axis=0) / self.blocks
        return means

    def errors(self) -> Values:
        """Standard errors of the means, float64 [k + 1]; first rolls, equally often, have no part in them."""
        spread = (self._squares - self._sums**2 / self.blocks) / (self.blocks - 1)
        errors: Values = np.sqrt(np.maximum(spread, 0.0).sum(axis=0) / self.blocks) / BLOCK_TRIALS
        return errors

    def constant(self) -> bool:
        """Whether all trials showed the same."""
        trials = self.blocks * BLOCK_TRIALS
        spread = self._squares.sum(axis=0) / trials - (self._sums.sum(axis=0) / trials) ** 2
        return bool((spread <= NOTHING**2).all())

    def text(self) -> str:
        """The running equity."""
        if self.blocks < 2:
            return ""
        return f"{self.means()[-1]:+.4f} ± {self.errors()[-1]:.4f}"


@dataclass(frozen=True)
class _Settings:
    """What a rollout depends on."""

    bot: NetBot
    model: core.Model
    pos: Position
    truncate: int
    plies: int
    seed: int
    take_luck: bool
    filters: core.Filters | None

    def play(self, search: core.Search, first_block: int, blocks: int) -> _Part:
        """Plays some blocks in this thread."""
        values, counts = search.rollout(
            self.pos.board,
            self.pos.seat,
            self.pos.turns,
            seed=self.seed,
            first_trial=first_block * BLOCK_TRIALS,
            trials=blocks * BLOCK_TRIALS,
            truncate=self.truncate,
            max_turns=MAX_TURNS,
            plies=self.plies,
            take_luck=self.take_luck,
        )
        return _Part(values, counts["turns"], counts["truncated"], counts["cut"])

    def finished(self) -> RolloutResult:
        """The result of a game that is over."""
        known = [float(name == self.pos.result) for name in self.pos.game.outcomes]
        equity = sum(worth * value for worth, value in zip(self.pos.game.points, known, strict=True))
        return self._report(np.array([*known, equity]), np.zeros(len(known) + 1), exact=True)

    def result(self, sample: _Sample, unplayed: int) -> RolloutResult:
        """Means and errors. Raises `ZeroVariance`."""
        exact = sample.constant()
        if exact and not (sample.truncated == sample.cut == 0 and self._ends_one_way()):
            raise ZeroVariance(
                f"all {sample.blocks * BLOCK_TRIALS} trials from {self.pos.key} showed the same, so nothing "
                "can be said about their error: play more turns before the net judges, or to the end"
            )
        errors = np.zeros_like(sample.means()) if exact else sample.errors()
        return self._report(sample.means(), errors, exact, sample, unplayed)

    def _report(
        self, means: Values, errors: Values, exact: bool, sample: _Sample | None = None, unplayed: int = 0
    ) -> RolloutResult:
        names = self.pos.game.outcomes
        trials = sample.blocks * BLOCK_TRIALS if sample else 0
        return RolloutResult(
            bot=self.bot.name,
            fingerprint=self.bot.fingerprint,
            game=self.pos.game.name,
            position=self.pos.key,
            outcomes=dict(zip(names, means[:-1].tolist(), strict=True)),
            errors=dict(zip(names, errors[:-1].tolist(), strict=True)),
            equity=float(means[-1]),
            equity_error=float(errors[-1]),
            trials=trials,
            exact=exact,
            turns=sample.turns / trials if sample else 0.0,
            plies=self.plies,
            truncate=self.truncate or None,
            truncated=sample.truncated if sample else 0,
            cut=sample.cut if sample else 0,
            luck_taken=self.take_luck,
            seed=self.seed,
            unfinished=unplayed,
        )

    def _ends_one_way(self) -> bool:
        """Whether every roll from here leads to the same outcome, shown by looking at all of them."""
        if self.plies == 0:
            player = core.net_player(self.model)
        else:
            player = core.search_player(self.model, self.plies, self.filters)
        rules = self.pos.game.core_rules
        ends: set[str | None] = set()
        known = {self.pos}
        front = [self.pos]
        while front and len(known) <= MOST_CERTAIN and len(ends) < 2:
            after = [pos.after(board) for pos in front for board in _choices(player, rules, pos)]
            ends |= {_seen_by(self.pos.seat, pos) for pos in after if pos.finished}
            front = list({pos for pos in after if not pos.finished} - known)
            known.update(front)
        return not front and len(ends) == 1


def _choices(player: core.Player, rules: core.Rules, pos: Position) -> npt.NDArray[np.int8]:
    """The boards after the plays that are chosen for each of the 21 rolls, mover in row 0."""
    count = len(ROLLS)
    return core.choose(
        player,
        rules,
        np.repeat(pos.board[None], count, axis=0),
        np.array(ROLLS, np.uint8),
        np.full(count, pos.seat, np.uint8),
        np.full(count, pos.turns, np.uint8),
        np.zeros((count, 3), np.uint64),
    )


def _seen_by(seat: int, pos: Position) -> str | None:
    """The outcome of a finished game as the player of that seat sees it."""
    result = pos.result
    if result is None or result == "draw" or pos.seat == seat:
        return result
    side, _, kind = result.partition("_")
    other = "lose" if side == "win" else "win"
    return f"{other}_{kind}" if kind else other


def _parts(settings: _Settings, blocks: int, threads: int, *, single: bool) -> Iterator[_Part]:
    """All blocks in their order, played on all threads, a few ahead of what is asked for.

    `single`: one by one, so that one can stop behind any of them; else several in one part.
    """
    search = core.Search(settings.model, settings.filters)
    size = 1 if single else max(1, min(12, blocks // (8 * threads)))
    jobs = iter([(first, min(size, blocks - first)) for first in range(0, blocks, size)])
    if threads == 1:
        for job in jobs:
            yield settings.play(search, *job)
        return
    pool = ThreadPoolExecutor(threads)
    start: Callable[[tuple[int, int]], Any] = lambda job: pool.submit(settings.play, search, *job)  # noqa: E731
    try:
        waiting = [start(job) for job in islice(jobs, 2 * threads)]
        while waiting:
            part = waiting.pop(0).result()
            waiting += [start(job) for job in islice(jobs, 1)]
            yield part
    finally:
        pool.shutdown(cancel_futures=True)


def _whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}: give a whole number of at least {low}") from None
    if not low <= number <= high:
        raise InputError(f"{name} is {number}: give a number from {low} to {high}")
    return number


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
