"""Boards of every kind for comparing evaluators: from the start to the last checkers, by random play."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from nardy_ai import core

__all__ = ["varied_boards", "varied_positions"]

_GAMES: Final = 64
_MOST_TURNS: Final = 600


def varied_boards(
    rules: core.Rules, count: int, seed: int = 1
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8]]:
    """`count` unfinished boards int8 [count, 2, 26], player on roll in row 0, and seats uint8 [count]."""
    boards, seats, _ = varied_positions(rules, count, seed)
    return boards, seats


def varied_positions(
    rules: core.Rules, count: int, seed: int = 1
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """The same with the turns that the player on roll has had, uint8 [count].

    They are drawn from random games, so that contact and race, full and empty homes, last rolls and, where
    the game has one, the bar are all among them. The same seed gives the same boards. Small games can repeat
    a board.
    """
    random = np.random.Generator(np.random.Philox(seed))
    boards = np.repeat(core.start_board(rules)[None], _GAMES, axis=0)
    seats = np.zeros(_GAMES, np.uint8)
    turns = np.zeros(_GAMES, np.uint8)
    seen = [(boards, seats, turns)]
    for turn in range(_MOST_TURNS):
        dice = random.integers(1, 7, (len(boards), 2)).astype(np.uint8)
        after, offsets = core.legal_boards(rules, boards, dice, seats, turns)
        chosen = offsets[:-1] + (random.random(len(boards)) * np.diff(offsets)).astype(np.int64)
        boards = np.ascontiguousarray(after[chosen][:, ::-1])
        seats = np.full(len(boards), (turn + 1) % 2, np.uint8)
        turns = np.full(len(boards), min(3, (turn + 1) // 2), np.uint8)
        going = core.results(rules, boards, seats) < 0
        boards, seats, turns = boards[going], seats[going], turns[going]
        if len(boards) == 0:
            break
        seen.append((boards, seats, turns))
    all_boards, all_seats, all_turns = map(np.concatenate, zip(*seen, strict=True))
    # A bare multiple of what there is where a small game has too few boards, then a draw without repeats.
    times = -(-count // len(all_boards))
    order = np.concatenate([random.permutation(len(all_boards)) for _ in range(times)])[:count]
    return all_boards[order], all_seats[order], all_turns[order]
