"""The page's plots as inline SVG whose colours are the page's own, so that they follow light and dark."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nardy_ai.evaluation.report.curves import envelope, rolling_mean, window_of
from nardy_ai.evaluation.report.record import Decisions, Ladder, Measured, Report
from nardy_ai.evaluation.report.words import clipped, opponents

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["decision_plot", "ladder_plot", "loss_plot", "speed_plot", "strength_plot"]

# Stand-ins that no plot has by chance; each becomes a colour of the page.
INK, GRID, MAIN, OTHER = "#010203", "#020304", "#030405", "#040506"
_COLOURS = {INK: "var(--ink)", GRID: "var(--line)", MAIN: "var(--main)", OTHER: "var(--other)"}
# Inches; at 72 units an inch a phone shows a text of size 10 nearly at its size.
_WIDTH = 5.0
_MOST_PANELS = 8
_STRETCHES = 240
_NAME = 22


@dataclass(frozen=True)
class _Axis:
    """What lies along a plot."""

    unit: float
    label: str


def loss_plot(report: Report) -> str:
    """Loss, and what of it is above the targets' own entropy, over games."""
    rounds = report.rounds
    along = _games_axis(rounds.games)
    shown: list[tuple[str, Sequence[float | None], bool]] = [("loss, nats a position", rounds.loss, False)]
    excess = [value for value in rounds.excess if value is not None]
    if excess:
        shown.append(("above the least, nats", rounds.excess, _spans_decades(excess, 10)))

    def draw(figure: Figure) -> None:
        panels = _panels(figure, len(shown))
        for axes, (label, values, logarithmic) in zip(panels, shown, strict=True):
            _curve(axes, report, along, values, logarithmic)
            axes.set_ylabel(label)
        panels[-1].set_xlabel(along.label)
        _name_phases(panels[0], report, along)

    return _drawn("loss", "Loss over games", 2.1 * len(shown) + 0.4, draw)


def speed_plot(report: Report) -> str:
    """Games a second over games."""
    along = _games_axis(report.rounds.games)

    def draw(figure: Figure) -> None:
        (axes,) = _panels(figure, 1)
        known = [value for value in report.rounds.speed if value is not None]
        _curve(axes, report, along, report.rounds.speed, _spans_decades(known, 30))
        axes.set_ylabel("games a second")
        axes.set_xlabel(along.label)
        _name_phases(axes, report, along)

    return _drawn("speed", "Speed of the run over games", 2.5, draw)


def strength_plot(report: Report, over: str) -> str:
    """Points a game against each opponent that was met several times; the others have a place in the table.

    Args:
        report: with at least one opponent of whom `several` holds.
        over: "games", "cpu" or "seconds".
    """
    series = several(report, over)
    values = [_place(one, over) for _, met in series for one in met]
    along = _games_axis(values) if over == "games" else _time_axis(values, over)
    logarithmic = _spans_decades(values, 100, cut=0)

    def draw(figure: Figure) -> None:
        panels = _panels(figure, len(series))
        for axes, (name, met) in zip(panels, series, strict=True):
            _strength_panel(axes, [_place(one, over) / along.unit for one in met], met)
            axes.set_title(f"against {clipped(name, 30)}", loc="left")
        panels[len(panels) // 2].set_ylabel("points a game")
        if logarithmic:
            panels[-1].set_xscale("log")
            _plain_ticks(panels[-1].xaxis)
        panels[-1].set_xlabel(along.label)

    what = {"games": "games", "cpu": "CPU time", "seconds": "time"}[over]
    return _drawn(f"strength-{over}", f"Strength over {what}", 1.45 * len(series) + 0.6, draw)


def several(report: Report, over: str) -> list[tuple[str, list[Measured]]]:
    """Opponents met more than once at known places along the axis, at most as many as can be read."""
    found = []
    for (name, _), met in opponents(report.strengths).items():
        known = [one for one in met if getattr(one, over) is not None]
        if len(known) > 1:
            found.append((name, known))
    return found[:_MOST_PANELS]


def _place(one: Measured, over: str) -> float:
    return float(getattr(one, over))


def _strength_panel(axes: Axes, places: list[float], met: list[Measured]) -> None:
    means, low, high = ([getattr(one, name) for one in met] for name in ("ppg", "low", "high"))
    _banded(axes, places, means, low, high)
    axes.margins(y=0.12)
    bottom, top = axes.get_ylim()
    if bottom < 0 < top:
        axes.axhline(0, color=INK, linewidth=0.7, linestyle=(0, (3, 3)))


def _banded(axes: Axes, places: list[float], means: list[float], low: list[float], high: list[float]) -> None:
    """A curve with its intervals: a band, and bars where they are few enough to be told apart."""
    axes.fill_between(places, low, high, color=MAIN, alpha=0.22, linewidth=0)
    few = len(places) <= 40
    axes.plot(places, means, color=MAIN, linewidth=1.5, marker="o" if few else "", markersize=3)
    if few:
        errors = [np.subtract(means, low), np.subtract(high, means)]
        axes.errorbar(places, means, yerr=errors, fmt="none", ecolor=MAIN, elinewidth=0.8, capsize=2)


def ladder_plot(ladder: Ladder) -> str:
    """Points a game against the anchor: checkpoints over rounds, the standing opponents as lines."""
    known = [place for place in ladder.ratings if place.points is not None and place.interval is not None]
    own = sorted((place for place in known if place.round is not None), key=lambda place: place.round or 0)
    standing = sorted((place for place in known if place.round is None), key=lambda place: place.points or 0)

    def draw(figure: Figure) -> None:
        (axes,) = _panels(figure, 1)
        for place in standing:
            low, high = place.interval or (0.0, 0.0)
            axes.axhspan(low, high, color=OTHER, alpha=0.15, linewidth=0)
            axes.axhline(place.points or 0.0, color=OTHER, linewidth=1, linestyle=(0, (4, 3)))
        if own:
            rounds = [float(place.round or 0) for place in own]
            means = [place.points or 0.0 for place in own]
            ends = [place.interval or (0.0, 0.0) for place in own]
            _banded(axes, rounds, means, [low for low, _ in ends], [high for _, high in ends])
        axes.margins(y=0.08)
        _label_lines(axes, [(place.points or 0.0, clipped(place.name, _NAME)) for place in standing])
        axes.set_ylabel(f"points a game against {clipped(ladder.anchor_name, _NAME)}")
        axes.set_xlabel("round of the run")

    return _drawn("ladder", "Ladder of the run", 3.4, draw)


def _label_lines(axes: Axes, labels: list[tuple[float, str]]) -> None:
    """Names at the right, moved apart until none covers another; `labels` rise."""
    low, high = axes.get_ylim()
    step, least = 0.085 * (high - low), low
    heights: list[float] = []
    for value, _ in labels:
        heights.append(max(value, least))
        least = heights[-1] + step
    ceiling = high
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], ceiling)
        ceiling = heights[i] - step
    for (value, name), height in zip(labels, heights, strict=True):
        axes.annotate(
            name,
            (1.0, value),
            xycoords=("axes fraction", "data"),
            xytext=(1.04, (height - low) / (high - low)),
            textcoords="axes fraction",
            va="center",
            arrowprops={"arrowstyle": "-", "color": OTHER, "linewidth": 0.7},
            annotation_clip=False,
        )
    axes.set_ylim(low, high)


def decision_plot(decisions: Decisions) -> str:
    """Mean loss by class of positions with its interval."""
    parts = [*decisions.classes.items(), ("all", decisions.total)]

    def draw(figure: Figure) -> None:
        (axes,) = _panels(figure, 1)
        for i, (_, part) in enumerate(parts):
            low, high = part.interval or (part.loss, part.loss)
            colour = INK if i == len(parts) - 1 else MAIN
            ends = [[part.loss - low], [high - part.loss]]
            style: dict[str, Any] = {"marker": "o", "markersize": 5, "capsize": 4, "linewidth": 1.5}
            axes.errorbar([part.loss], [i], xerr=ends, color=colour, **style)
        axes.set_yticks(range(len(parts)), [clipped(name, 14) for name, _ in parts])
        axes.set_ylim(len(parts) - 0.5, -0.5)
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("lost a decision, thousandths of a point")

    return _drawn("decisions", "Loss a decision by class", 0.45 * len(parts) + 0.9, draw)


# --- what the plots share --------------------------------------------------------------------------------


def _games_axis(games: Sequence[float]) -> _Axis:
    most = max(games, default=0)
    if most >= 2e6:
        return _Axis(1e6, "games, millions")
    return _Axis(1e3, "games, thousands") if most >= 2e3 else _Axis(1.0, "games")


def _time_axis(seconds: Sequence[float], over: str) -> _Axis:
    what = "CPU time" if over == "cpu" else "time on the clock"
    most = max(seconds, default=0)
    if most >= 7200:
        return _Axis(3600.0, f"{what}, hours")
    return _Axis(60.0, f"{what}, minutes") if most >= 120 else _Axis(1.0, f"{what}, seconds")


def _spans_decades(values: Sequence[float], factor: float, cut: float = 1) -> bool:
    """Whether a logarithmic axis is called for: the greatest is `factor` times the least or more.

    `cut` per cent at either end are single rounds that stick out and do not count.
    """
    if len(values) < 3:
        return False
    low, high = np.percentile(values, [cut, 100 - cut])
    return bool(low > 0 and high >= factor * low)


def _curve(
    axes: Axes, report: Report, along: _Axis, values: Sequence[float | None], logarithmic: bool
) -> None:
    """One curve over games: single rounds faint, their mean over some rounds strong, phase by phase."""
    window = window_of(len(report.rounds.round))
    for phase in report.phases:
        rows = range(phase.first - 1, phase.last)
        known = [
            (report.rounds.games[i] / along.unit, value)
            for i in rows
            if (value := values[i]) is not None and (value > 0 or not logarithmic)
        ]
        if not known:
            continue
        x, y = [place for place, _ in known], [value for _, value in known]
        share = max(2, math.ceil(_STRETCHES * len(known) / len(report.rounds.round)))
        middles, low, high = envelope(x, y, share)
        if len(known) > share:
            axes.fill_between(middles, low, high, color=MAIN, alpha=0.22, linewidth=0)
        else:
            axes.plot(x, y, color=MAIN, alpha=0.35, linewidth=0.8)
        mean = rolling_mean(y, window)
        thin = np.unique(np.linspace(0, len(x) - 1, min(len(x), share)).round().astype(int))
        mark = "o" if len(known) == 1 else ""
        axes.plot(np.asarray(x)[thin], mean[thin], color=MAIN, linewidth=1.6, marker=mark, markersize=3)
    if logarithmic:
        axes.set_yscale("log")
        _plain_ticks(axes.yaxis)
    axes.set_xlim(left=0)


def _name_phases(axes: Axes, report: Report, along: _Axis) -> None:
    """A line where each later phase begins, and the names that have room above the topmost panel."""
    starts = [0.0] + [report.rounds.games[phase.first - 2] / along.unit for phase in report.phases[1:]]
    for panel in axes.figure.axes:
        for start in starts[1:]:
            panel.axvline(start, color=INK, linewidth=0.7, linestyle=(0, (2, 3)))
    left, right = axes.get_xlim()
    free = left
    for start, phase in zip(starts, report.phases, strict=True):
        name = clipped(phase.name, 18)
        # Letters are about this wide; a name without room is in the table beside the plot.
        width = 0.019 * (len(name) + 1) * (right - left)
        if start >= free - 1e-9 and start + width <= right + 0.02 * (right - left):
            above: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            axes.annotate(name, (start, 1.0), xytext=(2, 3), fontsize=8.5, **above)
            free = start + width


def _plain_ticks(axis: Any) -> None:
    """Numbers instead of powers of ten, a few of them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    few = low > 0 and high / low < 30
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _panels(figure: Figure, count: int) -> list[Axes]:
    panels: Iterable[Axes] = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    found = list(panels)
    for axes in found:
        axes.grid(visible=True, axis="y")
        axes.spines[["top", "right"]].set_visible(False)
    return found


def _drawn(name: str, label: str, height: float, draw: Callable[[Figure], None]) -> str:
    """The plot as an <svg> element; raises ModuleNotFoundError where matplotlib is not installed."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    style: dict[Any, Any] = {
        # Text stays text, names may hold dollar signs, and nothing depends on the time or on chance.
        "svg.fonttype": "none",
        "text.parse_math": False,
        "svg.hashsalt": name,
        "font.size": 10,
        "axes.titlesize": 10,
        "axes.unicode_minus": False,
        "axes.formatter.useoffset": False,
        "text.color": INK,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "grid.color": GRID,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "path.simplify": True,
    }
    out = io.StringIO()
    with mpl.rc_context(style):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        figure.savefig(out, format="svg", metadata={"Date": None}, facecolor="none", edgecolor="none")
    return _inlined(out.getvalue(), name, label)


def _inlined(svg: str, name: str, label: str) -> str:
    """A drawn file as part of a page: no addresses, names of its own, colours of the page."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = svg.replace("xlink:href=", "href=")
    view = re.search(r'viewBox="([^"]+)"', svg)
    assert view is not None
    head = f'<svg viewBox="{view[1]}" role="img" aria-label="{label}">'
    svg = head + svg[svg.index(">") + 1 :]
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", svg)
    for place in sorted(used):
        for before, after in (('id="', '"'), ('href="#', '"'), ("url(#", ")")):
            svg = svg.replace(f"{before}{place}{after}", f"{before}{name}-{place}{after}")
    for stand_in, colour in _COLOURS.items():
        svg = svg.replace(stand_in, colour)
    return re.sub(r"\n\s*", "\n", svg)
