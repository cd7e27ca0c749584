"""Two bots against each other, in pairs of games with the same dice."""

from __future__ import annotations

import operator
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from nardy_ai.bots import Bot
from nardy_ai.core import InputError
from nardy_ai.evaluation.drivers import Driver, MixedDriver, NativeDriver
from nardy_ai.evaluation.match_result import CUT, UNPLAYED, MatchResult, Side, summarize
from nardy_ai.evaluation.statistics import mean_interval
from nardy_ai.rules import Game

MAX_TURNS = 4000
"""Turns of both sides after which a game is stopped; random play of long nardy takes about a hundred."""
MOST_SEED = 2**64 - 1
MOST_PAIRS = 10**9
NATIVE_SLICE, MIXED_SLICE = 32, 64


class SameBotWarning(UserWarning):
    """Both bots of a match are the same."""


class MatchInterrupted(KeyboardInterrupt):
    """The match was stopped by Ctrl-C; `result` is that of the pairs that were complete, or None."""

    def __init__(self, result: MatchResult | None) -> None:
        super().__init__("the match was stopped")
        self.result = result


def match(
    a: Bot,
    b: Bot,
    game: Game | str | None = None,
    pairs: int = 1000,
    seed: int = 1,
    threads: int | None = None,
    *,
    max_turns: int = MAX_TURNS,
    progress: bool | None = None,
) -> MatchResult:
    """Plays pairs of games: the same dice twice, with the seats swapped.

    The result depends on bots, game, pairs and seed alone: not on threads, and not on whether a bot runs in C
    or in Python. A bot against itself scores exactly 0, and B against A is the exact negative of A against B.

    Args:
        a: the bot whose score is reported.
        b: its opponent.
        game: the rules; by default the models' own, or short nardy where a bot plays nothing else; needed
            where neither says it, and where two models differ.
        pairs: how many pairs, at least 1.
        seed: of dice and lots, 0 .. 2**64 - 1.
        threads: how many threads play native bots and outside programs (each thread has processes of its
            own); as many as there are processors where left out.
        max_turns: turns of both sides after which a game is stopped and its pair left out.
        progress: whether to show a bar with the running score on stderr; by default only on a terminal.

    Raises:
        InputError: an argument is out of range, no game is known, or a bot can't play it.
        BotFault: a bot failed or chose a play that is not legal.
        MatchInterrupted: Ctrl-C; what was complete is in its `result`.
    """
    for number, who in enumerate((a, b), 1):
        if not isinstance(who, Bot):
            raise InputError(
                f"bot {number} of the match is {who!r}: make one with nardy.bot(...) or nardy.load(...)"
            )
    pairs = _whole("pairs", pairs, 1, MOST_PAIRS)
    seed = _whole("seed", seed, 0, MOST_SEED)
    max_turns = _whole("max_turns", max_turns, 1, 10**6)
    threads = _whole("threads", _processors() if threads is None else threads, 1, 1024)
    rules = _game_of(a, b, game)
    driver, native = _driver(a, b, rules, seed, max_turns)
    if a.fingerprint == b.fingerprint:
        warnings.warn(
            f"{a.name} and {b.name} are the same bot (hash {a.fingerprint}): it scores 0 against itself "
            "whatever it is worth",
            SameBotWarning,
            stacklevel=2,
        )
    board = _Scoreboard(a, b, rules, seed, pairs, progress)
    try:
        threads = threads if native or _side_by_side(a, b) else 1
        _play(driver, board, pairs, threads, NATIVE_SLICE if native else MIXED_SLICE)
    except KeyboardInterrupt:
        raise MatchInterrupted(board.result_if_any()) from None
    finally:
        board.close()
    return board.result()


def _whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
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


def _game_of(a: Bot, b: Bot, game: Game | str | None) -> Game:
    if isinstance(game, Game):
        return game
    if game is not None:
        return Game(game)
    own = [bot for bot in (a, b) if bot.game is not None]
    usual = a.usual_game or b.usual_game
    if not own and usual is not None:
        return usual
    if not own:
        raise InputError(
            f"neither {a.name} nor {b.name} has a game of its own: say which, such as long or short"
        )
    first, last = own[0].game, own[-1].game
    assert first is not None and last is not None
    if first.core_rules.family != last.core_rules.family:
        raise InputError(
            f"{a.name} plays {first.name} and {b.name} plays {last.name}: take two bots of the same game"
        )
    if first != last:
        raise InputError(
            f"{a.name} is for {first.name} and {b.name} for {last.name}: say by which of them they shall play"
        )
    return first


def _driver(a: Bot, b: Bot, game: Game, seed: int, max_turns: int) -> tuple[Driver, bool]:
    first, second = a.player(game), b.player(game)
    if first is not None and second is not None:
        return NativeDriver(first, second, game.core_rules, seed, max_turns), True
    return MixedDriver(a, b, game, seed, max_turns), False


def _side_by_side(a: Bot, b: Bot) -> bool:
    """Whether both bots may be asked by several threads; one that does not say so is asked by one."""
    return all(getattr(bot, "concurrent", False) for bot in (a, b))


def _slices(pairs: int, size: int) -> Iterator[tuple[int, int]]:
    for first in range(0, pairs, size):
        yield first, min(size, pairs - first)


def _play(driver: Driver, board: _Scoreboard, pairs: int, threads: int, size: int) -> None:
    if threads == 1:
        for first, count in _slices(pairs, size):
            board.take(first, *driver.play(first, count))
        return
    slices = _slices(pairs, size)
    running: dict[Future[Any], int] = {}
    # Only a few slices are handed out ahead, so that Ctrl-C is answered at once.
    with ThreadPoolExecutor(threads) as pool:
        more: Callable[[], tuple[int, int] | None] = lambda: next(slices, None)  # noqa: E731
        try:
            while (cut := more()) is not None:
                running[pool.submit(driver.play, *cut)] = cut[0]
                if len(running) > threads:
                    _collect(board, running)
            while running:
                _collect(board, running)
        except BaseException:
            # After a fault or Ctrl-C nobody waits for what other threads ask outside programs just now.
            pool.shutdown(wait=False, cancel_futures=True)
            if isinstance(driver, MixedDriver):
                driver.stop()
            raise


def _collect(board: _Scoreboard, running: dict[Future[Any], int]) -> None:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        board.take(running.pop(future), *future.result())


class _Scoreboard:
    """Collects slices in any order, and shows the running score."""

    def __init__(self, a: Bot, b: Bot, game: Game, seed: int, pairs: int, progress: bool | None) -> None:
        self._sides = Side(a.name, a.fingerprint), Side(b.name, b.fingerprint)
        self._game, self._seed = game, seed
        self._outcomes = np.full((pairs, 2), UNPLAYED, dtype=np.int8)
        self._plies = np.zeros((pairs, 2), dtype=np.int32)
        self._worth = np.asarray(game.core_rules.points, dtype=np.float64)
        self._scores: list[float] = []
        shown = sys.stderr.isatty() if progress is None else progress
        self._bar: tqdm[Any] = tqdm(
            total=pairs, unit="pair", desc=f"{a.name} : {b.name}", disable=not shown, mininterval=0.25
        )

    def take(self, first: int, outcomes: npt.NDArray[np.int8], plies: npt.NDArray[np.int32]) -> None:
        """The pairs from `first` on are played."""
        count = len(outcomes)
        self._outcomes[first : first + count] = outcomes
        self._plies[first : first + count] = plies
        if not self._bar.disable:
            whole = outcomes[(outcomes != CUT).all(axis=1)]
            self._scores.extend(self._worth[whole].mean(axis=1).tolist())
            if self._scores:
                self._bar.set_postfix_str(str(mean_interval(self._scores)), refresh=False)
        self._bar.update(count)

    def result(self) -> MatchResult:
        """The statistics of all pairs that were played."""
        rules = self._game.core_rules
        a, b = self._sides
        return summarize(
            a, b, self._game.name, self._seed, self._outcomes, self._plies, rules.outcomes, rules.points
        )

    def result_if_any(self) -> MatchResult | None:
        """The same, None if no pair was complete."""
        whole = (self._outcomes >= 0).all(axis=1)
        return self.result() if whole.any() else None

    def close(self) -> None:
        """Ends the progress bar."""
        self._bar.close()
