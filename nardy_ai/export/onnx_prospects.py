"""The inputs that see what the next rolls can do, in ONNX (see `core/encode_prospects.h`).

Rolls are judged side by side: a tensor [n, rolls, points] tells which roll can hit on which point, in the
numbers of the side that hits. Every export compares the whole graph with the engine.
"""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np
import numpy.typing as npt

from nardy_ai.export.onnx_parts import Graph, at_least, columns, number, scaled, sums

_POINTS: Final = 24
_BAR: Final = 24
_HOME: Final = 6
_STEPS: Final = 8
_MOVES: Final = 4
_CHANCES: Final = 36
_MIXED: Final = np.array(list(itertools.combinations(range(1, 7), 2)))
"""The rolls of two different dice."""
_DICE: Final = np.arange(1, 7)
_WEIGHTS: Final = np.array([2] * len(_MIXED) + [1] * len(_DICE))
_TARGETS: Final = np.arange(_POINTS)
_WINDOW: Final = 6
_WINDOWS: Final = 19
_NEARLY: Final = (4, 5, 6)
_BLOCK: Final = 5
_TRAPPED: Final = 5


def prospects(graph: Graph, family: str, row: str, other: str, name: str) -> list[str]:
    """Everything of one side: `row` its own counts, `other` those of the other side."""
    if family == "long":
        return _seams(graph, row, other, name)
    hits = _Hits(graph, row, other, name)
    return [*_entering(graph, row, other, name), _back(graph, row, name), *hits.inputs()]


def _entering(graph: Graph, row: str, other: str, name: str) -> list[str]:
    bar = columns(graph, row, f"{name}.bar", np.array([_BAR]))
    one, two = (at_least(graph, bar, f"{name}.bar{count}", count) for count in (1, 2))
    home = columns(graph, other, f"{name}.his_home", np.arange(_HOME))
    made = at_least(graph, home, f"{name}.his_home_made", 2)
    closed = sums(graph, made, f"{name}.closed", np.ones((_HOME, 1)))
    still = graph.node("Sub", [number(graph, f"{name}.home", _HOME), closed], f"{name}.home_open")
    shut = graph.node("Mul", [closed, closed], f"{name}.shut_rolls")
    enter = graph.node("Sub", [number(graph, f"{name}.chances", _CHANCES), shut], f"{name}.enter_rolls")
    both = graph.node("Mul", [still, still], f"{name}.both_rolls")
    values = ((enter, one, _CHANCES), (both, two, _CHANCES), (closed, one, _HOME), (closed, two, _HOME))
    found = []
    for value, gate, most in values:
        whole = graph.node("Mul", [value, gate], f"{value}.of.{gate}")
        found.append(scaled(graph, whole, f"{whole}.share", 1 / most))
    return found


def _back(graph: Graph, row: str, name: str) -> str:
    back = ((np.arange(26) >= 18) & (np.arange(26) <= _BAR))[:, None]
    checkers = sums(graph, row, f"{name}.back_checkers", back)
    steps = graph.constant(f"{name}.steps", np.arange(1, _STEPS + 1, dtype=np.float32))
    enough = graph.node("GreaterOrEqual", [checkers, steps], f"{name}.back_enough")
    return graph.node("Cast", [enough], f"{name}.back", to=1)


def _seams(graph: Graph, row: str, other: str, name: str) -> list[str]:
    """Six points in a row that are nearly or wholly made, and checkers behind such a block of the other's."""
    own = columns(graph, row, f"{name}.own", _TARGETS)
    his = columns(graph, other, f"{name}.his", (_TARGETS + 12) % _POINTS)
    start = np.arange(_WINDOWS)[None, :]
    inside = (start <= _TARGETS[:, None]) & (_TARGETS[:, None] < start + _WINDOW)
    counts = [
        sums(graph, at_least(graph, points, f"{points}.held", 1), f"{points}.windows", inside)
        for points in (own, his)
    ]
    found = [at_least(graph, counts[0], f"{name}.at_least{least}", least) for least in _NEARLY]
    # Nothing can be behind the last six.
    blocks = columns(graph, counts[1], f"{name}.blocks", start[0, :-1])
    checkers = sums(graph, own, f"{name}.behind", start[:, :-1] + _WINDOW <= _TARGETS[:, None])
    blocked = at_least(graph, blocks, f"{name}.blocked", _BLOCK)
    trapped = graph.node("Mul", [checkers, blocked], f"{name}.trapped")
    return [*found, scaled(graph, trapped, f"{name}.trapped_share", 1 / _TRAPPED)]


class _Hits:
    """Rolls of the other that hit lone checkers of a row."""

    def __init__(self, graph: Graph, row: str, other: str, name: str) -> None:
        self._graph, self._name = graph, f"{name}.hits"
        self._numbers = 0
        facing = columns(graph, row, f"{self._name}.facing", 23 - _TARGETS)
        open_points = self._node("Cast", self._node("Less", facing, self._one(2)), to=1)
        single = self._node("Equal", facing, self._one(1))
        self._blots = self._line(self._node("Cast", single, to=1), 1)
        his = columns(graph, other, f"{self._name}.his", _TARGETS)
        # A column of zeros behind the last stands for all that is off the board.
        some = columns(graph, row, f"{self._name}.some", np.array([0]))
        self._none = self._node("Mul", some, self._one(0))
        self._open = self._node("Concat", open_points, self._none, axis=1)
        hitters = at_least(graph, his, f"{self._name}.hitters", 1)
        self._hitters = self._node("Concat", hitters, self._none, axis=1)
        bar = columns(graph, other, f"{self._name}.his_bar", np.array([_BAR]))
        least = [at_least(graph, bar, f"{self._name}.his_bar{count}", count) for count in range(1, 5)]
        none = self._node("Sub", self._one(1), least[0])
        exactly = [self._node("Sub", least[i], least[i + 1]) for i in range(3)]
        self._on_bar = [self._line(each, 1) for each in (none, *exactly, least[3])]

    def inputs(self) -> list[str]:
        """Those of each blot, then of any, then of several."""
        graph, name = self._graph, self._name
        rolls = self._node("Mul", self._node("Concat", self._mixed(), self._doubles(), axis=1), self._blots)
        weights = _WEIGHTS.astype(np.float32)[:, None]
        own = self._node("Mul", rolls, self._constant(weights))
        of_points = self._node("ReduceSum", own, self._constant(np.array([1], np.int64)), keepdims=0)
        of_blots = columns(graph, of_points, f"{name}.of_blots", 23 - _TARGETS)
        blots = self._node("ReduceSum", rolls, self._constant(np.array([2], np.int64)), keepdims=0)
        counted = []
        for least in (1, 2):
            enough = at_least(graph, blots, f"{name}.least{least}", least)
            counted.append(sums(graph, enough, f"{name}.rolls{least}", weights))
        return [scaled(graph, each, f"{each}.share", 1 / _CHANCES) for each in (of_blots, *counted)]

    def _mixed(self) -> str:
        x, y = _MIXED[:, :1], _MIXED[:, 1:]
        hit_x, hit_y, hit_sum = (self._at(self._hitters, steps) for steps in (x, y, x + y))
        by_way = self._max(self._at(self._open, x), self._at(self._open, y))
        free = self._max(hit_x, hit_y, self._node("Mul", hit_sum, by_way))
        enter_x, enter_y = self._entry(x), self._entry(y)
        entered = self._max(self._lands(x), self._lands(y))
        on = self._node("Mul", self._lands(x + y), self._max(enter_x, enter_y))
        crossed = [self._node("Mul", enter_x, hit_y), self._node("Mul", enter_y, hit_x)]
        return self._by_bar([free, self._max(entered, on, *crossed), entered, entered, entered])

    def _doubles(self) -> str:
        x = _DICE[:, None]
        boards, bars = [self._at(self._hitters, x)], [self._lands(x)]
        way = self._at(self._open, x)
        for moves in range(2, _MOVES + 1):
            boards.append(self._node("Mul", self._at(self._hitters, moves * x), way))
            bars.append(self._node("Mul", self._lands(moves * x), way))
            way = self._node("Mul", way, self._at(self._open, moves * x))
        cases = [self._max(*boards)]
        for bar in range(1, _MOVES):
            entered = [self._node("Mul", each, self._entry(x)) for each in boards[: _MOVES - bar]]
            cases.append(self._max(*entered, *bars[: _MOVES + 1 - bar]))
        return self._by_bar([*cases, bars[0]])

    def _by_bar(self, cases: list[str]) -> str:
        """The case for as many checkers on the bar as there are: none, one .. four or more."""
        chosen = [self._node("Mul", case, gate) for case, gate in zip(cases, self._on_bar, strict=True)]
        total = chosen[0]
        for each in chosen[1:]:
            total = self._node("Add", total, each)
        return total

    def _at(self, values: str, steps: npt.NDArray[np.int64]) -> str:
        """[n, rolls, points]: what is there so many pips behind each point."""
        return self._node("Gather", values, self._constant(np.minimum(_TARGETS + steps, _POINTS)), axis=1)

    def _entry(self, steps: npt.NDArray[np.int64]) -> str:
        """[n, rolls, 1]: whether a checker can come in with that die."""
        return self._node("Gather", self._open, self._constant(_POINTS - steps), axis=1)

    def _lands(self, steps: npt.NDArray[np.int64]) -> str:
        """[n, rolls, points]: 1 for the point that lies so many pips from the bar."""
        met = self._constant((_BAR - steps == _TARGETS).astype(np.float32))
        return self._node("Add", met, self._line(self._none, 1))

    def _max(self, *values: str) -> str:
        return self._node("Max", *values)

    def _line(self, values: str, rows: int) -> str:
        """[n, m] as [n, rows, m]."""
        return self._node("Unsqueeze", values, self._constant(np.array([rows], np.int64)))

    def _one(self, value: float) -> str:
        return self._constant(np.array([value], np.float32))

    def _constant(self, value: npt.NDArray[np.generic]) -> str:
        self._numbers += 1
        return self._graph.constant(f"{self._name}.c{self._numbers}", value)

    def _node(self, kind: str, *inputs: str, **attributes: int) -> str:
        self._numbers += 1
        return self._graph.node(kind, list(inputs), f"{self._name}.{self._numbers}", **attributes)
