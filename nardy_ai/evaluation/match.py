"""Two bots against each other, in pairs of games with the same dice."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.bots import Bot, NetBot
from nardy_ai.bots.bot import fingerprint_of
from nardy_ai.core import InputError
from nardy_ai.evaluation.drivers import Driver, JudgedDriver, MixedDriver, NativeDriver
from nardy_ai.evaluation.luck import NetJudge
from nardy_ai.evaluation.match_result import UNPLAYED, MatchResult, Side
from nardy_ai.evaluation.points_match import OUTCOMES, WORTH, PointsMatchDriver
from nardy_ai.evaluation.record import MatchRecord, Terms, missing_pairs
from nardy_ai.evaluation.scoreboard import Scoreboard, Setting
from nardy_ai.evaluation.sequential import SequentialTest
from nardy_ai.rules import Game

MAX_TURNS = 4000
"""Turns of both sides after which a game is stopped; random play of long nardy takes about a hundred."""
MOST_SEED = 2**64 - 1
MOST_PAIRS = 10**8
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
    length: int | None = None,
    record: Path | str | None = None,
    test: SequentialTest | None = None,
    luck: NetBot | None = None,
    progress: bool | None = None,
) -> MatchResult:
    """Plays pairs of games: the same dice twice, with the seats swapped.

    The result depends on bots, game, pairs and seed alone: not on threads, not on whether a bot runs in C or
    in Python, and not on how often the match was stopped. A bot against itself scores exactly 0, and B
    against A is the exact negative of A against B.

    Args:
        a: the bot whose score is reported.
        b: its opponent.
        game: the rules; by default the models' own, or short nardy where a bot plays nothing else; needed
            where neither says it, and where two models differ.
        pairs: how many pairs, at least 1; with a test, at most so many.
        seed: of dice and lots, 0 .. 2**64 - 1.
        threads: how many threads play native bots and outside programs (each thread has processes of its
            own); as many as there are processors where left out.
        max_turns: turns of both sides after which a game is stopped and its pair left out.
        length: points of a match without the cube: pairs are of matches then, each worth 1 or -1.
        record: a file that keeps the result of every pair. Where it is there, what it holds is not played
            again; it must be of the same bots, game, seed and limits.
        test: stops the match as soon as it is decided; the interval takes no account of that.
        luck: a model by which the luck of the dice is taken out of a second score. Games are played by the
            Python driver then, and each turn costs the worth of 21 rolls: with nets that don't look ahead a
            pair takes about 40 times as long. It pays where a bot is slow or pairs are few.
        progress: whether to show a bar with the running score on stderr; by default only on a terminal.

    Raises:
        InputError: an argument is out of range, no game is known, a bot can't play it, or the record is of
            another match.
        BotFault: a bot failed or chose a play that is not legal.
        MatchInterrupted: Ctrl-C; what was complete is in its `result`.
        OSError: the record can't be written.
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
    if luck is not None and length is not None:
        raise InputError("luck is judged in points of single games: leave out luck, or length")
    driver, parallel = _driver(a, b, rules, seed, max_turns, luck, threads)
    size = _slice_of(driver)
    if length is not None:
        driver = PointsMatchDriver(driver, rules, length, seed)
    setting = _setting(a, b, rules, seed, length, luck)
    if test is not None:
        test.check_scores(-setting.most, setting.most)
    if a.fingerprint == b.fingerprint:
        warnings.warn(
            f"{a.name} and {b.name} are the same bot (hash {a.fingerprint}): it scores 0 against itself "
            "whatever it is worth",
            SameBotWarning,
            stacklevel=2,
        )
    terms = Terms.of(
        setting.a,
        setting.b,
        game=rules.name,
        rules=rules_hash(rules),
        seed=seed,
        max_turns=max_turns,
        length=length,
        judge=None if luck is None else luck.fingerprint,
    )
    kept = None if record is None else MatchRecord(Path(record), terms, len(setting.names))
    board = Scoreboard(setting, pairs, record=kept, test=test, progress=progress)
    try:
        _play(driver, board, threads if parallel else 1, size if length is None else 1 + size // length)
    except KeyboardInterrupt:
        raise MatchInterrupted(board.result_if_any()) from None
    finally:
        board.close()
    return board.result()


class PairsInterrupted(KeyboardInterrupt):
    """Ctrl-C among further pairs; `outcomes` holds those that were complete, in order from the first on."""

    def __init__(self, outcomes: npt.NDArray[np.int8]) -> None:
        super().__init__("the match was stopped")
        self.outcomes = outcomes


def more_pairs(
    a: Bot, b: Bot, game: Game, seed: int, first: int, count: int, threads: int | None = None
) -> npt.NDArray[np.int8]:
    """Outcomes of the pairs first .. first + count - 1 of a match, int8 [count, 2], as `summarize` has them.

    Raises:
        InputError: a bot can't play the game, or a bad number of threads.
        BotFault: a bot failed or chose a play that is not legal.
        PairsInterrupted: Ctrl-C.
    """
    threads = _whole("threads", _processors() if threads is None else threads, 1, 1024)
    driver, parallel = _driver(a, b, game, seed, MAX_TURNS, None, threads)
    board = Scoreboard(_setting(a, b, game, seed, None, None), count, first=first, progress=False)
    try:
        _play(driver, board, threads if parallel else 1, _slice_of(driver))
    except KeyboardInterrupt:
        whole = np.cumprod((board.outcomes != UNPLAYED).all(axis=1))
        raise PairsInterrupted(board.outcomes[: int(whole.sum())]) from None
    finally:
        board.close()
    return board.outcomes


def rules_hash(game: Game) -> str:
    """A hash of everything in a game's rules that results depend on."""
    rules = game.core_rules
    options = game.profile.match
    return fingerprint_of(
        repr(sorted(rules.options.items())), repr((rules.outcomes, rules.points)), repr(options)
    )


def _setting(
    a: Bot, b: Bot, game: Game, seed: int, length: int | None, luck: NetBot | None
) -> Setting:
    rules = game.core_rules
    title = game.name if length is None else f"{game.name}, matches to {length} points"
    return Setting(
        a=Side(a.name, a.fingerprint),
        b=Side(b.name, b.fingerprint),
        game=title,
        seed=seed,
        names=rules.outcomes if length is None else OUTCOMES,
        worth=rules.points if length is None else WORTH,
        unit="game" if length is None else "match",
        judge=None if luck is None else Side(luck.name, luck.fingerprint),
    )


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


def _driver(
    a: Bot, b: Bot, game: Game, seed: int, max_turns: int, luck: NetBot | None, threads: int
) -> tuple[Driver, bool]:
    """The driver, and whether several threads may use it at once."""
    first, second = a.player(game), b.player(game)
    parallel = (first is not None and second is not None) or _side_by_side(a, b)
    if luck is not None:
        judge = NetJudge(luck, game, threads=1 if parallel else threads)
        return JudgedDriver(a, b, game, seed, max_turns, judge), parallel
    if first is not None and second is not None:
        return NativeDriver(first, second, game.core_rules, seed, max_turns), True
    return MixedDriver(a, b, game, seed, max_turns), parallel


def _slice_of(driver: Driver) -> int:
    """How many pairs are played at once."""
    return NATIVE_SLICE if isinstance(driver, NativeDriver) else MIXED_SLICE


def _side_by_side(a: Bot, b: Bot) -> bool:
    """Whether both bots may be asked by several threads; one that does not say so is asked by one."""
    return all(getattr(bot, "concurrent", False) for bot in (a, b))


def _play(driver: Driver, board: Scoreboard, threads: int, size: int) -> None:
    slices = ((board.first + place, count) for place, count in missing_pairs(board.outcomes, size))
    if threads == 1:
        for first, count in slices:
            if board.over:
                return
            board.take(first, *driver.play(first, count))
        return
    running: dict[Future[Any], int] = {}
    # Only a few slices are handed out ahead, so that Ctrl-C is answered at once.
    with ThreadPoolExecutor(threads) as pool:
        more: Callable[[], tuple[int, int] | None] = lambda: next(slices, None)  # noqa: E731
        try:
            while not board.over and (cut := more()) is not None:
                running[pool.submit(driver.play, *cut)] = cut[0]
                if len(running) > threads:
                    _collect(board, running)
            while running:
                _collect(board, running)
        except BaseException:
            # After a fault or Ctrl-C nobody waits for what other threads ask outside programs just now.
            pool.shutdown(wait=False, cancel_futures=True)
            if isinstance(driver, (MixedDriver, PointsMatchDriver)):
                driver.stop()
            raise


def _collect(board: Scoreboard, running: dict[Future[Any], int]) -> None:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        board.take(running.pop(future), *future.result())
