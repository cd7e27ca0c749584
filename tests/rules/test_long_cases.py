"""The engine on the published cases of long nardy, its results, and the tables of the head rule."""

from __future__ import annotations

import pytest
from comparison import engine_ends, engine_results
from reference.head_tables import FIRST_PLAYER, OPTIONS, SECOND_PLAYER, HeadCase
from reference.long_cases import (
    LastRollCase,
    PlayCase,
    ResultCase,
    last_roll_cases,
    play_cases,
    result_cases,
)


@pytest.mark.parametrize("case", play_cases(), ids=lambda case: case.name)
def test_plays(case: PlayCase) -> None:
    first, second = case.dice
    for dice in ((first, second), (second, first)):
        assert engine_ends(case.options, case.board, dice, case.seat, case.turns) == case.ends


def _is_between_turns(case: ResultCase) -> bool:
    """The engine takes boards as handed over: only the starter, after a last roll, has all off on roll."""
    return case.board[0][25] < 15 or (case.options["last_roll"] and case.seat == 0)


BETWEEN_TURNS = [case for case in result_cases() if _is_between_turns(case)]


def test_every_result_is_asked() -> None:
    asked = {case.name.rpartition("-")[0] for case in BETWEEN_TURNS if case.outcome}
    assert asked == {case.name.rpartition("-")[0] for case in result_cases() if case.outcome}


@pytest.mark.parametrize("case", BETWEEN_TURNS, ids=lambda case: case.name)
def test_results(case: ResultCase) -> None:
    assert engine_results(case.options, [(case.board, case.seat)]) == [case.outcome]


@pytest.mark.parametrize("case", last_roll_cases(), ids=lambda case: case.name)
def test_last_rolls(case: LastRollCase) -> None:
    assert case.end in engine_ends(case.options, case.board, case.dice, seat=1, turns=3)


@pytest.mark.parametrize("case", FIRST_PLAYER + SECOND_PLAYER, ids=lambda case: case.name)
def test_head_tables(case: HeadCase) -> None:
    assert engine_ends(OPTIONS[case.exception], case.board, case.dice, case.seat, turns=0) == case.ends
