"""The inputs that see a position's shape, as data for the specification (see `core/encode_shape.h`).

An input counts terms; a term is a product of factors [side, column, least, most], each 1 where that column
holds least to most checkers, else 0. Every export compares what is said here with the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from nardy_ai.export.json_entries import Factor, Term, counted, single
from nardy_ai.export.json_prospects import prospects

__all__ = ["shape_inputs"]

_POINTS: Final = range(24)
_BAR: Final = 24
_WINDOW: Final = 6
_REACH: Final = 12
_MOST: Final = 3
_ALL: Final = 15
_PIPS_A_STEP: Final = 4


def shape_inputs(family: str, inputs: int) -> list[dict[str, Any]]:
    """One object an input, in the order of the inputs, the row on roll first."""
    found = [each for side in (0, 1) for each in _side(side, family)]
    for side in (0, 1):
        if len(found) < inputs:
            found += prospects(side, family, len(found))
    return found


def _side(side: int, family: str) -> Iterator[dict[str, Any]]:
    def made(point: int) -> Factor:
        return [side, point, 2 if family == "short" else 1, _ALL]

    for apart in (1, 2):
        for point in range(len(_POINTS) - apart):
            yield counted([[made(point), made(point + apart)]])
    for start in range(len(_POINTS) - _WINDOW + 1):
        yield counted([[made(point)] for point in range(start, start + _WINDOW)], 1 / _WINDOW)
    yield {
        "pips": [[side, column, column + 1] for column in range(_BAR + 1)],
        "divide": _PIPS_A_STEP,
        "round": "up",
        "scale": single(_PIPS_A_STEP / np.float32(100)),
    }
    yield from _shots(side) if family == "short" else _freedom(side)


def _shots(side: int) -> Iterator[dict[str, Any]]:
    """Shots at each blot, and blots at each distance. My column p is his 23 - p; he comes from above it."""

    def met(point: int, distance: int) -> list[Term]:
        column = 23 - point + distance
        blot, hitter = [side, point, 1, 1], [1 - side, column, 1, _ALL]
        return [[blot, hitter]] if column <= _BAR else []

    for point in _POINTS:
        near = [term for distance in range(1, _WINDOW + 1) for term in met(point, distance)]
        yield counted(near, 1 / _MOST, _MOST)
    for distance in range(1, _REACH + 1):
        exactly = [term for point in _POINTS for term in met(point, distance)]
        yield counted(exactly, 1 / _MOST, _MOST)


def _freedom(side: int) -> Iterator[dict[str, Any]]:
    """Dice with which a checker can leave each point that is held; my column p is his (p + 12) % 24."""
    for point in _POINTS:
        held = [side, point, 1, _ALL]
        terms: list[Term] = []
        for die in range(1, _WINDOW + 1):
            landing = point - die
            terms.append([held] if landing < 0 else [held, [1 - side, (landing + 12) % 24, 0, 0]])
        yield counted(terms, 1 / _WINDOW)
