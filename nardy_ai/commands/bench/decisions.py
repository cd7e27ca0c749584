"""`nardy bench decisions`: what a bot loses in decisions whose plays were rolled out."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError

if TYPE_CHECKING:
    from nardy_ai.bots import Bot
    from nardy_ai.evaluation.decisions import Benchmark


@dataclass
class Command:
    """Ask a bot for its play in stored decisions and say what it loses, in thousandths of a point.

    The worth of every play was found by rollouts of another net; a file says by which. Losses come with an
    interval, by class of positions, and with the worst decisions as boards. A bot is a model file (MODEL:1
    looks one turn ahead), `random`, `greedy`, `pubeval` or `gnubg:0`.

    Example: nardy bench decisions runs/long-quick/model.safetensors
    """

    bot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")]
    """The bot that is judged."""

    file: Annotated[
        Path | None, tyro.conf.Positional, tyro.conf.arg(metavar="[FILE]", help_behavior_hint="")
    ] = None
    """The decisions; by default those that come with nardy-ai for the bot's game."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Whose decisions are taken where no FILE is named; by default the model's own game."""

    worst: Annotated[int, tyro.conf.arg(metavar="N")] = 10
    """How many of the worst decisions are shown."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of the interval, and of the lots of a random bot."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core. The result does not depend on it."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Judges the bot and prints what it loses."""
        from nardy_ai.evaluation.decisions import decision_loss

        if not 0 <= self.worst <= 1000:
            raise InputError(f"worst is {self.worst}: give a number from 0 to 1000")
        benchmark = self._benchmark()
        bot = self._bot(benchmark)
        threads = (os.cpu_count() or 1) if self.threads is None else self.threads
        loss = decision_loss(bot, benchmark, worst=self.worst, seed=self.seed, threads=threads)
        if loss.own_judge:
            print(
                f"nardy: WARNING: {bot.name} is the very net that judged these decisions (hash "
                f"{benchmark.header.judge.hash}): what it loses by its own judgement says little, "
                "take a file "
                "that another net judged",
                file=sys.stderr,
            )
        if self.json:
            print_json(loss.as_dict())
        else:
            print(loss)
        return 0

    def _benchmark(self) -> Benchmark:
        from nardy_ai.bots import bot
        from nardy_ai.evaluation.decisions import read_benchmark, shipped_benchmark
        from nardy_ai.rules import Game

        if self.file is not None:
            if self.game is not None:
                raise InputError("--game goes without FILE, which has a game of its own")
            return read_benchmark(self.file)
        if self.game is not None:
            return read_benchmark(shipped_benchmark(Game(self.game)))
        found = bot(self.bot)
        game = found.game or found.usual_game
        if game is None:
            raise InputError(f"{found.name} has no game of its own: say which by --game, or name a FILE")
        return read_benchmark(shipped_benchmark(game))

    def _bot(self, benchmark: Benchmark) -> Bot:
        """The bot under the rules of the decisions, which must be of a game like its own."""
        from nardy_ai.bots import bot

        own = bot(self.bot).game
        theirs = benchmark.game
        if own is not None and (own.family, own.checkers) != (theirs.family, theirs.checkers):
            raise InputError(
                f"{self.bot[:200]} plays {own.name}, and these are decisions of {theirs.name}: take a "
                "file of "
                "its game"
            )
        if own is not None and own.core_rules != theirs.core_rules:
            print(
                f"nardy: {self.bot[:200]} was trained for {own.name} and is judged by the rules of "
                f"{theirs.name}",
                file=sys.stderr,
            )
        return bot(self.bot, theirs)
