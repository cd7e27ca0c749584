"""`nardy bench truth`: a net of a small game against perfect play, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError
from nardy_ai.rules.screen import folded

if TYPE_CHECKING:
    from nardy_ai.bots import NetBot
    from nardy_ai.evaluation.policy_decisions import SampledLosses

GAMES = 4000
WORST = 10


@dataclass
class Command:
    """Say what a net of a small game loses against perfect play: points a game and a decision.

    The net (without look-ahead) is compared with the exact solution in every position and for every roll;
    no games are needed. Those of --games only find decisions to show. The solution is computed once, in a
    minute for long nardy with 3 checkers, in several for hypergammon, and stored in the cache folder.

    Example: nardy bench truth runs/long-3/model.safetensors
    """

    model: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")]
    """A model of a game of 1 to 3 checkers a side, such as configs/long-3.toml trains."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Another small game than the model's own, such as `long with 2`."""

    games: Annotated[int, tyro.conf.arg(metavar="N")] = GAMES
    """Games against perfect play in which the worst decisions are looked for."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of their dice."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core. The result does not depend on it."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Judges the net everywhere and prints what it loses."""
        from nardy_ai.evaluation.policy_decisions import sampled_losses
        from nardy_ai.evaluation.policy_loss import policy_loss
        from nardy_ai.evaluation.truth import checked_threads, solve

        if not 1 <= self.games <= 10**6:
            raise InputError(f"games is {self.games}: give a number from 1 to 1000000")
        if not 0 <= self.seed < 2**64:
            raise InputError(f"seed is {self.seed}: give a number from 0 to 2^64 - 1")
        threads = checked_threads(self.threads)
        bot = self._bot()
        solution = solve(bot.game, threads=threads)
        loss = policy_loss(
            solution, lambda boards, seats: bot.evaluate_boards(boards, seats)[1], threads=threads
        )
        shown = sampled_losses(solution, bot, games=self.games, seed=self.seed, worst=WORST)
        report = {
            "format": 1,
            "bot": {"name": bot.name, "hash": bot.fingerprint, "net": bot.model.shape},
            "game": bot.game.name,
            "plies": 0,
            **loss.as_dict(),
            "exact": True,
            "shown": {
                "games": shown.games,
                "seed": shown.seed,
                "decisions": shown.decisions,
                "points_per_game": shown.lost,
                "worst": [wrong.as_dict() for wrong in shown.worst],
            },
        }
        if self.json:
            print_json(report)
        else:
            print("\n".join(folded(_table(report, shown))))
        return 0

    def _bot(self) -> NetBot:
        from nardy_ai.bots import load
        from nardy_ai.rules import Game
        from nardy_ai.rules.small_game import MOST_CHECKERS

        file, colon, plies = self.model.rpartition(":")
        if colon and plies.isdecimal() and not Path(self.model).exists():
            raise InputError(
                f"{self.model[:200]} looks ahead, and truth judges the net alone: name {file[:200]}"
            )
        bot = load(self.model, None if self.game is None else Game(self.game))
        if bot.game.checkers > MOST_CHECKERS:
            raise InputError(
                f"{bot.game.name} has {bot.game.checkers} checkers a side, and at most {MOST_CHECKERS} "
                "can be solved: take a model that configs/long-3.toml or configs/hypergammon.toml trains"
            )
        return bot


def _table(report: dict[str, Any], shown: SampledLosses) -> list[str]:
    bot = report["bot"]
    lines = [
        f"{bot['name']} ({bot['hash']}, net {bot['net']}) against perfect play of {report['game']}",
        "every position and roll summed up exactly, the net without look-ahead",
        "",
        f"  lost a game       {report['points_per_game']:.5f} points",
        f"    as starter      {report['as_first']:.5f}",
        f"    as second       {report['as_second']:.5f}",
        f"  decisions a game  {report['decisions']:.2f}",
        f"  lost a decision   {1000 * report['per_decision']:.3f} thousandths of a point",
    ]
    if shown.worst:
        lines += [
            "",
            f"worst decisions of {shown.games} games ({shown.decisions} decisions, seed {shown.seed})",
        ]
    for number, wrong in enumerate(shown.worst, 1):
        times = "once" if wrong.times == 1 else f"{wrong.times} times"
        lines += [
            "",
            f"{number}. {wrong.chosen.notation} lost {1000 * wrong.lost:.1f} thousandths of a point "
            f"({times}); best is {wrong.best.notation}",
            f"   {wrong.position.key} {wrong.dice[0]}-{wrong.dice[1]}",
            wrong.position.text(wrong.dice),
        ]
    return lines
