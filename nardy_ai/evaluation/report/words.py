"""How numbers are written on the page, in its plots and in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from nardy_ai.evaluation.report.record import Measured, Place, Report

__all__ = [
    "clipped",
    "duration",
    "interval",
    "last_of_each",
    "opponents",
    "points",
    "quantity",
    "range_of",
    "result",
    "standing",
]

NAME = 34


def points(value: float) -> str:
    """Points a game."""
    return f"{value:+.3f}"


def interval(ends: Sequence[float] | None, form: str = "+.3f") -> str:
    """An interval in brackets, or that there is none."""
    return "no interval" if ends is None else f"[{ends[0]:{form}}, {ends[1]:{form}}]"


def range_of(one: Measured) -> str:
    """The interval of a match; a single pair has none."""
    return interval((one.low, one.high)) if one.pairs > 1 else "one pair: no interval"


def result(one: Measured) -> str:
    """A strength with all that belongs to it."""
    return f"{points(one.ppg)} {range_of(one)}, {one.pairs:,} pairs, seed {one.seed}"


def standing(place: Place) -> str:
    """Points on the ladder."""
    if place.points is None:
        return "no match links it"
    return f"{points(place.points)} {interval(place.interval)}"


def duration(seconds: float | None) -> str:
    """A time in the unit that suits it."""
    if seconds is None:
        return "not logged"
    for most, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if seconds < most:
            return f"{seconds / size:.3g} {unit}" if unit != "s" else f"{seconds:.0f} s"
    return f"{seconds / 86400:.3g} days"


def quantity(value: float) -> str:
    """Three figures, or whole numbers with separators."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def clipped(name: str, most: int = NAME) -> str:
    """A name that is too long with its middle left out."""
    return name if len(name) <= most else f"{name[: most // 3]}…{name[-(most - most // 3 - 1) :]}"


def opponents(strengths: Sequence[Measured]) -> dict[tuple[str, str], list[Measured]]:
    """Measurements by opponent and rules, each in the order of rounds."""
    found: dict[tuple[str, str], list[Measured]] = {}
    for one in strengths:
        found.setdefault((one.opponent, one.game), []).append(one)
    return found


def last_of_each(report: Report) -> list[Measured]:
    """The newest measurement against each opponent."""
    return [measured[-1] for measured in opponents(report.strengths).values()]
