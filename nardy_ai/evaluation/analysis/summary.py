"""An analysis and a ranked position as text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import PurePath

from nardy_ai.evaluation.analysis.columns import fitted, plain
from nardy_ai.evaluation.analysis.grades import MILLIPOINTS, performance, rating
from nardy_ai.evaluation.analysis.record import AnalysedGame, Analysis, GradedTurn, Source, Tally
from nardy_ai.rules.screen import WIDTH, folded

__all__ = ["summary"]

NAME = 16
MOST_WORST = 10
MOST_FAULTS = 10
MOST_PLAYERS = 20


def summary(analysis: Analysis) -> str:
    """The analysis in a few lines."""
    return "\n".join(line.rstrip() for line in _lines(analysis))


def _lines(analysis: Analysis) -> Iterator[str]:
    yield from _head(analysis)
    yield ""
    yield f"  {'player':<{NAME}}  dec.    lost mp/dec.         PR doubt.  bad v.bad     luck"
    for player in analysis.players[:MOST_PLAYERS]:
        yield from _player(analysis, player)
    if len(analysis.players) > MOST_PLAYERS:
        yield f"  and {len(analysis.players) - MOST_PLAYERS} more players"
    yield ""
    yield "  dec.: decisions; forced plays are none. mp/dec.: thousandths of a point lost"
    yield "  a decision, with a 95 % interval; PR is half. Cube decisions count apart."
    yield from _worst(analysis)
    yield from _cube(analysis)
    yield from _faults(analysis)


def _head(analysis: Analysis) -> Iterator[str]:
    games = analysis.games
    finished = sum(game.result is not None for _, game in games)
    where = analysis.sources[0].name if len(analysis.sources) == 1 else f"{len(analysis.sources)} files"
    count = f"{len(games)} game{'s' * (len(games) != 1)}, {finished} finished"
    yield fitted(where, WIDTH)
    yield f"  {fitted(f'{analysis.game.name}, {count}', WIDTH - 2)}"
    yield f"  {analysis.plies}-ply by {fitted(f'{analysis.model} ({analysis.hash})', WIDTH - 11)}"


def _player(analysis: Analysis, player: str) -> Iterator[str]:
    tally = analysis.tally(player)
    yield f"  {fitted(player, NAME)} {_figures(tally)}"
    for kind in sorted({turn.kind for turn in analysis.turns_of(player)}):
        yield f"    {fitted('in ' + kind, NAME - 2)} {_figures(analysis.tally(player, kind))}"
    word = "" if tally.mean is None else rating(analysis.game, tally.mean)
    if word:
        yield f"    on GNU Backgammon's scale: {word}"


def _figures(tally: Tally) -> str:
    mean = tally.mean
    rate = f"{'–':>7} {'':5} {'–':>5}"
    if mean is not None:
        margin = "" if tally.margin is None else f"±{_number(MILLIPOINTS * tally.margin, 4, 1).strip()}"
        rate = f"{_number(MILLIPOINTS * mean, 7, 1)} {margin:<5} {_number(performance(mean), 5, 2)}"
    doubtful, bad, very_bad = tally.graded
    graded = f"{doubtful:6} {bad:4} {very_bad:5}"
    luck = _number(tally.luck, 8, 3, "+")
    return f"{tally.decisions:5} {_number(tally.lost, 7, 3)} {rate} {graded} {luck}"


def _number(value: float, width: int, decimals: int, sign: str = "") -> str:
    """A number with as many decimals as there is room for."""
    shown = (f"{value:{sign}{width}.{fewer}f}" for fewer in range(decimals, -1, -1))
    return next((text for text in shown if len(text) <= width), f"{value:{sign}.0f}")


def _worst(analysis: Analysis) -> Iterator[str]:
    worst = analysis.worst(MOST_WORST)
    if not worst:
        yield ""
        yield "  No play lost as much as 0.03 points."
        return
    graded = len(analysis.worst(sum(len(game.turns) for _, game in analysis.games)))
    yield ""
    yield f"worst plays ({min(graded, MOST_WORST)} of {graded} that lost 0.03 or more)"
    for source, game, turn in worst:
        yield from _wrong(analysis, source, game, turn)


def _wrong(analysis: Analysis, source: Source, game: AnalysedGame, turn: GradedTurn) -> Iterator[str]:
    assert turn.made is not None and turn.loss is not None
    roll = f"{turn.dice[0]}-{turn.dice[1]}"
    where = _where(analysis, source, game, turn.row, turn.player)
    plays = f"{roll}: {turn.made.play.notation}; better: {turn.best.play.notation}"
    yield f"  -{turn.loss:.3f}  {turn.grade:<8}  {fitted(where, WIDTH - 20)}"
    yield f"          {fitted(plays, WIDTH - 10)}"


def _cube(analysis: Analysis) -> Iterator[str]:
    """Doubles and their answers; nothing where no cube was turned."""
    if not any(game.cubes for _, game in analysis.games):
        return
    yield ""
    yield "cube decisions, the cube dead once it is turned (docs/analysis.md)"
    tallies = {player: analysis.cube_tally(player) for player in analysis.players[:MOST_PLAYERS]}
    if any(tally.decisions for tally in tallies.values()):
        yield f"  {'player':<{NAME}} doubles wrong early  takes wrong drops wrong     lost"
        for player, tally in tallies.items():
            counts = f"{tally.doubles:7} {tally.wrong_doubles:5} {tally.early:5}"
            counts += f" {tally.takes:6} {tally.wrong_takes:5} {tally.drops:5} {tally.wrong_drops:5}"
            yield f"  {fitted(player, NAME)} {counts} {_number(tally.lost, 8, 3)}"
    for reason, count in analysis.cubes_unjudged.items():
        yield from folded([f"  {count} not judged: {reason}"], "    ")
    for source, game, cube in analysis.wrong_cubes[:MOST_WORST]:
        judged = cube.judged
        assert judged is not None
        where = _where(analysis, source, game, cube.turn.row, cube.turn.player)
        worths = f"doubler: undoubled {judged.no_double:+.3f}, taken {judged.taken:+.3f}"
        yield f"  -{judged.loss:.3f}  {cube.grade:<8}  {fitted(where, WIDTH - 20)}"
        yield f"          {fitted(f'{cube.turn.action}; better: {judged.better} ({worths})', WIDTH - 10)}"


def _where(analysis: Analysis, source: Source, game: AnalysedGame, row: int, player: int) -> str:
    file = f", {PurePath(source.name).name}" if len(analysis.sources) > 1 else ""
    return f"game {game.number}, row {row}, {fitted(game.labels[player], NAME).rstrip()}{file}"


def _faults(analysis: Analysis) -> Iterator[str]:
    told = [f"{file}: {reason}" for file, reason in analysis.skipped]
    told += [f"{source.name}: {fault}" for source, _, fault in analysis.faults]
    if not told:
        return
    yield ""
    yield f"what could not be read ({len(told)})"
    for text in told[:MOST_FAULTS]:
        yield from textwrap.wrap(
            plain(text), WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    if len(told) > MOST_FAULTS:
        yield f"  and {len(told) - MOST_FAULTS} more"
