"""A ladder as a picture: strength over the rounds of a run, drawn from the stored file alone."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal

from nardy_ai.evaluation.ladder_file import Ladder, Standing, rated

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PictureFormat = Literal["png", "svg"]

BLUE, GREY = "#1f5fa8", "#707070"
LABEL = 0.06
"""Height of a label beside a panel, as a share of the panel's."""


def ladder_picture(ladder: Ladder, title: str, form: PictureFormat) -> bytes:
    """The picture's bytes; the same ladder gives the same picture.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    standings = rated(ladder).standings
    anchor = ladder.entries[ladder.number_of(ladder.anchor)].name
    # Text stays text, and nothing in the file depends on the time or on chance.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "nardy"}):
        figure = Figure(figsize=(8.0, 7.0), layout="constrained")
        FigureCanvasAgg(figure)
        top, bottom = figure.subplots(2, 1, sharex=True)
        _panel(top, [(one, one.points, one.interval) for one in standings])
        _panel(bottom, [(one, one.elo, one.elo_interval) for one in standings])
        top.set_title(f"{title} ({ladder.game}, seed {ladder.seed})", loc="left")
        top.set_ylabel(f"points a game against {anchor}")
        bottom.set_ylabel(f"Elo-like number above {anchor}")
        bottom.set_xlabel("round of the run (bars and bands: 95 % intervals)")
        out = io.BytesIO()
        date = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, dpi=120, metadata=date)
    return out.getvalue()


def _panel(
    axes: Axes, places: list[tuple[Standing, float | None, tuple[float, float] | None]]
) -> None:
    known = [(one, value, ends) for one, value, ends in places if value is not None and ends is not None]
    run = sorted(
        (one.entry.round, value, ends) for one, value, ends in known if one.entry.round is not None
    )
    if run:
        rounds, values = [place[0] for place in run], [place[1] for place in run]
        errors = [[value - ends[0] for _, value, ends in run], [ends[1] - value for _, value, ends in run]]
        style: dict[str, Any] = {"color": BLUE, "capsize": 3, "linewidth": 1.5, "markersize": 4}
        axes.errorbar(rounds, values, yerr=errors, marker="o", **style)
    standing = sorted((value, ends, one.entry.name) for one, value, ends in known if one.entry.round is None)
    for value, ends, _ in standing:
        axes.axhline(value, color=GREY, linewidth=1, linestyle="--")
        axes.axhspan(*ends, color=GREY, alpha=0.12, linewidth=0)
    axes.margins(y=0.08)
    low, high = axes.get_ylim()
    heights = _apart([(value - low) / (high - low) for value, _, _ in standing])
    for (value, _, name), height in zip(standing, heights, strict=True):
        axes.annotate(
            name,
            (1.0, value),
            xycoords=("axes fraction", "data"),
            xytext=(1.03, height),
            textcoords="axes fraction",
            va="center",
            color=GREY,
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.7},
            annotation_clip=False,
        )
    axes.set_ylim(low, high)
    axes.grid(axis="y", alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def _apart(heights: list[float]) -> list[float]:
    """Rising heights of labels, 0..1, moved up and down until none covers another."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + LABEL) if placed else height)
    # What was pushed out at the top is pushed back down.
    ceiling = 1.0
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - LABEL
    return placed
