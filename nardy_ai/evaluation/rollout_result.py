"""What a rollout showed, as numbers, JSON and a table for the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nardy_ai.core import BLOCK_TRIALS
from nardy_ai.evaluation.statistics import t_quantile
from nardy_ai.rules.screen import folded

FORMAT = 1


@dataclass(frozen=True)
class RolloutResult:
    """What a rollout showed, for the player on roll before the throw."""

    bot: str
    """Who chose the plays and judged."""
    fingerprint: str
    """A hash of all that its choices depend on."""
    game: str
    """The rule profile, such as `long/fns`."""
    position: str
    """The position's key."""
    outcomes: dict[str, float]
    """Mean of each exclusive outcome, adding up to 1."""
    errors: dict[str, float]
    """Standard error of each."""
    equity: float
    """Expected points won less points lost."""
    equity_error: float
    """Its standard error."""
    trials: int
    """Trials that are counted, a multiple of 36; 0 where the game was over."""
    exact: bool
    """Whether the position is exactly known, and the errors are 0 for that reason."""
    turns: float
    """Mean length of a trial in turns of either side."""
    plies: int
    """Of the search by which both sides chose their plays."""
    truncate: int | None
    """Turns after which the net judged; None: trials were played to the end."""
    truncated: int
    """Trials that ended so."""
    cut: int
    """Trials that were stopped at the limit of turns, where the net judged."""
    luck_taken: bool
    """Whether luck was taken out."""
    seed: int
    """Of the dice."""
    unfinished: int
    """Trials that were asked for and not played, since the rollout was interrupted."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `equity`."""
        if self.equity_error == 0.0:
            return self.equity, self.equity
        half = t_quantile(0.95, max(1, self.trials - BLOCK_TRIALS)) * self.equity_error
        return self.equity - half, self.equity + half

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "format": FORMAT,
            "bot": {"name": self.bot, "hash": self.fingerprint},
            "game": self.game,
            "position": self.position,
            "equity": self.equity,
            "equity_error": self.equity_error,
            "interval": list(self.interval),
            "confidence": 0.95,
            "outcomes": dict(self.outcomes),
            "errors": dict(self.errors),
            "exact": self.exact,
            "trials": self.trials,
            "unfinished_trials": self.unfinished,
            "turns": self.turns,
            "plies": self.plies,
            "truncate": self.truncate,
            "truncated_trials": self.truncated,
            "cut_trials": self.cut,
            "luck_taken": self.luck_taken,
            "seed": self.seed,
        }

    def __str__(self) -> str:
        """The table for the terminal."""
        return "\n".join(_table(self))


def _table(result: RolloutResult) -> list[str]:
    lines = folded([f"{result.position} of {result.game}, by {result.bot} ({result.fingerprint})"])
    if result.trials:
        end = f"for {result.truncate} turns, then judged by the net" if result.truncate else "to the end"
        luck = "luck taken out" if result.luck_taken else "luck left in"
        lines += [
            f"{result.trials} trials played {end} ({result.turns:.1f} turns on average),",
            f"plays chosen at {result.plies} plies, {luck}, seed {result.seed}",
        ]
    width = max(len(name) for name in (*result.outcomes, "equity"))
    lines += ["", f"  {'':<{width}}      mean   standard error"]
    for name, value in result.outcomes.items():
        lines.append(f"  {name:<{width}}  {value:8.4f}   {result.errors[name]:.4f}")
    interval = "exactly known" if result.exact else "95 % [{:+.4f}, {:+.4f}]".format(*result.interval)
    lines.append(f"  {'equity':<{width}}  {result.equity:+8.4f}   {result.equity_error:.4f}   {interval}")
    for count, what in (
        (result.cut, "stopped at the limit of turns, where the net judged"),
        (result.unfinished, "not played: the rollout was stopped"),
    ):
        if count:
            lines.append(f"  {count} trials {what}")
    return lines
