"""What a bot loses in the decisions of a benchmark."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from nardy_ai import core
from nardy_ai.bots import Bot, NetBot
from nardy_ai.bots.bot import Boards
from nardy_ai.core import InputError
from nardy_ai.evaluation.decisions.benchmark import Benchmark
from nardy_ai.evaluation.decisions.worths import losses_of
from nardy_ai.evaluation.drivers import BotFault
from nardy_ai.evaluation.statistics import bootstrap_interval
from nardy_ai.rules.screen import folded

__all__ = ["FORMAT", "ClassLoss", "DecisionLoss", "WrongDecision", "decision_loss", "losses_of_choices"]

FORMAT = 1
AT_ONCE = 16
"""Decisions that a bot is asked about at once."""

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ClassLoss:
    """What was lost in the decisions of one class, or in all of them. Points."""

    decisions: int
    mean: float
    """Mean loss a decision."""
    interval: tuple[float, float] | None
    """Its 95 % interval, by drawing the decisions anew; None for a single one.

    Each decision brings its own noise of the rollouts along, independent of the others', so that the spread
    among decisions holds that noise too.
    """
    label_error: float
    """The part of the mean's standard error that the noise of the rollouts alone would make."""
    best: int
    """Decisions in which the best play was chosen."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, losses in thousandths of a point."""
        return {
            "decisions": self.decisions,
            "loss": 1000 * self.mean,
            "interval": None if self.interval is None else [1000 * end for end in self.interval],
            "label_error": 1000 * self.label_error,
            "best_share": self.best / self.decisions,
        }


@dataclass(frozen=True)
class WrongDecision:
    """One of the decisions in which the most was lost."""

    number: int
    """In the file, from 0."""
    position: str
    dice: tuple[int, int]
    chosen: str
    best: str
    lost: float
    """Points."""
    error: float
    """Standard error of it."""
    estimated: bool
    """The play that was chosen was not rolled out."""
    board: str
    """The board as text."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, losses in thousandths of a point."""
        return {
            "decision": self.number,
            "position": self.position,
            "dice": list(self.dice),
            "chosen": self.chosen,
            "best": self.best,
            "loss": 1000 * self.lost,
            "standard_error": 1000 * self.error,
            "estimated": self.estimated,
        }


@dataclass(frozen=True)
class DecisionLoss:
    """What a bot lost in the decisions of a benchmark."""

    bot: str
    fingerprint: str
    benchmark: Benchmark
    losses: Float64
    """float64 [n]: points lost in each decision; single ones may lie below 0, see `losses_of`."""
    total: ClassLoss
    classes: dict[str, ClassLoss]
    """By class of positions, those that are there."""
    worst: tuple[WrongDecision, ...]
    own_judge: bool
    """The judge of the benchmark is the very net that was judged: it finds its own faults good."""
    seed: int
    """Of the bootstrap, and of the lots of a bot that draws them."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; losses are in thousandths of a point (`unit`)."""
        header = self.benchmark.header
        return {
            "format": FORMAT,
            "bot": {"name": self.bot, "hash": self.fingerprint},
            "game": header.game,
            "unit": "thousandths of a point",
            **self.total.as_dict(),
            "confidence": 0.95,
            "classes": {name: part.as_dict() for name, part in self.classes.items()},
            "worst": [wrong.as_dict() for wrong in self.worst],
            "own_judge": self.own_judge,
            "seed": self.seed,
            "benchmark": {
                "judge": {"name": header.judge.name, "hash": header.judge.hash, "net": header.judge.net},
                "hash": header.arrays_hash,
                "decisions": header.decisions,
                "seed": header.seed,
                "truncate": header.terms.truncate,
                "plies": header.terms.plies,
                "trials": header.trials,
                "close_plays": header.close,
                "close_plays_met": header.close_met,
                "target": 1000 * header.terms.target,
                "command": header.command,
                "version": header.version,
                "commit": header.commit,
            },
        }

    def __str__(self) -> str:
        return "\n".join(_table(self))


def decision_loss(
    bot: Bot,
    benchmark: Benchmark,
    *,
    worst: int = 10,
    seed: int = 1,
    threads: int = 1,
    progress: bool | None = None,
) -> DecisionLoss:
    """Asks a bot for its play in each decision and says what it loses.

    Args:
        bot: who is judged.
        benchmark: the decisions.
        worst: how many of the worst decisions are returned at most.
        seed: of the bootstrap, and of the lots of a bot that draws them.
        threads: how many ask a native bot at once; what comes out does not depend on it.
        progress: whether to show a bar on stderr; by default only on a terminal.

    Raises:
        InputError: the bot can't play the game.
        BotFault: it chose a play that is not legal.
    """
    if not 0 <= seed < 2**64:
        raise InputError(f"seed is {seed}: give a number from 0 to 2^64 - 1")
    if not 1 <= threads <= 1024:
        raise InputError(f"threads is {threads}: give a number from 1 to 1024")
    native = bot.player(benchmark.game) is not None
    chosen = np.concatenate(list(_asked(bot, benchmark, seed, threads if native else 1, progress)))
    places = _places(bot, benchmark, chosen)
    starts = benchmark.offsets[:-1]
    judged = [
        losses_of(benchmark.worths[a:b], benchmark.trials[a:b])
        for a, b in zip(starts.tolist(), benchmark.offsets[1:].tolist(), strict=True)
    ]
    lost = np.array([losses[place] for (losses, _), place in zip(judged, places - starts, strict=True)])
    best = starts + np.array([play for _, play in judged], np.int64)
    errors = benchmark.errors[places, 1].astype(np.float64)
    right = places == best
    kinds = {name: benchmark.classes == number for number, name in enumerate(core.CLASSES)}
    return DecisionLoss(
        bot=bot.name,
        fingerprint=bot.fingerprint,
        benchmark=benchmark,
        losses=lost,
        total=_summed(lost, errors, right, seed),
        classes={
            name: _summed(lost[rows], errors[rows], right[rows], seed)
            for name, rows in kinds.items()
            if rows.any()
        },
        worst=tuple(_worst(benchmark, lost, places, best, worst)),
        own_judge=isinstance(bot, NetBot) and bot.looking_ahead(0).fingerprint == benchmark.header.judge.hash,
        seed=seed,
    )


def losses_of_choices(
    benchmark: Benchmark, numbers: npt.NDArray[np.int64], chosen: Boards, name: str
) -> Float64:
    """What was lost by boards that were chosen in some decisions of a benchmark.

    Args:
        benchmark: the decisions.
        numbers: int64 [n]: which of them.
        chosen: int8 [n, 2, 26]: the board after the play that was chosen in each, mover in row 0.
        name: who chose them.

    Returns:
        float64 [n] in points; single ones may lie below 0, see `losses_of`.

    Raises:
        BotFault: a board is none of its decision's.
    """
    lost = np.empty(len(numbers))
    for i, number in enumerate(numbers.tolist()):
        begin, end = benchmark.offsets[number : number + 2].tolist()
        place = np.flatnonzero((benchmark.results[begin:end] == chosen[i]).all(axis=(1, 2)))
        if len(place) == 0:
            raise _illegal(name, benchmark, number)
        lost[i] = losses_of(benchmark.worths[begin:end], benchmark.trials[begin:end])[0][place[0]]
    return lost


def _illegal(name: str, benchmark: Benchmark, number: int) -> BotFault:
    high, low = benchmark.roll(number)
    return BotFault(
        f"{name} chose a play that is not legal at {benchmark.position(number).key} with {high}-{low}"
        f" (decision {number})"
    )


def _asked(
    bot: Bot, benchmark: Benchmark, seed: int, threads: int, progress: bool | None
) -> Iterator[Boards]:
    """The boards that the bot chooses, some decisions at a time, in their order."""
    count = len(benchmark)
    keys = np.zeros((count, 3), np.uint64)
    keys[:, 0], keys[:, 1] = seed, np.arange(count)

    def ask(first: int) -> Boards:
        cut = slice(first, first + AT_ONCE)
        return bot.choose_boards(
            benchmark.game,
            benchmark.boards[cut],
            benchmark.dice[cut],
            benchmark.seats[cut],
            benchmark.turns[cut],
            keys[cut],
        )

    shown = sys.stderr.isatty() if progress is None else progress
    firsts = range(0, count, AT_ONCE)
    pool = ThreadPoolExecutor(threads)
    try:
        with tqdm(total=count, desc=bot.name, unit="decision", disable=not shown, mininterval=0.25) as bar:
            for chosen in pool.map(ask, firsts) if threads > 1 else map(ask, firsts):
                bar.update(len(chosen))
                yield chosen
    finally:
        pool.shutdown(cancel_futures=True)


def _places(bot: Bot, benchmark: Benchmark, chosen: Boards) -> npt.NDArray[np.int64]:
    """The row of each chosen play. Raises BotFault where a board is none of a decision's."""
    same = (benchmark.results == np.repeat(chosen, np.diff(benchmark.offsets), axis=0)).all(axis=(1, 2))
    found = np.add.reduceat(same, benchmark.offsets[:-1])
    if not found.all():
        raise _illegal(bot.name, benchmark, int(np.flatnonzero(found == 0)[0]))
    return np.flatnonzero(same)


def _summed(lost: Float64, errors: Float64, right: npt.NDArray[np.bool_], seed: int) -> ClassLoss:
    count = len(lost)
    return ClassLoss(
        decisions=count,
        mean=float(lost.mean()),
        interval=bootstrap_interval(lost, seed=seed) if count > 1 else None,
        label_error=float(np.sqrt((errors**2).sum())) / count,
        best=int(right.sum()),
    )


def _worst(
    benchmark: Benchmark, lost: Float64, places: npt.NDArray[np.int64], best: npt.NDArray[np.int64], most: int
) -> Iterator[WrongDecision]:
    order = np.argsort(-lost, kind="stable")
    for number in order[lost[order] > 0][:most].tolist():
        plays, start = benchmark.plays(number), int(benchmark.offsets[number])
        position, place = benchmark.position(number), int(places[number])
        yield WrongDecision(
            number=number,
            position=position.key,
            dice=benchmark.roll(number),
            chosen=plays[place - start].notation,
            best=plays[int(best[number]) - start].notation,
            lost=float(lost[number]),
            error=float(benchmark.errors[place, 1]),
            estimated=bool(benchmark.trials[place] == 0 and benchmark.errors[place, 1] > 0),
            board=position.text(benchmark.roll(number)),
        )


def _table(loss: DecisionLoss) -> list[str]:
    header = loss.benchmark.header
    lines = [
        *folded(
            [
                f"{loss.bot} ({loss.fingerprint}) in {header.decisions} decisions of {header.game}",
                f"judged by {header.judge.name} ({header.judge.hash}, net {header.judge.net}): rollouts of "
                f"{header.terms.truncate} turns, seed {header.seed}",
            ]
        ),
        f"{header.close_met} of {header.close} close plays known to {1000 * header.terms.target:g} "
        "thousandths",
        "",
        f"  {'':<8}  decisions   lost a decision, thousandths of a point   best found",
    ]
    for name, part in (*loss.classes.items(), ("all", loss.total)):
        interval = (
            "" if part.interval is None else "[{:.2f}, {:.2f}]".format(*(1000 * end for end in part.interval))
        )
        lines.append(
            f"  {name:<8}  {part.decisions:9}   {1000 * part.mean:8.2f} {interval:<20}"
            f"{'':10}{100 * part.best / part.decisions:9.1f} %"
        )
    lines += [
        "",
        f"  95 % intervals, decisions drawn anew (seed {loss.seed}); the rollouts' noise, which",
        f"  is part of them, alone: ±{1000 * loss.total.label_error:.2f} (one standard error)",
    ]
    if loss.worst:
        lines += ["", "worst decisions"]
    for number, wrong in enumerate(loss.worst, 1):
        how = "estimated by 1-ply search" if wrong.estimated else f"± {1000 * wrong.error:.1f}"
        lines += [
            "",
            f"{number}. {wrong.chosen} lost {1000 * wrong.lost:.1f} ({how}); best is {wrong.best}",
            f"   {wrong.position} {wrong.dice[0]}-{wrong.dice[1]}",
            wrong.board,
        ]
    return lines
