"""A board as an SVG document, in light or dark, with a play drawn as arrows.

Same view as the text board: the player on roll at the bottom right, points in his numbers. Everything is
drawn with plain attributes, no style sheet and no reference by id, so that many boards can stand in one
page without touching each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Literal

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import needed, one_of
from nardy_ai.rules.board_text import BOTTOM, TOP, pips_text, state_of
from nardy_ai.rules.dice import dice_pair
from nardy_ai.rules.notation import BAR, OFF
from nardy_ai.rules.play import Play

if TYPE_CHECKING:
    from nardy_ai.rules.position import Position

Place = tuple[float, float]
Side = Literal[0, 1]
"""0 the player on roll, 1 the other."""

WIDTH, HEIGHT = 712, 552
CELL = 44.0
RADIUS = 19.5
LEFT, UPPER, LOWER = 72.0, 60.0, 492.0
BAR_WIDTH, TRAY_WIDTH = 40.0, 50.0
HALF = 6 * CELL
BAR_X = LEFT + HALF
RIGHT = LEFT + 2 * HALF + BAR_WIDTH
TRIANGLE = 184.0
STACK = 5
DIE = 34.0


@dataclass(frozen=True)
class _Theme:
    page: str
    text: str
    frame: str
    field: str
    points: tuple[str, str]
    seats: tuple[str, str]
    """Checkers of the starter and of the other."""
    rims: tuple[str, str]
    counts: tuple[str, str]
    arrow: str
    worse: str
    """Arrows of a play beside which a better one is drawn."""
    die: str
    pip: str


_THEMES = {
    "light": _Theme(
        page="#ffffff",
        text="#3b3a36",
        frame="#8a6d4b",
        field="#f1e7d3",
        points=("#c9a878", "#e0cda9"),
        seats=("#fffdf7", "#4a2f27"),
        rims=("#6d5f4d", "#21130e"),
        counts=("#3b3a36", "#fffdf7"),
        arrow="#1f77b4",
        worse="#c2362b",
        die="#fffdf7",
        pip="#3b3a36",
    ),
    "dark": _Theme(
        page="#1c1d21",
        text="#d6d3cc",
        frame="#4d4136",
        field="#2b2d33",
        points=("#5c5348", "#3d3f47"),
        seats=("#e8e2d4", "#7d3b34"),
        rims=("#16171a", "#e2b7a6"),
        counts=("#1c1d21", "#ffffff"),
        arrow="#6cb6ff",
        worse="#ff8a73",
        die="#e8e2d4",
        pip="#1c1d21",
    ),
}


def _of_page(light: _Theme) -> _Theme:
    """Colours that a page may set by custom properties; without these, those of the light theme."""

    def colour(name: str) -> str | tuple[str, str]:
        found = getattr(light, name)
        if isinstance(found, str):
            return f"var(--board-{name}, {found})"
        return (f"var(--board-{name}-0, {found[0]})", f"var(--board-{name}-1, {found[1]})")

    return _Theme(**{entry.name: colour(entry.name) for entry in fields(_Theme)})  # type: ignore[arg-type]


_THEMES["page"] = _of_page(_THEMES["light"])


def page_colours(theme: Literal["light", "dark"]) -> str:
    """Declarations of the custom properties from which boards of the theme `page` take their colours."""
    declared = []
    for entry in fields(_Theme):
        found = getattr(_THEMES[theme], entry.name)
        named = {"": found} if isinstance(found, str) else {f"-{n}": part for n, part in enumerate(found)}
        declared += [f"--board-{entry.name}{end}: {part};" for end, part in named.items()]
    return " ".join(declared)


def board_svg(
    position: Position,
    dice: Sequence[int] | None = None,
    *,
    play: Play | None = None,
    better: Play | None = None,
    theme: Literal["light", "dark", "page"] = "light",
) -> str:
    """An SVG document of a position.

    Args:
        position: what to draw.
        dice: drawn in the player's half.
        play: a play of this position, drawn with arrows; its dice are shown.
        better: another play of that roll. Its arrows are drawn as those of `play` are without it; those of
            `play` are broken lines in a colour of their own, and movements that both make are pale.
        theme: `light`, `dark`, or `page`: a page's own colours, see `page_colours`.

    Raises:
        InputError: another theme, bad dice, a play of another position or with other dice, or `better`
            without `play`.
    """
    one_of(theme, tuple(_THEMES), "theme")
    roll = None if dice is None else dice_pair(dice)
    if better is not None and play is None:
        raise InputError("a better play is drawn beside a play: give both")
    for drawn in (play, better):
        if drawn is None:
            continue
        if needed(drawn, Play).before != position:
            raise InputError("the play belongs to another position")
        if roll is not None and roll != drawn.dice:
            raise InputError(f"the play is of {drawn.dice[0]}-{drawn.dice[1]}, not of {roll[0]}-{roll[1]}")
        roll = drawn.dice
    return "\n".join(_Drawing(position, _THEMES[theme]).document(roll, play, better)) + "\n"


class _Drawing:
    """The shapes of one position in one theme."""

    def __init__(self, position: Position, theme: _Theme) -> None:
        self.position = position
        self.theme = theme
        self.long = position.game.family == "long"

    def document(
        self, roll: tuple[int, int] | None, play: Play | None, better: Play | None
    ) -> Iterator[str]:
        caption = self.caption(roll, play) + (f", better {better.notation}" if better else "")
        # Only long nardy has a tray on the left, where the other side bears off.
        left = 0 if self.long else TRAY_WIDTH
        width = _n(WIDTH - left)
        view = f'viewBox="{_n(left)} 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" {view} '
            'role="img" font-family="Helvetica, Arial, sans-serif" font-size="15">'
        )
        yield f"<title>{escape(caption)}</title>"
        yield _box(left, 0, WIDTH - left, HEIGHT, self.theme.page)
        yield from self.field()
        yield from self.points()
        yield from self.checkers()
        yield from self.trays()
        yield from self.texts()
        if roll is not None:
            yield from self.dice(roll)
        if play is not None:
            yield from self.arrows(play) if better is None else self.compared(play, better)
        yield "</svg>"

    def caption(self, roll: tuple[int, int] | None, play: Play | None) -> str:
        rolled = f", rolled {roll[0]}-{roll[1]}" if roll else ""
        played = f", played {play.notation}" if play else ""
        return f"{self.position.game.name} {self.position.key}{rolled}{played}"

    # --- the board --------------------------------------------------------------------------------------

    def field(self) -> Iterator[str]:
        edge = 10.0
        frame_left = LEFT - edge - (TRAY_WIDTH if self.long else 0)
        width = RIGHT + edge + TRAY_WIDTH - frame_left
        yield _box(frame_left, UPPER - edge, width, LOWER - UPPER + 2 * edge, self.theme.frame, 8)
        for x in (LEFT, BAR_X + BAR_WIDTH):
            yield _box(x, UPPER, HALF, LOWER - UPPER, self.theme.field)
        for side in (0, 1):
            x, y = self.tray_corner(side)
            yield _box(x, y, TRAY_WIDTH - 8, TRIANGLE, self.theme.field, 4)

    def points(self) -> Iterator[str]:
        for point in range(1, 25):
            x = _point_x(point)
            base, tip = (UPPER, UPPER + TRIANGLE) if point > 12 else (LOWER, LOWER - TRIANGLE)
            corners = f"{_n(x - CELL / 2)},{_n(base)} {_n(x + CELL / 2)},{_n(base)} {_n(x)},{_n(tip)}"
            yield f'<polygon points="{corners}" fill="{self.theme.points[point % 2]}"/>'
            yield self.text(x, UPPER - 16 if point > 12 else LOWER + 26, str(point))

    def checkers(self) -> Iterator[str]:
        for point in range(1, 25):
            counts = self.position.on_point(point)
            yield from self.stack(_point_place(point), 0 if counts[0] else 1, max(counts))
        for side in (0, 1):
            yield from self.stack(_bar_place(side), side, self.position.bar[side])

    def stack(self, base: Place, side: int, count: int) -> Iterator[str]:
        seat = self.position.seat ^ side
        for height in range(min(count, STACK)):
            x, y = _stacked(base, height)
            yield (
                f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{RADIUS}" fill="{self.theme.seats[seat]}" '
                f'stroke="{self.theme.rims[seat]}" stroke-width="1.5"/>'
            )
        if count > STACK:
            x, y = _stacked(base, STACK - 1)
            yield self.text(x, y + 6, str(count), self.theme.counts[seat], weight="bold")

    def trays(self) -> Iterator[str]:
        """Checkers borne off, seen from their edge."""
        for side in (0, 1):
            seat = self.position.seat ^ side
            x, y = self.tray_corner(side)
            for index in range(self.position.off[side]):
                # Each side fills its tray from its own edge of the board.
                top = y + TRIANGLE - 13 - 11 * index if side == 0 else y + 3 + 11 * index
                yield _box(x + 3, top, TRAY_WIDTH - 14, 10, self.theme.seats[seat], 2, self.theme.rims[seat])

    def tray_corner(self, side: int) -> Place:
        """Where a side bears off: at the end of its way, which differs between the families."""
        x = LEFT - TRAY_WIDTH if self.long and side == 1 else RIGHT + 8
        return x, (LOWER - TRIANGLE if side == 0 else UPPER)

    # --- words and dice ---------------------------------------------------------------------------------

    def texts(self) -> Iterator[str]:
        for side, y in ((1, 24.0), (0, HEIGHT - 10.0)):
            seat = self.position.seat ^ side
            state = ("", state_of(self.position))[side == 0]
            facts = f"{pips_text(self.position, side)} · {self.position.off[side]} off"
            yield (
                f'<circle cx="{_n(LEFT + 8)}" cy="{_n(y - 5)}" r="8" fill="{self.theme.seats[seat]}" '
                f'stroke="{self.theme.rims[seat]}"/>'
            )
            yield self.text(LEFT + 24, y, f"{facts}{' · ' if state else ''}{state}", anchor="start")
        yield self.text(RIGHT, 24.0, escape(self.position.game.name), anchor="end")

    def text(
        self, x: float, y: float, words: str, fill: str = "", anchor: str = "middle", weight: str = ""
    ) -> str:
        heavy = f' font-weight="{weight}"' if weight else ""
        return (
            f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" fill="{fill or self.theme.text}"{heavy}>'
            f"{words}</text>"
        )

    def dice(self, roll: tuple[int, int]) -> Iterator[str]:
        center = BAR_X + BAR_WIDTH + HALF / 2
        y = (UPPER + LOWER - DIE) / 2
        for x, die in ((center - DIE - 5, roll[0]), (center + 5, roll[1])):
            yield _box(x, y, DIE, DIE, self.theme.die, 6, self.theme.rims[0])
            for column, row in _PIPS[die]:
                yield (
                    f'<circle cx="{_n(x + DIE * column / 4)}" cy="{_n(y + DIE * row / 4)}" r="3.2" '
                    f'fill="{self.theme.pip}"/>'
                )

    # --- arrows -----------------------------------------------------------------------------------------

    def arrows(self, play: Play) -> Iterator[str]:
        """One arrow a move, from the topmost checker that is still there to the place where it will lie."""
        yield from self.arrows_of(play.moves, self.heights(), self.theme.arrow)

    def compared(self, play: Play, better: Play) -> Iterator[str]:
        """The arrows of both plays, those that they share first."""
        shared = list((Counter(play.moves) & Counter(better.moves)).elements())
        heights = self.heights()
        yield from self.arrows_of(shared, heights, self.theme.text, opacity=0.35)
        for made, colour, broken in ((play, self.theme.worse, "9 8"), (better, self.theme.arrow, "")):
            left = Counter(made.moves) - Counter(shared)
            yield from self.arrows_of(list(left.elements()), heights.copy(), colour, broken)

    def heights(self) -> Counter[int]:
        """Checkers of the player on roll by own point, 25 the bar."""
        heights = Counter({point: self.position.on_point(point)[0] for point in range(1, 25)})
        heights[BAR] = self.position.bar[0]
        return heights

    def arrows_of(
        self,
        moves: Sequence[tuple[int, int]],
        heights: Counter[int],
        colour: str,
        broken: str = "",
        opacity: float = 0.85,
    ) -> Iterator[str]:
        for start, end in moves:
            heights[start] -= 1
            places = self.move_place(start, heights[start]), self.move_place(end, heights[end])
            yield self.arrow(*places, colour, broken, opacity)
            heights[end] += 1

    def move_place(self, point: int, height: int) -> Place:
        if point == OFF:
            x, y = self.tray_corner(0)
            return x + TRAY_WIDTH / 2 - 4, y + TRIANGLE / 2
        base = _bar_place(0) if point == BAR else _point_place(point)
        return _stacked(base, max(0, min(height, STACK - 1)))

    def arrow(self, start: Place, end: Place, colour: str, broken: str, opacity: float) -> str:
        (x0, y0), (x1, y1) = start, end
        # The way bends toward the middle line, over points rather than along the edge.
        middle = (UPPER + LOWER) / 2
        level = (y0 > middle) == (y1 > middle)
        cx, cy = (x0 + x1) / 2, (y0 + y1) / 2 + (0.45 * (middle - (y0 + y1) / 2) if level else 0)
        length = math.hypot(x1 - cx, y1 - cy) or 1.0
        ux, uy = (x1 - cx) / length, (y1 - cy) / length
        bx, by = x1 - 14 * ux, y1 - 14 * uy
        head = " ".join(
            f"{_n(x)},{_n(y)}" for x, y in ((x1, y1), (bx - 8 * uy, by + 8 * ux), (bx + 8 * uy, by - 8 * ux))
        )
        dashes = f' stroke-dasharray="{broken}"' if broken else ""
        way = f"M{_n(x0)},{_n(y0)} Q{_n(cx)},{_n(cy)} {_n(bx)},{_n(by)}"
        return (
            f'<g opacity="{opacity:g}"><path d="{way}" fill="none" stroke="{colour}" stroke-width="5" '
            f'stroke-linecap="round"{dashes}/><polygon points="{head}" fill="{colour}"/></g>'
        )


_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((2, 2),),
    2: ((1, 1), (3, 3)),
    3: ((1, 1), (2, 2), (3, 3)),
    4: ((1, 1), (1, 3), (3, 1), (3, 3)),
    5: ((1, 1), (1, 3), (2, 2), (3, 1), (3, 3)),
    6: ((1, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 3)),
}
"""Pips of a die in quarters of its side: column, row."""


def _point_x(point: int) -> float:
    for half, x in zip((*TOP, *BOTTOM), (LEFT, BAR_X + BAR_WIDTH) * 2, strict=True):
        if point in half:
            return x + CELL * (half.index(point) + 0.5)
    raise ValueError(point)


def _point_place(point: int) -> Place:
    """The centre of the first checker on a point."""
    return _point_x(point), (UPPER + RADIUS if point > 12 else LOWER - RADIUS)


def _bar_place(side: int) -> Place:
    """A side waits in the half of the board that it enters: the upper one for the player on roll."""
    return BAR_X + BAR_WIDTH / 2, (UPPER + RADIUS if side == 0 else LOWER - RADIUS)


def _stacked(base: Place, height: int) -> Place:
    x, y = base
    step = 2 * RADIUS - 3
    return x, y + step * height * (1 if y < (UPPER + LOWER) / 2 else -1)


def _box(x: float, y: float, width: float, height: float, fill: str, round_: float = 0, rim: str = "") -> str:
    corner = f' rx="{_n(round_)}"' if round_ else ""
    edge = f' stroke="{rim}"' if rim else ""
    size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    return f'<rect {size}{corner} fill="{fill}"{edge}/>'


def _n(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
