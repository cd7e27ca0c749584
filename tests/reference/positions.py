"""Seeded positions to ask generators about: met in random play, and built where generators go wrong.

Every position is possible under its profile: checkers add up, no point is shared, no forbidden block stands,
the game is not finished. Built positions need not be reachable from the start.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import NamedTuple

from reference.boards import (
    BAR,
    HEAD,
    HOME,
    OFF,
    Board,
    Options,
    other_side,
    points_of,
    row_of,
    start_board,
    turned,
)
from reference.outcome import result
from reference.turns import DEFAULTS, is_forbidden_block, legal_ends

VERSION = 1
"""Goes up when other positions are made on purpose."""


class Position(NamedTuple):
    """A board with the mover in row 0, and what a board alone does not tell."""

    board: Board
    seat: int
    turns: int


def random_roll(rng: random.Random) -> tuple[int, int]:
    """Two dice."""
    return rng.randint(1, 6), rng.randint(1, 6)


def from_random_play(options: Options, seed: int, count: int) -> list[Position]:
    """Positions of games that the reference plays at random: about every third one, so that they differ."""
    rng = random.Random(f"random play {seed}")
    found: list[Position] = []
    while len(found) < count:
        board, seat, turns = start_board(options), 0, [0, 0]
        while result(options, board, seat) is None and len(found) < count:
            if rng.random() < 1 / 3:
                found.append(Position(board, seat, turns[seat]))
            ends = legal_ends(options, board, random_roll(rng), seat, turns[seat])
            board = turned(rng.choice(sorted(ends)))
            turns[seat] = min(turns[seat] + 1, 3)
            seat = 1 - seat
    return found


def built(options: Options, seed: int, count: int) -> list[Position]:
    """Built positions, every scene of the family in turn."""
    rng = random.Random(f"built {seed}")
    scenes = [scene for scene in SCENES[options["family"]] if scene is not last_roll or options["last_roll"]]
    return [_valid(options, scenes[number % len(scenes)], rng) for number in range(count)]


def mixed(options: Options, seed: int, count: int) -> list[Position]:
    """Half from random play, half built."""
    return from_random_play(options, seed, count - count // 2) + built(options, seed, count // 2)


# --- drawing boards -----------------------------------------------------------------------------------------


class Drawing:
    """Two rows in the making. Points are the *mover's* numbers for both sides; 25 is a side's bar, 0 off."""

    def __init__(self, options: Options, rng: random.Random) -> None:
        self.options, self.rng = options, rng
        self.mine, self.theirs = [0] * 26, [0] * 26
        self.seat, self.turns = rng.randint(0, 1), rng.randint(1, 3)

    def left(self, side: list[int]) -> int:
        """Checkers of a side that are not placed yet."""
        return int(self.options["checkers"]) - sum(side)

    def put(self, side: list[int], point: int, number: int) -> None:
        """Up to so many checkers on a point, unless the other side stands there."""
        other = self.theirs if side is self.mine else self.mine
        if point in (OFF, BAR) or not other[point]:
            side[point] += max(0, min(number, self.left(side)))

    def scatter(self, side: list[int], points: Iterable[int], number: int, at_once: int = 3) -> None:
        """About so many checkers in small groups on random ones of these points."""
        places = list(points)
        goal = self.left(side) - number
        for _ in range(60):
            if self.left(side) <= max(goal, 0):
                return
            self.put(side, self.rng.choice(places), min(self.rng.randint(1, at_once), self.left(side) - goal))

    def position(self) -> Position:
        """The drawing as a position: checkers that were not placed are borne off."""
        self.mine[OFF] += self.left(self.mine)
        self.theirs[OFF] += self.left(self.theirs)
        on_his_points = (self.theirs[other_side(self.options, point)] for point in range(1, 25))
        theirs = (self.theirs[OFF], *on_his_points, self.theirs[BAR])
        return Position((row_of(tuple(self.mine)), row_of(theirs)), self.seat, self.turns)


Scene = Callable[[Drawing], None]


def _valid(options: Options, scene: Scene, rng: random.Random) -> Position:
    for _ in range(10_000):
        drawing = Drawing(options, rng)
        scene(drawing)
        position = drawing.position()
        if _is_possible(options, position):
            return position
    raise AssertionError(f"the scene {scene.__name__} gives no possible position")


def _is_possible(options: Options, position: Position) -> bool:
    mine, theirs = (points_of(row) for row in position.board)
    rules = {**DEFAULTS, **options}
    if any(mine[point] and theirs[other_side(options, point)] for point in range(1, 25)):
        return False
    if is_forbidden_block(rules, mine, theirs) or is_forbidden_block(rules, theirs, mine):
        return False
    if options["family"] == "long" and any(row[OFF] and any(row[7:]) for row in (mine, theirs)):
        return False  # nobody comes back, so bearing off means that all were at home
    return result(options, position.board, position.seat) is None


# --- scenes of the long family ------------------------------------------------------------------------------


def long_prime(d: Drawing) -> None:
    """Five to eight of my neighbours anywhere, seams included, with a gap and someone to fill it.

    Ahead of them stands nobody, or one or two of his; the rest of his are behind.
    """
    top, length = d.rng.randint(1, 24), d.rng.randint(6, 8)
    run = [(top - 1 - step) % 24 + 1 for step in range(length)]
    gap = d.rng.choice(run)
    for point in run:
        if point != gap:
            d.put(d.mine, point, d.rng.choice((1, 1, 2)))
    for _ in range(d.rng.randint(1, 3)):
        d.put(d.mine, min(gap + d.rng.randint(1, 6), HEAD), 1)
    d.put(d.mine, d.rng.choice((1, HEAD, top)), 15)

    in_his_numbers = {point: other_side(d.options, point) for point in range(1, 25)}
    behind = [point for point in range(1, 25) if in_his_numbers[point] > in_his_numbers[top]]
    ahead = [(run[-1] - 2) % 24 + 1, d.rng.randint(1, 24)]
    d.scatter(d.theirs, ahead, d.rng.choice((0, 0, 0, 1, 2)), at_once=1)
    d.scatter(d.theirs, behind or range(1, 25), 15, at_once=5)
    if d.left(d.theirs):
        d.put(d.theirs, 12, 15)


def long_loaded_head(d: Drawing) -> None:
    """Most of mine on the head, the opponent's checkers where they must land."""
    d.put(d.mine, HEAD, d.rng.randint(7, 14))
    d.scatter(d.theirs, range(13, 24), d.rng.randint(2, 9), at_once=2)
    d.put(d.theirs, 12, d.rng.randint(0, 12))
    d.scatter(d.mine, range(1, 25), 15)
    d.scatter(d.theirs, range(1, 25), 15)


def long_walled_in(d: Drawing) -> None:
    """The opponent's points in rows before mine: passes, single movements, the smaller die alone."""
    wall = d.rng.randint(4, 18)
    for point in range(wall, wall - d.rng.randint(4, 7), -1):
        d.put(d.theirs, (point - 1) % 24 + 1, d.rng.choice((1, 1, 2, 3)))
    d.scatter(d.mine, range(wall + 1, min(wall + 7, 25)), d.rng.randint(1, 4), at_once=2)
    d.put(d.mine, d.rng.choice((1, HEAD)), d.rng.randint(6, 15))
    d.scatter(d.theirs, range(1, 25), 15)
    d.scatter(d.mine, range(1, 25), 15)


def long_home(d: Drawing) -> None:
    """All home, or all but one or two: bearing off, entering and bearing off, the opponent in the way."""
    d.scatter(d.theirs, HOME, d.rng.choice((0, 1, 2, 3)), at_once=1)
    if d.rng.random() < 0.5:
        d.scatter(d.mine, range(7, 13), d.rng.randint(1, 2), at_once=2)
        d.scatter(d.mine, HOME, 15, at_once=4)
    else:
        d.scatter(d.mine, HOME, d.rng.randint(1, 15), at_once=4)
    d.scatter(d.theirs, range(1, 25), 15, at_once=4)


def long_near_the_end(d: Drawing) -> None:
    """Few checkers left on both sides; his home is my 18..13."""
    d.scatter(d.mine, HOME, d.rng.randint(1, 5), at_once=2)
    d.scatter(d.theirs, range(13, 19), d.rng.randint(1, 5), at_once=2)


def last_roll(d: Drawing) -> None:
    """The starter has all off, the second player has one more turn: near home or spread out."""
    d.seat = 1
    if d.rng.random() < 0.5:
        d.scatter(d.mine, HOME, d.rng.randint(1, 6), at_once=2)
    elif d.rng.random() < 0.5:
        d.scatter(d.mine, range(1, 13), 15, at_once=4)
    else:
        top = d.rng.randint(8, 24)
        d.scatter(d.mine, range(top - 7, top + 1), 15, at_once=2)


def long_first_turn(d: Drawing) -> None:
    """All of mine on the start. He has not moved, has placed one or two checkers, or (rarely) has no head."""
    d.turns = 0
    for point, number in enumerate(d.options["start"], start=1):
        d.put(d.mine, point, number)
    placed = 0 if d.seat == 0 else d.rng.choice((1, 1, 2, 2, 15))
    d.scatter(d.theirs, range(1, 24), placed, at_once=2 if placed == 15 else 1)
    d.put(d.theirs, 12, 15)


def anywhere(d: Drawing) -> None:
    """Both sides all over the board."""
    together = d.rng.randint(1, 4)
    for _ in range(15):
        d.scatter(d.mine, range(1, 25), d.rng.randint(1, 4), at_once=together)
        d.scatter(d.theirs, range(1, 25), d.rng.randint(1, 4), at_once=together)


# --- scenes of the short family -----------------------------------------------------------------------------


def short_bar(d: Drawing) -> None:
    """Mine on the bar, his home more or less closed, blots in it; his own bar sometimes, too."""
    d.put(d.mine, BAR, d.rng.choice((1, 1, 2, 2, 3, 4)))
    for point in d.rng.sample(range(19, 25), d.rng.randint(1, 6)):
        d.put(d.theirs, point, d.rng.choice((1, 2, 2, 2, 3)))
    d.put(d.theirs, BAR, d.rng.choice((0, 0, 1, 2)))
    d.scatter(d.mine, range(1, 25), d.rng.choice((3, 15)))
    d.scatter(d.theirs, range(1, 25), d.rng.choice((3, 15)))


def short_blots(d: Drawing) -> None:
    """Single checkers of both sides everywhere: hits, hits in passing, hits at home."""
    for _ in range(8):
        d.scatter(d.theirs, range(1, 19), 2, at_once=1)
        d.scatter(d.mine, range(1, 25), 2, at_once=1)


def short_hits_at_home(d: Drawing) -> None:
    """His blots in my home, my checkers in and before it: the checker that hits may have to go on."""
    d.scatter(d.theirs, HOME, d.rng.randint(1, 4), at_once=1)
    d.scatter(d.mine, range(1, 13), d.rng.randint(1, 6), at_once=1)
    d.scatter(d.theirs, range(1, 25), d.rng.randint(0, 11), at_once=2)
    d.scatter(d.mine, range(1, 25), d.rng.choice((0, 2, 9)), at_once=2)


def short_walled_in(d: Drawing) -> None:
    """A prime of his before my checkers, with at most one gap."""
    wall = d.rng.randint(8, 20)
    for point in range(wall, wall - 7, -1):
        d.put(d.theirs, point, d.rng.choice((2, 2, 2, 2, 1)))
    d.scatter(d.mine, range(wall + 1, 25), d.rng.randint(1, 5), at_once=2)
    d.scatter(d.mine, HOME, 15, at_once=4)
    d.scatter(d.theirs, range(1, 25), 15)


def short_home(d: Drawing) -> None:
    """All home or nearly; he may stand in my home or on his bar."""
    d.scatter(d.mine, HOME, d.rng.randint(1, 15), at_once=3)
    d.scatter(d.mine, range(7, 14), d.rng.choice((0, 0, 1)), at_once=1)
    d.put(d.theirs, BAR, d.rng.choice((0, 0, 1)))
    d.scatter(d.theirs, HOME, d.rng.choice((0, 1, 2, 4)), at_once=2)
    d.scatter(d.theirs, range(19, 25), d.rng.randint(1, 12), at_once=3)


def short_near_the_end(d: Drawing) -> None:
    """Few checkers left on both sides, with contact or without."""
    d.scatter(d.mine, d.rng.choice((HOME, range(1, 10), range(1, 25))), d.rng.randint(1, 4), at_once=2)
    d.scatter(d.theirs, d.rng.choice((range(19, 25), range(1, 25))), d.rng.randint(1, 4), at_once=2)


def short_both_homes_closed(d: Drawing) -> None:
    """Two on all or all but one of both homes, the rest on the bars and behind."""
    for side, home in ((d.mine, HOME), (d.theirs, range(19, 25))):
        gap = d.rng.choice((0, d.rng.choice(home)))
        for point in home:
            if point != gap:
                d.put(side, point, 2)
        d.put(side, BAR, d.rng.randint(0, 2))
    d.scatter(d.mine, range(1, 25), 15)
    d.scatter(d.theirs, range(1, 25), 15)


SCENES: dict[str, tuple[Scene, ...]] = {
    "long": (
        long_prime,
        long_loaded_head,
        long_walled_in,
        long_home,
        long_near_the_end,
        last_roll,
        long_first_turn,
        anywhere,
    ),
    "short": (
        short_bar,
        short_blots,
        short_hits_at_home,
        short_walled_in,
        short_home,
        short_near_the_end,
        short_both_homes_closed,
        anywhere,
    ),
}
