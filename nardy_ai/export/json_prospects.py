"""The inputs that see what the next rolls can do, for the specification (see `core/encode_prospects.h`).

Entries are those of `json_shape` and more kinds of them, which `json_spec` puts into words: `checkers`,
`rolls` with the ways in which each of the 21 can hit, and terms of which there are `at_least` so many. Every
export compares what is said here with the engine.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from nardy_ai.export.json_entries import Factor, Term, counted, single

__all__ = ["prospects"]

_BAR: Final = 24
_ALL: Final = 15
_POINTS: Final = 24
_HOME: Final = range(6)
_BACK: Final = range(18, 25)
_STEPS: Final = 8
_MOVES: Final = 4
_CHANCES: Final = 36
_DICE: Final = range(1, 7)
_WINDOW: Final = 6
_NEARLY: Final = (4, 5, 6)
_BLOCK: Final = 5
_TRAPPED: Final = 5


def prospects(side: int, family: str, first: int) -> Iterator[dict[str, Any]]:
    """One object an input of a side; `first` is the number of the first among the entries."""
    if family == "long":
        yield from _seams(side)
        return
    yield from _entering(side)
    for count in range(1, _STEPS + 1):
        checkers = [[side, column, 1] for column in _BACK]
        yield {"checkers": checkers, "at_least": count, "scale": 1.0}
    hits = [_hits(side, point) for point in range(_POINTS)]
    yield from hits
    place = first + 4 + _STEPS
    for least in (1, 2):
        yield {"rolls_of": [place, _POINTS], "at_least": least, "scale": single(1 / _CHANCES)}


def _entering(side: int) -> Iterator[dict[str, Any]]:
    one, two = ([side, _BAR, count, _ALL] for count in (1, 2))
    made = [[1 - side, point, 2, _ALL] for point in _HOME]
    free = [[1 - side, point, 0, 1] for point in _HOME]
    pairs = list(itertools.product(_HOME, repeat=2))
    enter = [[one, free[a]] for a, _ in pairs] + [[one, made[a], free[b]] for a, b in pairs]
    yield counted(enter, 1 / _CHANCES)
    yield counted([[two, free[a], free[b]] for a, b in pairs], 1 / _CHANCES)
    for gate in (one, two):
        yield counted([[gate, each] for each in made], 1 / len(_HOME))


def _seams(side: int) -> Iterator[dict[str, Any]]:
    """Six points in a row that are nearly or wholly made, and checkers behind such a block of the other's."""
    starts = range(_POINTS - _WINDOW + 1)
    for least in _NEARLY:
        for start in starts:
            made = [[[side, point, 1, _ALL]] for point in range(start, start + _WINDOW)]
            yield {"terms": made, "at_least": least, "scale": 1.0}
    for start in starts[:-1]:
        block = [[[1 - side, (point + 12) % _POINTS, 1, _ALL]] for point in range(start, start + _WINDOW)]
        yield {
            "checkers": [[side, point, 1] for point in range(start + _WINDOW, _POINTS)],
            "where": {"terms": block, "at_least": _BLOCK},
            "scale": single(1 / _TRAPPED),
        }


def _hits(side: int, point: int) -> dict[str, Any]:
    pairs = itertools.combinations(_DICE, 2)
    rolls: list[list[Any]] = [[2, _mixed(side, point, x, y)] for x, y in pairs]
    rolls += [[1, _double(side, point, x)] for x in _DICE]
    return {"when": [[side, point, 1, 1]], "rolls": rolls, "scale": single(1 / _CHANCES)}


class _Blot:
    """What can happen to a lone checker, in factors; `place` is its column in the other's numbers."""

    def __init__(self, side: int, point: int) -> None:
        self._side, self._place = side, 23 - point

    def from_board(self, pips: int, *through: int) -> list[Term]:
        """A checker of the other, so far behind, comes by way of points at these distances."""
        column = self._place + pips
        hitter = [1 - self._side, column, 1, _ALL]
        return [[hitter, *self._free(through)]] if column < _BAR else []

    def from_bar(self, pips: int, *through: int) -> list[Term]:
        """So does one from the bar."""
        return [self._free(through)] if self._place + pips == _BAR else []

    def _free(self, through: tuple[int, ...]) -> Term:
        return [[self._side, 23 - self._place - pips, 0, 1] for pips in through]

    def enters(self, die: int) -> Factor:
        return [self._side, die - 1, 0, 1]

    def waiting(self, least: int, most: int) -> Factor:
        return [1 - self._side, _BAR, least, most]


def _mixed(side: int, point: int, x: int, y: int) -> list[Term]:
    blot = _Blot(side, point)
    free = [*blot.from_board(x), *blot.from_board(y)]
    free += [*blot.from_board(x + y, x), *blot.from_board(x + y, y)]
    crossed = [[blot.enters(x), *way] for way in blot.from_board(y)]
    crossed += [[blot.enters(y), *way] for way in blot.from_board(x)]
    crossed += [*blot.from_bar(x + y, x), *blot.from_bar(x + y, y)]
    entered = [*blot.from_bar(x), *blot.from_bar(y)]
    gates = ((free, 0, 0), (crossed, 1, 1), (entered, 1, _ALL))
    return [[blot.waiting(least, most), *way] for ways, least, most in gates for way in ways]


def _double(side: int, point: int, x: int) -> list[Term]:
    blot = _Blot(side, point)
    ways: list[Term] = []
    for moves in range(1, _MOVES + 1):
        through = tuple(x * move for move in range(1, moves))
        for way in blot.from_board(moves * x, *through):
            ways.append([blot.waiting(0, 0), *way])
            if moves < _MOVES:
                ways.append([blot.waiting(1, _MOVES - moves), blot.enters(x), *way])
        most = _ALL if moves == 1 else _MOVES + 1 - moves
        ways += [[blot.waiting(1, most), *way] for way in blot.from_bar(moves * x, *through)]
    return ways
