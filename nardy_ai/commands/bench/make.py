"""`nardy bench make`: a new decision benchmark."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nardy_ai.core import InputError

if TYPE_CHECKING:
    from nardy_ai.evaluation.decisions.making import Making


@dataclass
class Command:
    """Make a decision benchmark: play games, take one turn of each, roll its plays out by the judge.

    Close plays get more trials, hopeless ones none. Ctrl-C keeps what is done in FILE.work, and the same
    command goes on. The same words give the same bytes, with any number of threads.

    Example: nardy bench make strong.safetensors --out mine.safetensors
    """

    judge: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="JUDGE")]
    """The model whose rollouts say what plays are worth."""

    out: Annotated[Path, tyro.conf.arg(metavar="FILE")]
    """The file to write, ending in .safetensors."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Another profile of the judge's game."""

    players: Annotated[tuple[str, ...], tyro.conf.arg(metavar="BOT ...", help_behavior_hint="")] = ()
    """Who plays the games; by default JUDGE JUDGE greedy."""

    decisions: Annotated[int, tyro.conf.arg(metavar="N")] = 1000
    """Decisions, by class as in the games."""

    noise: Annotated[float, tyro.conf.arg(metavar="SHARE")] = 0.1
    """Share of the turns with a random play."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of games, lots and trials."""

    truncate: Annotated[int, tyro.conf.arg(metavar="N")] = 5
    """Turns after which the net judges."""

    plies: Annotated[int, tyro.conf.arg(metavar="N")] = 0
    """Look-ahead within the trials."""

    least: Annotated[int, tyro.conf.arg(metavar="N")] = 72
    """Trials of a play at least."""

    most: Annotated[int, tyro.conf.arg(metavar="N")] = 5184
    """Trials of a play at most."""

    target: Annotated[float, tyro.conf.arg(metavar="X")] = 0.002
    """Standard error that is enough, in points."""

    margin: Annotated[float, tyro.conf.arg(metavar="X")] = 0.08
    """Points behind (1-ply) that rule a play out."""

    keep: Annotated[int, tyro.conf.arg(metavar="N")] = 8
    """Plays rolled out at most."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core."""

    def run(self) -> int:
        """Makes the file and says what it holds."""
        from nardy_ai.evaluation.decisions import MakingInterrupted, make_benchmark

        begun, cpu = time.monotonic(), time.process_time()
        making = self._making()
        try:
            made = make_benchmark(making, self.out, threads=self.threads)
        except MakingInterrupted as stopped:
            print(f"nardy: {stopped}; the same command goes on", file=sys.stderr)
            return 1
        header, size = made.header, self.out.stat().st_size
        print(f"wrote {self.out} ({size:,} bytes): {header.decisions} decisions of {header.game}")
        judge = header.judge
        print(f"judged by {judge.name} ({judge.hash}, net {judge.net}) in {header.trials:,} trials")
        print(
            f"{header.close_met} of {header.close} close plays have a standard error of at most "
            f"{1000 * header.terms.target:g} thousandths of a point; estimates are "
            f"{1000 * header.estimate_error:.1f} thousandths off"
        )
        print(f"{time.monotonic() - begun:.0f} s, {time.process_time() - cpu:.0f} s of CPU")
        return 0

    def _making(self) -> Making:
        from nardy_ai.bots import bot, load
        from nardy_ai.evaluation.decisions import Trials
        from nardy_ai.evaluation.decisions.making import Making
        from nardy_ai.rules import Game
        from nardy_ai.training.provenance import provenance_of

        file, colon, plies = self.judge.rpartition(":")
        if colon and plies.isdecimal() and Path(file).is_file() and not Path(self.judge).exists():
            raise InputError(
                f"the judge is named without plies ({file[:200]}); those of the trials are --plies"
            )
        judge = load(self.judge, None if self.game is None else Game(self.game))
        names = self.players or (self.judge, self.judge, "greedy")
        return Making(
            judge=judge,
            players=tuple(bot(name, judge.game) for name in names),
            decisions=self.decisions,
            noise=self.noise,
            seed=self.seed,
            trials=Trials(
                truncate=self.truncate,
                plies=self.plies,
                least=self.least,
                most=self.most,
                target=self.target,
                margin=self.margin,
                keep=self.keep,
            ),
            commit=str(provenance_of({}, 0, 0)["commit"]),
        )
