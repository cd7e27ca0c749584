"""Learning itself: a solved endgame, and a player that leaves random play behind."""

import functools
import itertools
from pathlib import Path

import numpy as np
import pytest
from tiny_runs import SAMPLED, tiny

from nardy_ai import core
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.rules import Game
from nardy_ai.training.loop import train
from nardy_ai.training.run_folder import read_log

# One checker each on point 8, which nothing can stop: who bears off first wins one point.
RACE = """
format = 1
[rules]
family = "long"
start = { 8 = 1 }
block = "none"
head_rule = false
last_roll = false
[scores]
oin = 1
"""


def board(mine: int, theirs: int) -> np.ndarray:
    result = np.zeros((2, 26), np.int8)
    result[0, mine - 1] = result[1, theirs - 1] = 1
    return result


@functools.cache
def worth(mine: int, theirs: int) -> float:
    """The exact value for the player on roll, who is `mine` pips away."""
    total = 0.0
    for high, low in itertools.product(range(1, 7), repeat=2):
        pips = high + low if high != low else 4 * high
        total += 1.0 if pips >= mine else -worth(theirs, mine - pips)
    return total / 36


@pytest.mark.parametrize("targets", ["sampled", "exact"])
def test_a_solved_endgame_is_learned_for_both_seats(tmp_path: Path, targets: str) -> None:
    """A target of the wrong player, or of the wrong sign, would make this a loss for one seat or for both."""
    (tmp_path / "race.toml").write_text(RACE)
    size = {"rounds": 20, "games": 900, "batch": 180, "hidden": [16]}
    phase = {**SAMPLED, **size, "targets": targets, "lr_from": 5e-2, "lr_to": 2e-3}
    config = tiny(phase, game=str(tmp_path / "race.toml"), encoding="long-1-seat")
    result = train(config, tmp_path / "run", progress=False, say=lambda _line: None)
    assert result.model is not None
    assert read_log(tmp_path / "run" / "metrics.jsonl")[-1]["steps"] <= 220
    evaluator = Evaluator.load(result.model)
    for seat in (0, 1):
        boards = np.stack([board(1, theirs) for theirs in range(1, 9)])
        equity = evaluator.net(boards, np.full(8, seat, np.uint8))[1]
        assert equity.min() > 0.9, f"seat {seat} bears off at once and wins"
    start = evaluator.net(board(8, 8)[None], np.zeros(1, np.uint8))[1][0]
    assert start == pytest.approx(worth(8, 8), abs=0.2)
    behind = [evaluator.net(board(8, x)[None], np.ones(1, np.uint8))[1][0] for x in (1, 3, 5)]
    np.testing.assert_allclose(behind, [worth(8, x) for x in (1, 3, 5)], atol=0.2)


def test_two_thousand_games_of_self_play_beat_random_play(tmp_path: Path) -> None:
    size = {"rounds": 40, "games": 50, "hidden": [32], "trace": 0.5}
    phase = {**SAMPLED, **size, "lr_from": 3e-3, "lr_to": 1e-3}
    result = train(tiny(phase), tmp_path / "run", progress=False, say=lambda _line: None)
    assert result.games == 2000
    assert result.model is not None
    evaluator = Evaluator.load(result.model)
    weight = evaluator.model.nets["contact"][0][0]
    assert np.linalg.matrix_rank(weight) == 32
    players = core.net_player(evaluator.native), core.random_player()
    outcomes = core.duel(*players, Game("short").core_rules, 1, 0, 250)["outcomes"]
    assert (outcomes < 3).mean() >= 0.9
