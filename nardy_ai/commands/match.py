"""`nardy match`: points a game of one bot against another."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Annotated

import tyro

from nardy_ai.commands.console import print_json


@dataclass
class Command:
    """Play bot A against bot B in pairs of games and count A's points.

    Both games of a pair have the same dice, with the seats swapped, so luck cancels out; the interval is
    computed from the pairs. A bot is a model file, `random`, `greedy`, `pubeval`, `gnubg:0`, `sage:0`, or
    the program itself `gnubg-program:0`, or `program:COMMAND` (docs/bot-protocol.md tells how); the number is
    the look-ahead, and `sage@5:1` has five seconds for a play instead of 60.

    Example: nardy match runs/long-quick/model.safetensors greedy --pairs 1000
    """

    a: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="A")]
    """The bot whose points are counted."""

    b: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="B")]
    """Its opponent."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Game or profile; by default the models' own, needed when neither is a model."""

    pairs: Annotated[int, tyro.conf.arg(metavar="N")] = 1000
    """Pairs of games."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of the dice."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core. The result does not depend on it."""

    plies: Annotated[int, tyro.conf.arg(metavar="N")] = 0
    """Look-ahead of the models, 0 to 3; for one of them alone write it behind the file: MODEL:1."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Plays the match and prints what it showed."""
        from nardy_ai.bots import Bot, NetBot, bot
        from nardy_ai.core import checked_plies
        from nardy_ai.evaluation import MatchInterrupted, SameBotWarning, match

        checked_plies(self.plies)

        def named(name: str) -> Bot:
            found = bot(name, self.game)
            return found.looking_ahead(self.plies) if self.plies and isinstance(found, NetBot) else found

        first, second = named(self.a), named(self.b)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SameBotWarning)
            try:
                result = match(first, second, self.game, self.pairs, self.seed, self.threads)
            except MatchInterrupted as stopped:
                if stopped.result is None:
                    raise
                result = stopped.result
        for warning in caught:
            print(f"nardy: {warning.message}", file=sys.stderr)
        if self.json:
            print_json(result.as_dict())
        else:
            print(result)
        return 1 if result.unfinished else 0
