"""What players of the engine may know: the board and the throw that lies on it, never dice to come."""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import FAMILIES, game_positions, random_model

from nardy_ai import core


@pytest.mark.parametrize("family", FAMILIES)
def test_only_the_random_player_looks_at_seed_game_and_turn(family: str) -> None:
    """Future dice follow from them, so whoever chose by them could be peeking."""
    rules = FAMILIES[family]
    boards, seats, turns = (column[::7][:60] for column in game_positions(rules, 4))
    dice = np.array([[3, 1], [6, 5], [2, 2]] * 20, np.uint8)[: len(boards)]
    keys = np.arange(3 * len(boards), dtype=np.uint64).reshape(-1, 3)
    model = random_model(rules, [8])
    weights = np.linspace(-1, 1, len(core.greedy_names(family))).tolist()
    steady = {
        "net": core.net_player(model),
        "search": core.search_player(model, 1),
        "greedy": core.greedy_player(weights),
    }
    for name, player in steady.items():
        first, second = (
            core.choose(player, rules, boards, dice, seats, turns, luck) for luck in (keys, keys + 99)
        )
        assert np.array_equal(first, second), name
    random = core.random_player()
    first, second = (
        core.choose(random, rules, boards, dice, seats, turns, luck) for luck in (keys, keys + 99)
    )
    assert not np.array_equal(first, second)
