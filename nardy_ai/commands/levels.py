"""`nardy levels`: the levels of play of a model, found and measured."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError, Level

if TYPE_CHECKING:
    from nardy_ai.bots import NetBot
    from nardy_ai.evaluation.decisions import Benchmark
    from nardy_ai.evaluation.levels import LevelReport


@dataclass
class Command:
    """Find and measure the levels 1 to 10 of a model.

    A lower level judges through more noise; dice know nothing of it. Level 1 is to be even with `greedy`,
    level 10 is the model looking one turn ahead, and the steps between are even in points a game. They are
    found by one seed and measured by the next. Exit code 1: the model is too weak for levels, or a level
    beats the next one.

    Example: nardy levels runs/long-quick/model.safetensors --pairs 200 --write
    """

    model: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")]
    """The model file."""

    pairs: Annotated[int, tyro.conf.arg(metavar="N")] = 2000
    """Pairs of games of every comparison."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed by which the levels are found."""

    decisions: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """Decisions in which losses are measured; by default those that come with nardy-ai, if any."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Another profile of the model's game."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core. The result does not depend on it."""

    keep: bool = False
    """Measure the levels that the model has, and find no new ones."""

    show: bool = False
    """Only print the levels that the model has."""

    write: bool = False
    """Put the table into MODEL."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Finds, measures and prints the levels."""
        from nardy_ai.bots import load
        from nardy_ai.evaluation.levels import LevelReport, NoLevels
        from nardy_ai.evaluation.match_result import Side
        from nardy_ai.rules import Game

        bot = load(self.model, None if self.game is None else Game(self.game))
        if self.show:
            if self.write or self.keep:
                raise InputError("--show prints what the model has: leave out --write and --keep")
            return self._print(LevelReport(Side(bot.name, bot.fingerprint), bot.model.level_table))
        if not 0 <= self.seed < 2**64 - 1:
            raise InputError(f"--seed {self.seed} must be a whole number from 0 to 2^64 - 2")
        if self.write and not os.access(self.model.parent, os.W_OK):
            raise InputError(f"nothing can be written to {self.model.parent}: copy the model elsewhere first")
        try:
            report = self._measured(bot)
        except NoLevels as weak:
            print(f"nardy: {weak}", file=sys.stderr)
            return 1
        self._print(report)
        if report.out_of_order:
            if self.write:
                print("nardy: levels that are out of order are not written; play more pairs", file=sys.stderr)
            return 1
        if self.write:
            self._written(bot, report)
        return 0

    def _measured(self, bot: NetBot) -> LevelReport:
        from nardy_ai.evaluation.levels import Scorer, fit_levels, measure_levels, pairs_to_play

        threads = (os.cpu_count() or 1) if self.threads is None else self.threads
        benchmark = self._benchmark(bot)
        total = pairs_to_play(self.pairs, fitting=not self.keep)
        with Scorer(bot.game, self.pairs, threads, total=total) as scorer:
            if self.keep:
                levels = [Level(entry.noise, entry.plies) for entry in bot.model.level_table.levels]
            else:
                levels = fit_levels(bot, scorer, self.seed)
            return measure_levels(bot, levels, scorer, self.seed + 1, benchmark, threads=threads)

    def _benchmark(self, bot: NetBot) -> Benchmark | None:
        from nardy_ai.evaluation.decisions import read_benchmark, shipped_benchmark

        if self.decisions is not None:
            return read_benchmark(self.decisions)
        try:
            path = shipped_benchmark(bot.game)
        except InputError:
            return None
        return read_benchmark(path)

    def _print(self, report: LevelReport) -> int:
        if self.json:
            print_json(report.as_dict())
        else:
            print(report)
        return 0

    def _written(self, bot: NetBot, report: LevelReport) -> None:
        from nardy_ai.models.model_file import write_model

        write_model(self.model, replace(bot.model, levels=report.table))
        if not self.json:
            print(f"\nwrote the table into {self.model}")
