"""Writes golden_greedy.json: what the frozen judgement chooses and scores.

    PYTHONPATH=tests python tests/bots/golden_greedy.py

Only for the day on which `greedy` is changed on purpose; then every strength measured against it is void.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import nardy_ai as nardy
from nardy_ai import core
from nardy_ai.bots import GreedyBot
from nardy_ai.bots.simple import greedy_weights

GOLDEN = Path(__file__).with_suffix(".json")


def score_of(play: nardy.Play) -> float:
    """The sum of weight x feature of the board that a play leaves: a whole number, so exact."""
    rules = play.before.game.core_rules
    weights = np.array(list(greedy_weights(rules.family).values()), dtype=np.float64)
    return float(core.greedy_features(rules, play.board[None])[0].astype(np.float64) @ weights)


def cases_of(game: nardy.Game) -> list[dict[str, Any]]:
    """32 positions of games in which greedy and a random mover take turns, with rolls that leave a choice."""
    random, bot = np.random.default_rng(2026), GreedyBot()
    cases: list[dict[str, Any]] = []
    pos, turn = game.start(), 1
    # Every fifth turn: all stages of several games, either mover.
    while len(cases) < 32:
        dice = (int(random.integers(1, 7)), int(random.integers(1, 7)))
        plays, play = game.plays(pos, dice), bot.choose(pos, dice)
        if len(plays) > 1 and turn % 5 == 0:
            case = {"game": game.name, "key": pos.key, "dice": list(dice), "play": play.notation}
            cases.append(case | {"score": score_of(play)})
        pos = (play if turn % 2 else plays[int(random.integers(len(plays)))]).position
        turn += 1
        if pos.finished:
            pos = game.start()
    return cases


if __name__ == "__main__":
    found = [case for name in ("long", "short") for case in cases_of(nardy.Game(name))]
    golden = {"format": 1, "fingerprint": GreedyBot().fingerprint, "cases": found}
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")
