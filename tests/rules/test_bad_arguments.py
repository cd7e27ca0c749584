"""Every public function of the rules on things that it cannot take: one sentence, and nothing is guessed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nardy_ai.core import InputError
from nardy_ai.rules import (
    Cube,
    Game,
    History,
    MatchState,
    MatFile,
    Terms,
    dice_pair,
    explain,
    gnubg_id,
    load_profile,
    mat_of_text,
    mat_text,
    match_id,
    profile_of_table,
    read_gnubg_id,
    read_mat,
    read_match_id,
    read_xgid,
    set_up,
    turned,
    write_mat,
    xgid,
)
from nardy_ai.rules.match import Move, Resign, RollOff, Starts, Throw

SHORT, LONG = Game("short"), Game("long")
START = SHORT.start()
BOARD, LONG_BOARDS = START.board, LONG.start().board[None]
TERMS = Terms.match(SHORT, 5)
ROLL_OFF = MatchState.begin(TERMS)
PLAY = ROLL_OFF.roll_off((3, 1))
THROW = PLAY.play("8/5 6/5")
DOUBLED = THROW.double()
LONG_ROLL_OFF = MatchState.begin(Terms.match(LONG, 3))
HISTORY = History.of(ROLL_OFF, [RollOff((3, 1))])
MONEY_TEXT = mat_text(MatFile(History.of(MatchState.begin(Terms.money(SHORT)))))
PLACE = Path("no", "such", "folder", "x.mat")

JUNK: dict[str, Any] = {
    "None": None,
    "0": 0,
    "-1": -1,
    "99": 99,
    "2.5": 2.5,
    "True": True,
    "word": "x",
    "empty": "",
    "line break": "a\nb",
    "colon": "a:b",
    "noise": "A" * 1_000_000,
    "bytes": b"x",
    "list": [],
    "dict": {},
    "tuple": (1, 2, 3),
    "nan": float("nan"),
    "huge": 2**70,
    "array": np.zeros(3),
    "object": object(),
    "path": PLACE,
}

Ask = Callable[[Any], Any]
# What is asked -> names of the junk that it may well be given.
ASKED: dict[str, tuple[Ask, str]] = {
    "Game": (Game, ""),
    "load_profile": (load_profile, ""),
    "profile_of_table": (lambda x: profile_of_table(x, "mine"), ""),
    "explain": (explain, ""),
    "explain, lang": (lambda x: explain(SHORT.profile, x), ""),
    "turned": (turned, ""),
    "dice_pair": (dice_pair, ""),
    "Game.position": (SHORT.position, ""),
    "Game.position, seat": (lambda x: LONG.position(LONG.start().board, seat=x), "0"),
    "Game.position, turns": (lambda x: SHORT.position(BOARD, turns=x), "None 0"),
    "Game.legal_boards": (lambda x: SHORT.legal_boards(x, (3, 1)), ""),
    "Game.legal_boards, dice": (lambda x: SHORT.legal_boards(BOARD, x), ""),
    "Game.legal_boards, seat": (lambda x: SHORT.legal_boards(BOARD, (3, 1), x), "None 0"),
    "Game.legal_boards, turns": (lambda x: SHORT.legal_boards(BOARD, (3, 1), 0, x), "None 0"),
    "Game.legal_boards_batch": (lambda x: SHORT.legal_boards_batch(x, [[3, 1]]), ""),
    "Game.legal_boards_batch, dice": (lambda x: SHORT.legal_boards_batch(BOARD[None], x), ""),
    "Game.legal_boards_batch, seats": (lambda x: LONG.legal_boards_batch(LONG_BOARDS, [[3, 1]], x), "0"),
    "Game.plays": (lambda x: SHORT.plays(x, (3, 1)), ""),
    "Game.plays, dice": (lambda x: SHORT.plays(START, x), ""),
    "Game.play": (lambda x: SHORT.play(x, (3, 1), "8/5 6/5"), ""),
    "Game.play, text": (lambda x: SHORT.play(START, (3, 1), x), ""),
    "Game.result": (SHORT.result, ""),
    "Game.results": (SHORT.results, ""),
    "Game.results, seats": (lambda x: SHORT.results(BOARD[None], x), "None 0"),
    "Position.on_point": (START.on_point, ""),
    "Position.text": (START.text, "None"),
    "Position.svg": (START.svg, "None"),
    "Position.svg, play": (lambda x: START.svg(play=x), "None"),
    "Position.svg, theme": (lambda x: START.svg(theme=x), ""),
    "Terms.match": (Terms.match, ""),
    "Terms.match, length": (lambda x: Terms.match(SHORT, x), "99"),
    "Terms.match, crawford": (lambda x: Terms.match(SHORT, 5, crawford=x), "True"),
    "Terms.match, max_cube": (lambda x: Terms.match(SHORT, 5, max_cube=x), ""),
    "Terms.money": (Terms.money, ""),
    "Terms.money, jacoby": (lambda x: Terms.money(SHORT, jacoby=x), "None True"),
    "Terms.money, beavers": (lambda x: Terms.money(SHORT, beavers=x), "None True"),
    "Terms.money, automatic": (lambda x: Terms.money(SHORT, automatic_doubles=x), "None 0"),
    "Terms.points_of": (lambda x: TERMS.points_of(x, 1, cube_turned=True), ""),
    "MatchState.begin": (MatchState.begin, ""),
    "MatchState.roll_off": (ROLL_OFF.roll_off, ""),
    "MatchState.starts": (LONG_ROLL_OFF.starts, "0"),
    "MatchState.throw": (THROW.throw, ""),
    "MatchState.throw, by": (lambda x: THROW.throw((3, 1), by=x), "None"),
    "MatchState.play": (PLAY.play, ""),
    "MatchState.play, by": (lambda x: PLAY.play("8/5 6/5", by=x), "None 0"),
    "MatchState.legal_play": (PLAY.legal_play, ""),
    "MatchState.double": (lambda x: THROW.double(by=x), "None"),
    "MatchState.take": (lambda x: DOUBLED.take(by=x), "None 0"),
    "MatchState.drop": (lambda x: DOUBLED.drop(by=x), "None 0"),
    "MatchState.resign": (lambda x: THROW.resign(x, by=0), ""),
    "MatchState.resign, by": (lambda x: THROW.resign("single", by=x), "0"),
    "MatchState.after": (ROLL_OFF.after, ""),
    "MatchState.after RollOff": (lambda x: ROLL_OFF.after(RollOff(x)), ""),
    "MatchState.after Throw": (lambda x: THROW.after(Throw(x)), ""),
    "MatchState.after Move": (lambda x: PLAY.after(Move(x)), ""),
    "MatchState.after Starts": (lambda x: LONG_ROLL_OFF.after(Starts(x)), "0"),
    "MatchState.after Resign": (lambda x: THROW.after(Resign(0, x)), ""),
    "History": (History, ""),
    "History, steps": (lambda x: History((ROLL_OFF,), x), ""),
    "History.of": (History.of, ""),
    "History.of, steps": (lambda x: History.of(ROLL_OFF, x), "empty list dict"),
    "History.make": (HISTORY.make, ""),
    "set_up": (lambda x: set_up(x, START, on_roll=0), ""),
    "set_up, position": (lambda x: set_up(TERMS, x, on_roll=0), ""),
    "set_up, on_roll": (lambda x: set_up(TERMS, START, on_roll=x), "0"),
    "set_up, won": (lambda x: set_up(TERMS, START, on_roll=0, won=x), ""),
    "set_up, won one": (lambda x: set_up(TERMS, START, on_roll=0, won=(x, 0)), "0"),
    "set_up, draws": (lambda x: set_up(TERMS, START, on_roll=0, draws=x), "0"),
    "set_up, cube": (lambda x: set_up(TERMS, START, on_roll=0, cube=x), "None"),
    "set_up, cube's value": (lambda x: set_up(TERMS, START, on_roll=0, cube=Cube(x, 0)), ""),
    "set_up, cube's owner": (lambda x: set_up(TERMS, START, on_roll=0, cube=Cube(2, x)), "0"),
    "set_up, dice": (lambda x: set_up(TERMS, START, on_roll=0, dice=x), "None"),
    "set_up, offered": (lambda x: set_up(TERMS, START, on_roll=0, offered=x), "None"),
    "set_up, crawford": (lambda x: set_up(TERMS, START, on_roll=0, won=(4, 0), crawford=x), "True"),
    "match_id": (match_id, ""),
    "gnubg_id": (gnubg_id, ""),
    "xgid": (xgid, ""),
    "read_match_id": (read_match_id, ""),
    "read_gnubg_id": (lambda x: read_gnubg_id(x, SHORT), ""),
    "read_gnubg_id, game": (lambda x: read_gnubg_id(gnubg_id(PLAY), x), ""),
    "read_gnubg_id, seat": (lambda x: read_gnubg_id(gnubg_id(PLAY), SHORT, seat=x), "None 0"),
    "read_xgid": (read_xgid, ""),
    "read_xgid, game": (lambda x: read_xgid(xgid(PLAY), x), "None"),
    "MatchId.state": (lambda x: read_match_id(match_id(PLAY)).state(x), ""),
    "MatchId.state, terms": (lambda x: read_match_id(match_id(PLAY)).state(START, x), "None"),
    "MatchId.terms": (lambda x: read_match_id(match_id(PLAY)).terms(x), ""),
    "MatFile": (MatFile, ""),
    "MatFile, names": (lambda x: MatFile(HISTORY, x), ""),
    "MatFile, tags": (lambda x: MatFile(HISTORY, ("a", "b"), x), ""),
    "MatFile, tag's name": (lambda x: mat_text(MatFile(HISTORY, ("a", "b"), ((x, "b"),))), "word colon"),
    "mat_text": (mat_text, ""),
    "mat_of_text": (mat_of_text, ""),
    "mat_of_text, game": (lambda x: mat_of_text(MONEY_TEXT, x), "None"),
    "mat_of_text, jacoby": (lambda x: mat_of_text(MONEY_TEXT, jacoby=x), "None True"),
    "mat_of_text, beavers": (lambda x: mat_of_text(MONEY_TEXT, beavers=x), "None True"),
    "read_mat": (read_mat, ""),
    "write_mat": (lambda x: write_mat(PLACE, x), ""),
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_cannot_be_taken(asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where no file has the name of a piece of junk
    ask, fine = ASKED[asked]
    for name, value in JUNK.items():
        if name in fine.split():
            ask(value)
            continue
        with pytest.raises(InputError) as caught:
            ask(value)
            pytest.fail(f"{name} was taken")
        assert "\n" not in str(caught.value), name
        assert 10 < len(str(caught.value)) < 700, (name, str(caught.value))


@pytest.mark.parametrize("point", [0, 25, -1, 24.0, True, np.int8(3)])
def test_points_do_not_wrap_around(point: Any) -> None:
    with pytest.raises(InputError, match="from 1 to 24"):
        START.on_point(point)


@pytest.mark.parametrize("place", [None, 3, 2.5, [], object(), "a\0b", ".", PLACE])
def test_match_files_that_cannot_be_written(place: Any) -> None:
    with pytest.raises(InputError) as caught:
        write_mat(place, MatFile(HISTORY))
    assert "\n" not in str(caught.value)


def test_a_match_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match.mat"
    write_mat(path, MatFile(HISTORY))
    before = path.read_bytes()

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_mat(path, MatFile(HISTORY, ("Ann", "Bob")))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_throw_for_the_wrong_player_names_the_rule() -> None:
    for step in (
        lambda: THROW.throw((3, 1), by=0),
        lambda: DOUBLED.take(by=1),
        lambda: PLAY.play("8/5 6/5", by=1),
    ):
        with pytest.raises(InputError, match=r"order of play: .* up to player"):
            step()
