"""Random matches of every profile come back from their `.mat` files as they were."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matches import EVERY_GAME, SMALL_GAMES, random_history, terms_for

from nardy_ai.core import InputError
from nardy_ai.rules import History, MatFile, mat_of_text, mat_text
from nardy_ai.rules.match import Resign

SEEDS = st.integers(0, 2**32 - 1)


def kept(history: History) -> History:
    """The history as a file keeps it: of a resignation only what it paid."""
    steps = []
    for state, step in zip(history.states, history.steps, strict=False):
        if isinstance(step, Resign):
            turned = state.cube.owner is not None

            def paid(kind: str, state=state, turned=turned) -> int:  # type: ignore[no-untyped-def]
                return int(state.terms.points_of(kind, state.cube.value, cube_turned=turned))

            kinds = [kind for kind, _ in state.game.profile.scores if paid(kind) == paid(step.kind)]
            step = Resign(step.player, kinds[0])
        steps.append(step)
    return History.of(history.start, steps)


def round_trip(name: str, seed: int, names: tuple[str, str], most_steps: int) -> None:
    rng = random.Random(seed)
    game = EVERY_GAME[name]
    file = MatFile(kept(random_history(terms_for(game, rng), rng, most_steps)), names)
    text = mat_text(file)
    given_game = game if name in SMALL_GAMES else None
    assert mat_of_text(text, given_game) == file
    assert mat_text(mat_of_text(text, given_game)) == text


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(EVERY_GAME)), SEEDS, st.tuples(st.text(), st.text()), st.integers(0, 120))
def test_matches_come_back(name: str, seed: int, names: tuple[str, str], most_steps: int) -> None:
    round_trip(name, seed, names, most_steps)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_thousands_of_matches_come_back() -> None:
    for seed in range(4000):
        rng = random.Random(seed)
        round_trip(rng.choice(sorted(EVERY_GAME)), seed, ("Ann", "Bob"), rng.randint(0, 600))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_refused_in_one_sentence(text: str) -> None:
    for whole in (
        text,
        f" 5 point match\n Game 1\n{text}",
        f" 0 point match\n Game 1\n A : 0  B : 0\n{text}",
    ):
        try:
            mat_of_text(whole)
        except InputError as error:
            assert "\n" not in str(error)
