"""The engine asked in the reference's terms, and the differences between the two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from reference import Board, legal_ends, text_of
from reference.positions import Position

from nardy_ai import core

UNORDERED_ROLLS = list(combinations_with_replacement(range(1, 7), 2))
ORDERED_ROLLS = [(first, second) for first in range(1, 7) for second in range(1, 7)]


def engine_ends(
    options: dict[str, Any], board: Board, dice: tuple[int, int], seat: int, turns: int
) -> set[Board]:
    """The engine's answer to the question of :func:`reference.legal_ends`; no board may be listed twice."""
    boards, offsets = core.legal_boards(core.Rules(options), *_arrays([Position(board, seat, turns)], [dice]))
    assert offsets.tolist() == [0, len(boards)]
    ends = {_board(end) for end in boards.tolist()}
    assert len(ends) == len(boards), "a result is listed twice"
    return ends


def engine_results(options: dict[str, Any], questions: Sequence[tuple[Board, int]]) -> list[str | None]:
    """The outcome of each (board, seat) as the engine names it, None where the game goes on."""
    rules = core.Rules(options)
    boards = np.array([board for board, _ in questions], dtype=np.int8)
    seats = np.array([seat for _, seat in questions], dtype=np.uint8)
    return [None if index < 0 else rules.outcomes[index] for index in core.results(rules, boards, seats)]


def differences(options: dict[str, Any], positions: Sequence[Position]) -> list[str]:
    """Where engine and reference disagree over all 36 ordered rolls of these positions, as text to read.

    A roll also counts as different if the engine lists a board twice, or if the order of its list depends
    on the order of the dice. The reference is asked once for both orders.
    """
    rules = core.Rules(options)
    found = []
    for start in range(0, len(positions), 200):
        batch = positions[start : start + 200]
        answers = _answers(rules, batch)
        for number, position in enumerate(batch):
            for dice in UNORDERED_ROLLS:
                problem = _difference(
                    options, position, dice, *(answers[number, d] for d in (dice, dice[::-1]))
                )
                found += [problem] if problem else []
    return found


def _answers(rules: core.Rules, batch: Sequence[Position]) -> dict[tuple[int, tuple[int, int]], list[bytes]]:
    """The engine's boards, 52 bytes each, by position and ordered roll: one call for the whole batch."""
    everything = [position for position in batch for _ in ORDERED_ROLLS]
    boards, offsets = core.legal_boards(rules, *_arrays(everything, ORDERED_ROLLS * len(batch)))
    assert boards.dtype == np.int8
    assert boards.shape == (offsets[-1], 2, 26)
    assert len(offsets) == len(everything) + 1
    data, ends = boards.tobytes(), offsets.tolist()
    asked = ((number, dice) for number in range(len(batch)) for dice in ORDERED_ROLLS)
    return {
        question: [data[at : at + 52] for at in range(52 * ends[place], 52 * ends[place + 1], 52)]
        for place, question in enumerate(asked)
    }


def _difference(
    options: dict[str, Any],
    position: Position,
    dice: tuple[int, int],
    answer: list[bytes],
    other_order: list[bytes],
) -> str:
    expected = {bytes(end[0] + end[1]) for end in legal_ends(options, position.board, dice, *position[1:])}
    if answer != other_order:
        problem = f"the list depends on the order of the dice: {len(answer)} or {len(other_order)} boards"
    elif len(set(answer)) != len(answer):
        problem = "a board is listed twice"
    elif set(answer) != expected:
        problem = f"{len(expected)} boards in the reference, {len(answer)} in the engine"
    else:
        return ""
    lines = [
        problem,
        f"dice {dice}, seat {position.seat}, turns {position.turns}",
        text_of(options, position.board),
    ]
    for title, boards in (("missing:", expected - set(answer)), ("not legal:", set(answer) - expected)):
        lines += [title + "\n" + text_of(options, _board_of_bytes(board)) for board in sorted(boards)[:3]]
    return "\n".join(lines)


def random_plies(
    options: dict[str, Any], seed: int, games: int, plies: int
) -> Iterator[np.ndarray[Any, Any]]:
    """Plays games at random by the engine; yields the results of each ply of all games in one array."""
    rules = core.Rules(options)
    rng = np.random.default_rng(seed)
    boards = np.repeat(core.start_board(rules)[None], games, axis=0)
    turns = np.zeros((2, games), dtype=np.uint8)
    seats = np.zeros(games, dtype=np.uint8)
    for _ in range(plies):
        dice = rng.integers(1, 7, (games, 2)).astype(np.uint8)
        row = np.arange(games)
        results, offsets = core.legal_boards(rules, boards, dice, seats, turns[seats, row])
        yield results
        chosen = results[offsets[:-1] + rng.integers(0, np.diff(offsets))]
        turns[seats, row] = np.minimum(turns[seats, row] + 1, 3)
        boards, seats = np.ascontiguousarray(chosen[:, ::-1]), 1 - seats
        over = core.results(rules, boards, seats) >= 0
        boards[over], seats[over], turns[:, over] = core.start_board(rules), 0, 0


def _arrays(
    positions: Sequence[Position], dice: Sequence[tuple[int, int]]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    return (
        np.array([position.board for position in positions], dtype=np.int8),
        np.array(dice, dtype=np.uint8),
        np.array([position.seat for position in positions], dtype=np.uint8),
        np.array([position.turns for position in positions], dtype=np.uint8),
    )


def _board(rows: Sequence[Sequence[int]]) -> Board:
    return tuple(rows[0]), tuple(rows[1])


def _board_of_bytes(data: bytes) -> Board:
    return tuple(data[:26]), tuple(data[26:])
