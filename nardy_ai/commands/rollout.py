"""`nardy rollout`: a position played on many times."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nardy_ai.commands.console import print_json


@dataclass
class Command:
    """Play a position on many times by a model and report the mean of what comes out, with its error.

    The luck of the dice is taken out of each trial, and the first two rolls are spread evenly. A position is
    `<id>:<seat>:<turns>`, a 14-character position ID where the profile needs no more, or `start`.

    Example: nardy rollout start --model runs/long-quick/model.safetensors --trials 1296 --truncate 10
    """

    position: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="POSITION")]
    """The position; what is reported is for its player on roll, before the throw."""

    model: Annotated[Path, tyro.conf.arg(metavar="MODEL")]
    """The model file that chooses plays and judges."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Game or profile; by default the model's own."""

    trials: Annotated[int, tyro.conf.arg(metavar="N")] = 1296
    """Trials at most; rounded up to a multiple of 36, and never fewer than 72, for the error's sake."""

    truncate: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Turns after which the net judges; by default trials are played to the end."""

    plies: Annotated[int, tyro.conf.arg(metavar="N")] = 0
    """How deep both sides look ahead, 0 to 3."""

    error: Annotated[float | None, tyro.conf.arg(metavar="X", help_behavior_hint="")] = None
    """Stop once the equity's standard error is as small as this."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of the dice."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core. The result does not depend on it."""

    leave_luck: bool = False
    """Leave the luck of the dice in: trials are cheaper and spread more."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Rolls out and prints what it showed."""
        from nardy_ai.bots import load
        from nardy_ai.evaluation import RolloutInterrupted, ZeroVariance, rollout
        from nardy_ai.rules import Game

        bot = load(self.model, None if self.game is None else Game(self.game))
        game = bot.game
        pos = game.start() if self.position == "start" else game.position(self.position)
        try:
            result = rollout(
                bot,
                pos,
                self.trials,
                truncate=self.truncate,
                plies=self.plies,
                seed=self.seed,
                threads=self.threads,
                error=self.error,
                take_luck=not self.leave_luck,
            )
        except ZeroVariance as fault:
            print(f"nardy: {fault}", file=sys.stderr)
            return 1
        except RolloutInterrupted as stopped:
            if stopped.result is None:
                raise
            result = stopped.result
        if self.json:
            print_json(result.as_dict())
        else:
            print(result)
        return 1 if result.unfinished else 0
