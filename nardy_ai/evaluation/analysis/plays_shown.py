"""A turn as a board with arrows and as a table of its plays."""

from __future__ import annotations

from nardy_ai.evaluation.analysis.judge import Judged, Ranked
from nardy_ai.evaluation.report.boards import fitted
from nardy_ai.evaluation.report.markup import table
from nardy_ai.rules import Position
from nardy_ai.rules.dice import Dice

__all__ = ["board_figure", "chances", "plays_table"]


def board_figure(position: Position, dice: Dice, judged: Judged) -> str:
    """The board in the page's colours: the play that was made and the better one, or the best one alone."""
    made, best = judged.made, judged.plays[0]
    if made is not None and judged.loss:
        svg = position.svg(dice, play=made.play, better=best.play, theme="page")
    else:
        svg = position.svg(dice, play=(made or best).play, theme="page")
    return fitted(svg)


def plays_table(judged: Judged, outcomes: tuple[str, ...]) -> str:
    """The plays that are told, best first; the one that was made is marked."""
    rows = [_row(judged, entry, outcomes) for entry in judged.plays]
    return table(("", "play", "equity", "behind", "wins", "ply"), rows, "ntnnnn")


def _row(judged: Judged, entry: Ranked, outcomes: tuple[str, ...]) -> tuple[str, ...]:
    mark = " ◂" if judged.made is not None and entry.place == judged.made.place else ""
    best = judged.plays[0]
    # Worths of different depths are not compared.
    behind = f"{best.equity - entry.equity:.3f}" if entry.plies == best.plies and entry.place > 1 else ""
    wins = chances(entry, outcomes)[0]
    return (
        str(entry.place),
        entry.play.notation + mark,
        f"{entry.equity:+.3f}",
        behind,
        f"{100 * wins:.1f} %",
        str(entry.plies),
    )


def chances(entry: Ranked, outcomes: tuple[str, ...]) -> tuple[float, float, float]:
    """Chances of the mover: to win, to win more than the least, to lose more than the least."""
    named = dict(zip(outcomes, entry.outcomes, strict=True))
    wins = sum(chance for name, chance in named.items() if name.startswith("win"))
    more = sum(chance for name, chance in named.items() if name.startswith("win_"))
    less = sum(chance for name, chance in named.items() if name.startswith("lose_"))
    return wins, more, less
