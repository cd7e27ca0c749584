"""The outcome of a match of pairs, as numbers, JSON and a table for the terminal."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.evaluation.homogeneity import SUSPICIOUS, ChunkTest, chunk_test
from nardy_ai.evaluation.luck import LuckAdjusted
from nardy_ai.evaluation.sequential import Verdict
from nardy_ai.evaluation.statistics import (
    Estimate,
    elo_of_share,
    mean_interval,
    share_interval,
    superiority,
)
from nardy_ai.rules.screen import WIDTH, folded

FORMAT = 1

CUT = -1
"""Stands for the outcome of a game that was stopped at the turn limit."""
UNPLAYED = -2
"""Stands for the outcome of a game that was not played to its end."""

Outcomes = npt.NDArray[np.int8]
Unit: TypeAlias = Literal["game", "match"]
"""What a pair has two of."""


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
    """Points a game, one value a pair; of matches to a number of points 1 for one won, -1 for one lost."""
    share: Estimate
    """Share of games won, with Wilson's interval."""
    score: Estimate
    """The same with half of the games drawn, which is what Elo's scale goes by."""
    outcomes: dict[str, int]
    """How many games ended in each way, in the order of the profile's outcomes."""
    seats: tuple[Estimate, Estimate]
    """Points a game as starter and as second player."""
    plies: float
    """Mean length of a game in turns of either side, or of a match in games."""
    superiority: float | None
    """How sure it is that the first bot is the better one: a probability; None for a single pair."""
    chunks: ChunkTest | None
    """Whether all parts of the match tell the same; None for few pairs, or where all came to the same."""
    unit: Unit = "game"
    """`match` where pairs are of matches to a number of points."""
    luck: LuckAdjusted | None = None
    """The score with the luck of the dice taken out, where that was asked for."""
    verdict: Verdict | None = None
    """How the sequential test ended, where there was one."""
    recorded: int = field(default=0, compare=False)
    """Pairs that were not played but taken over from the record of an earlier call."""

    @property
    def elo(self) -> float | None:
        """The Elo difference that the share of games won stands for; None where all were won or lost."""
        return elo_of_share(self.score.mean)

    @property
    def elo_interval(self) -> tuple[float | None, float | None] | None:
        """The 95 % interval of `elo`, an end that is None without limit; None for a single pair."""
        interval = self.score.interval
        return None if interval is None else (elo_of_share(interval[0]), elo_of_share(interval[1]))

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
            "superiority": self.superiority,
            "elo": self.elo,
            "elo_interval": None if self.elo_interval is None else list(self.elo_interval),
            "chunks": None if self.chunks is None else self.chunks.as_dict(),
            "unit": self.unit,
            "luck": None if self.luck is None else self.luck.as_dict(),
            "test": None if self.verdict is None else self.verdict.as_dict(),
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
    *,
    unit: Unit = "game",
    luck: LuckAdjusted | None = None,
    verdict: Verdict | None = None,
    recorded: int = 0,
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
        unit: `match` for matches to a number of points; `game` as it is called is then a match of them.
        luck: the score without luck, of the same pairs.
        verdict: of the sequential test.
        recorded: pairs that came from a record.

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
    drawn = np.array([name == "draw" for name in names])[counted]
    values = points.mean(axis=1)
    return MatchResult(
        a=a,
        b=b,
        game=game,
        seed=seed,
        pairs=len(counted),
        cut=int(cut.sum()),
        unfinished=int(missing.sum()),
        points=mean_interval(values),
        share=share_interval(won.mean(axis=1)),
        score=share_interval((won + 0.5 * drawn).mean(axis=1)),
        outcomes={name: int((counted == number).sum()) for number, name in enumerate(names)},
        seats=(mean_interval(points[:, 0]), mean_interval(points[:, 1])),
        plies=float(plies[~missing & ~cut].mean()),
        superiority=superiority(values),
        chunks=chunk_test(values),
        unit=unit,
        luck=luck,
        verdict=verdict,
        recorded=recorded,
    )


def _nothing_counted(cut: int) -> str:
    if cut:
        return f"all pairs ({cut}) were stopped at the turn limit: raise max_turns, or look at the bots"
    return "no pair was played to the end: there is nothing to report"


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


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
    games = "games" if result.unit == "game" else "matches"
    a, b = (f"{side.name} ({side.fingerprint})" for side in (result.a, result.b))
    both = f"{a} against {b}"
    lines = [
        *([both] if len(both) <= WIDTH else [a, f"against {b}"]),
        f"{result.game}, {_pairs(result.pairs)} ({result.games} {games}), seed {result.seed}",
        "",
        _row(
            "points a game" if result.unit == "game" else "won less lost",
            f"{_signed(result.points)}  ({interval})",
        ),
        *_luck_rows(result),
        _row("wins", _percent(result.share)),
        _row("better", _sureness(result.superiority)),
        _row("Elo-like", _elo(result)),
        _row("as starter", _signed(result.seats[0])),
        _row("as second", _signed(result.seats[1])),
        _row("turns a game" if result.unit == "game" else "games a match", f"{result.plies:.1f}"),
        *_chunk_rows(result),
        *_verdict_rows(result),
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
            lines.append(f"  not counted: {_pairs(count)} ({why})")
    return folded(lines, _row("", ""))


def _row(title: str, text: str) -> str:
    return f"  {title:<15} {text}"


def _sureness(probability: float | None) -> str:
    return "one pair says nothing" if probability is None else f"with a probability of {_share(probability)}"


def _share(probability: float) -> str:
    """A probability that is never rounded to certainty."""
    if probability >= 0.9995:
        return "more than 99.9 %"
    if probability < 0.0005:
        return "less than 0.1 %"
    return f"{100.0 * probability:.1f} %"


def _elo(result: MatchResult) -> str:
    told = "no end in sight" if result.elo is None else f"{result.elo:+.0f}"
    interval = result.elo_interval
    if interval is None:
        return told
    low, high = (("−∞", "+∞")[side] if end is None else f"{end:+.0f}" for side, end in enumerate(interval))
    return f"{told}  [{low}, {high}]  (of games won)"


def _luck_rows(result: MatchResult) -> list[str]:
    luck = result.luck
    if luck is None:
        return []
    ratio = "" if luck.variance_ratio is None else f"  (variance 1/{luck.variance_ratio:.1f})"
    return [
        _row("without luck", f"{_signed(luck.points)}{ratio}"),
        _row("", f"judged by {luck.judge} ({luck.fingerprint})"),
    ]


def _chunk_rows(result: MatchResult) -> list[str]:
    chunks = result.chunks
    if chunks is None:
        return []
    said = "differ: look for what changed" if chunks.probability < SUSPICIOUS else "agree"
    return [
        _row(
            f"{chunks.chunks} parts",
            f"{said} (χ² {chunks.statistic:.1f} of {chunks.chunks - 1}, p {chunks.probability:.2g})",
        )
    ]


def _verdict_rows(result: MatchResult) -> list[str]:
    verdict = result.verdict
    if verdict is None:
        return []
    test, points = verdict.test, "points a game" if result.unit == "game" else "matches won less lost"
    rather = {
        "accepted": f"{test.high:+g} rather than {test.low:+g} {points}",
        "rejected": f"{test.low:+g} rather than {test.high:+g} {points}",
        "undecided": f"{test.low:+g} or {test.high:+g} {points}, more pairs would tell",
    }[verdict.decision]
    lower, upper = test.bounds
    return [
        _row("test", f"{verdict.decision}: {rather}"),
        _row(
            "",
            f"log-likelihood ratio {verdict.ratio:+.2f} of {lower:+.2f}..{upper:+.2f}; wrong in "
            f"{100 * test.alpha:g} % / {100 * test.beta:g} %",
        ),
    ]
