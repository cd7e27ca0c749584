"""How many courses a game can take: all 21 rolls from the start, each distinct result a branch of its own.

One wrong play anywhere near the start changes the counts. Depth 2 is counted by the engine and by the slow
reference, depth 3 by the engine and, for the standard game, by GNU Backgammon's own generator (-m slow).
"""

import json
from collections import Counter
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from reference import PROFILES, legal_ends, result, start_board, turned

from nardy_ai import core

STORED = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text(encoding="utf-8"))
ROLLS = list(combinations_with_replacement(range(1, 7), 2))


def engine_counts(options, depth: int) -> list[int]:
    """Paths after 1 .. depth turns. Equal positions are kept once, with the number of paths to them."""
    rules = core.Rules(options)
    level = {core.start_board(rules).tobytes(): 1}
    counts = []
    for turn in range(depth):
        seat, turns = turn % 2, min(turn // 2, 3)
        boards = np.frombuffer(b"".join(level), np.int8).reshape(-1, 2, 26)
        weights = list(level.values())
        following: Counter[bytes] = Counter()
        paths = 0
        seats = np.full(len(boards), seat, np.uint8)
        going = core.results(rules, boards, seats) < 0
        for dice in ROLLS:
            after, offsets = core.legal_boards(
                rules,
                boards[going],
                np.tile(np.array(dice, np.uint8), (int(going.sum()), 1)),
                seats[going],
                np.full(int(going.sum()), turns, np.uint8),
            )
            branches = np.diff(offsets).astype(object)
            paths += int((np.array(weights, object)[going] * branches).sum())
            if turn == depth - 1:
                continue  # the last level is counted and not kept
            turned_boards = after[:, ::-1].copy()
            for i, weight in enumerate(np.array(weights, object)[going]):
                for at in range(offsets[i], offsets[i + 1]):
                    following[turned_boards[at].tobytes()] += weight
        level = dict(following)
        counts.append(paths)
    return counts


def reference_counts(options, depth: int) -> list[int]:
    level = {start_board(options): 1}
    counts = []
    for turn in range(depth):
        seat, turns = turn % 2, min(turn // 2, 3)
        following: Counter = Counter()
        for board, weight in level.items():
            if result(options, board, seat) is not None:
                continue
            for dice in ROLLS:
                for end in legal_ends(options, board, dice, seat, turns):
                    following[turned(end)] += weight
        level = dict(following)
        counts.append(sum(level.values()))
    return counts


@pytest.mark.parametrize("profile", PROFILES)
def test_engine_and_reference_count_two_turns_alike(profile):
    assert (
        reference_counts(PROFILES[profile], 2) == engine_counts(PROFILES[profile], 2) == STORED[profile][:2]
    )


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_engine_counts_three_turns(profile):
    assert engine_counts(PROFILES[profile], 3) == STORED[profile]


@pytest.mark.slow
def test_gnubg_counts_three_turns_of_the_standard_game():
    gnubg = pytest.importorskip("gnubg_nn")
    level = {gnubg.position_id(_gnubg_board(start_board(PROFILES["short/standard"]))): 1}
    for depth in range(3):
        following: Counter[str] = Counter()
        for key, weight in level.items():
            board = gnubg.board_from_position_id(key)
            for dice in ROLLS:
                ends = gnubg.moves(board, *dice)
                for end in ends:
                    following[gnubg.position_id(_other_side(gnubg.board_from_position_key(end)))] += weight
                if not ends:
                    following[gnubg.position_id(_other_side(board))] += weight
        level = dict(following)
        assert sum(level.values()) == STORED["short/standard"][depth]


def _gnubg_board(board) -> list[list[int]]:
    return [list(board[1][:25]), list(board[0][:25])]


def _other_side(board) -> list[list[int]]:
    return [list(board[1]), list(board[0])]
