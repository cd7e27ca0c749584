"""Perfect play by plain value iteration over the reference rules: slow, and independent of the engine."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt
from reference import Board, Options, legal_ends, result, start_board, turned

State = tuple[Board, int, int]
"""The board of the player on roll, his seat, and the turns that he has had (3: three or more)."""

ROLLS = [(dice, 1 if dice[0] == dice[1] else 2) for dice in combinations_with_replacement(range(1, 7), 2)]


def after(state: State, end: Board) -> State:
    """The state of the other player once a turn has ended on a board."""
    _, seat, turns = state
    return turned(end), 1 - seat, turns if seat == 0 else min(turns + 1, 3)


def worth(options: Options, outcome: str) -> float:
    """Points of an outcome for the player on roll."""
    side, _, kind = outcome.partition("_")
    plain = "oin" if options["family"] == "long" else "single"
    points = 0 if side == "draw" else options["scores"][kind or plain]
    return float(-points if side == "lose" else points)


def perfect_values(
    options: Options, roots: Iterable[State] | None = None, tolerance: float = 1e-12
) -> dict[State, float]:
    """The equity of every state that can come from the roots, by default from the start of the game."""
    states: dict[State, int] = {}
    waiting = list(roots) if roots is not None else [(start_board(options), 0, 0)]
    finished: list[float] = []
    lists: list[list[list[State]]] = []
    while waiting:
        state = waiting.pop()
        if state in states:
            continue
        states[state] = len(states)
        board, seat, turns = state
        outcome = result(options, board, seat)
        finished.append(np.nan if outcome is None else worth(options, outcome))
        rolls = [] if outcome is not None else [legal_ends(options, board, dice, seat, turns) for dice, _ in ROLLS]
        lists.append([[after(state, end) for end in ends] for ends in rolls])
        waiting += [state for ends in lists[-1] for state in ends]
    return dict(zip(states, _iterated(states, finished, lists, tolerance).tolist(), strict=True))


def _iterated(
    states: dict[State, int], finished: list[float], lists: list[list[list[State]]], tolerance: float
) -> npt.NDArray[np.float64]:
    over = np.array(finished)
    playing = np.flatnonzero(np.isnan(over))
    leads = np.array([states[state] for rolls in lists for ends in rolls for state in ends])
    sizes = np.array([len(ends) for rolls in lists for ends in rolls])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    weights = np.array([weight for _, weight in ROLLS]) / 36
    values = np.nan_to_num(over)
    while True:
        best = np.minimum.reduceat(values[leads], starts).reshape(len(playing), len(ROLLS))
        moved = -(best @ weights)
        change = np.abs(moved - values[playing]).max()
        values[playing] = moved
        if change < tolerance:
            return values


def arrays_of(states: Iterable[State]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Boards int8 [n, 2, 26], seats and turns uint8 [n]."""
    listed = list(states)
    return (
        np.array([board for board, _, _ in listed], np.int8),
        np.array([seat for _, seat, _ in listed], np.uint8),
        np.array([turns for _, _, turns in listed], np.uint8),
    )
