"""Doubles and their answers on the page of an analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePath

from nardy_ai.evaluation.analysis.cube import GradedCube
from nardy_ai.evaluation.analysis.record import AnalysedGame, Analysis, Source
from nardy_ai.evaluation.report.boards import fitted
from nardy_ai.evaluation.report.markup import folded, heading, missing, paragraph, table

__all__ = ["CUBE_NOTES", "cube_cells", "cube_section"]

CUBE_NOTES = (
    "Doubles, takes and drops are judged as if the cube were dead once it is turned: who takes plays the "
    "game out at twice the stake. Losses are in points of the stake before the double, and a drop gives the "
    "doubler 1. At the score of a match they are the points that change the chance to win it as much, by a "
    "small model of these chances.",
    "That rule sees no worth in owning the cube. So it is strict about takes near the take point, and finds "
    "no fault in a double that comes too soon: it is called early where the server of this package would "
    "wait, and costs nothing here. Doubles that were not offered are not looked for, and the Jacoby rule is "
    "not thought of.",
)

_DONE = {"double": "doubles to", "beaver": "beavers to", "take": "takes", "drop": "drops"}
_MOST_CARDS = 12


def cube_section(analysis: Analysis, name: Callable[[str], str]) -> Iterator[str]:
    """The sums of the players, and the decisions that lost most; nothing where no cube was turned.

    Args:
        analysis: what is shown.
        name: makes a player's or a file's name fit for a table.
    """
    if not any(game.cubes for _, game in analysis.games):
        return
    yield heading("Cube decisions")
    tallies = {player: analysis.cube_tally(player) for player in analysis.players}
    if any(tally.decisions for tally in tallies.values()):
        head = ["player", "doubles", "wrong", "early", "takes", "wrong", "drops", "wrong", "lost"]
        rows = [
            [
                name(player),
                *map(
                    str,
                    (
                        tally.doubles,
                        tally.wrong_doubles,
                        tally.early,
                        tally.takes,
                        tally.wrong_takes,
                        tally.drops,
                        tally.wrong_drops,
                    ),
                ),
                f"{tally.lost:.3f}",
            ]
            for player, tally in tallies.items()
        ]
        caption = "Wrong: lost 0.03 or more, in points of the stake before the double. Not part of PR."
        yield table(head, rows, "tnnnnnnnn", caption)
    for reason, count in analysis.cubes_unjudged.items():
        yield missing(f"{count} not judged: {reason}")
    cards = [_card(analysis, name, *entry) for entry in analysis.wrong_cubes]
    if cards:
        yield f'<div class="cards">{"".join(cards[:_MOST_CARDS])}</div>'
    if cards[_MOST_CARDS:]:
        more = f'<div class="cards">{"".join(cards[_MOST_CARDS:])}</div>'
        yield folded(f"{len(cards) - _MOST_CARDS} more", more)


def _card(
    analysis: Analysis, name: Callable[[str], str], source: Source, game: AnalysedGame, cube: GradedCube
) -> str:
    judged = cube.judged
    assert judged is not None
    file = f"{name(PurePath(source.name).name)}, " if len(analysis.sources) > 1 else ""
    who, turn = name(game.labels[cube.turn.player]), cube.turn
    chances = zip(source.game.outcomes, judged.outcomes, strict=True)
    parts = [
        heading(f"{cube.grade}: {judged.loss:.3f} lost", 3),
        paragraph(
            f"{who} {_told(cube)}, better: {judged.better}. {file}game {game.number}, row {turn.row}",
            kind="soft",
        ),
        fitted(turn.position.svg(theme="page")),
        table(
            ("for the doubler", "worth"),
            [
                ("no double", f"{judged.no_double:+.3f}"),
                ("double, taken", f"{judged.taken:+.3f}"),
                ("double, dropped", "+1.000"),
            ],
            "tn",
        ),
        paragraph(", ".join(f"{outcome} {100 * chance:.1f} %" for outcome, chance in chances), kind="soft"),
    ]
    return f'<section class="card">{"".join(parts)}</section>'


def _told(cube: GradedCube) -> str:
    value = f" {cube.turn.value}" if cube.turn.action in ("double", "beaver") else ""
    return f"{_DONE[cube.turn.action]}{value}"


def cube_cells(cube: GradedCube, who: str) -> tuple[str, ...]:
    """The row of a cube decision among the plays of a game."""
    judged = cube.judged
    loss = "" if judged is None else f"{judged.loss:.3f}"
    said = "early" if judged is not None and judged.early else cube.grade
    better = "" if judged is None else judged.better
    return "", str(cube.turn.row), who, "", _told(cube), better, loss, said, "", ""
