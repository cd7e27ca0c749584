"""XGID: known ones, there and back, against GNU Backgammon, and malformed ones."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from gnubg_program import run_gnubg
from hypothesis import given, settings
from hypothesis import strategies as st
from matches import EVERY_GAME, random_history, terms_for

from nardy_ai.core import InputError
from nardy_ai.rules import Cube, Game, MatchState, Terms, gnubg_id, read_xgid, set_up, xgid

SHORT = Game("short")
START = "-b----E-C---eE---c-e----B-"


def test_the_opening_position() -> None:
    text = f"XGID={START}:0:0:1:00:0:0:0:0:10"
    state = read_xgid(text)
    assert state.position == SHORT.start()
    assert (state.phase, state.on_roll, state.cube, state.score) == ("throw", 0, Cube(), (0, 0))
    assert (state.terms.length, state.terms.cube.jacoby, state.terms.max_cube) == (None, False, 1024)
    assert xgid(state) == text
    assert read_xgid(text[5:]) == state
    assert read_xgid(f" xgid={text[5:-3]}\n") == state


def test_a_position_on_the_bar_in_a_match() -> None:
    """A published problem: bar/20 8/6 is the best 5-2."""
    state = read_xgid("XGID=-aa--CCBCa--ca---a-c-bb-CA:0:0:1:52:0:1:0:5:10")
    assert (state.position.bar, state.dice, state.score) == ((1, 0), (5, 2), (0, 1))
    assert state.position.pips == (168, 154)
    assert "bar/20 8/6" in [play.notation for play in state.plays()]


def test_the_top_player_on_roll_in_a_crawford_game() -> None:
    state = read_xgid("XGID=--BCBBC--b--bB---bbcb-b-A-:0:0:-1:16:1:2:1:3:8")
    assert (state.on_roll, state.dice, state.crawford, state.score) == (1, (6, 1), True, (1, 2))
    assert state.terms.max_cube == 256
    # The top player's points are counted from his own side.
    assert state.position.on_point(16) == (2, 0)
    assert state.position.on_point(3) == (2, 0)
    assert state.position.on_point(23) == (0, 2)
    assert state.position.on_point(1) == (0, 1)


def test_the_turn_of_an_offered_double_is_the_doublers() -> None:
    text = f"XGID={START}:1:-1:-1:D:1:3:0:7:10"
    state = read_xgid(text)
    assert (state.phase, state.on_roll, state.decider) == ("doubled", 1, 0)
    assert (state.cube, state.offered) == (Cube(2, 1), 4)
    assert xgid(state) == text


def test_a_beaver() -> None:
    state = read_xgid(f"XGID={START}:0:0:1:B:0:0:3:0:10")
    assert (state.phase, state.decider, state.offered) == ("beavered", 0, 4)
    assert (state.terms.cube.jacoby, state.terms.cube.beavers) == (True, True)
    assert xgid(state) == f"XGID={START}:0:0:1:B:0:0:3:0:10"


def test_a_cube_in_the_middle_tells_of_automatic_doubles() -> None:
    text = f"XGID={START}:2:0:1:00:0:0:2:0:10"
    state = read_xgid(text)
    assert (state.cube, state.automatic, state.terms.cube.automatic_doubles) == (Cube(4), 2, 2)
    assert xgid(state) == text
    with pytest.raises(InputError, match="automatic doubles"):
        read_xgid(f"XGID={START}:2:0:1:00:0:0:0:5:10")


def test_other_short_games() -> None:
    hyper = Game("short/hypergammon")
    state = read_xgid("XGID=-aaa------------------AAA-:0:0:1:31:0:0:0:3:10", hyper)
    assert state.position == hyper.start()
    with pytest.raises(InputError, match="15 checkers"):
        read_xgid(f"XGID={START}:0:0:1:00:0:0:0:0:10", hyper)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(n for n, g in EVERY_GAME.items() if g.family == "short")), st.integers(0, 2**32)
)
def test_there_and_back(name: str, seed: int) -> None:
    rng = random.Random(seed)
    history = random_history(terms_for(EVERY_GAME[name], rng), rng, 80)
    for state in rng.sample(history.states, min(20, len(history.states))):
        if state.on_roll is None:
            continue
        text = xgid(state)
        found = read_xgid(text, state.game)
        assert xgid(found) == text
        assert found.position.board.tolist() == state.position.board.tolist()
        for part in ("phase", "won", "crawford", "dice", "cube", "on_roll", "decider"):
            assert getattr(found, part) == getattr(state, part), part
        assert found.terms.length == state.terms.length
        assert replace(found.terms.cube, automatic_doubles=0) == replace(
            state.terms.cube, automatic_doubles=0
        )


def test_long_nardy_has_none() -> None:
    long = Game("long")
    with pytest.raises(InputError, match="short nardy, not for long/fns"):
        xgid(set_up(Terms.match(long, 3), long.start(), on_roll=0))
    with pytest.raises(InputError, match="short nardy, not for long/fns"):
        read_xgid(f"XGID={START}:0:0:1:00:0:0:0:0:10", long)


def test_no_game_no_xgid() -> None:
    begun = MatchState.begin(Terms.money(SHORT))
    for state in (begun, begun.roll_off((3, 1)).resign("single", by=0)):
        with pytest.raises(InputError, match="a game that goes on"):
            xgid(state)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "1 fields"),
        ("XGID=", "1 fields"),
        (f"XGID={START}", "1 fields"),
        (f"XGID={START}:0:0:1:00:0:0:0:0:10:0", "11 fields"),
        (f"XGID={START[1:]}:0:0:1:00:0:0:0:0:10", "26 characters"),
        (f"XGID={START[:-1]}?:0:0:1:00:0:0:0:0:10", "26 characters"),
        (f"XGID=B{START[1:]}:0:0:1:00:0:0:0:0:10", "bars are exchanged"),
        (f"XGID={START[:-1]}b:0:0:1:00:0:0:0:0:10", "bars are exchanged"),
        ("XGID=-O----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "checkers of the bottom"),
        ("XGID=oo----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "checkers of the top"),
        (f"XGID={START}:x:0:1:00:0:0:0:0:10", "the cube 'x'"),
        (f"XGID={START}:16:0:1:00:0:0:0:0:10", "the cube '16'"),
        (f"XGID={START}:-1:0:1:00:0:0:0:0:10", "the cube '-1'"),
        (f"XGID={START}:1:2:1:00:0:0:0:0:10", "cube's owner"),
        (f"XGID={START}:0:1:1:00:0:0:0:0:10", "in the middle"),
        (f"XGID={START}:0:0:0:00:0:0:0:0:10", "the turn '0'"),
        (f"XGID={START}:0:0:1:07:0:0:0:0:10", "the dice '07'"),
        (f"XGID={START}:0:0:1:DD:0:0:0:0:10", "the dice 'DD'"),
        (f"XGID={START}:0:0:1:R:0:0:3:0:10", "raccoon"),
        (f"XGID={START}:0:0:1:B:0:0:0:0:10", "beavers"),
        (f"XGID={START}:1:-1:1:D:0:0:0:0:10", "owner of the cube"),
        (f"XGID={START}:0:0:1:00:x:0:0:0:10", "bottom player's score"),
        (f"XGID={START}:0:0:1:00:0:-1:0:5:10", "top player's score"),
        (f"XGID={START}:0:0:1:00:5:0:0:5:10", "match to 5 is over"),
        (f"XGID={START}:0:0:1:00:3:0:1:5:10", "not the Crawford game"),
        (f"XGID={START}:0:0:1:00:4:0:2:5:10", "rule flags"),
        (f"XGID={START}:0:0:1:00:0:0:4:0:10", "rule flags"),
        (f"XGID={START}:0:0:1:00:0:0:0:99999:10", "match length"),
        (f"XGID={START}:0:0:1:00:0:0:0:0:x", "largest cube"),
        (f"XGID={START}:4:1:1:00:0:0:0:0:3", "limit"),
        ("XGID=---------------------------:0:0:1:00:0:0:0:0:10", "26 characters"),
        ("XGID=--------------------------:0:0:1:00:0:0:0:0:10", "borne off all"),
        ("x" * 1_000_000, "1000000 characters"),
        (7, "text, not int"),
    ],
)
def test_malformed(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as found:
        read_xgid(text)
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 400


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 9), st.text(max_size=30))
def test_a_broken_field_is_read_or_refused(index: int, value: str) -> None:
    fields = f"{START}:0:0:1:52:0:0:0:0:10".split(":")
    fields[index] = value
    try:
        state = read_xgid("XGID=" + ":".join(fields))
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert read_xgid(xgid(state)) == state


def test_the_program_reads_the_same(tmp_path: Path) -> None:
    rng = random.Random(8)
    states: list[MatchState] = []
    while len(states) < 120:
        terms = rng.choice(
            [Terms.match(SHORT, rng.choice((1, 3, 5, 9))), Terms.money(SHORT, jacoby=rng.random() < 0.5)]
        )
        history = random_history(terms, rng, rng.randint(2, 150))
        # It does not hold offered doubles, and reads money scores as 0.
        if history.state.phase in ("throw", "play") and (terms.length or history.state.number == 1):
            states.append(history.state)
    script = f"for text in {json.dumps([xgid(state) for state in states])}:\n"
    script += "    gnubg.command('set xgid ' + text)\n"
    script += "    answer([gnubg.positionid() + ':' + gnubg.matchid()])\n"
    answers = run_gnubg(script, tmp_path)
    assert len(answers) == len(states)
    seen = set()
    for state, (text,) in zip(states, answers, strict=True):
        # Its player 1 sits at the bottom, and it turns the board to put the player on roll there.
        assert text == gnubg_id(with_players_exchanged(state) if state.on_roll == 0 else state)
        seen.add((state.on_roll, state.crawford, state.cube.owner, state.dice is None))
    assert len(seen) > 10


def with_players_exchanged(state: MatchState) -> MatchState:
    assert state.starter is not None
    owner = state.cube.owner
    return replace(
        state,
        starter=1 - state.starter,
        won=(state.won[1], state.won[0]),
        cube=Cube(state.cube.value, None if owner is None else 1 - owner),
    )
