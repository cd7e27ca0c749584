"""Look-ahead: positions and plays judged some plies deep, and the trials of rollouts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import Float32, Int8, Moves, UInt8, columns, natural, one_board, one_roll
from nardy_ai.core.boards import results
from nardy_ai.core.nets import MOST_DOUBT, MOST_KEPT, Model
from nardy_ai.core.players import Player
from nardy_ai.core.rule_options import Rules

MAX_PLIES = 3
"""The deepest search."""
ROLLS = 21
"""Distinct rolls of two dice."""
ROLL_PAIRS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The rolls in the order of their numbers 0..20, larger die first."""
BLOCK_TRIALS = 36
"""Trials of a rollout come in blocks of so many, see `Search.rollout`."""

Column = UInt8 | None
Ranking = tuple[Int8, list[Moves], Float32, Float32, UInt8]


@dataclass(frozen=True)
class Stage:
    """Which plays of a roll are looked at one ply deeper; the best always is."""

    keep: int | None = None
    """At most so many, the best ones; None: any number."""
    margin: float | None = None
    """Only those within so many points of the best; None: however far behind."""

    def __post_init__(self) -> None:
        if self.keep is not None and not 1 <= operator.index(self.keep) < 2**32:
            raise InputError(f"a filter cannot keep {self.keep} plays: give at least 1, or None to keep all")
        if self.margin is not None and not self.margin >= 0:
            raise InputError(f"a filter's margin cannot be {self.margin}: give 0 or more points, or None")


@dataclass(frozen=True)
class Filters:
    """Which plays a search follows. Stage n is passed by plays judged at n plies, on their way to n + 1."""

    root: tuple[Stage, Stage, Stage] = (Stage(), Stage(), Stage())
    """For the plays of the roll that is asked about."""
    inner: tuple[Stage, Stage] = (Stage(), Stage())
    """For the plays within the tree, whichever side makes them."""
    scout: Stage = Stage()
    """For those plays too, before any other net sees them: by the model's scout, where it has one."""
    doubt: float = 0.0
    """Which other plays the scout lets pass, see `Pruning`."""

    def _arrays(self) -> tuple[npt.NDArray[np.uint32], Float32]:
        stages: tuple[Stage, ...] = (*self.root, *self.inner, self.scout)
        if len(self.root) != MAX_PLIES or len(self.inner) != MAX_PLIES - 1:
            raise InputError(f"filters have {MAX_PLIES} root stages and {MAX_PLIES - 1} inner ones")
        if (self.scout.keep is None) != (self.scout.margin is None) or (self.scout.keep or 0) > MOST_KEPT:
            raise InputError(f"a scout's stage has a margin and keeps 1 to {MOST_KEPT} plays, or has neither")
        if not 0 <= self.doubt <= MOST_DOUBT:
            raise InputError(f"a scout's doubt is {self.doubt}: give 0 to {MOST_DOUBT} standard deviations")
        keeps = [0 if stage.keep is None else stage.keep for stage in stages]
        margins = [math.inf if stage.margin is None else stage.margin for stage in stages]
        return np.array(keeps, np.uint32), np.array([*margins, self.doubt], np.float32)


def _default_filters() -> Filters:
    found, doubt = _core.default_filters()
    stages = [
        Stage(keep or None, None if math.isinf(margin) else round(margin, 6)) for keep, margin in found
    ]
    return Filters((stages[0], stages[1], stages[2]), (stages[3], stages[4]), stages[5], round(doubt, 6))


DEFAULT_FILTERS = _default_filters()
"""What a search follows unless told otherwise; within the tree, the net's first choice.

Against no filters small trained nets (128-64) lose by them, in thousandths of a point a decision: in short
and in long nardy 0.08 ± 0.03 and 0.03 ± 0.01 at 1 ply, 0.24 ± 0.11 and 0.16 ± 0.08 at 2 plies, where they are
120 times as fast; at 3 plies 0.12 ± 0.11 and 0.16 ± 0.11 against a search that follows three inner plays.
"""
NO_FILTERS = Filters()
"""Everything is followed: values are exact expectations over the net."""


def search_player(model: Model, plies: int, filters: Filters | None = None) -> Player:
    """Plays the best result at ``plies`` (0..3); ``filters``: which plays are followed."""
    keeps, margins = (DEFAULT_FILTERS if filters is None else filters)._arrays()
    return Player(4, model, (), (checked_plies(plies), keeps, margins))


def checked_plies(plies: int) -> int:
    """The number of plies; InputError outside 0..3."""
    try:
        number = operator.index(plies)
    except TypeError:
        number = -1
    if not 0 <= number <= MAX_PLIES:
        raise InputError(f"plies cannot be {plies!r}: give a whole number from 0 to {MAX_PLIES}")
    return number


class Search:
    """Expectation search over a model's nets, shared by any number of threads.

    At 0 plies a position is worth what the net says; at n plies the mean over 21 rolls of the best play's
    worth at n - 1. Finished games are judged by rule. Answers do not depend on ``threads``, on the cache,
    or on what was asked before.

    ``filters``: which plays are followed (`DEFAULT_FILTERS`; `NO_FILTERS` for exact values). ``cache_mib``:
    the most memory, in MiB for each thread, that remembers searched positions; 0 switches it off.
    """

    def __init__(
        self, model: Model, filters: Filters | None = None, *, cache_mib: float = 16, threads: int = 1
    ) -> None:
        if not 0 <= cache_mib <= 65536:
            raise InputError(f"a cache cannot have {cache_mib} MiB: give a number from 0 to 65536")
        if not 1 <= natural(threads, 31, "threads") <= 1024:
            raise InputError(f"threads cannot be {threads}: give a number from 1 to 1024")
        self.model = model
        self.rules: Rules = model.rules
        self.filters = DEFAULT_FILTERS if filters is None else filters
        self.threads = threads
        self._settings = (*self.filters._arrays(), int(cache_mib * 2**20))
        self._idle: list[Any] = []
        self._all: list[Any] = []

    @property
    def evaluations(self) -> int:
        """Positions that a net has judged so far; finished games are never among them."""
        return sum(int(_core.search_facts(handle)[0]) for handle in self._all)

    @property
    def cache_use(self) -> tuple[int, int]:
        """How often the caches were asked, and how often they knew."""
        facts = [_core.search_facts(handle) for handle in self._all]
        return sum(int(fact[1]) for fact in facts), sum(int(fact[2]) for fact in facts)

    def values(
        self, boards: Int8, seats: Column = None, turns: Column = None, *, plies: int
    ) -> tuple[Float32, Float32]:
        """What positions are worth to the players on roll, before the throw.

        Args:
            boards: int8 [n, 2, 26], player on roll in row 0; finished games are allowed.
            seats: uint8 [n], 0 where he started the game; needed where the rules or the net use it.
            turns: uint8 [n], turns he has had (3: three or more); needed where the rules use it.
            plies: 0..3.

        Returns:
            Outcomes float32 [n, k] and equity float32 [n] in points.

        Raises:
            InputError: a bad board, missing seats or turns, or plies out of range.
        """
        plies = checked_plies(plies)
        batch = self._columns(boards, seats, turns)
        count = len(batch[0])
        if self.threads > 1 and plies > 1 and count < 4 * self.threads:
            return self._values_by_rolls(batch, plies)
        found = self._in_slices(
            count, lambda handle, cut: _core.search_values(handle, *(part[cut] for part in batch), plies)
        )
        outcomes, equities = (b"".join(part[column] for part in found) for column in range(2))
        return self._outcomes(outcomes), _floats(equities)

    def roll_values(
        self, boards: Int8, seats: Column = None, turns: Column = None, *, plies: int
    ) -> npt.NDArray[np.float64]:
        """What every roll of unfinished positions is worth to the players who make it, by their best play.

        Args:
            boards: int8 [n, 2, 26], player on roll in row 0, none finished.
            seats: as in `values`.
            turns: as in `values`.
            plies: 1..3; 1: the net judges what the plays leave.

        Returns:
            float64 [n, 21]: equity in points of the rolls 1-1, 2-1, 2-2, 3-1, … 6-6 (see `ROLL_PAIRS`).

        Raises:
            InputError: a finished game, a bad board, missing seats or turns, or plies out of range.
        """
        plies = checked_plies(plies)
        batch = self._columns(boards, seats, turns)
        if plies == 0 or (results(self.rules, batch[0], batch[1]) >= 0).any():
            raise InputError("rolls are worth something in unfinished games, from 1 ply on")
        jobs = [np.repeat(part, ROLLS, axis=0) for part in batch]
        rolls = np.tile(np.arange(ROLLS, dtype=np.uint8), len(batch[0]))
        found = self._in_slices(
            len(rolls),
            lambda handle, cut: _core.search_rolls(handle, *(part[cut] for part in jobs), plies, rolls[cut]),
        )
        outcomes = self._outcomes(b"".join(found)).astype(np.float64)
        worth = np.zeros(len(outcomes))
        # Column by column, so that a sum does not depend on how many boards were asked about.
        for column, points in enumerate(self.rules.points):
            worth += outcomes[:, column] * points
        return worth.reshape(len(batch[0]), ROLLS)

    def rank(self, board: Int8, d1: int, d2: int, seat: int, turns: int, *, plies: int) -> Ranking:
        """Every play of a roll; first those judged at ``plies``, then those that the filters dropped last.

        Args:
            board: int8 [2, 26], player on roll in row 0.
            d1: one die, 1..6.
            d2: the other.
            seat: 0 where he started the game, else 1.
            turns: turns he has had, 3 for three or more.
            plies: 0..3.

        Returns:
            Boards int8 [n, 2, 26] with the mover in row 0, movements, outcomes float32 [n, k] and equity
            float32 [n] for the mover, and uint8 [n], the plies at which each was judged. Plays of one depth
            stand best first, equal ones in the order of their boards' bytes.

        Raises:
            InputError: a bad board, a finished game, bad dice, or plies out of range.
        """
        plies = checked_plies(plies)
        parts = one_board(board, seat, turns)
        with self._handle() as handle:
            first = 0 if self.threads > 1 else plies
            found = _core.search_plays(handle, *parts, first, one_roll(d1, d2))
        boards = np.frombuffer(found[0], np.int8).reshape(-1, 2, 26)
        depths = np.frombuffer(found[4], np.uint8)
        judged = (boards, found[1], self._outcomes(found[2]), _floats(found[3]), depths)
        return self._deepened(judged, seat, turns, plies) if first < plies else judged

    def rollout(
        self,
        board: Int8,
        seat: int,
        turns: int,
        *,
        seed: int,
        first_trial: int,
        trials: int,
        truncate: int = 0,
        max_turns: int = 5000,
        plies: int = 0,
        take_luck: bool = True,
    ) -> tuple[npt.NDArray[np.float64], dict[str, int]]:
        """Plays an unfinished position on, in this thread.

        Trials come in blocks of 36: in each every ordered pair of dice is the first roll once and the second
        roll once. A trial depends on (seed, its number) alone.

        Args:
            board: int8 [2, 26], player on roll in row 0.
            seat: 0 where he started the game, else 1.
            turns: turns he has had, 3 for three or more.
            seed: of the dice, 0..2**64 - 1.
            first_trial: number of the first trial.
            trials: how many.
            truncate: turns of either side after which the net judges; 0: played to the end.
            max_turns: turns after which a trial is cut: the net judges, and it is counted.
            plies: of the search by which both sides choose their plays.
            take_luck: whether the luck of the dice is taken out, which leaves the mean as it is.

        Returns:
            float64 [trials, k]: what each trial showed, for the player on roll; single numbers may leave 0..1
            where luck was taken out. And counts: ``turns``, ``truncated``, ``cut``.

        Raises:
            InputError: a bad board, a finished game, or plies out of range.
        """
        plies, parts = checked_plies(plies), one_board(board, seat, turns)
        which = natural(seed, 64, "seed"), natural(first_trial, 63, "first_trial")
        limits = (natural(n, 31, "trials, truncate or max_turns") for n in (trials, truncate, max_turns))
        with self._handle() as handle:
            values, *counts = _core.rollout(handle, *parts, plies, *which, *limits, take_luck)
        found = np.frombuffer(values, np.float64).reshape(trials, -1)
        return found, dict(zip(("turns", "truncated", "cut"), counts, strict=True))

    # --- sharing work out -------------------------------------------------------------------------------

    @contextmanager
    def _handle(self) -> Iterator[Any]:
        """A search of the engine that no other thread is using."""
        try:
            handle = self._idle.pop()
        except IndexError:
            handle = _core.search(self.model._handle, *self._settings)
            self._all.append(handle)
        try:
            yield handle
        finally:
            self._idle.append(handle)

    def _in_slices(self, count: int, work: Callable[[Any, slice], Any]) -> list[Any]:
        """Runs the work on slices of a batch, on all threads; answers in the order of the batch."""

        def one(cut: slice) -> Any:
            with self._handle() as handle:
                return work(handle, cut)

        if self.threads == 1 or count < 2:
            return [one(slice(0, count))]
        size = max(1, math.ceil(count / (8 * self.threads)))
        cuts = [slice(start, min(start + size, count)) for start in range(0, count, size)]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(one, cuts))

    def _values_by_rolls(self, batch: tuple[Int8, UInt8, UInt8], plies: int) -> tuple[Float32, Float32]:
        """The same values, with the rolls of each position as jobs of their own."""
        outcomes, equities = self._finished(batch)
        going_on = np.flatnonzero(results(self.rules, batch[0], batch[1]) < 0)
        jobs = [np.repeat(part[going_on], ROLLS, axis=0) for part in batch]
        rolls = np.tile(np.arange(ROLLS, dtype=np.uint8), len(going_on))
        found = self._in_slices(
            len(rolls),
            lambda handle, cut: _core.search_rolls(handle, *(part[cut] for part in jobs), plies, rolls[cut]),
        )
        means, worth = _core.mean_of_rolls(self.rules._handle, b"".join(found))
        outcomes[going_on], equities[going_on] = self._outcomes(means), _floats(worth)
        return outcomes, equities

    def _finished(self, batch: tuple[Int8, UInt8, UInt8]) -> tuple[Float32, Float32]:
        """Values of finished games; zeros where the game goes on."""
        over = np.flatnonzero(results(self.rules, batch[0], batch[1]) >= 0)
        outcomes = np.zeros((len(batch[0]), len(self.rules.outcomes)), np.float32)
        equities = np.zeros(len(batch[0]), np.float32)
        if len(over):
            with self._handle() as handle:
                found, worth = _core.search_values(handle, *(part[over] for part in batch), 0)
            outcomes[over], equities[over] = self._outcomes(found), _floats(worth)
        return outcomes, equities

    def _deepened(self, judged: Ranking, seat: int, turns: int, plies: int) -> Ranking:
        """Plays ranked at 0 plies looked at deeper, stage by stage as the engine does it in one thread."""
        boards, moves = judged[:2]
        outcomes, equities, depths = judged[2].copy(), judged[3].copy(), judged[4].copy()
        order, keys = list(range(len(boards))), [board.tobytes() for board in boards]
        kept, reached = order, 0
        while reached < plies:
            kept = _passed(kept, equities, self.filters.root[reached])
            reached = plies if len(kept) == 1 else reached + 1
            seats = np.full(len(kept), 1 - seat, np.uint8)
            after = np.full(len(kept), min(turns + seat, 3), np.uint8)
            turned = np.ascontiguousarray(boards[kept][:, ::-1])
            theirs, worth = self.values(turned, seats, after, plies=reached)
            outcomes[kept], equities[kept], depths[kept] = self._turned(theirs), -worth, reached
            kept = sorted(kept, key=lambda i: (-float(equities[i]), keys[i]))
        order.sort(key=lambda i: (-int(depths[i]), -float(equities[i]), keys[i]))
        return boards[order], [moves[i] for i in order], outcomes[order], equities[order], depths[order]

    # --- arrays -----------------------------------------------------------------------------------------

    def _columns(self, boards: Int8, seats: Column, turns: Column) -> tuple[Int8, UInt8, UInt8]:
        rules = self.rules
        if turns is None and rules.uses_turns:
            raise InputError("turns of the players on roll are needed: give uint8 [n], 3 for three or more")
        if seats is None and (rules.uses_seat or rules.uses_turns or self.model.encoding.endswith("-seat")):
            raise InputError("seats of the players on roll are needed: give uint8 [n], 0 where he started")
        return columns(boards, seats, turns)

    def _outcomes(self, data: bytes) -> Float32:
        return _floats(data).reshape(-1, len(self.rules.outcomes))

    def _turned(self, outcomes: Float32) -> Float32:
        """Outcomes as the other players see them: wins and losses swapped."""
        half = len(self.rules.outcomes) // 2
        return np.concatenate(
            [outcomes[:, half : 2 * half], outcomes[:, :half], outcomes[:, 2 * half :]], axis=1
        )


def _floats(data: bytes) -> Float32:
    return np.frombuffer(bytearray(data), np.float32)


def _passed(ranked: list[int], equities: Float32, stage: Stage) -> list[int]:
    """The first of the ranked plays that go on."""
    best = equities[ranked[0]]
    margin = np.float32(math.inf if stage.margin is None else stage.margin)
    return [i for i in ranked[: stage.keep] if best - equities[i] <= margin]
