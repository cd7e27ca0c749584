"""How strong the levels of a model are, as a table for its file, for people, and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from nardy_ai import __version__, core
from nardy_ai.bots import GreedyBot, NetBot
from nardy_ai.core import Level
from nardy_ai.evaluation.decisions import Benchmark, decision_loss
from nardy_ai.evaluation.levels.scoring import Scorer
from nardy_ai.evaluation.match_result import Side
from nardy_ai.evaluation.statistics import Estimate
from nardy_ai.models.level_table import LevelEntry, LevelTable, Measured, Score
from nardy_ai.rules.screen import folded

__all__ = ["FORMAT", "LevelReport", "measure_levels"]

FORMAT: Final = 1


@dataclass(frozen=True)
class LevelReport:
    """The levels of a model with what was measured of them."""

    bot: Side
    table: LevelTable
    own_judge: bool = False
    """The decisions were judged by this very net."""

    @property
    def close(self) -> list[int]:
        """Levels that the pairs can't tell from the next one: the interval holds 0."""
        return [
            entry.level
            for entry in self.table.levels
            if entry.against_next is not None and entry.against_next.low <= 0 <= entry.against_next.high
        ]

    @property
    def out_of_order(self) -> list[int]:
        """Levels that beat the next one, the interval lying above 0."""
        levels = self.table.levels
        return [each.level for each in levels if each.against_next is not None and each.against_next.low > 0]

    def sentences(self) -> list[str]:
        """What the table does not say by itself."""
        levels, found = self.table.levels, []
        for number in self.close:
            score = levels[number - 1].against_next
            found.append(
                f"levels {number} and {number + 1} can't be told apart by these pairs: {_points(score)}"
            )
        for number in self.out_of_order:
            found.append(
                f"level {number} beats level {number + 1}: {_points(levels[number - 1].against_next)}"
            )
        first = levels[0].against_greedy
        if first is not None and not first.low <= 0 <= first.high:
            found.append(f"level 1 is not even with greedy: {_points(first)}")
        if self.own_judge:
            found.append("the decisions were judged by this very net, which finds its own faults good")
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        measured = self.table.measured
        return {
            "format": FORMAT,
            "bot": {"name": self.bot.name, "hash": self.bot.fingerprint},
            "confidence": 0.95,
            "measured": None
            if measured is None
            else {name: getattr(measured, name) for name in measured.__struct_fields__},
            "levels": self.table.as_list(),
            "close_to_next": self.close,
            "out_of_order": self.out_of_order,
            "own_judge": self.own_judge,
        }

    def __str__(self) -> str:
        return "\n".join([*_table(self), *folded((f"  {said}" for said in self.sentences()), "    ")])


def measure_levels(
    bot: NetBot,
    levels: list[Level],
    scorer: Scorer,
    seed: int,
    benchmark: Benchmark | None = None,
    *,
    threads: int = 1,
) -> LevelReport:
    """Plays every level against level 10, the next level and `greedy`, and asks for its plays in decisions.

    Args:
        bot: the model.
        levels: 1 to 10, weakest first.
        scorer: plays the matches.
        seed: of their dice; not that by which the levels were found.
        benchmark: the decisions; None: losses are not measured.
        threads: that ask for decisions.

    Raises:
        InputError: the model can't play the game of the scorer or the benchmark.
    """
    net, greedy = bot.with_noise(0.0), GreedyBot()
    bots = [net.looking_ahead(each.plies) if each.plies else net.with_noise(each.noise) for each in levels]
    full = bots[-1]
    entries = []
    judged_by_itself = False
    for number, (level, own) in enumerate(zip(levels, bots, strict=True), 1):
        last = number == core.LEVELS
        lost = None
        against_full = None if last else scorer.score(own, full, seed, f"level {number} : {core.LEVELS}")
        if number < core.LEVELS - 1:
            what = f"level {number} : {number + 1}"
            against_next: Estimate | None = scorer.score(own, bots[number], seed, what)
        else:
            against_next = against_full
        against_greedy = scorer.score(own, greedy, seed, f"level {number} : greedy")
        if benchmark is not None:
            loss = decision_loss(own, benchmark, worst=0, seed=seed, threads=threads, progress=False)
            judged_by_itself |= loss.own_judge
            lost = Estimate(loss.total.mean, loss.total.interval, loss.total.decisions)
        scores = map(_score, (against_full, against_next, against_greedy, lost))
        entries.append(LevelEntry(number, level.noise, level.plies, *scores))
    named = None
    if benchmark is not None:
        header = benchmark.header
        judge = header.judge.hash
        named = f"{header.decisions} of {header.game}, hash {header.arrays_hash}, judged by {judge}"
    measured = Measured(scorer.game.name, scorer.pairs, seed, __version__, named)
    table = LevelTable(tuple(entries), measured)
    return LevelReport(Side(net.name, net.fingerprint), table, judged_by_itself)


def _score(estimate: Estimate | None) -> Score | None:
    if estimate is None or estimate.interval is None:
        return None
    low, high = estimate.interval
    return Score(*(round(value, 6) for value in (estimate.mean, low, high)))


def _points(score: Score | None, unit: float = 1, digits: int = 3) -> str:
    if score is None:
        return ""
    mean, low, high = (f"{unit * value:+.{digits}f}" for value in (score.mean, score.low, score.high))
    return f"{mean} [{low}, {high}]"


def _lost(score: Score | None) -> str:
    if score is None:
        return ""
    return f"{1000 * score.mean:.1f} [{1000 * score.low:.1f}, {1000 * score.high:.1f}]"


def _table(report: LevelReport) -> list[str]:
    measured = report.table.measured
    lines = [f"levels of {report.bot.name} ({report.bot.fingerprint})"]
    if measured is None:
        lines.append("the usual ones of its family; nobody measured them for this model")
    else:
        lines.append(f"{measured.game}, {measured.pairs} pairs each, seed {measured.seed}, 95 % intervals")
    # All four figures with their intervals are too wide for one table.
    lines += ["", "  level    noise  plies  against level 10          against the next level"]
    for entry in report.table.levels:
        row = f"  {entry.level:>5}  {entry.noise:7.4g}  {entry.plies:>5}  "
        row += f"{_points(entry.against_full):<26}{_points(entry.against_next)}"
        lines.append(row.rstrip())
    lines += ["", "  level  against greedy            lost a decision"]
    for entry in report.table.levels:
        row = f"  {entry.level:>5}  {_points(entry.against_greedy):<26}{_lost(entry.loss)}"
        lines.append(row.rstrip())
    lines += [
        "",
        "  noise in points; scores in points a game;",
        "  losses in thousandths of a point a decision",
    ]
    if measured is not None and measured.decisions is not None:
        lines += folded([f"  decisions: {measured.decisions}"], "    ")
    return lines
