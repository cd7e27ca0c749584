"""The report as lines for the terminal, at most 80 columns wide."""

from __future__ import annotations

import textwrap

from nardy_ai.evaluation.report.record import Report
from nardy_ai.evaluation.report.words import (
    clipped,
    duration,
    interval,
    last_of_each,
    points,
    quantity,
    range_of,
)

__all__ = ["summary"]

WIDTH = 80


def summary(report: Report) -> str:
    """What the page says, in short."""
    lines = [
        *_head(report),
        *_strengths(report),
        *_ladder(report),
        *_decisions(report),
        *_speed(report),
    ]
    return "\n".join(part for line in lines for part in _wrapped(line))


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _head(report: Report) -> list[str]:
    rounds, model = report.rounds, report.model
    done = len(rounds.round)
    games = rounds.games[-1] if done else 0
    of = f"{done:,} of {report.planned:,} rounds, {games:,} games"
    lines = [f"{clipped(report.run, 50)}: {report.game}, {of}"]
    if done:
        lines.append(
            f"loss {rounds.loss[-1]:.4f} nats a position; time {duration(rounds.seconds[-1])}, CPU time "
            f"{duration(rounds.cpu[-1])}"
        )
    if model is None:
        return [*lines, "no model yet"]
    return [*lines, f"model: round {model.round:,}, hash {model.hash}, net {model.net}"]


def _strengths(report: Report) -> list[str]:
    if not report.strengths:
        return ["", "no strength was measured"]
    lines = ["", "points a game, 95 % intervals, no look-ahead"]
    for one in last_of_each(report):
        found = f"{points(one.ppg)} {range_of(one):<16}"
        of = f"{one.pairs:,} pairs, seed {one.seed}, round {one.round:,}"
        lines.append(f"  {clipped(one.opponent, 19):<19} {found} {of}")
    return lines


def _ladder(report: Report) -> list[str]:
    if report.ladder is None:
        return ["", "no ladder: nardy ladder RUN plays one"]
    ladder = report.ladder
    lines = ["", f"ladder: points a game against {clipped(ladder.anchor_name, 22)}, seed {ladder.seed}"]
    for place in ladder.ratings[:5]:
        if place.points is None:
            continue
        ends = "held there" if place.hash == ladder.anchor else interval(place.interval)
        found = f"{points(place.points)} {ends:<18}"
        lines.append(f"  {clipped(place.name, 22):<22} {found} {place.pairs:>6,} pairs")
    if len(ladder.ratings) > 5:
        lines.append(f"  and {len(ladder.ratings) - 5} more")
    return lines


def _decisions(report: Report) -> list[str]:
    found = report.decisions
    if found is None:
        return ["", "no decisions: nardy bench decisions MODEL --json measures them"]
    lines = ["", f"lost a decision, thousandths of a point, 95 % intervals, seed {found.seed}"]
    for name, part in (*found.classes.items(), ("all", found.total)):
        ends = interval(part.interval, ".2f")
        lines.append(f"  {clipped(name, 22):<22} {part.loss:6.2f} {ends:<18} {part.decisions:>6,} decisions")
    if found.own_judge:
        lines.append("  careful: the judge is the very net that is judged")
    return lines


def _speed(report: Report) -> list[str]:
    if report.speed is None:
        return ["", "no speeds of the engine: nardy bench speed --json measures them"]
    lines = ["", f"the engine, units a CPU second, kernels {report.speed.kernels}"]
    for row in report.speed.rows:
        ours = row.rates.get("nardy-ai")
        if ours is not None:
            lines.append(f"  {clipped(row.name, 44):<44} {quantity(ours):>12} {row.unit}")
    return lines
