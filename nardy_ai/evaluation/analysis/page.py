"""An analysis as one HTML page that needs no script and asks nothing of the network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from nardy_ai.evaluation.analysis.columns import plain
from nardy_ai.evaluation.analysis.cube import GradedCube
from nardy_ai.evaluation.analysis.cube_page import CUBE_NOTES, cube_cells, cube_section
from nardy_ai.evaluation.analysis.curve import curve_svg
from nardy_ai.evaluation.analysis.grades import GRADES, MILLIPOINTS, luck_word, performance, rating
from nardy_ai.evaluation.analysis.plays_shown import board_figure, plays_table
from nardy_ai.evaluation.analysis.record import AnalysedGame, Analysis, GradedTurn, Source, Tally
from nardy_ai.evaluation.report.boards import STYLE as BOARDS
from nardy_ai.evaluation.report.frame import framed
from nardy_ai.evaluation.report.markup import (
    figure,
    folded,
    heading,
    missing,
    paragraph,
    table,
    unfolded,
)
from nardy_ai.evaluation.report.words import clipped

__all__ = ["ARROWS", "NOTES", "STYLE", "page"]

NAME = 32
"""Letters of a name in tables."""
MOST_FAULTS = 20
"""Faults of records that a page shows unfolded."""
MOST_OPEN = 2
"""Games that a page shows opened; of more, all are closed."""

STYLE = (
    BOARDS
    + "summary { overflow-wrap: anywhere; }\n"
    + "svg.curve { max-width: none; }\n"
)

ARROWS = (
    "Broken arrows: the play that was made. Whole arrows: the better one. Pale arrows: what both share. "
    "◂ marks the play that was made in the list."
)

NOTES = (
    "All worths are the model's: points that a player may expect, without the cube and as in money play. "
    "Neither the score of a match nor the Crawford game nor a turned cube changes how a play is judged.",
    "The loss of a play is what the best play of the roll is worth less what the one that was made is; both "
    "are judged equally deep. It is never below 0. A turn with a single possible play is no decision and "
    "counts nowhere; neither does a play that is not legal.",
    "mp/decision is the mean loss in thousandths of a point. PR is 500 times the mean loss in points, so "
    "half of that number. GNU Backgammon's error rate of checker play is mp/decision; eXtreme Gammon's PR "
    "also counts cube decisions, and both judge by the score and the cube, so that the numbers are near "
    "theirs only where these play no part.",
    "Doubtful is a loss of 0.03 points or more, bad 0.06, very bad 0.12.",
    "The luck of a roll is what its best play is worth less the mean over all rolls that could have come, "
    "judged by the net without look-ahead whatever the depth of the plays.",
)


def page(analysis: Analysis, boards: int = 40) -> str:
    """The page; the same analysis gives the same page.

    Args:
        analysis: what it shows.
        boards: how many of the worst plays are drawn, at most.
    """
    title = _title(analysis)
    body = [
        heading(title, 1),
        *_head(analysis),
        *_faults(analysis),
        *_players(analysis),
        *_worst(analysis, boards),
        *cube_section(analysis, _name),
        heading("Games"),
        *_games(analysis),
        heading("What the numbers mean"),
        *(paragraph(note) for note in (*NOTES, *CUBE_NOTES)),
    ]
    return framed(title, body, STYLE)


def _name(name: str) -> str:
    """A name where many stand below one another: on one line, and no longer than it may be."""
    return clipped(plain(name), NAME)


def _title(analysis: Analysis) -> str:
    names = [plain(name) for name in analysis.players]
    if len(names) == 2:
        return f"{names[0]} – {names[1]}"
    return f"{len(analysis.sources)} files, {len(names)} players"


def _head(analysis: Analysis) -> Iterator[str]:
    games = analysis.games
    finished = sum(game.result is not None for _, game in games)
    first, alone = analysis.sources[0], len(analysis.sources) == 1
    files = plain(first.name) if alone else f"{len(analysis.sources)} files"
    match = f", match to {first.length}" if alone and first.length else ""
    yield paragraph(
        f"{files}: {analysis.game.name}{match}, {len(games)} game{'s' * (len(games) != 1)}, "
        f"{finished} of them finished."
    )
    depth = "without look-ahead (0-ply)" if analysis.plies == 0 else f"{analysis.plies}-ply"
    yield paragraph(
        f"Judged by {plain(analysis.model)} (hash {analysis.hash}, net {analysis.net}), {depth}; "
        f"nardy-ai {analysis.version}.",
        kind="soft",
    )


def _faults(analysis: Analysis) -> Iterator[str]:
    told = [f"{file}: {reason}" for file, reason in analysis.skipped]
    told += [f"{source.name}: {fault}" for source, _, fault in analysis.faults]
    if not told:
        return
    yield heading("What could not be read")
    yield paragraph(
        "A game is followed up to the place where its record breaks the rules; a single play that is not "
        "legal is passed over where its movements can be made."
    )
    yield from (missing(plain(text)) for text in told[:MOST_FAULTS])
    if len(told) > MOST_FAULTS:
        more = "".join(missing(plain(text)) for text in told[MOST_FAULTS:])
        yield folded(f"{len(told) - MOST_FAULTS} more", more)


# --- sums ------------------------------------------------------------------------------------------------


def _players(analysis: Analysis) -> Iterator[str]:
    words = {player: _rating(analysis, player) for player in analysis.players}
    rated = any(words.values())
    yield heading("Players")
    head = ["player", "mp/decision", "±", "PR", "decisions", "lost", *(word for word, _ in GRADES), "luck"]
    rows = [
        [_name(player), *_figures(analysis.tally(player)), *([words[player]] if rated else [])]
        for player in analysis.players
    ]
    caption = "Losses and luck in points; luck is summed over all rolls. ±: 95 % interval of mp/decision."
    yield table(
        [*head, "rating"] if rated else head, rows, "tnnnnnnnnn" + "t" * rated, caption
    )
    if rated:
        yield paragraph(
            "The rating is GNU Backgammon's word for so many mp/decision; its own counts cube decisions too.",
            kind="soft",
        )
    rows = [
        [_name(player), kind, *_figures(analysis.tally(player, kind))]
        for player in analysis.players
        for kind in sorted({turn.kind for turn in analysis.turns_of(player)})
    ]
    yield table(["player", "class", *head[1:]], rows, "ttnnnnnnnnn", "By class of positions")


def _rating(analysis: Analysis, player: str) -> str:
    mean = analysis.tally(player).mean
    return "" if mean is None else rating(analysis.game, mean)


def _figures(tally: Tally) -> list[str]:
    mean = tally.mean
    return [
        "–" if mean is None else f"{MILLIPOINTS * mean:.1f}",
        "–" if tally.margin is None else f"{MILLIPOINTS * tally.margin:.1f}",
        "–" if mean is None else f"{performance(mean):.2f}",
        str(tally.decisions),
        f"{tally.lost:.3f}",
        *map(str, tally.graded),
        f"{tally.luck:+.3f}",
    ]


# --- worst plays -----------------------------------------------------------------------------------------


def _worst(analysis: Analysis, boards: int) -> Iterator[str]:
    every = analysis.worst(sum(len(game.turns) for _, game in analysis.games))
    yield heading("Worst plays")
    if not every:
        yield paragraph("No play lost as much as 0.03 points.")
        return
    drawn = every[:boards]
    yield paragraph(
        f"{len(every)} play{'s' * (len(every) != 1)} lost 0.03 points or more"
        f"{'' if len(drawn) == len(every) else f', of which the {len(drawn)} worst are drawn'}. {ARROWS}"
    )
    cards = "\n".join(_card(analysis, *entry) for entry in drawn)
    yield f'<div class="cards">\n{cards}\n</div>'
    if len(drawn) < len(every):
        several = len(analysis.sources) > 1
        rows = [_row_of_worst(*entry)[not several :] for entry in every[boards:]]
        head = ("file", "game", "row", "player", "roll", "played", "better", "lost", "")
        yield folded(f"{len(rows)} more", table(head[not several :], rows, "tnntkttnt"[not several :]))


def _card(analysis: Analysis, source: Source, game: AnalysedGame, turn: GradedTurn) -> str:
    assert turn.loss is not None
    file = f"{_name(PurePath(source.name).name)}, " if len(analysis.sources) > 1 else ""
    parts = [
        heading(f"{turn.grade}: {turn.loss:.3f} lost", 3),
        paragraph(
            f"{_name(game.labels[turn.player])}, {file}game {game.number}, row {turn.row}, "
            f"{turn.dice[0]}-{turn.dice[1]}, {turn.kind}",
            kind="soft",
        ),
        board_figure(turn.position, turn.dice, turn.judged),
        plays_table(turn.judged, source.game.outcomes),
    ]
    return f'<section class="card">{"".join(parts)}</section>'


def _row_of_worst(source: Source, game: AnalysedGame, turn: GradedTurn) -> tuple[str, ...]:
    assert turn.made is not None and turn.loss is not None
    return (
        _name(PurePath(source.name).name),
        str(game.number),
        str(turn.row),
        _name(game.labels[turn.player]),
        f"{turn.dice[0]}-{turn.dice[1]}",
        turn.made.play.notation,
        turn.best.play.notation,
        f"{turn.loss:.3f}",
        turn.grade,
    )


# --- games -----------------------------------------------------------------------------------------------


def _games(analysis: Analysis) -> Iterator[str]:
    fold = unfolded if len(analysis.games) <= MOST_OPEN else folded
    for source, game in analysis.games:
        file = f"{_name(PurePath(source.name).name)}, " if len(analysis.sources) > 1 else ""
        names = " – ".join(_name(name) for name in game.names)
        score = "" if game.score is None else f" at {game.score[0]:g}–{game.score[1]:g}"
        yield fold(f"{file}game {game.number}: {names}{score}, {_result(game)}", _game(game))


def _result(game: AnalysedGame) -> str:
    result = game.result
    if result is None:
        return "not finished" if not game.faults else "not read to its end"
    if result.winner is None:
        return "a draw"
    how = {"play": "", "drop": ", a double dropped", "resignation": ", resigned"}[result.how]
    points = f"{result.points} point{'s' * (result.points != 1)}"
    return f"{_name(game.names[result.winner])} wins {points} ({result.kind.replace('_', ' ')}{how})"


def _game(game: AnalysedGame) -> str:
    parts = []
    curve = curve_svg(game)
    if curve:
        parts.append(
            figure(
                curve,
                f"Points that {_name(game.names[0])} may expect, play by play, without the cube. Dots: plays "
                "that lost 0.03 or more, the larger the more.",
            )
        )
    head = ("", "row", "player", "roll", "played", "better", "lost", "", "luck", "")
    rows = [_row(game, event) for event in game.events]
    parts.append(folded("all plays", table(head, rows, "nntkttntnt")))
    return "".join(parts)


def _row(game: AnalysedGame, event: GradedTurn | GradedCube) -> tuple[str, ...]:
    if isinstance(event, GradedCube):
        return cube_cells(event, _name(game.labels[event.turn.player]))
    who = _name(game.labels[event.player])
    made, loss, luck = event.made, event.loss, event.judged.luck
    if made is None:
        played = f"{plain(event.written)} (not legal)" if event.written else "not played"
    else:
        played = made.play.notation
    return (
        str(event.number),
        str(event.row),
        who,
        f"{event.dice[0]}-{event.dice[1]}",
        played,
        event.best.play.notation if loss or (made is None and event.written) else "",
        "" if loss is None else f"{loss:.3f}" if event.is_decision else "forced",
        event.grade,
        f"{luck:+.3f}",
        luck_word(luck),
    )
