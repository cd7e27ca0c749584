"""The positions that the ranges of quantised nets are taken from: the same ones everywhere and always.

They, and the judgement that plays them, are part of what a quantised net is: whole numbers, so that every
machine finds the same, and frozen.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from nardy_ai.core.batches import Int8, UInt8
from nardy_ai.core.boards import results, start_board
from nardy_ai.core.players import choose, greedy_names, greedy_player, random_player
from nardy_ai.core.randomness import PURPOSES, dice
from nardy_ai.core.rule_options import Rules

_SEED, _GAMES, _MOST_TURNS, _RANDOM_EVERY = 1, 192, 160, 8
_JUDGEMENT: dict[str, dict[str, int]] = {
    "long": {
        "off": 40, "pips": -4, "head": -12, "home": 3, "stack": -4, "denied": 5, "wall_4": 15, "wall_5": 25,
        "open": 3,
    },
    "short": {
        "off": 40, "pips": -4, "his_pips": 4, "his_bar_home": 20, "point_4": 20, "point_5": 30,
        "point_6": 20, "point_7": 20, "anchor_18": 20, "anchor_19_21": 30, "wall_4": 20, "wall_5": 30,
        "shot_loss": -1, "stack": -8, "race_out": -8,
    },
}  # fmt: skip


@lru_cache(maxsize=16)
def calibration_boards(rules: Rules) -> tuple[Int8, UInt8, UInt8]:
    """Boards ``int8 [n, 2, 26]`` with the player on roll in row 0, seats and turns ``uint8 [n]``, read-only.

    From games of a simple judgement against itself, in which every eighth play is drawn by lot.
    """
    weights = _JUDGEMENT[rules.family]
    judge = greedy_player([weights.get(name, 0) for name in greedy_names(rules.family)])
    lots = random_player()
    rolls = np.stack([dice(_SEED, PURPOSES["dice_training"], game, 0, _MOST_TURNS) for game in range(_GAMES)])
    games = np.arange(_GAMES)
    boards = np.repeat(start_board(rules)[None], _GAMES, axis=0)
    found: list[tuple[Int8, UInt8, UInt8]] = []
    for turn in range(_MOST_TURNS):
        seats = np.full(len(boards), turn % 2, np.uint8)
        going = results(rules, boards, seats) < 0
        boards, games, seats = np.ascontiguousarray(boards[going]), games[going], seats[going]
        if len(boards) == 0:
            break
        turns = np.full(len(boards), min(3, turn // 2), np.uint8)
        found.append((boards, seats, turns))
        after = np.empty_like(boards)
        drawn = (games + turn) % _RANDOM_EVERY == 0
        for player, own in ((judge, ~drawn), (lots, drawn)):
            keys = np.array([(_SEED, game, turn) for game in games[own]], np.uint64).reshape(-1, 3)
            stand = boards[own], rolls[games[own], turn], seats[own], turns[own]
            after[own] = choose(player, rules, *stand, keys)
        boards = after[:, ::-1]
    whole = tuple(np.concatenate([part[i] for part in found]) for i in range(3))
    for column in whole:
        column.setflags(write=False)
    return whole[0], whole[1], whole[2]
