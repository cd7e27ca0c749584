"""Nets and positions for measuring speed: the same for everybody, made from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import bot
from nardy_ai.models.layers import Layers, fresh_layers
from nardy_ai.rules import Game

__all__ = ["Positions", "benchmark_layers", "positions_of_play"]

_GAMES, _MOST_TURNS = 256, 400
_PIPS = np.array([*range(1, 26), 0])
# A random net judges with little weight, beside two units that carry the state of either side to the outputs:
# his pips, blots counted as so many more and points made as fewer.
_RANDOM_SHARE, _PIPS_UNIT, _ODDS_A_PIP = 0.02, 167.0, 0.2
_BLOT, _MADE = 2.0, 2.0


@dataclass(frozen=True)
class Positions:
    """Distinct positions with a roll each."""

    boards: npt.NDArray[np.int8]
    """int8 [n, 2, 26], player on roll in row 0."""
    dice: npt.NDArray[np.uint8]
    """uint8 [n, 2]."""
    seats: npt.NDArray[np.uint8]
    turns: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.boards)

    def part(self, which: slice) -> Positions:
        """Some of them."""
        return Positions(self.boards[which], self.dice[which], self.seats[which], self.turns[which])


def benchmark_layers(rules: core.Rules, hidden: Sequence[int], seed: int) -> Layers:
    """A random net that also counts pips and blots: all its weights work, and its games end as others do.

    A net that has learned nothing plays games of a thousand turns, and games a second would say nothing. This
    one's take some 65 turns and 750 evaluations; those of a trained net 58 and 800.
    """
    table = core.encoding_table(core.encoding_name(rules))
    layers = fresh_layers(table.inputs, hidden, len(rules.outcomes), seed)
    for i, (weight, bias) in enumerate(layers[:-1]):
        weight[:2], bias[:2] = 0, 0
        if i == 0:
            weight[:2] = _pip_rows(table)
        else:
            weight[0, 0] = weight[1, 1] = 1
    last, bias = layers[-1]
    last *= _RANDOM_SHARE
    for number, name in enumerate(rules.outcomes):
        side = {"win": -1, "lose": 1}.get(name.partition("_")[0], 0)
        last[number, :2] = np.array([side, -side]) * _ODDS_A_PIP / 2 * _PIPS_UNIT
        bias[number] = 0 if name in ("win", "lose") else -3
    return layers


def _pip_rows(table: core.EncodingTable) -> npt.NDArray[np.float32]:
    """Weights of the inputs that add up to the pips of either side, with blots and points made."""
    rows = np.zeros((2, table.inputs), np.float32)
    for side in range(2):
        for column in range(26):
            units = np.flatnonzero(table.index[side, column] >= 0)
            values = table.value[side, column][:, units]
            wanted = np.arange(16.0) * _PIPS[column]
            if column < 24:
                wanted[1] += _BLOT
                wanted[2:] -= _MADE
            wanted /= _PIPS_UNIT
            rows[side, table.index[side, column, units]] = np.linalg.lstsq(values, wanted, rcond=None)[0]
    return rows


def positions_of_play(game: Game, count: int, seed: int, *, contact: bool = False) -> Positions:
    """`count` distinct positions from games of greedy against itself, in random order, with random rolls.

    `contact`: only those in which the sides can still meet.
    """
    rules, player = game.core_rules, bot("greedy").player(game)
    assert player is not None
    found: list[tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]] = []
    random = np.random.Generator(np.random.Philox(seed))
    seen, first_game = 0, 0
    while seen < 2 * count:
        for boards, seats, turns in _play_on(rules, player, seed, first_game):
            kept = (
                core.position_classes(rules, boards) == 0 if contact else np.ones(len(boards), dtype=np.bool_)
            )
            found.append((boards[kept], seats[kept], turns[kept]))
            seen += int(kept.sum())
        first_game += _GAMES
    boards, seats, turns = (np.concatenate([part[i] for part in found]) for i in range(3))
    _, first = np.unique(boards.reshape(len(boards), -1), axis=0, return_index=True)
    order = random.permutation(first)[:count]
    dice = random.integers(1, 7, (len(order), 2)).astype(np.uint8)
    return Positions(np.ascontiguousarray(boards[order]), dice, seats[order], turns[order])


def _play_on(
    rules: core.Rules, player: core.Player, seed: int, first_game: int
) -> list[tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]]:
    """The unfinished boards, seats and turns of each turn of many games at once."""
    random = np.random.Generator(np.random.Philox(key=[seed, first_game]))
    boards = np.repeat(core.start_board(rules)[None], _GAMES, axis=0)
    found = []
    for turn in range(_MOST_TURNS):
        seats = np.full(len(boards), turn % 2, np.uint8)
        turns = np.full(len(boards), min(3, turn // 2), np.uint8)
        going = core.results(rules, boards, seats) < 0
        boards, seats, turns = boards[going], seats[going], turns[going]
        if len(boards) == 0:
            break
        found.append((boards, seats, turns))
        dice = random.integers(1, 7, (len(boards), 2)).astype(np.uint8)
        keys = np.zeros((len(boards), 3), np.uint64)
        after = core.choose(player, rules, boards, dice, seats, turns, keys)
        boards = np.ascontiguousarray(after[:, ::-1])
    return found
