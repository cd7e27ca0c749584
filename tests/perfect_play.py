"""Perfect play by plain value iteration over the reference rules: slow, and independent of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt
from reference import Board, Options, legal_ends, result, start_board, turned

State = tuple[Board, int, int]
"""The board of the player on roll, his seat, and the turns that he has had (3: three or more)."""
Floats = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]

ROLLS = [(dice, 1 if dice[0] == dice[1] else 2) for dice in combinations_with_replacement(range(1, 7), 2)]
WEIGHTS = np.array([weight for _, weight in ROLLS]) / 36


@dataclass
class Graph:
    """Every state that can come from some roots, and where its rolls can lead."""

    numbers: dict[State, int] = field(default_factory=dict)
    worths: list[float] = field(default_factory=list)
    """Points of finished games for the player on roll; NaN while the game goes on."""
    ends: list[list[list[State]]] = field(default_factory=list)
    """Of each state, by roll; none where it is finished."""

    @property
    def playing(self) -> npt.NDArray[np.int64]:
        """The numbers of states that go on."""
        return np.flatnonzero(np.isnan(np.array(self.worths)))


def graph_of(options: Options, roots: Iterable[State] | None = None) -> Graph:
    """The states that can come from the roots, by default from the start of the game."""
    graph = Graph()
    waiting = list(roots) if roots is not None else [(start_board(options), 0, 0)]
    while waiting:
        state = waiting.pop()
        if state in graph.numbers:
            continue
        graph.numbers[state] = len(graph.numbers)
        board, seat, turns = state
        outcome = result(options, board, seat)
        rolls: list[list[State]] = []
        if outcome is None:
            for dice, _ in ROLLS:
                ends = sorted(legal_ends(options, board, dice, seat, turns))
                rolls.append([_after(state, end) for end in ends])
        graph.worths.append(np.nan if outcome is None else _worth(options, outcome))
        graph.ends.append(rolls)
        waiting += [following for ends_of_roll in rolls for following in ends_of_roll]
    return graph


def perfect_values(graph: Graph, tolerance: float = 1e-12) -> dict[State, float]:
    """The equity of every state under perfect play."""
    leads, starts = _leads(graph)
    values, playing = np.nan_to_num(np.array(graph.worths)), graph.playing
    while True:
        best = np.minimum.reduceat(values[leads], starts).reshape(len(playing), len(ROLLS))
        moved = -(best @ WEIGHTS)
        change = np.abs(moved - values[playing]).max()
        values[playing] = moved
        if change < tolerance:
            return dict(zip(graph.numbers, values.tolist(), strict=True))


def policy_points(
    graph: Graph, values: dict[State, float], judge: Callable[[State], float], tolerance: float = 1e-12
) -> tuple[Floats, Floats]:
    """Points of a policy against perfect play, by state: with the policy on roll, and with the other.

    The policy plays what leaves the other the least by `judge`; ends are sorted, so the first of equal ones
    is taken.
    """
    leads, starts = _leads(graph)
    states = list(graph.numbers)
    exact, judged = np.array(list(values.values())), np.array([judge(state) for state in states])
    chosen, perfect = (
        np.array([part[np.argmin(table[part])] for part in np.split(leads, starts[1:])])
        for table in (judged, exact)
    )
    shape, playing = (len(graph.playing), len(ROLLS)), graph.playing
    on_roll, waiting = (sign * np.nan_to_num(np.array(graph.worths)) for sign in (1, -1))
    while True:
        mine = waiting[chosen].reshape(shape) @ WEIGHTS
        his = on_roll[perfect].reshape(shape) @ WEIGHTS
        change = max(np.abs(mine - on_roll[playing]).max(), np.abs(his - waiting[playing]).max())
        on_roll[playing], waiting[playing] = mine, his
        if change < tolerance:
            return on_roll, waiting


def arrays_of(states: Iterable[State]) -> tuple[npt.NDArray[np.int8], Bytes, Bytes]:
    """Boards int8 [n, 2, 26], seats and turns uint8 [n]."""
    listed = list(states)
    return (
        np.array([board for board, _, _ in listed], np.int8),
        np.array([seat for _, seat, _ in listed], np.uint8),
        np.array([turns for _, _, turns in listed], np.uint8),
    )


def _after(state: State, end: Board) -> State:
    """The state of the other player once a turn has ended on a board."""
    _, seat, turns = state
    return turned(end), 1 - seat, turns if seat == 0 else min(turns + 1, 3)


def _worth(options: Options, outcome: str) -> float:
    """Points of an outcome for the player on roll."""
    side, _, kind = outcome.partition("_")
    plain = "oin" if options["family"] == "long" else "single"
    points = 0 if side == "draw" else options["scores"][kind or plain]
    return float(-points if side == "lose" else points)


def _leads(graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Numbers of the states that every roll of every state leads to, and where those of a roll begin."""
    numbers = [graph.numbers[state] for rolls in graph.ends for ends in rolls for state in ends]
    sizes = [len(ends) for rolls in graph.ends for ends in rolls]
    return np.array(numbers), np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
