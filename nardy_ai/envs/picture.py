"""What `render` returns: the board as text, as SVG, or as pixels."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.envs.course import Course
from nardy_ai.rules import Position, turned
from nardy_ai.rules.board_text import BOTTOM, TOP

RENDER_MODES = ("ansi", "human", "rgb_array", "svg")
FRAMES_A_SECOND = 2

CELL, CHECKERS_HIGH = 24, 5
"""Pixels across a point; checkers of a stack that are drawn one above the other."""
WIDTH, HEIGHT = 15 * CELL, (2 * CHECKERS_HIGH + 2) * CELL
"""Twelve points, the bar between them, two columns of borne-off checkers; a free row in the middle."""
GROUND, BAR_GROUND = (222, 204, 170), (188, 166, 126)
POINT_COLOURS = ((203, 178, 134), (181, 150, 106))
SEAT_COLOURS = ((250, 248, 240), (52, 44, 40))
"""The starter is white."""
EDGE = (96, 80, 60)

Pixels = npt.NDArray[np.uint8]


def checked_mode(mode: str | None) -> str | None:
    """A render mode that there is. InputError for another."""
    if mode is not None and mode not in RENDER_MODES:
        raise InputError(f"there is no render mode {mode!r}: take {', '.join(RENDER_MODES)}, or None")
    return mode


def shown(course: Course, seat: int, mode: str | None) -> str | Pixels | None:
    """The board in the middle of a turn as a seat sees it; None for `human`, which prints it.

    Raises:
        InputError: there is no render mode.
    """
    if mode is None:
        raise InputError('there is no render mode: make the environment with render_mode="ansi"')
    position, dice = _seen_by(course, seat)
    if mode == "rgb_array":
        return board_pixels(position)
    if mode == "svg":
        return position.svg(dice)
    text = position.text(dice)
    if mode == "ansi":
        return text
    print(text, file=sys.stdout, flush=True)
    return None


def _seen_by(course: Course, seat: int) -> tuple[Position, tuple[int, int] | None]:
    now = course.position
    board = now.board if course.on is None else course.on.board
    if seat == now.seat:
        return Position(course.game, board, seat, now.turns), course.dice
    return Position(course.game, turned(board), seat, now.turns), None


def board_pixels(position: Position) -> Pixels:
    """uint8 [288, 360, 3]: the board, the player on roll at the bottom right.

    A stack of more than five checkers is drawn with smaller steps; borne-off checkers stand at the right.
    """
    image = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    image[:] = GROUND
    image[:, 6 * CELL : 7 * CELL] = BAR_GROUND
    image[:, 13 * CELL :] = BAR_GROUND
    for halves, top in ((TOP, True), (BOTTOM, False)):
        for half, points in enumerate(halves):
            for place, point in enumerate(points):
                left = (place + 7 * half) * CELL
                _triangle(image, left, top, POINT_COLOURS[(place + top) % 2])
                mine, his = position.on_point(point)
                colour = SEAT_COLOURS[position.seat if mine else 1 - position.seat]
                _stack(image, left, top, mine or his, colour)
    for side in (0, 1):
        colour = SEAT_COLOURS[position.seat if side == 0 else 1 - position.seat]
        # Whoever is on the bar waits in the half of the board that he enters.
        _stack(image, 6 * CELL, side == 0, position.bar[side], colour)
        _stack(image, int(13.5 * CELL), side == 1, position.off[side], colour)
    return image


def _triangle(image: Pixels, left: int, top: bool, colour: tuple[int, int, int]) -> None:
    height = CHECKERS_HIGH * CELL
    for row in range(height):
        inset = row * CELL // (2 * height)
        line = row if top else HEIGHT - 1 - row
        image[line, left + inset : left + CELL - inset] = colour


def _stack(image: Pixels, left: int, top: bool, count: int, colour: tuple[int, int, int]) -> None:
    step = CELL if count <= CHECKERS_HIGH else (CHECKERS_HIGH - 1) * CELL // (count - 1)
    for number in range(count):
        upper = number * step if top else HEIGHT - CELL - number * step
        _checker(image[upper : upper + CELL, left : left + CELL], colour)


def _checker(square: Pixels, colour: tuple[int, int, int]) -> None:
    away = np.hypot(*(np.mgrid[:CELL, :CELL] - (CELL - 1) / 2))
    square[away < CELL / 2] = EDGE
    square[away < CELL / 2 - 1.5] = colour
