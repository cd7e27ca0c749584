"""GNU Backgammon beside us (skipped where `gnubg-nn` is not installed)."""

from __future__ import annotations

import pytest

import nardy_ai as nardy
from nardy_ai.bots import GnubgBot, OutsideError, gnubg_found

pytestmark = pytest.mark.skipif(not gnubg_found(), reason="gnubg-nn is not installed (extra 'peers')")


@pytest.fixture(scope="module")
def gnubg() -> GnubgBot:
    return GnubgBot()


@pytest.mark.parametrize(
    ("dice", "play"),
    [((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7"), ((5, 3), "8/3 6/3"), ((5, 6), "24/13")],
)
def test_opening_plays_are_its_well_known_ones(gnubg: GnubgBot, dice: tuple[int, int], play: str) -> None:
    pos = nardy.Game("short").start()
    assert gnubg.choose(pos, dice) == pos.game.play(pos, dice, play)


def test_every_choice_in_whole_games_is_legal(gnubg: GnubgBot) -> None:
    # The driver refuses an illegal one, passes and bearing off included.
    result = nardy.match(gnubg, nardy.bot("random"), "short", pairs=8, seed=2)
    assert result.ppg > 1.5 and result.cut == 0


def test_it_beats_pubeval_by_about_what_it_must(gnubg: GnubgBot) -> None:
    result = nardy.match(gnubg, nardy.bot("pubeval"), "short", pairs=120, seed=1)
    assert result.interval is not None
    # +0.57..+0.68 is the known range; 120 pairs resolve it to about ±0.16.
    assert result.interval[0] < 0.68 and result.interval[1] > 0.57


@pytest.mark.slow
def test_it_beats_pubeval_by_what_it_must(gnubg: GnubgBot) -> None:
    result = nardy.match(gnubg, nardy.bot("pubeval"), "short", pairs=2000, seed=1)
    assert 0.57 <= result.ppg <= 0.68


def test_other_games_are_refused(gnubg: GnubgBot) -> None:
    for profile in ("long", "short/hypergammon", "short/tavla"):
        with pytest.raises(nardy.InputError, match="gnubg:0 plays short nardy with 15 checkers"):
            nardy.match(gnubg, nardy.bot("random"), profile, pairs=1)


def test_a_process_that_died_is_told_and_another_is_started() -> None:
    bot = GnubgBot()
    pos = nardy.Game("short").start()
    bot.choose(pos, (3, 1))
    bot._crew._free[0]._process.kill()
    bot._crew._free[0]._process.wait()
    with pytest.raises(OutsideError, match=r"gnubg:0 was ended by signal 9.* 3-1 at 4HPwATDgc/ABMA:0:0"):
        bot.choose(pos, (3, 1))
    bot.close()
    assert bot.choose(pos, (3, 1)).notation == "8/5 6/5"
    bot.close()
