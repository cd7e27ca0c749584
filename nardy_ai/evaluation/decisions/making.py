"""Making a decision benchmark: games, a turn of each, and rollouts of its plays by a judge."""

from __future__ import annotations

import dataclasses
import math
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import nardy_ai
from nardy_ai import core
from nardy_ai.bots import Bot, NetBot
from nardy_ai.core import InputError
from nardy_ai.evaluation.decisions.benchmark import (
    FORMAT,
    Benchmark,
    Header,
    Judge,
    RolloutTerms,
    listed_results,
    read_benchmark,
    write_benchmark,
)
from nardy_ai.evaluation.decisions.sampling import MixedCompany, sampled_decisions
from nardy_ai.evaluation.decisions.work_file import WorkFile
from nardy_ai.evaluation.decisions.worths import ESTIMATED, PlayJudge, PlayWorths, Trials
from nardy_ai.evaluation.played_turns import Turns

__all__ = ["Making", "MakingInterrupted", "make_benchmark"]

MOST_DECISIONS = 10**6
SEEDS = 1 << 26
"""Where in a decision's random numbers that for the dice of its trials lies."""
WORK_SUFFIX = ".work"


class MakingInterrupted(KeyboardInterrupt):
    """Ctrl-C; what is judged so far is kept."""

    def __init__(self, done: int, count: int, path: Path) -> None:
        super().__init__(f"stopped with {done} of {count} decisions judged; they are kept in {path}")


@dataclass(frozen=True)
class Making:
    """What a benchmark is made of."""

    judge: NetBot
    """Whose rollouts say what plays are worth, under its own game."""
    players: tuple[Bot, ...]
    """Who plays the games."""
    decisions: int = 1000
    noise: float = 0.1
    """Share of the turns of the games that are random plays."""
    seed: int = 1
    """Of games, lots and trials."""
    trials: Trials = field(default_factory=Trials)
    commit: str = ""
    """Of the code, for the file."""

    def __post_init__(self) -> None:
        if not 1 <= self.decisions <= MOST_DECISIONS:
            raise InputError(f"decisions is {self.decisions}: give a number from 1 to {MOST_DECISIONS}")
        if not 0 <= self.seed < 2**64:
            raise InputError(f"seed is {self.seed}: give a number from 0 to 2^64 - 1")
        if self.judge.plies:
            raise InputError(
                f"the judge {self.judge.name} looks ahead by itself: name it without plies; those of "
                "the trials "
                "are --plies"
            )

    def purpose(self) -> dict[str, Any]:
        """All that the worths depend on, as JSON values."""
        return {
            "format": FORMAT,
            "version": nardy_ai.__version__,
            "game": self.judge.game.profile.table(),
            "judge": self.judge.fingerprint,
            "players": [bot.fingerprint for bot in self.players],
            "decisions": self.decisions,
            "noise": self.noise,
            "seed": self.seed,
            "trials": dataclasses.asdict(self.trials),
        }

    def command(self) -> str:
        """The command line that makes it."""
        terms, usual = self.trials, Trials()
        players = " ".join(bot.name for bot in self.players)
        words = [f"nardy bench make {self.judge.name} --game {self.judge.game.name} --players {players}"]
        words.append(f"--decisions {self.decisions} --noise {self.noise:g} --seed {self.seed}")
        words += [
            f"--{item.name.replace('_', '-')} {getattr(terms, item.name):g}"
            for item in dataclasses.fields(Trials)
            if getattr(terms, item.name) != getattr(usual, item.name)
        ]
        return " ".join(words)


def make_benchmark(
    making: Making, path: Path, *, threads: int | None = None, progress: bool | None = None
) -> Benchmark:
    """Makes a benchmark and writes it. What is judged is kept in a file beside it until all of it is.

    The same making gives the same bytes, for any number of threads and however often it was stopped.

    Args:
        making: of what, and by whom.
        path: of the file; `path` with ".work" behind it holds the work so far.
        threads: as many as there are processors where left out.
        progress: whether to show a bar on stderr; by default only on a terminal.

    Raises:
        InputError: a bad argument, a work file of something else, or a place that can't be written to.
        MakingInterrupted: Ctrl-C.
    """
    threads = _checked_threads(threads)
    _check_place(path)
    game = making.judge.game
    company = MixedCompany(game, making.players, making.seed, making.noise)
    turns = sampled_decisions(game, company, making.decisions, making.seed)
    dice = np.sort(turns.dice, axis=1)[:, ::-1].copy()
    turns = dataclasses.replace(turns, dice=dice)
    results, offsets = listed_results(game, turns.boards, turns.dice, turns.seats, turns.turns)
    work = WorkFile(path.with_name(path.name + WORK_SUFFIX), making.purpose(), np.diff(offsets).tolist())
    try:
        _judge_all(making, turns, work, threads, sys.stderr.isatty() if progress is None else progress)
    except KeyboardInterrupt:
        raise MakingInterrupted(len(work.done), making.decisions, work.path) from None
    finally:
        work.close()
    found = [work.done[number] for number in range(making.decisions)]
    benchmark = _benchmark(making, turns, results, offsets, found)
    write_benchmark(path, benchmark)
    work.remove()
    return benchmark


def _checked_threads(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not 1 <= threads <= 1024:
        raise InputError(f"threads is {threads}: give a number from 1 to 1024")
    return threads


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file by --out")
    if path.suffix != ".safetensors":
        raise InputError(f"{path} must end in .safetensors: name the file so by --out")
    if path.exists():
        try:
            read_benchmark(path)
        except InputError:
            raise InputError(f"{path} is there and is no benchmark: name another file by --out") from None


def _judge_all(making: Making, turns: Turns, work: WorkFile, threads: int, shown: bool) -> None:
    model = making.judge.player(making.judge.game).model
    assert model is not None
    judge = PlayJudge(model, making.trials)
    game = making.judge.game

    def judged(number: int) -> tuple[int, PlayWorths]:
        pos = game.position(
            turns.boards[number], seat=int(turns.seats[number]), turns=int(turns.turns[number])
        )
        words = core.random_words(making.seed, core.PURPOSES["choice_benchmark"], number, SEEDS).tolist()
        dice = int(turns.dice[number, 0]), int(turns.dice[number, 1])
        return number, judge.judge(pos, dice, words[0] | words[1] << 32)

    left = [number for number in range(making.decisions) if number not in work.done]
    done = len(work.done)
    with tqdm(
        total=making.decisions, initial=done, unit="decision", disable=not shown, mininterval=0.25
    ) as bar:
        for number, found in _in_threads(judged, left, threads):
            work.add(number, found)
            bar.update(1)


def _in_threads(work: Any, numbers: Sequence[int], threads: int) -> Iterator[tuple[int, PlayWorths]]:
    """Answers as they come; a few jobs ahead, so that Ctrl-C is answered soon."""
    if threads == 1:
        yield from map(work, numbers)
        return
    waiting = iter(numbers)
    pool = ThreadPoolExecutor(threads)
    try:
        running: set[Future[tuple[int, PlayWorths]]] = {
            pool.submit(work, n) for n in islice(waiting, 2 * threads)
        }
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(work, n) for n in islice(waiting, len(done))}
            for future in done:
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _benchmark(
    making: Making, turns: Turns, results: Any, offsets: Any, found: Sequence[PlayWorths]
) -> Benchmark:
    compared = sum(one.compared for one in found)
    estimate_error = math.sqrt(math.fsum(one.squares for one in found) / compared) if compared else 0.0
    errors = np.concatenate([one.errors for one in found])
    errors[errors == ESTIMATED] = estimate_error
    game = making.judge.game
    return Benchmark(
        header=_header(making, found, estimate_error),
        game=game,
        boards=np.ascontiguousarray(turns.boards),
        dice=turns.dice,
        seats=turns.seats,
        turns=turns.turns,
        classes=core.position_classes(game.core_rules, turns.boards),
        worths=np.concatenate([one.worths for one in found]).astype(np.float32),
        errors=errors.astype(np.float32),
        trials=np.concatenate([one.trials for one in found]),
        results=results,
        offsets=offsets,
    )


def _header(making: Making, found: Sequence[PlayWorths], estimate_error: float) -> Header:
    judge, terms = making.judge, making.trials
    games = judge.model.provenance.get("games", 0)
    return Header(
        game=judge.game.name,
        profile=judge.game.profile.table(),
        decisions=making.decisions,
        seed=making.seed,
        players=tuple((bot.name, bot.fingerprint) for bot in making.players),
        noise=making.noise,
        judge=Judge(judge.name, judge.fingerprint, judge.model.shape, games if isinstance(games, int) else 0),
        terms=RolloutTerms(
            truncate=terms.truncate,
            plies=terms.plies,
            trials_least=terms.least_blocks * core.BLOCK_TRIALS,
            trials_most=terms.most_blocks * core.BLOCK_TRIALS,
            target=terms.target,
            margin=terms.margin,
            keep=terms.keep,
            dropped_at=terms.dropped_at,
        ),
        close=sum(one.close for one in found),
        close_met=sum(one.close_met for one in found),
        trials=sum(one.played for one in found),
        estimate_error=estimate_error,
        command=making.command(),
        version=nardy_ai.__version__,
        commit=making.commit,
        plays_hash="",
        arrays_hash="",
    )
