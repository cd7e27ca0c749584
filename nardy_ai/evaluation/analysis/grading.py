"""Files of games in, graded turns out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from nardy_ai import core
from nardy_ai.bots import NetBot
from nardy_ai.core import InputError
from nardy_ai.evaluation.analysis.cube import GradedCube, judged_cube, offers_of, unjudged
from nardy_ai.evaluation.analysis.judge import Judge, Judged, Turn
from nardy_ai.evaluation.analysis.record import AnalysedGame, Analysis, GradedTurn, Source
from nardy_ai.rules.mat_games import CubeTurn, MatGames, RecordedGame, RecordedTurn

__all__ = ["analyse"]


def analyse(
    files: Sequence[tuple[str, MatGames]],
    bot: NetBot,
    *,
    plies: int = 0,
    threads: int = 1,
    skipped: Sequence[tuple[str, str]] = (),
    progress: bool | None = None,
) -> Analysis:
    """Grades every turn of some files.

    Args:
        files: their names and what was read of them, all of one family and number of checkers.
        bot: the model that judges.
        plies: depth at which it judges plays.
        threads: how many judge side by side; what comes out does not depend on it.
        skipped: files that could not be read, with the reason; they are told along.
        progress: whether to show a bar on stderr; by default only on a terminal.

    Raises:
        InputError: no file, files of different games, a model of another game, or threads out of range.
    """
    from nardy_ai import __version__

    if not 1 <= threads <= 1024:
        raise InputError(f"threads is {threads}: give a number from 1 to 1024")
    _check_alike(files)
    judges = {found.game: Judge(bot, found.game, plies) for _, found in files}
    count = sum(len(game.turns) for _, found in files for game in found.games)
    shown = sys.stderr.isatty() if progress is None else progress
    with tqdm(total=count, desc=f"{plies}-ply", unit="play", disable=not shown, mininterval=0.25) as bar:
        sources = tuple(
            _source(name, found, judge, _watched(judge.judge(_turns(found), threads), bar))
            for name, found in files
            for judge in (judges[found.game],)
        )
    return Analysis(
        sources=sources,
        model=bot.looking_ahead(0).name,
        hash=bot.looking_ahead(0).fingerprint,
        net=bot.model.shape,
        plies=plies,
        skipped=tuple(skipped),
        version=__version__,
    )


def _check_alike(files: Sequence[tuple[str, MatGames]]) -> None:
    if not files:
        raise InputError("there is no game to analyse")
    first, rules = files[0][0], files[0][1].game
    for name, found in files[1:]:
        if (found.game.family, found.game.checkers) != (rules.family, rules.checkers):
            raise InputError(
                f"{first} is of {rules.name} and {name} of {found.game.name}: analyse each game on its own"
            )


def _turns(found: MatGames) -> list[Turn]:
    return [(turn.position, turn.dice, turn.play) for game in found.games for turn in game.turns]


def _watched(judged: Iterator[Judged], bar: Any) -> Iterator[Judged]:
    for one in judged:
        bar.update(1)
        yield one


def _source(name: str, found: MatGames, judge: Judge, judged: Iterator[Judged]) -> Source:
    kinds = _kinds(found)
    games = tuple(_game(found, game, judge, judged, kinds) for game in found.games)
    return Source(name, found.game, found.length, games)


def _kinds(found: MatGames) -> Iterator[str]:
    """The classes of all positions of a file, in the order of its turns."""
    boards = [turn.position.board for game in found.games for turn in game.turns]
    if not boards:
        return iter(())
    classes = core.position_classes(found.game.core_rules, np.stack(boards))
    return iter([core.CLASSES[number] for number in classes.tolist()])


def _game(
    found: MatGames, game: RecordedGame, judge: Judge, judged: Iterator[Judged], kinds: Iterator[str]
) -> AnalysedGame:
    why_not = unjudged(found.game, found.length, game.score)
    cubes = iter(_cubes(game, found.length, None if why_not else judge))
    events: list[GradedTurn | GradedCube] = []
    number = 0
    for event in game.events:
        if isinstance(event, RecordedTurn):
            number += 1
            events.append(
                GradedTurn(
                    number,
                    event.row,
                    event.player,
                    event.position,
                    event.dice,
                    next(kinds),
                    next(judged),
                    event.written,
                )
            )
        else:
            events.append(next(cubes))
    return AnalysedGame(
        number=game.number,
        names=game.names,
        labels=_labels(game.names),
        score=game.score,
        events=tuple(events),
        result=game.result,
        faults=tuple(map(str, game.faults)),
        unjudged=why_not,
    )


def _cubes(game: RecordedGame, length: int | None, judge: Judge | None) -> list[GradedCube]:
    """What was done with the cube, in its order; None: nothing is said of it."""
    offers = offers_of(game.events, length, game.score) if judge else [None] * len(game.events)
    positions = list(dict.fromkeys(offer.position for offer in offers if offer is not None))
    chances = dict(zip(positions, judge.chances(positions) if judge else (), strict=True))
    return [
        GradedCube(
            event, None if offer is None else judged_cube(event.action, offer, chances[offer.position])
        )
        for event, offer in zip(game.events, offers, strict=True)
        if isinstance(event, CubeTurn)
    ]


def _labels(names: tuple[str, str]) -> tuple[str, str]:
    """Names of the sums: players of one name are told apart by their columns."""
    if names[0] != names[1]:
        return names
    return f"{names[0]} (left)", f"{names[1]} (right)"
