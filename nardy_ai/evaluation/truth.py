"""Small games solved exactly: what every position is worth under perfect play, on both sides.

The table of a game is computed once and kept in the cache folder. It is the truth against which nets, search
and rollouts are tested.
"""

from __future__ import annotations

import operator
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from nardy_ai.core import InputError
from nardy_ai.core.tables import Float64, Openings, SmallGame, SolvedGame
from nardy_ai.models.table_file import TableFault, TableKey, check_writable, read_table, write_table
from nardy_ai.rules import Game, Position

__all__ = [
    "TOLERANCE",
    "Array",
    "Solution",
    "Sweeps",
    "checked_threads",
    "settled",
    "solution_key",
    "solve",
    "stored_solution",
]

Array: TypeAlias = npt.NDArray[Any]

VERSION = 1
"""Of the tables; raise it whenever their numbers change."""
TOLERANCE = 1e-9
"""Games with hits are swept until no value moves by so much."""
ROWS_AT_ONCE = 64
STEADY = 0.05
"""Two sweeps that shrink alike, up to this share, let the limit be guessed."""
NEVER_ENDS = 10_000
"""Sweeps after which the values do not settle; a game of three checkers needs about 40."""


@dataclass(frozen=True)
class Solution:
    """A game solved exactly."""

    game: Game
    solved: SolvedGame
    sweeps: int
    """How often the table was swept: once where nothing hits."""
    seconds: float
    """What that took when the table was made, by the clock."""
    threads: int
    """With which it was made."""
    path: Path
    """Where the table is stored."""

    @property
    def start(self) -> float:
        """Equity of the starter before the first throw, over all 21 rolls."""
        return self.solved.openings.start

    @property
    def opening(self) -> float:
        """What starting is worth in points a game, over the rolls that can open one."""
        return self.solved.openings.opening

    @property
    def positions(self) -> int:
        """Positions in the table, each seat counted where the rules use seats."""
        return int(np.count_nonzero(~np.isnan(self.solved.values)))

    def equity(self, pos: Position) -> float:
        """Exact equity of the player on roll before the throw. InputError for a position of another game."""
        if pos.game != self.game:
            raise InputError(f"this position belongs to {pos.game.name}, not to {self.game.name}")
        board = np.asarray(pos.board, np.int8)[None]
        return float(self.equities(board, np.array([pos.seat], np.uint8), np.array([pos.turns], np.uint8))[0])

    def equities(
        self,
        boards: npt.NDArray[np.int8],
        seats: npt.NDArray[np.uint8] | None = None,
        turns: npt.NDArray[np.uint8] | None = None,
    ) -> Float64:
        """float64 [n]: exact equities of the players on roll before the throw.

        `boards` int8 [n, 2, 26], player on roll in row 0; `seats` uint8 [n], needed where the rules use them;
        `turns` uint8 [n] that he has had, by default 3, that is not his first. InputError for a wrong board.
        """
        return self.solved.equities(boards, seats, turns)


def solution_key(game: Game) -> TableKey:
    """What the table of a game depends on."""
    options = game.core_rules.options
    kind = f"solved-{game.family}-{game.checkers}"
    return TableKey(kind, VERSION, {"rules": options, "tolerance": TOLERANCE})


def stored_solution(game: Game) -> Solution:
    """The solution from the cache folder. TableFault where there is none, or no whole one of this version."""
    key = solution_key(game)
    path = key.path()
    arrays, notes = read_table(path, key)
    small = SmallGame(game.core_rules)
    try:
        openings = Openings(arrays["second"], float(notes["start"]), float(notes["opening"]))
        told = int(notes["sweeps"]), float(notes["seconds"]), int(notes["threads"])
    except (KeyError, TypeError, ValueError):
        raise TableFault(f"the table {path} lacks a part: delete it, it is made anew") from None
    return Solution(game, SolvedGame(small, arrays["values"], openings), *told, path)


def solve(
    game: Game, *, threads: int | None = None, progress: bool | None = None, anew: bool = False
) -> Solution:
    """The exact solution of a game of up to three checkers a side, stored or computed and then stored.

    The numbers do not depend on the threads.

    Args:
        game: see `rules.small_game`.
        threads: as many as there are processors where left out.
        progress: whether to show a bar on stderr; by default only on a terminal.
        anew: compute it even where it is stored.

    Raises:
        InputError: a larger game, a bad number of threads, or a cache folder that can't be written to.
    """
    threads = checked_threads(threads)
    small = SmallGame(game.core_rules)
    if not anew:
        try:
            return stored_solution(game)
        except TableFault:
            pass
    key = solution_key(game)
    check_writable(key.path())
    begun = time.monotonic()
    with Sweeps(small, threads, progress) as sweeps:
        sweeps.fill()
        values, count = _solved_values(small, sweeps)
    openings = small.openings(values)
    notes = {
        "start": openings.start,
        "opening": openings.opening,
        "sweeps": count,
        "seconds": round(time.monotonic() - begun, 3),
        "threads": threads,
    }
    write_table(key.path(), key, {"values": values, "second": openings.second}, notes)
    return stored_solution(game)


def checked_threads(threads: int | None) -> int:
    """The number of threads to use. InputError where it is none from 1 to 1024."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        found = operator.index(threads)
    except TypeError:
        found = 0
    if not 1 <= found <= 1024:
        raise InputError(f"threads is {threads!r}: give a whole number from 1 to 1024")
    return found


class Sweeps:
    """Work on all blocks of a small game by several threads, with a progress bar."""

    def __init__(self, small: SmallGame, threads: int, progress: bool | None) -> None:
        self._small = small
        self._threads = threads
        self._shown = sys.stderr.isatty() if progress is None else progress
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> Sweeps:
        return self

    def __exit__(self, *exception: object) -> None:
        # What has not begun is dropped, so that Ctrl-C is obeyed within a block's time.
        self._pool.shutdown(wait=True, cancel_futures=True)

    def fill(self) -> None:
        """Lists all plays, unless that is done."""
        rows = self._small.rows
        with self._small.filling, self._bar("listing plays", rows) as bar:
            parts = [range(begin, min(begin + ROWS_AT_ONCE, rows)) for begin in range(0, rows, ROWS_AT_ONCE)]
            for filled in self._pool.map(self._fill_part, parts):
                bar.update(filled)

    def _fill_part(self, part: range) -> int:
        self._small.fill(part.start, part.stop)
        return len(part)

    def rows(self, title: str, work: Callable[[int], None]) -> None:
        """Does some work for each row."""
        rows = range(self._small.rows)
        with self._bar(title, len(rows)) as bar:
            for _ in self._pool.map(work, rows):
                bar.update(1)

    def sweep(self, title: str, work: Callable[[int, int], float]) -> float:
        """Does some work for every two blocks, smaller sums first; the greatest answer."""
        most = 0.0
        blocks = self._small.blocks
        with self._bar(title, blocks * (blocks + 1) // 2) as bar:
            for couples in _by_sum(blocks):
                for answer in self._pool.map(lambda couple: work(*couple), couples):
                    most = max(most, answer)
                    bar.update(1)
        return most

    def _bar(self, title: str, total: int) -> tqdm[None]:
        return tqdm(total=total, desc=title, unit="", disable=not self._shown, mininterval=0.25, leave=False)


def _by_sum(blocks: int) -> Iterator[list[tuple[int, int]]]:
    """All pairs of blocks, the greater first, in groups of equal sum."""
    for total in range(2 * blocks - 1):
        yield [(a, total - a) for a in range(-(-total // 2), min(total, blocks - 1) + 1)]


def _solved_values(small: SmallGame, sweeps: Sweeps) -> tuple[Float64, int]:
    if small.rules.family == "long":
        values = np.zeros(small.shape)
        sweeps.sweep("solving", lambda a, b: small.solve_blocks(values, None, a, b))
        return values, 1

    def sweep(now: Array, before: Array, title: str) -> float:
        return sweeps.sweep(title, lambda a, b: small.solve_blocks(now, before, a, b))

    return settled(sweep, np.zeros(small.shape), np.zeros(small.shape), TOLERANCE)


def settled(
    sweep: Callable[[Array, Array, str], float], now: Array, before: Array, tolerance: float
) -> tuple[Array, int]:
    """Sweeps until no number moves by as much as the tolerance; the table, and how many sweeps it took.

    `sweep` fills its first table by the help of its second, that of the sweep before, and says how far a
    number has moved. Once movements shrink by the same factor each time, all that is to come is guessed and
    added: that saves a third of the sweeps, and those that follow correct whatever it got wrong.
    """
    moved: list[float] = []
    for count in range(1, NEVER_ENDS):
        title = f"sweep {count}" + (f", moved {moved[-1]:.1e}" if moved and np.isfinite(moved[-1]) else "")
        moved.append(sweep(now, before, title))
        if moved[-1] < tolerance:
            return now, count
        factor = _steady_factor(moved)
        if factor is not None:
            np.subtract(now, before, out=before)
            before *= factor / (1 - factor)
            now += before
            moved = [np.inf]
        now, before = before, now
    raise InputError("the values of this game do not settle: under these rules play need not end")


def _steady_factor(moved: list[float]) -> float | None:
    """The factor by which movements shrink, once it is the same twice."""
    if len(moved) < 4:
        return None
    last, earlier = moved[-1] / moved[-2], moved[-2] / moved[-3]
    return last if last < 0.95 and abs(last - earlier) < STEADY * earlier else None
