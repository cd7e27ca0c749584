"""What holds in every match of every profile, whatever is thrown, played and turned."""

from __future__ import annotations

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matches import EVERY_GAME, SMALL_GAMES, random_history, random_step, terms_for

from nardy_ai.core import InputError
from nardy_ai.rules.match import Double, Drop, History, IllegalStep, MatchState, NextGame, RollOff, Take

SEEDS = st.integers(0, 2**32 - 1)


def history(name: str, seed: int, most_steps: int = 150) -> History:
    rng = random.Random(seed)
    return random_history(terms_for(EVERY_GAME[name], rng), rng, most_steps)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(EVERY_GAME)), SEEDS)
def test_undo_and_redo_restore_every_state(name: str, seed: int) -> None:
    whole = history(name, seed, 60)
    back = whole
    for state in reversed(whole.states):
        assert back.state == state
        assert hash(back.state) == hash(state)
        if back.steps:
            back = back.undo()
    assert back.state == MatchState.begin(whole.start.terms)
    with pytest.raises(InputError, match="no step to take back"):
        back.undo()
    for state in whole.states[1:]:
        back = back.redo()
        assert back.state == state
    assert back == whole
    with pytest.raises(InputError, match="no step to make again"):
        back.redo()


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(SMALL_GAMES)), SEEDS, st.lists(st.booleans(), max_size=60))
def test_any_walk_of_undo_and_redo_stands_where_it_stood(name: str, seed: int, back: list[bool]) -> None:
    """The present is one of the states that there were, however one has gone to and fro, counters and all."""
    walked = whole = history(name, seed, 30)
    place = len(whole.steps)
    for undoing in back:
        if (place == 0) if undoing else (place == len(whole.steps)):
            continue
        walked = walked.undo() if undoing else walked.redo()
        place += -1 if undoing else 1
        assert walked.states == whole.states[: place + 1]
        assert walked.steps == whole.steps[:place]
        assert walked.undone == whole.steps[place:][::-1]
        assert repr(walked.state) == repr(whole.states[place])


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(SMALL_GAMES)), SEEDS)
def test_a_new_step_forgets_what_was_undone(name: str, seed: int) -> None:
    whole = history(name, seed, 40)
    again = whole.undo().make(whole.steps[-1])
    assert again == whole
    assert whole.undo().undone == whole.steps[-1:]
    assert again.undone == ()


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(EVERY_GAME)), SEEDS)
def test_scores_follow_from_results(name: str, seed: int) -> None:
    whole = history(name, seed)
    won, draws = [0, 0], 0
    for state, step in zip(whole.states[1:], whole.steps, strict=True):
        if state.result is not None and not isinstance(step, NextGame):
            draws += state.result.winner is None
            if state.result.winner is not None:
                won[state.result.winner] += state.result.points
        assert (state.won, state.draws) == (tuple(won), draws)
        length = state.terms.length
        leads = length is not None and max(state.score) >= length and state.score[0] != state.score[1]
        assert (state.phase == "match_over") == leads
        assert (state.winner is not None) == leads
        drawn = draws * state.game.profile.match.draw_points
        assert state.score == (won[0] + drawn, won[1] + drawn)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(EVERY_GAME)), SEEDS)
def test_the_cube_keeps_to_its_rules(name: str, seed: int) -> None:
    whole = history(name, seed)
    crawford_games = {state.number for state in whole.states if state.crawford}
    assert len(crawford_games) <= 1
    for state, step, after in zip(whole.states, whole.steps, whole.states[1:], strict=False):
        cube, terms = state.cube, state.terms
        assert cube.value & (cube.value - 1) == 0
        assert cube.value <= terms.max_cube
        if not terms.cube.enabled:
            assert cube.owner is None
        if state.crawford:
            assert terms.length is not None
            assert max(state.won) == terms.length - 1 or state.result is not None
            assert (cube.value, cube.owner) == (1, None)
        if isinstance(step, Double):
            assert cube.owner in (None, state.on_roll)
            assert not state.crawford
        if isinstance(step, Take):
            assert after.cube.value == cube.value * 2
            assert after.cube.owner != after.on_roll or state.phase == "beavered"
        if isinstance(step, Drop):
            assert after.result is not None
            assert after.result.points == cube.value * state.game.profile.scores[0][1]
        if isinstance(step, RollOff) and step.dice[0] == step.dice[1]:
            assert after.phase == "rolloff"
            assert after.cube.value in (cube.value, cube.value * 2)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(EVERY_GAME)), SEEDS)
def test_only_the_choices_are_possible(name: str, seed: int) -> None:
    rng = random.Random(seed)
    whole = history(name, seed, 50)
    state = rng.choice(whole.states)
    kept = pickle.dumps(state)
    steps = {
        "roll_off": lambda: state.roll_off((2, 1)),
        "throw": lambda: state.throw((2, 1)),
        "play": lambda: state.play(rng.choice(state.plays())),
        "double": state.double,
        "take": state.take,
        "drop": state.drop,
        "beaver": state.beaver,
        "next_game": state.next_game,
    }
    for choice, step in steps.items():
        if choice in state.choices:
            assert step() != state
        else:
            with pytest.raises(IllegalStep) as found:
                step()
            assert str(found.value).count("\n") == 0
    assert pickle.loads(kept) == state
    if state.phase != "match_over":
        assert (state.decider is None) == (state.phase in ("rolloff", "game_over"))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(EVERY_GAME)), SEEDS)
def test_players_alternate_and_dice_lie_only_while_playing(name: str, seed: int) -> None:
    whole = history(name, seed)
    for state, after in zip(whole.states, whole.states[1:], strict=False):
        assert (state.dice is not None) == (state.phase == "play")
        if state.phase == "play" and after.phase == "throw":
            assert state.on_roll is not None
            assert after.on_roll == 1 - state.on_roll
        if state.phase in ("doubled", "beavered") and after.phase == "throw":
            assert after.on_roll == state.on_roll


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(SMALL_GAMES)), SEEDS)
def test_the_same_steps_make_the_same_states(name: str, seed: int) -> None:
    whole = history(name, seed)
    again = History.of(whole.start, whole.steps)
    assert again == whole
    assert hash(again) == hash(whole)
    if whole.state.choices:
        longer = whole.make(random_step(whole.state, random.Random(seed)))
        assert longer.undo().states == whole.states


def test_the_random_matches_go_everywhere() -> None:
    """The properties above are about something: every step, phase and kind of end occurs often."""
    seen: set[object] = set()
    for name in SMALL_GAMES:
        for seed in range(30):
            whole = history(name, seed)
            for state, step in zip(whole.states[1:], whole.steps, strict=True):
                seen |= {state.phase, type(step).__name__, ("automatic", min(state.automatic, 1))}
                seen |= {("crawford", state.crawford), ("after", state.post_crawford)}
                if state.result is not None:
                    seen |= {state.result.kind, state.result.how}
    assert seen >= {"rolloff", "throw", "play", "doubled", "beavered", "game_over", "match_over"}
    assert seen >= {"RollOff", "Throw", "Move", "Double", "Take", "Drop", "Beaver", "Resign", "NextGame"}
    assert seen >= {"single", "gammon", "backgammon", "oin", "mars", "koks", "home_mars", "draw"}
    assert seen >= {("automatic", 1), ("crawford", True), ("after", True), "resignation", "drop", "play"}
