"""The program GNU Backgammon beside us (skipped where it is not installed)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from bots.processes import children
from gnubg_program import gnubg_path
from hypothesis import given, settings
from hypothesis import strategies as st

import nardy_ai as nardy
from nardy_ai.bots import GnubgProgramBot, OutsideError
from nardy_ai.bots.gnubg_program import GnubgServer, after_moves, board_line
from nardy_ai.evaluation import BotFault

SHORT = nardy.Game("short")
# A checker on the bar against a closed board.
CLOSED = np.array([[0] * 12 + [14] + [0] * 11 + [1, 0], [2, 2, 2, 2, 2, 2, 3] + [0] * 19], dtype=np.int8)


@pytest.fixture(scope="module")
def gnubg() -> Iterator[GnubgProgramBot]:
    gnubg_path()
    bot = GnubgProgramBot()
    yield bot
    bot.close()


@pytest.mark.parametrize(
    ("dice", "play"),
    [((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7"), ((5, 3), "8/3 6/3"), ((5, 6), "24/13")],
)
def test_opening_plays_are_its_well_known_ones(
    gnubg: GnubgProgramBot, dice: tuple[int, int], play: str
) -> None:
    assert gnubg.choose(SHORT.start(), dice) == SHORT.play(SHORT.start(), dice, play)


@pytest.mark.parametrize(("plies", "equity"), [(0, 0.067), (1, 0.076), (2, 0.076)])
def test_the_worth_of_the_start_is_the_known_one(plies: int, equity: float) -> None:
    gnubg_path()
    bot = GnubgProgramBot(plies)
    found = bot.evaluate(SHORT.start())
    assert found.equity == pytest.approx(equity, abs=6e-4)
    assert sum(found.outcomes.values()) == pytest.approx(1.0)
    assert found.outcomes["win"] > found.outcomes["win_gammon"] > found.outcomes["win_backgammon"] > 0
    bot.close()


def test_plays_are_ranked_by_what_they_leave(gnubg: GnubgProgramBot) -> None:
    ranked = gnubg.rank(SHORT.start(), (3, 1))
    assert len(ranked) == 16 and ranked[0].notation == "8/5 6/5"
    assert [entry.equity for entry in ranked] == sorted((entry.equity for entry in ranked), reverse=True)
    best = ranked[0]
    assert best.equity == pytest.approx(-gnubg.evaluate(best.play.position).equity)
    assert best.outcomes["win_gammon"] == pytest.approx(
        gnubg.evaluate(best.play.position).outcomes["lose_gammon"]
    )
    assert best.equity > 0.1


def test_a_finished_game_is_judged_by_rule(gnubg: GnubgProgramBot) -> None:
    pos = SHORT.position(np.array([[0] * 24 + [1, 14], [1] + [0] * 24 + [14]], dtype=np.int8), seat=0)
    ranked = gnubg.rank(SHORT.position(pos.board[::-1], seat=1), (6, 5))
    assert len(ranked) == 1 and ranked[0].equity == 1.0 and ranked[0].outcomes["win"] == 1.0


def test_it_passes_where_nothing_moves(gnubg: GnubgProgramBot) -> None:
    assert gnubg.choose(SHORT.position(CLOSED), (6, 3)).notation == "pass"


def test_every_choice_in_whole_games_is_legal(gnubg: GnubgProgramBot) -> None:
    result = nardy.match(gnubg, nardy.bot("random"), "short", pairs=8, seed=2)
    assert result.ppg > 1.5 and result.cut == 0


def test_one_process_serves_a_whole_match_for_each_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    gnubg_path()
    monkeypatch.setattr(sys.modules["nardy_ai.evaluation.match"], "MIXED_SLICE", 4)
    before = children()
    bot = GnubgProgramBot()
    one = nardy.match(bot, nardy.bot("pubeval"), pairs=12, seed=4, threads=1)
    assert len(children() - before) == 1
    assert nardy.match(bot, nardy.bot("pubeval"), pairs=12, seed=4, threads=2).as_dict() == one.as_dict()
    assert len(children() - before) == 2
    bot.close()
    assert children() <= before


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_a_board_has_room_in_a_request(seed: int) -> None:
    rng = np.random.default_rng(seed)
    board = np.array([np.bincount(rng.integers(0, 26, 15), minlength=26) for _ in range(2)], dtype=np.int8)
    asked = f"evaluation fibsboard {board_line(board, (0, 0))} plies 7 cubeless jacobyrule off prune on\n"
    assert len(asked) <= 256


@pytest.mark.parametrize(
    "answer", ["8/5 6", "left", "8/5 26/3", "8/-1", "7/5", "8/5 8/4 8/3 8/2", "bar/20", "0/3", "8/5x"]
)
def test_an_answer_that_is_no_play_is_none(answer: str) -> None:
    assert after_moves(SHORT.start().board, answer) is None


def test_movements_are_made_one_after_the_other() -> None:
    board = np.array(CLOSED)
    board[1] = [1, 0, 0, 1] + [0] * 20 + [0, 13]
    board[0] = [0] * 20 + [0, 0, 1, 0, 1, 13]
    after = after_moves(board, "25/21* 23/0 21/off")
    assert after is not None
    assert after[0].tolist() == [0] * 25 + [15]
    assert after[1].tolist() == [1] + [0] * 23 + [1, 13]


def test_a_program_that_died_is_told_with_the_position() -> None:
    gnubg_path()
    bot = GnubgProgramBot()
    bot.choose(SHORT.start(), (3, 1))
    bot._crew._free[0]._process._process.kill()
    # Its death is what is told here, not a race with it.
    bot._crew._free[0]._process._process.wait()
    with pytest.raises(
        OutsideError, match=r"(?s)gnubg-program:0 was ended by signal 9; it said: .* at 4HPwATDgc/ABMA:0:0"
    ):
        bot.choose(SHORT.start(), (3, 1))
    assert bot.choose(SHORT.start(), (3, 1)).notation == "8/5 6/5"
    bot.close()


def test_one_that_takes_too_long_is_told() -> None:
    gnubg_path()
    before, bot = children(), GnubgProgramBot(4)
    with bot._crew.one() as server:
        # Only from here on time is short: the program has been started.
        server._process.patience = 0.3
    with pytest.raises(BotFault, match=r"gnubg-program:4 gave no answer in 0\.3 s and was stopped"):
        nardy.match(bot, nardy.bot("random"), pairs=1, seed=1)
    assert children() <= before


FAKE = """\
import socket, sys, time
what, commands = sys.argv[1], sys.argv[-1]
print("a word from " + what, flush=True)
if what == "never":
    time.sleep(60)
if what == "ends":
    sys.exit(4)
path = open(commands).read().split("external ")[1].strip()
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen()
client, _ = server.accept()
while client.recv(4096):
    client.sendall({"nonsense": b"left a bit\\n", "error": b"Error: out of luck\\n", "long": b"8/5 " * 5000,
        "two": b"8/5 6/5\\n8/4 6/4\\n", "illegal": b"24/23 24/23\\n"}.get(what, b""))
    if what == "closes":
        client.close()
        time.sleep(60)
    if what == "mute":
        time.sleep(60)
"""


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("never", r"did not listen in 2 s and was stopped; it said: a word from never"),
        ("ends", "ended with code 4; it said: a word from ends"),
        ("closes", "closed its output; it said: a word from closes"),
        ("mute", r"gave no answer in 2 s and was stopped"),
        ("nonsense", "answered 'left a bit', which is no play"),
        ("error", "answered 'Error: out of luck'"),
        ("long", "answered '8/5 8/5"),
        ("two", r"answered '8/5 6/5\\n8/4 6/4'"),
        ("illegal", "chose a play that is not legal"),
    ],
)
def test_a_program_that_is_not_what_it_seems_is_told(
    what: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "gnubg.py"
    script.write_text(FAKE, encoding="utf-8")
    program = tmp_path / "gnubg"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" {what} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr("nardy_ai.bots.gnubg_program.find_gnubg", lambda: str(program))
    before, patience = children(), 2.0 if what in ("never", "mute") else 20.0
    with pytest.raises(OutsideError, match=message):
        GnubgProgramBot(0, patience).choose(SHORT.start(), (3, 1))
    assert children() <= before


def test_other_games_are_refused() -> None:
    gnubg_path()
    for profile in ("long", "short/hypergammon", "short/tavla"):
        with pytest.raises(nardy.InputError, match="gnubg-program:0 plays short nardy with 15 checkers"):
            nardy.bot("gnubg-program:0", profile)


def test_its_folder_goes_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    server = GnubgServer(gnubg_path(), "gnubg", 0, 20.0)
    assert len(list(tmp_path.iterdir())) == 1
    server.close()
    assert list(tmp_path.iterdir()) == []
