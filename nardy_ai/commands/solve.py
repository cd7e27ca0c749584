"""`nardy solve`: small games solved exactly, and the tables of the bear-off."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError

if TYPE_CHECKING:
    from nardy_ai.rules import Game


@dataclass
class Command:
    """Solve a game of 1 to 3 checkers a side exactly, or make the tables of the bear-off.

    A table is stored in the cache folder (NARDY_CACHE names another one) and read from there the next time.
    Three checkers take a minute of long nardy, several of hypergammon, and half a gigabyte of memory.

    Example: nardy solve short/hypergammon --checkers 2
    """

    game: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME")]
    """Game (`long`, `short`), profile (`long/classic`) or a .toml file, whose rules are solved."""

    checkers: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Checkers a side, 1 to 3; by default the game's own."""

    bearoff: bool = False
    """The bear-off tables instead, with the error of the one-sided ones."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core. The result does not depend on it."""

    anew: bool = False
    """Solve even where the solution is stored."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Solves and prints what came out."""
        from nardy_ai.rules import Game

        game = Game(self.game)
        if self.bearoff:
            if self.checkers is not None or self.anew or self.threads is not None:
                raise InputError("--bearoff goes without --checkers, --threads and --anew")
            report = _bearoff_report(game)
        else:
            report = self._solution_report(game)
        if self.json:
            print_json(report)
        else:
            _print(report)
        return 0

    def _solution_report(self, game: Game) -> dict[str, Any]:
        from nardy_ai.evaluation.truth import solve
        from nardy_ai.rules.small_game import MOST_CHECKERS, small_game

        if self.checkers is None and game.checkers > MOST_CHECKERS:
            raise InputError(
                f"{game.name} has {game.checkers} checkers a side, and at most {MOST_CHECKERS} can be "
                "solved: add --checkers 1, 2 or 3"
            )
        small = game if self.checkers is None else small_game(game, self.checkers)
        begun = time.monotonic()
        solution = solve(small, threads=self.threads, anew=self.anew)
        return {
            "game": small.name,
            "starter_points_per_game": solution.opening,
            "start_equity_over_all_rolls": solution.start,
            "positions": solution.positions,
            "sweeps": solution.sweeps,
            "solved_in_seconds": solution.seconds,
            "solved_by_threads": solution.threads,
            "answered_in_seconds": round(time.monotonic() - begun, 3),
            "table": str(solution.path),
            "table_bytes": solution.path.stat().st_size,
        }


def _bearoff_report(game: Game) -> dict[str, Any]:
    from nardy_ai.evaluation.bearoff_error import one_sided_error
    from nardy_ai.models.bearoff_tables import bearoff_tables, one_sided_key, two_sided_key

    begun = time.monotonic()
    bearoff_tables(game.core_rules)
    ready = time.monotonic() - begun
    error = one_sided_error(game.core_rules)
    return {
        "game": game.name,
        "one_sided_table": str(one_sided_key(game.core_rules).path()),
        "two_sided_table": str(two_sided_key(game.core_rules).path()),
        "ready_in_seconds": round(ready, 3),
        "compared_positions": error.positions,
        "one_sided_mean_error": error.mean,
        "one_sided_worst_error": error.worst,
        "one_sided_bias": error.bias,
    }


def _print(report: dict[str, Any]) -> None:
    width = max(map(len, report))
    for name, value in report.items():
        print(f"{name.replace('_', ' '):<{width}}  {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
