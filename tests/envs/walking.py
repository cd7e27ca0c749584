"""Games walked through an environment at random, beside the engine, which is asked about each turn anew."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from nardy_ai import core
from nardy_ai.envs import NardyAEC
from nardy_ai.rules import Game, Position


def differences_in_a_game(env: NardyAEC, seed: int, number: int) -> list[str]:
    """Plays game `number` of a seed by random actions; what the engine says otherwise, as text."""
    rng = random.Random(f"{seed} {number}")
    game = env.game
    env.reset(seed=seed, options={"game": number})
    position, turn, found = game.start(), 0, []
    opening_pair = game.profile.rules.opening_roll == "rolloff_pair"
    while not position.finished:
        dice = core.dice(seed, core.PURPOSES["dice_duel"], number, turn, 1, opening_pair)[0]
        where = f"{game.name} game {number} turn {turn} {position.key} {dice.tolist()}"
        results = game.legal_boards(position.board, dice.tolist(), position.seat, position.turns)
        listed = [result.tobytes() for result in results]
        before, after = _one_turn(env, rng)
        if before != (position.key, f"player_{position.seat}"):
            found.append(f"{where}: the environment stands at {before}")
        if after not in listed:
            found.append(f"{where}: the environment came to a board that is not on the list")
            return found
        position = position.after(results[listed.index(after)])
        turn += 1
    return found + _differences_at_the_end(env, game, position)


def _one_turn(env: NardyAEC, rng: random.Random) -> tuple[tuple[str, str], bytes]:
    """(Position and agent before the turn, the board after it with the mover in row 0)."""
    agent, course, position = env.agent_selection, env.course, env.position
    before = position.key, agent
    while env.position is position and not course.over:
        mask = env.observe(agent)["action_mask"]
        env.step(rng.choice(np.flatnonzero(mask).tolist()))
    return before, np.ascontiguousarray(env.position.board[::-1]).tobytes()


def _differences_at_the_end(env: NardyAEC, game: Game, position: Position) -> list[str]:
    assert position.result is not None
    worth = game.points[game.outcomes.index(position.result)]
    on_roll, other = f"player_{position.seat}", f"player_{1 - position.seat}"
    expected: dict[str, Any] = {on_roll: worth, other: -worth}
    if env.rewards == expected and all(env.terminations.values()):
        return []
    return [f"{game.name}: rewards {env.rewards} after {position.result} for {on_roll}"]
