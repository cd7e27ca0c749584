"""The match ID of GNU Backgammon, against its manual, against the program, and there and back."""

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
from nardy_ai.rules import (
    Cube,
    Game,
    MatchState,
    Terms,
    gnubg_id,
    match_id,
    read_gnubg_id,
    read_match_id,
    set_up,
)

SHORT = Game("short")
MONEY = Terms.money(SHORT)
MONEY_ALL = Terms.money(SHORT, jacoby=True, beavers=True)


def at(terms: Terms, on_roll: int, **options: object) -> MatchState:
    return set_up(terms, SHORT.start(), on_roll=on_roll, **options)  # type: ignore[arg-type]


# Written by GNU Backgammon 1.07 in these situations.
FROM_GNUBG = {
    "MAH3AAAAAAAE": at(Terms.match(SHORT, 7), 0, dice=(6, 5)),
    "MAEzAAAAAAAE": at(Terms.match(SHORT, 1), 0, dice=(6, 4)),
    "cAl3AAAAAAAE": at(Terms.match(SHORT, 3), 1, dice=(6, 5)),
    "cAkAAAAAAAAE": at(MONEY, 1),
    "cAkAAAAAAAAA": at(MONEY_ALL, 1),
    "cIkKAAAAAAAE": at(MONEY, 1, dice=(5, 2)),
    "MIEKAAAAAAAE": at(MONEY, 0, dice=(5, 2)),
    "UYmqABAAEAAE": at(Terms.match(SHORT, 5), 1, won=(1, 2), cube=Cube(2, 1), dice=(5, 2)),
    "8AmgAAAAIAAE": at(Terms.match(SHORT, 5), 1, won=(0, 4), crawford=True),
    "cAmgAAAAIAAE": at(Terms.match(SHORT, 5), 1, won=(0, 4)),
    "cBEAAAAAAAAA": at(MONEY_ALL, 1, offered="double"),
    "QRkAAAAAAAAA": at(MONEY_ALL, 1, offered="beaver"),
    "cQkAAAAAAAAA": at(Terms.money(SHORT, jacoby=True, automatic_doubles=1), 1, cube=Cube(2)),
}


@pytest.mark.parametrize("text", FROM_GNUBG)
def test_ids_that_gnubg_wrote(text: str) -> None:
    state = FROM_GNUBG[text]
    assert match_id(state) == text
    assert read_match_id(text).state(SHORT.start(), state.terms) == state
    assert gnubg_id(state) == f"4HPwATDgc/ABMA:{text}"


def test_the_example_of_the_manual() -> None:
    """2-4 in a match to 9, player 0 holds a 2-cube, player 1 has rolled 5-2."""
    found = read_match_id("QYkqASAAIAAA")
    assert (found.score, found.length, found.cube, found.owner) == ((2, 4), 9, 2, 0)
    assert (found.on_roll, found.decider, found.dice, found.doubled) == (1, 1, (5, 2), False)
    assert (found.crawford, found.jacoby, found.game, found.resignation) == (False, False, "playing", 0)
    state = read_gnubg_id("4HPwATDgc/ABMA:QYkqASAAIAAA", SHORT)
    # The bit behind the sixty-sixth is newer than the manual.
    assert match_id(state) == "QYkqASAAIAAE"


def test_ids_between_games() -> None:
    begun = MatchState.begin(Terms.match(SHORT, 5))
    assert read_match_id(match_id(begun)).game == "none"
    playing = begun.roll_off((3, 1)).play("8/5 6/5")
    assert read_match_id(match_id(playing.resign("gammon", by=0))).game == "resigned"
    dropped = read_match_id(match_id(playing.double().drop()))
    assert (dropped.game, dropped.score, dropped.dice) == ("dropped", (0, 1), None)
    for state in (begun, playing.double().drop()):
        with pytest.raises(InputError, match="over, being resigned or not begun"):
            read_match_id(match_id(state)).state(SHORT.start())


def test_a_dropped_beaver_as_gnubg_writes_it() -> None:
    ours = read_match_id(match_id(at(MONEY_ALL, 1, offered="beaver").drop()))
    theirs = read_match_id("QQwAACAAAAAA")
    assert (theirs.game, theirs.score, theirs.cube, theirs.owner) == ("dropped", (2, 0), 2, 0)
    # Whose turn it would be says nothing in a game that is over.
    assert ours == replace(theirs, on_roll=ours.on_roll, decider=ours.decider)


def test_a_beavered_redouble() -> None:
    state = at(MONEY_ALL, 1, cube=Cube(2, 1), offered="beaver")
    found = read_match_id(match_id(state))
    assert (found.cube, found.owner, found.beavered) == (4, 0, True)
    assert found.state(SHORT.start(), MONEY_ALL) == state
    assert found.state(SHORT.start()).terms.cube.beavers


def test_long_nardy_has_match_ids_of_whole_points() -> None:
    long = Game("long")
    state = set_up(Terms.match(long, 3), long.start(), on_roll=1, won=(1, 2), dice=(6, 6))
    assert read_gnubg_id(f"{state.position.key}:{match_id(state)}", long) == state
    assert read_gnubg_id(gnubg_id(state), long, seat=0) == state
    with pytest.raises(InputError, match="whole points"):
        match_id(set_up(Terms.match(long, 3), long.start(), on_roll=1, won=(1, 2), draws=1))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(EVERY_GAME)), st.integers(0, 2**32 - 1))
def test_there_and_back(name: str, seed: int) -> None:
    rng = random.Random(seed)
    history = random_history(terms_for(EVERY_GAME[name], rng), rng, 80)
    for state in rng.sample(history.states, min(20, len(history.states))):
        if state.on_roll is None or state.score != tuple(map(int, state.score)):
            continue
        found = read_match_id(match_id(state)).state(state.position, state.terms)
        assert match_id(found) == match_id(state)
        assert (found.position, found.cube, found.dice, found.phase) == (
            state.position,
            state.cube,
            state.dice,
            state.phase,
        )
        assert (found.score, found.crawford, found.on_roll, found.decider) == (
            state.score,
            state.crawford,
            state.on_roll,
            state.decider,
        )


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=20) | st.text("ABCDwxyz0189+/", min_size=12, max_size=12) | st.binary(max_size=12))
def test_whatever_is_read_is_written_back_or_refused(text: str) -> None:
    try:
        found = read_match_id(text)
    except InputError as error:
        assert "\n" not in str(error)
        return
    try:
        state = found.state(SHORT.start())
    except InputError as error:
        assert "\n" not in str(error)
        return
    again = read_match_id(match_id(state))
    assert (again.score, again.cube, again.owner) == (found.score, found.cube, found.owner)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "0 characters"),
        ("QYkqASAAIAA", "11 characters"),
        ("QYkqASAAIAAAA", "13 characters"),
        ("QYkqASAAIA A", "characters must be"),
        ("QYkqASAAIAA=", "characters must be"),
        ("Кириллица123", "characters must be"),
        ("QYkqASAAIAAg", "behind the last field"),
        ("IIkqASAAIAAA", "neither a player nor the middle"),
        ("QY8qASAAIAAA", "game state"),
        ("QYkrASAAIAAA", "dice"),
        (None, "text, not NoneType"),
    ],
)
def test_malformed_ids(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read_match_id(text)


def test_ids_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="differ in the length"):
        read_match_id("QYkqASAAIAAA").state(SHORT.start(), MONEY)
    with pytest.raises(InputError, match="differ in the length of the match or the Jacoby"):
        read_match_id("cAkAAAAAAAAA").state(SHORT.start(), MONEY)
    with pytest.raises(InputError, match="no double on offer"):
        read_match_id("cAEAAAAAAAAE").state(SHORT.start())
    for text in ("4HPwATDgc/ABMA", "", "x:y", "4HPwATDgc/ABMA:"):
        with pytest.raises(InputError):
            read_gnubg_id(text, SHORT)
    with pytest.raises(InputError, match="text, not"):
        read_gnubg_id(5, SHORT)  # type: ignore[arg-type]


def test_the_program_reads_and_writes_the_same(tmp_path: Path) -> None:
    rng = random.Random(5)
    states = []
    while len(states) < 150:
        terms = rng.choice(
            [Terms.match(SHORT, rng.choice((1, 3, 5, 21))), MONEY, Terms.money(SHORT, jacoby=True)]
        )
        history = random_history(terms, rng, rng.randint(2, 150))
        # GNU Backgammon writes offered doubles, but does not read them.
        if history.state.phase in ("throw", "play"):
            states.append(history.state)
    script = f"for text in {json.dumps([gnubg_id(state) for state in states])}:\n"
    script += "    gnubg.command('set gnubgid ' + text)\n"
    script += "    answer([gnubg.positionid() + ':' + gnubg.matchid(), gnubg.posinfo(), gnubg.cubeinfo()])\n"
    answers = run_gnubg(script, tmp_path)
    assert len(answers) == len(states)
    seen = set()
    for state, (text, where, cube) in zip(states, answers, strict=True):
        assert text == gnubg_id(state)
        assert where["turn"] == state.decider
        assert tuple(where["dice"]) == (state.dice or (0, 0))
        assert cube["cube"] == state.cube.value
        assert cube["cubeowner"] == (-1 if state.cube.owner is None else state.cube.owner)
        assert cube["crawford"] == state.crawford
        if state.terms.length is not None:
            assert tuple(cube["score"]) == state.score
        assert cube["matchto"] == (state.terms.length or 0)
        seen.add((state.crawford, state.cube.owner, state.on_roll, state.terms.length is None))
    assert len(seen) > 10
