"""Which legal play a written one means. Nothing is ever substituted: it is that play, or an InputError."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np

from nardy_ai.core import InputError
from nardy_ai.rules.dice import Dice
from nardy_ai.rules.notation import BAR, OFF, WrittenMove, point_name, quoted, read_moves
from nardy_ai.rules.play import Play
from nardy_ai.rules.position import Position

MOST_SUGGESTIONS = 5


class NotationError(InputError):
    """A written play that isn't legal, or means more than one."""

    def __init__(self, sentence: str, nearest: Sequence[Play] = ()) -> None:
        super().__init__(sentence)
        self.nearest = tuple(nearest)
        """The nearest legal plays, or those that the text could mean; at most five."""


def read_play(text: str, before: Position, dice: Dice, plays: Sequence[Play]) -> Play:
    """The one of `plays` (all legal ones of that roll) that the text names.

    Accepted besides the canonical text: hit stars left out, any order, movements not joined (`8/5 5/4`,
    `8/5/4`), `25` and `0`, any case and spaces. Raises NotationError when it is not legal (with the
    nearest legal plays) or ambiguous (with the candidates), InputError when it cannot be read.
    """
    written = read_moves(text)
    same = [play for play in plays if _shift(play) == _written_shift(written)]
    fault = _fault(written, before, dice, plays)
    if same and fault is None:
        stated = _stated_hits(written, before)
        exact = [play for play in same if play.hits == stated]
        # A hit on the way may be left out along with its point, where that leaves one play.
        candidates = exact or [play for play in same if play.hits > stated]
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            listed = " or ".join(play.notation for play in candidates[:MOST_SUGGESTIONS])
            raise NotationError(f"{quoted(text)} is ambiguous: write {listed}", candidates[:MOST_SUGGESTIONS])
    raise _not_legal(text, fault, written, dice, plays)


def _not_legal(
    text: str, fault: str | None, written: Sequence[WrittenMove], dice: Dice, plays: Sequence[Play]
) -> NotationError:
    nearest = _nearest(written, plays)
    listed = ", ".join(play.notation for play in nearest)
    why = fault or _duty(written, plays)
    only = "legal is" if len(nearest) == len(plays) else "nearest"
    sentence = f"{quoted(text)} is not legal with {dice[0]}-{dice[1]}: {why}; {only}: {listed}"
    return NotationError(sentence, nearest)


def _duty(written: Sequence[WrittenMove], plays: Sequence[Play]) -> str:
    """Why movements that are possible one by one make no legal turn together."""
    steps = max(len(play.steps) for play in plays)
    if sum(move.times * (len(move.path) - 1) for move in written) < steps:
        return f"as much of the roll as possible must be played, here {steps} movement{'s' * (steps > 1)}"
    return "the rules forbid it"


# --- what is wrong with single movements ----------------------------------------------------------------


def _fault(written: Sequence[WrittenMove], before: Position, dice: Dice, plays: Sequence[Play]) -> str | None:
    if not written:
        return None if plays[0].passed else "a play is possible"
    if plays[0].passed:
        return "nothing can be played, which is written pass"
    reached = Counter(p for move in written for p in move.path[1:] * move.times)
    needed: Counter[int] = Counter()
    for move in written:
        needed[move.path[0]] += move.times
        for start, end in pairwise(move.path):
            fault = _movement_fault(start, end, before, dice)
            if fault is not None:
                return fault
        for point in sorted(move.hits):
            if not _blot(before, point):
                return f"there is nothing to hit on {point_name(point)}"
    for point, count in needed.items():
        if _own(before, point) + reached[point] < count:
            what = "is no checker" if count == 1 else f"are no {count} checkers"
            return f"there {what} on {point_name(point)}"
    return _dice_fault(written, dice)


def _dice_fault(written: Sequence[WrittenMove], dice: Dice) -> str | None:
    """Whether the movements together take more than the roll gives; bearing off may waste pips."""
    large, small = dice
    pairs = [pair for move in written for pair in [*pairwise(move.path)] * move.times]
    lengths = [start - end for start, end in pairs if end != OFF]
    gives = large + small if large != small else 4 * large
    if sum(lengths) > gives:
        return f"it takes {sum(lengths)} pips, and the roll gives {gives}"
    if large != small:
        for die in dice:
            if lengths.count(die) > 1:
                return f"the {die} is played twice"
    return None


def _movement_fault(start: int, end: int, before: Position, dice: Dice) -> str | None:
    large, small = dice
    sums = {large, small, large + small} if large != small else {large * n for n in range(1, 5)}
    fits = start - end in sums if end != OFF else start <= max(sums)
    if not fits:
        return f"{point_name(start)}/{point_name(end)} fits none of the dice"
    if _closed(before, end):
        return f"{end} is closed by the opponent"
    return None


def _own(before: Position, point: int) -> int:
    """Checkers of the mover on a point or the bar."""
    return int(before.board[0, point - 1])


def _their(before: Position, point: int) -> int:
    """Opponent checkers on an own point of the mover."""
    return 0 if point in (BAR, OFF) else before.on_point(point)[1]


def _closed(before: Position, point: int) -> bool:
    return _their(before, point) >= (2 if before.game.family == "short" else 1)


def _blot(before: Position, point: int) -> bool:
    return before.game.family == "short" and _their(before, point) == 1


def _stated_hits(written: Sequence[WrittenMove], before: Position) -> frozenset[int]:
    """Where the text says or implies a hit: on every blot that it lands on."""
    return frozenset(p for move in written for p in move.path[1:] if _blot(before, p))


# --- comparing ------------------------------------------------------------------------------------------


def _shift(play: Play) -> tuple[int, ...]:
    """By how many checkers each of the mover's 26 columns changes."""
    shift: list[int] = (play.board[0] - play.before.board[0]).tolist()
    return tuple(shift)


def _written_shift(written: Sequence[WrittenMove]) -> tuple[int, ...]:
    shift = np.zeros(26, np.int64)
    for move in written:
        for point, change in ((move.path[0], -1), (move.path[-1], 1)):
            shift[25 if point == OFF else point - 1] += change * move.times
    return tuple(shift.tolist())


def _nearest(written: Sequence[WrittenMove], plays: Sequence[Play]) -> list[Play]:
    """The legal plays that share most with what was written."""
    text = " ".join(str(move) for move in written)
    pairs = Counter(pair for move in written for pair in _ends(move))

    def likeness(play: Play) -> tuple[int, float, str]:
        theirs = Counter(pair for move in play.written for pair in _ends(move))
        ratio = SequenceMatcher(None, text, play.notation, autojunk=False).ratio()
        return -(pairs & theirs).total(), -ratio, play.notation

    return sorted(plays, key=likeness)[:MOST_SUGGESTIONS]


def _ends(move: WrittenMove) -> list[tuple[int, int]]:
    return [(move.path[0], move.path[-1])] * move.times
