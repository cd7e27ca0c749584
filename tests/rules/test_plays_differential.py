"""The engine's plays and results against the slow reference: the same boards, on every roll."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from comparison import differences, engine_results
from reference import PROFILES, VARIANTS, follow, legal_ends, result, turned
from reference.positions import Position, built, from_random_play, mixed, random_roll

from nardy_ai import core

ALL = PROFILES | VARIANTS
DEFAULTS = ("long/fns", "short/standard")


def _report(found: list[str]) -> str:
    return f"{len(found)} rolls differ, the first of them:\n" + "\n\n".join(found[:3])


@pytest.mark.parametrize("profile", DEFAULTS)
def test_random_positions_of_the_default_games(profile: str) -> None:
    """300 positions, all 36 ordered rolls of each."""
    found = differences(PROFILES[profile], from_random_play(PROFILES[profile], seed=1, count=300))
    assert not found, _report(found)


@pytest.mark.parametrize("profile", ALL)
def test_positions_of_every_profile(profile: str) -> None:
    """5,004 position-rolls of each named profile, and of variants that use the other option values."""
    found = differences(ALL[profile], mixed(ALL[profile], seed=2, count=139))
    assert not found, _report(found)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("profile", ALL)
def test_many_positions_of_every_profile(profile: str) -> None:
    """5,600 positions, 201,600 position-rolls."""
    options = ALL[profile]
    positions = from_random_play(options, seed=3, count=2800) + built(options, seed=3, count=2800)
    found = differences(options, positions)
    assert not found, _report(found)


@pytest.mark.parametrize("profile", ALL)
def test_every_play_is_a_sequence_of_legal_movements(profile: str) -> None:
    """The movements that the engine names are legal one by one and lead to the board beside them."""
    options = ALL[profile]
    rules = core.Rules(options)
    rng = random.Random(4)
    for position in mixed(options, seed=4, count=60):
        dice = random_roll(rng)
        _check_plays(options, rules, position, dice)


def _check_plays(
    options: dict[str, Any], rules: core.Rules, position: Position, dice: tuple[int, int]
) -> None:
    board, seat, turns = position
    boards, moves = core.plays(rules, np.array(board, dtype=np.int8), *dice, seat, turns)
    ends = [(tuple(mine), tuple(theirs)) for mine, theirs in boards.tolist()]
    assert set(ends) == legal_ends(options, board, dice, seat, turns)
    assert len(ends) == len(set(ends)) == len(moves)
    for end, movements in zip(ends, moves, strict=True):
        assert follow(options, board, dice, seat, turns, movements) == end


@pytest.mark.parametrize("profile", ALL)
def test_results_of_every_profile(profile: str) -> None:
    """Boards as they stand when a turn is handed over: unfinished, finished in every way, last rolls."""
    options = ALL[profile]
    rng = random.Random(5)
    all_off = (*(0,) * 25, options["checkers"])
    questions = []
    for board, seat, turns in built(options, seed=5, count=400):
        questions.append((board, seat))
        ends = sorted(legal_ends(options, board, random_roll(rng), seat, turns))
        questions += [(turned(end), 1 - seat) for end in (ends[0], ends[-1])]
        questions += [((board[0], all_off), seat) for seat in (0, 1)]
        if options.get("last_roll"):  # the starter is on roll again, after the last roll
            questions += [((all_off, board[1]), 0), ((all_off, all_off), 0)]
    expected = [result(options, board, seat) for board, seat in questions]
    assert engine_results(options, questions) == expected
    if options["checkers"] == 15:
        # Where there is no last roll, the player on roll has never won.
        names = {name for name in core.Rules(options).outcomes if options.get("last_roll") or "lose" in name}
        assert set(expected) == {None, *names}
