"""The engine's plays of the standard game beside those of outside programs."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from reference import PROFILES, Board, text_of
from reference.positions import Position, built, from_random_play

from nardy_ai import core

STANDARD = PROFILES["short/standard"]

Dice = tuple[int, int]
Question = tuple[Position, Dice]
Ends = Callable[[Board, Dice], set[Board]]


def with_off(points: list[int] | tuple[int, ...]) -> tuple[int, ...]:
    """Points and bar of one side, with the checkers off that outside programs do not list."""
    return (*points, 15 - sum(points))


def questions(seed: int, positions: int, rolls: int) -> list[Question]:
    """Positions of random play and built ones, so many different rolls of each."""
    rng = random.Random(seed)
    every_roll = [(first, second) for first in range(1, 7) for second in range(1, 7)]
    drawn = from_random_play(STANDARD, seed, positions // 2) + built(STANDARD, seed, positions // 2)
    return [(position, dice) for position in drawn for dice in rng.sample(every_roll, rolls)]


def assert_engine_agrees(
    asked: list[Question],
    peer_ends: Ends,
    seen_alike: Callable[[set[Board]], set[Board]] = lambda ends: ends,
) -> None:
    """The engine and a peer list the same boards, mover in row 0, as far as `seen_alike` tells them apart."""
    boards, offsets = core.legal_boards(
        core.Rules(STANDARD),
        np.array([position.board for position, _ in asked], dtype=np.int8),
        np.array([dice for _, dice in asked], dtype=np.uint8),
        np.array([position.seat for position, _ in asked], dtype=np.uint8),
        np.array([position.turns for position, _ in asked], dtype=np.uint8),
    )
    for number, (position, dice) in enumerate(asked):
        answer = boards[offsets[number] : offsets[number + 1]].tolist()
        ends = {(tuple(mine), tuple(theirs)) for mine, theirs in answer}
        question = f"{dice}\n{text_of(STANDARD, position.board)}"
        assert len(ends) == len(answer), question
        assert seen_alike(ends) == seen_alike(peer_ends(position.board, dice)), question
