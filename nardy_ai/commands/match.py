"""`nardy match`: points a game of one bot against another."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError

if TYPE_CHECKING:
    from nardy_ai.bots import Bot
    from nardy_ai.evaluation import MatchResult

USUAL_ERROR = 0.05


@dataclass
class Command:
    """Play bot A against bot B in pairs of games and count A's points.

    Both games of a pair have the same dice, with the seats swapped, so luck cancels out; the interval is
    computed from the pairs. A bot is `random`, `greedy`, `pubeval`, a model file, the same at a level
    (`MODEL#3`), `gnubg:0`, `sage:0`, the program `gnubg-program:0`, or `program:COMMAND`; the number is the
    look-ahead, and `sage@5:1` has five seconds for a play.

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

    length: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Pairs of matches to N points without the cube, instead of single games."""

    record: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """Keep every pair's result in FILE; the same command goes on where it was stopped."""

    test: Annotated[str | None, tyro.conf.arg(metavar="LOW:HIGH", help_behavior_hint="")] = None
    """Stop once it is clear whether A's points a game are HIGH rather than LOW."""

    alpha: Annotated[float, tyro.conf.arg(metavar="X")] = USUAL_ERROR
    """How often --test may say HIGH where LOW is true."""

    beta: Annotated[float, tyro.conf.arg(metavar="X")] = USUAL_ERROR
    """And LOW where HIGH is true."""

    luck: Annotated[Path | None, tyro.conf.arg(metavar="MODEL", help_behavior_hint="")] = None
    """A model that takes the dice's luck out of a second score (slow)."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Plays the match and prints what it showed."""
        from nardy_ai.bots import NetBot, bot
        from nardy_ai.core import checked_plies
        from nardy_ai.evaluation import MatchInterrupted, SameBotWarning, SequentialTest, match

        checked_plies(self.plies)

        def named(name: str) -> Bot:
            found = bot(name, self.game)
            if not self.plies or not isinstance(found, NetBot):
                return found
            if found.level is not None:
                raise InputError(f"{found.name} has the look-ahead of its level: leave out --plies")
            return found.looking_ahead(self.plies)

        if self.test is None and (self.alpha, self.beta) != (USUAL_ERROR, USUAL_ERROR):
            raise InputError("--alpha and --beta say how often --test may err: give --test too")
        test = None if self.test is None else SequentialTest.parse(self.test, self.alpha, self.beta)
        first, second = named(self.a), named(self.b)
        judge = None if self.luck is None else bot(str(self.luck))
        if judge is not None and not isinstance(judge, NetBot):
            raise InputError(f"{judge.name} can't judge luck: name a model file")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SameBotWarning)
            try:
                result = match(
                    first,
                    second,
                    self.game,
                    self.pairs,
                    self.seed,
                    self.threads,
                    length=self.length,
                    record=self.record,
                    test=test,
                    luck=judge,
                )
            except MatchInterrupted as stopped:
                if stopped.result is None:
                    raise
                result = stopped.result
        self._say_more([str(warning.message) for warning in caught], result)
        if self.json:
            print_json(result.as_dict())
        else:
            print(result)
        refused = result.verdict is not None and result.verdict.decision != "accepted"
        return 1 if result.unfinished or refused else 0

    def _say_more(self, warned: list[str], result: MatchResult) -> None:
        """What belongs to no report, on stderr."""
        if result.recorded:
            warned.append(f"pairs found in {self.record} and not played again: {result.recorded}")
        if result.unfinished and self.record is not None:
            warned.append(f"stopped; the same command goes on from {self.record}")
        for sentence in warned:
            print(f"nardy: {sentence}", file=sys.stderr)
