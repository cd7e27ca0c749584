"""The generators of positions: possible, repeatable, and full of what they are built for."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from typing import Any

import pytest

from reference import PROFILES, VARIANTS, legal_ends, movements_used, result
from reference.boards import points_of
from reference.positions import VERSION, built, from_random_play, random_roll

ALL = PROFILES | VARIANTS


@pytest.mark.parametrize("profile", ALL)
def test_positions_are_possible_and_repeatable(profile: str) -> None:
    options = ALL[profile]
    for generate in (from_random_play, built):
        positions = generate(options, seed=1, count=48)
        assert positions == generate(options, seed=1, count=48)
        assert positions != generate(options, seed=2, count=48)
        assert len(positions) == 48
        for board, seat, turns in positions:
            assert all(sum(row) == options["checkers"] and min(row) >= 0 for row in board)
            assert result(options, board, seat) is None
            assert seat in (0, 1)
            assert 0 <= turns <= 3


FROZEN = {1: "4a40194200a5edcb"}
"""Version of the generators -> hash of what they make. Another hash means other positions in every
differential test: raise `VERSION` beside the generators on purpose, or find what changed them."""


def test_the_positions_are_those_of_their_version() -> None:
    digest = hashlib.sha256()
    for name in sorted(ALL):
        for generate in (from_random_play, built):
            digest.update(repr(generate(ALL[name], seed=1, count=12)).encode())
    assert digest.hexdigest()[:16] == FROZEN[VERSION]


def _seen(options: dict[str, Any], changed: dict[str, Any]) -> Counter[str]:
    """How often, in 800 questions about built positions, a rule or kind of turn shows."""
    rng, seen = random.Random(7), Counter[str]()
    for board, seat, turns in built(options, seed=3, count=800):
        dice = random_roll(rng) if rng.random() < 0.7 else (rng.randint(1, 6),) * 2
        ends = legal_ends(options, board, dice, seat, turns)
        full = 4 if dice[0] == dice[1] else 2
        used = movements_used(options, board, dice, seat, turns)
        mine = points_of(board[0])
        seen["pass"] += used == 0
        seen["one die of two"] += full == 2 and used == 1
        seen["part of a double"] += full == 4 and 0 < used < 4
        seen["bears off"] += any(end[0][25] > board[0][25] for end in ends)
        seen["enters and bears off"] += any(mine[7:]) and any(end[0][25] > board[0][25] for end in ends)
        seen["hits"] += any(end[1][24] > board[1][24] for end in ends)
        seen["ends the game"] += any(end[0][25] == options["checkers"] for end in ends)
        seen["last roll"] += board[1][25] == options["checkers"]
        for name, change in changed.items():
            seen[name] += ends != legal_ends({**options, **change}, board, dice, seat, turns)
    return seen


def test_long_positions_put_every_option_to_use() -> None:
    seen = _seen(
        PROFILES["long/fns"],
        {
            "block": {"block": "none"},
            "transient": {"block_transient": False},
            "absolute": {"block": "absolute"},
            "ring": {"block": "absolute", "block_scope": "ring"},
            "no exception": {"head_exception": "none"},
            "blocked_any": {"head_exception": "blocked_any"},
            "head rule": {"head_rule": False},
            "next turn": {"bearoff_same_turn": False},
        },
    )
    few = {name: number for name, number in seen.items() if number < 5}
    assert set(few) == {"hits"}, seen  # nobody hits in long nardy


def test_short_positions_put_every_option_to_use() -> None:
    seen = _seen(
        PROFILES["short/standard"],
        {"hit and run": {"hit_and_run_home": False}, "next turn": {"bearoff_same_turn": False}},
    )
    few = {name: number for name, number in seen.items() if number < 5}
    assert set(few) == {"last roll"}, seen
