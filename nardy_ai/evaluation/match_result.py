"""The outcome of a match of pairs, as numbers, JSON and a table for the terminal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.evaluation.statistics import Estimate, mean_interval, share_interval

FORMAT = 1

CUT = -1
"""Stands for the outcome of a game that was stopped at the turn limit."""
UNPLAYED = -2
"""Stands for the outcome of a game that was not played to its end."""

Outcomes = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Side:
    """One of the two bots, as a report names it."""

    name: str
    fingerprint: str
    """A hash of all that its choices depend on."""


@dataclass(frozen=True)
class MatchResult:
    """What a match of pairs showed, all of it seen by the first bot.

    A pair is two games with the same dice: the first bot starts one, the second bot the other. Only pairs of
    which both games ended are counted.
    """

    a: Side
    b: Side
    game: str
    """The rule profile, such as `long/fns`."""
    seed: int
    pairs: int
    """Pairs that are counted."""
    cut: int
    """Pairs left out because one of their games was stopped at the turn limit."""
    unfinished: int
    """Pairs left out because the match was interrupted."""
    points: Estimate
    """Points a game, one value a pair."""
    share: Estimate
    """Share of games won, with Wilson's interval."""
    outcomes: dict[str, int]
    """How many games ended in each way, in the order of the profile's outcomes."""
    seats: tuple[Estimate, Estimate]
    """Points a game as starter and as second player."""
    plies: float
    """Mean length of a game in turns of either side."""

    @property
    def ppg(self) -> float:
        """Points a game of the first bot."""
        return self.points.mean

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of `ppg` from the pairs; None for a single pair."""
        return self.points.interval

    @property
    def wins(self) -> float:
        """Share of games that the first bot won, 0..1."""
        return self.share.mean

    @property
    def win_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of `wins`; None for a single pair."""
        return self.share.interval

    @property
    def games(self) -> int:
        """Games that are counted."""
        return 2 * self.pairs

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: a strength never without its pairs, interval, opponent, game and seed."""
        return {
            "format": FORMAT,
            "a": {"name": self.a.name, "hash": self.a.fingerprint},
            "b": {"name": self.b.name, "hash": self.b.fingerprint},
            "game": self.game,
            "seed": self.seed,
            "pairs": self.pairs,
            "cut_pairs": self.cut,
            "unfinished_pairs": self.unfinished,
            "ppg": self.ppg,
            "interval": _plain(self.interval),
            "confidence": self.points.confidence,
            "wins": self.wins,
            "win_interval": _plain(self.win_interval),
            "outcomes": dict(self.outcomes),
            "seats": [{"ppg": seat.mean, "interval": _plain(seat.interval)} for seat in self.seats],
            "plies": self.plies,
        }

    def to_json(self) -> str:
        """`as_dict` as JSON text."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=2)

    def __str__(self) -> str:
        """The table for the terminal."""
        return "\n".join(_table(self))


def summarize(
    a: Side,
    b: Side,
    game: str,
    seed: int,
    outcomes: Outcomes,
    plies: npt.NDArray[np.int32],
    names: tuple[str, ...],
    worth: tuple[float, ...],
) -> MatchResult:
    """The one path of statistics for both drivers.

    Args:
        a: the bot from whose side outcomes are seen.
        b: its opponent.
        game: name of the rule profile.
        seed: of the dice.
        outcomes: int8 [pairs, 2], the number of each game's outcome as `a` sees it, or CUT or UNPLAYED;
            column 0 is the game that `a` started.
        plies: int32 [pairs, 2], turns of each game.
        names: outcome names by number.
        worth: points of each outcome for the one who sees it.

    Raises:
        InputError: no pair was played to the end.
    """
    missing = (outcomes == UNPLAYED).any(axis=1)
    cut = (outcomes == CUT).any(axis=1) & ~missing
    counted = outcomes[~missing & ~cut]
    if len(counted) == 0:
        raise InputError(_nothing_counted(int(cut.sum())))
    points = np.asarray(worth, dtype=np.float64)[counted]
    won = np.array([name.startswith("win") for name in names])[counted]
    return MatchResult(
        a=a,
        b=b,
        game=game,
        seed=seed,
        pairs=len(counted),
        cut=int(cut.sum()),
        unfinished=int(missing.sum()),
        points=mean_interval(points.mean(axis=1)),
        share=share_interval(won.mean(axis=1)),
        outcomes={name: int((counted == number).sum()) for number, name in enumerate(names)},
        seats=(mean_interval(points[:, 0]), mean_interval(points[:, 1])),
        plies=float(plies[~missing & ~cut].mean()),
    )


def _nothing_counted(cut: int) -> str:
    if cut:
        return f"all {cut} pairs were stopped at the turn limit: raise max_turns, or look at the bots"
    return "no pair was played to the end: there is nothing to report"


def _plain(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _signed(estimate: Estimate) -> str:
    if estimate.interval is None:
        return f"{estimate.mean:+.3f}"
    return f"{estimate.mean:+.3f}  [{estimate.interval[0]:+.3f}, {estimate.interval[1]:+.3f}]"


def _percent(estimate: Estimate) -> str:
    text = f"{100.0 * estimate.mean:.1f} %"
    if estimate.interval is None:
        return text
    return f"{text}  [{100.0 * estimate.interval[0]:.1f}, {100.0 * estimate.interval[1]:.1f}]"


def _table(result: MatchResult) -> list[str]:
    interval = "95 % interval" if result.interval is not None else "one pair: no interval"
    lines = [
        f"{result.a.name} ({result.a.fingerprint}) against {result.b.name} ({result.b.fingerprint})",
        f"{result.game}, {result.pairs} pairs ({result.games} games), seed {result.seed}",
        "",
        f"  points a game   {_signed(result.points)}  ({interval})",
        f"  wins            {_percent(result.share)}",
        f"  as starter      {_signed(result.seats[0])}",
        f"  as second       {_signed(result.seats[1])}",
        f"  turns a game    {result.plies:.1f}",
        "",
    ]
    width = max(len(name) for name in result.outcomes)
    lines += [
        f"  {name:<{width}}  {count:>8}  {100.0 * count / result.games:5.1f} %"
        for name, count in result.outcomes.items()
    ]
    for count, why in (
        (result.cut, "a game reached the turn limit"),
        (result.unfinished, "the match was stopped"),
    ):
        if count:
            lines.append(f"  not counted: {count} pairs ({why})")
    return lines
