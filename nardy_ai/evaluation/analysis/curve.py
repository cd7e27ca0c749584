"""The course of a game as SVG: what the left player may expect, play by play."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape

from nardy_ai.evaluation.analysis.columns import plain
from nardy_ai.evaluation.analysis.record import AnalysedGame

__all__ = ["curve_svg"]

WIDTH, HEIGHT = 640.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 8.0, 10.0, 24.0
MARKS = {"doubtful": 2.6, "bad": 3.6, "very bad": 4.8}
"""Grade -> radius of its mark."""


def curve_svg(game: AnalysedGame) -> str:
    """An `<svg>` element in the colours of the page; empty for a game without a play."""
    points = game.curve
    if len(points) < 2:
        return ""
    most = max(1.0, math.ceil(max(map(abs, points)) - 1e-6))
    across = (WIDTH - LEFT - RIGHT) / (len(points) - 1)

    def x(place: float) -> float:
        return LEFT + place * across

    def y(worth: float) -> float:
        return TOP + (most - worth) / (2 * most) * (HEIGHT - TOP - BOTTOM)

    label = f"Equity of {plain(game.names[0])} over game {game.number}"
    parts = [
        f'<svg class="curve" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{escape(label)}">',
        *_frame(x, y, most, len(points) - 1),
        '<polyline fill="none" stroke="var(--main)" stroke-width="1.8" stroke-linejoin="round" points="'
        + " ".join(f"{x(place):.1f},{y(worth):.1f}" for place, worth in enumerate(points))
        + '"/>',
    ]
    place = 0
    for turn in game.turns:
        if turn.made is None:
            continue
        place += 1
        if turn.grade:
            told = f"{turn.grade}: {turn.made.play.notation} lost {turn.loss:.3f}"
            colour = "var(--warn)" if turn.player == 0 else "var(--other)"
            parts.append(
                f'<circle cx="{x(place):.1f}" cy="{y(points[place]):.1f}" r="{MARKS[turn.grade]}" '
                f'fill="{colour}"><title>{escape(told)}</title></circle>'
            )
    return "\n".join([*parts, "</svg>"])


def _frame(x: Callable[[float], float], y: Callable[[float], float], most: float, last: int) -> list[str]:
    lines = []
    step = 1 if most <= 3 else 2
    for worth in range(-int(most), int(most) + 1, step):
        width = 1.2 if worth == 0 else 0.6
        lines.append(
            f'<line x1="{LEFT:g}" x2="{WIDTH - RIGHT:g}" y1="{y(worth):.1f}" y2="{y(worth):.1f}" '
            f'stroke="var(--line)" stroke-width="{width}"/>'
            f'<text x="{LEFT - 6:g}" y="{y(worth) + 4:.1f}" text-anchor="end" font-size="12" '
            f'fill="var(--soft)">{f"{worth:+d}" if worth else "0"}</text>'
        )
    every = next(size for size in (5, 10, 20, 50, 100, 200, 500, 1000, 10000) if last / size <= 10)
    for place in range(0, last + 1, every):
        lines.append(
            f'<text x="{x(place):.1f}" y="{HEIGHT - 6:g}" text-anchor="middle" font-size="12" '
            f'fill="var(--soft)">{place}</text>'
        )
    return lines
