"""Open Sage beside us (skipped where `bgsage` is not installed)."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from bots.processes import children
from hypothesis import given, settings
from hypothesis import strategies as st

import nardy_ai as nardy
from nardy_ai.bots import OutsideError, SageBot, gnubg_found, sage_found
from nardy_ai.bots.sage_process import from_sage, to_sage

pytestmark = pytest.mark.skipif(not sage_found(), reason="bgsage is not installed (extra 'peers')")
SHORT = nardy.Game("short")


@pytest.fixture(scope="module")
def sage() -> Iterator[SageBot]:
    bot = SageBot()
    yield bot
    bot.close()


def test_boards_are_translated_there_and_back() -> None:
    from bgsage import STARTING_BOARD

    assert to_sage(SHORT.start().board) == STARTING_BOARD


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_no_board_changes_on_the_way(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mine = rng.random(24) < 0.5
    places = np.append(np.flatnonzero(mine), [24, 25]), np.append(np.flatnonzero(~mine[::-1]), [24, 25])
    board = np.array(
        [np.bincount(rng.choice(place, 15), minlength=26) for place in places], dtype=np.int8
    )
    assert np.array_equal(from_sage(to_sage(board)), board)


@pytest.mark.parametrize("plies", [0, 1])
def test_opening_plays_are_the_well_known_ones(plies: int) -> None:
    bot = SageBot(plies)
    for dice, play in (((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7")):
        assert bot.choose(SHORT.start(), dice) == SHORT.play(SHORT.start(), dice, play)
    bot.close()


def test_our_0_ply_is_its_1_ply(sage: SageBot) -> None:
    from bgsage import BgBotAnalyzer

    judge = BgBotAnalyzer(eval_level="1ply", cubeful=False)
    rng = np.random.default_rng(5)
    pos = SHORT.start()
    for _ in range(40):
        dice = tuple(int(die) for die in rng.integers(1, 7, 2))
        moves = judge.checker_play(to_sage(pos.board), *dice, jacoby=False).moves
        chosen = sage.choose(pos, (dice[0], dice[1]))
        assert to_sage(chosen.board) == (moves[0].board if moves else to_sage(pos.board))
        pos = chosen.position if chosen.position.result is None else SHORT.start()


def test_every_choice_in_whole_games_is_legal(sage: SageBot) -> None:
    result = nardy.match(sage, nardy.bot("random"), "short", pairs=8, seed=2)
    assert result.ppg > 1.5 and result.cut == 0


def test_threads_have_processes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["nardy_ai.evaluation.match"], "MIXED_SLICE", 4)
    before, bot = children(), SageBot()
    one = nardy.match(bot, nardy.bot("pubeval"), pairs=12, seed=4, threads=1)
    assert len(children() - before) == 1
    assert nardy.match(bot, nardy.bot("pubeval"), pairs=12, seed=4, threads=2).as_dict() == one.as_dict()
    assert len(children() - before) == 2
    bot.close()
    assert children() <= before


@pytest.mark.slow
@pytest.mark.skipif(not gnubg_found(), reason="gnubg-nn is not installed (extra 'peers')")
def test_it_is_as_strong_as_gnubg(sage: SageBot) -> None:
    result = nardy.match(sage, nardy.bot("gnubg:0"), pairs=4000, seed=1)
    assert abs(result.ppg) <= 0.05


def test_other_games_are_refused(sage: SageBot) -> None:
    for profile in ("long", "short/hypergammon", "short/tavla"):
        with pytest.raises(nardy.InputError, match="sage:0 plays short nardy with 15 checkers"):
            nardy.match(sage, nardy.bot("random"), profile, pairs=1)


def test_a_process_that_died_is_told(sage: SageBot) -> None:
    sage.choose(SHORT.start(), (3, 1))
    sage._crew._free[0]._process.kill()
    sage._crew._free[0]._process.wait()
    with pytest.raises(OutsideError, match=r"sage:0 was ended by signal 9.* 3-1 at 4HPwATDgc/ABMA:0:0"):
        sage.choose(SHORT.start(), (3, 1))
