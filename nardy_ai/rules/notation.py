"""The notation of plays: one canonical text for each result, and a lenient reader of its grammar.

A play is written in the mover's own numbers, higher points first: `8/5 6/5`, `bar/20*`, `24/18(2)`,
`6/off`, `pass`. Movements of one checker are joined (`24/14`); a point where it hits on the way stays
visible (`8/5*/4`), so that the text tells results apart that differ in nothing but a hit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from nardy_ai.core import InputError

BAR = 25
OFF = 0
PASS = "pass"

Move = tuple[int, int]
Path = tuple[int, ...]

LONGEST_TEXT = 400
"""Characters; a turn of 24 movements needs fewer."""

_NAMES = {"bar": BAR, "off": OFF}
_TOKEN = re.compile(r"((?:bar|off|\d{1,2})(?:/(?:bar|off|\d{1,2})\*?)+)(?:\((\d)\))?")


@dataclass(frozen=True)
class WrittenMove:
    """One token of the notation: a checker's way, how many checkers go it, and where they hit."""

    path: Path
    """Own points from start to end, 25 = bar, 0 = off; between them those where the checker hits."""
    times: int
    hits: frozenset[int]

    def __str__(self) -> str:
        points = [point_name(p) + ("*" if p in self.hits else "") for p in self.path]
        return "/".join(points) + (f"({self.times})" if self.times > 1 else "")


def point_name(point: int) -> str:
    """`bar`, `off`, or the number of an own point."""
    return {BAR: "bar", OFF: "off"}.get(point, str(point))


# --- writing --------------------------------------------------------------------------------------------


def written_moves(steps: Iterable[Move], hits: Iterable[int]) -> tuple[WrittenMove, ...]:
    """The canonical form of a turn.

    Args:
        steps: its single movements (from, to), in any order.
        hits: own points on which an opponent checker was hit.

    Returns:
        The movements joined, equal ones counted, in the order in which they are printed.
    """
    routes = Counter(_routes(steps))
    ordered = sorted(routes, key=lambda route: (-route[0], -route[-1], route))
    # A hit is shown on the first way over the point, which is one that ends there if any does.
    hitter = {point: next(route for route in ordered if point in route[1:]) for point in hits}
    written = []
    for route in ordered:
        stars = frozenset(point for point, its in hitter.items() if its == route)
        path = (route[0], *(p for p in route[1:-1] if p in stars), route[-1])
        written.append(WrittenMove(path, routes[route], stars))
    return tuple(written)


def notation_of(written: Sequence[WrittenMove]) -> str:
    """The text of a turn; `pass` where nothing moved."""
    return " ".join(str(move) for move in written) or PASS


def moves_of(written: Sequence[WrittenMove]) -> tuple[Move, ...]:
    """(from, to) of every checker in printed order; a way with a hit on it gives a pair for each part."""
    return tuple(pair for move in written for _ in range(move.times) for pair in pairwise(move.path))


def _routes(steps: Iterable[Move]) -> list[Path]:
    """Single movements joined to the ways of checkers, as far as they can be joined.

    Where fewer checkers go on from a point than have come to it, those from the highest points stay.
    The result depends on the set of movements alone: like checkers can't be told apart.
    """
    targets: dict[int, list[int]] = {}
    for start, end in steps:
        targets.setdefault(start, []).append(end)
    arrived: dict[int, list[Path]] = {}
    ended: list[Path] = []
    for point in sorted(targets, reverse=True):
        leaving = sorted(targets[point], reverse=True)
        comers = sorted(arrived.pop(point, []), reverse=True)
        staying = max(0, len(comers) - len(leaving))
        ended += comers[:staying]
        going: list[Path] = comers[staying:]
        going += [(point,)] * (len(leaving) - len(going))
        for route, end in zip(going, leaving, strict=True):
            arrived.setdefault(end, []).append((*route, end))
    return ended + [route for routes in arrived.values() for route in routes]


# --- reading --------------------------------------------------------------------------------------------


def read_moves(text: str) -> tuple[WrittenMove, ...]:
    """The tokens of a written play; none for `pass`. Says nothing about whether it is legal.

    Case, spaces and commas are free; `25` is the bar and `0` is off. Raises InputError for what isn't
    notation at all.
    """
    if not isinstance(text, str):
        raise InputError(f'a play is text such as "8/5 6/5", not {type(text).__name__}')
    if len(text) > LONGEST_TEXT:
        raise unreadable(text, f"it has {len(text)} characters")
    plain = text.strip().lower()
    if plain == PASS:
        return ()
    plain = re.sub(r"\s*/\s*", "/", plain)
    plain = re.sub(r"\s+\*", "*", plain)
    plain = re.sub(r"\s*\(\s*(\d+)\s*\)", r"(\1)", plain)
    tokens = [token for token in re.split(r"[\s,]+", plain) if token]
    if not tokens:
        raise unreadable(text, "it is empty")
    return tuple(_read_token(token, text) for token in tokens)


def _read_token(token: str, text: str) -> WrittenMove:
    match = _TOKEN.fullmatch(token)
    if match is None or not token.isascii():
        raise unreadable(text, f"{token[:30]!r} is no movement")
    parts = match[1].split("/")
    path = tuple(_point(part.rstrip("*")) for part in parts)
    hits = frozenset(point for point, part in zip(path, parts, strict=True) if part.endswith("*"))
    if any(b >= a for a, b in pairwise(path)) or path[0] > BAR:
        raise unreadable(text, f"{token!r} does not lead from a higher own point to a lower one")
    times = int(match[2] or 1)
    if times == 0:
        raise unreadable(text, f"{token!r} moves no checker")
    return WrittenMove(path, times, hits)


def _point(name: str) -> int:
    return _NAMES[name] if name in _NAMES else int(name)


def unreadable(text: str, why: str) -> InputError:
    """The complaint about text that is no notation."""
    return InputError(
        f"cannot read {quoted(text)} as a play: {why}; write movements as from/to, "
        "such as 8/5 6/5, bar/20*, 6/off, or pass"
    )


def quoted(text: str) -> str:
    """Text in quotation marks on one line, cut where it is long."""
    shown = text if len(text) <= 60 else text[:60] + "…"
    return repr(shown)
