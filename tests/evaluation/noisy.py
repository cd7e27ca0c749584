"""Bots of equal strength that do not play alike: one net with noise of its own for each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from nardy_ai import core
from nardy_ai.bots import BoardBot, NetBot
from nardy_ai.bots.bot import Boards, Bytes, Keys
from nardy_ai.rules import Game


class NoisyBot(BoardBot):
    """Plays what its net likes best after noise; the noise hangs on (salt, seed, pair, seat, turn)."""

    def __init__(self, net: NetBot, salt: int, size: float = 0.05) -> None:
        self._net, self._salt, self._size = net, salt, size

    @property
    def name(self) -> str:
        return f"noisy {self._salt}"

    @property
    def fingerprint(self) -> str:
        return f"{self._net.fingerprint}-{self._salt}-{self._size}"

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        legal, offsets = core.legal_boards(game.core_rules, boards, dice, seats, turns)
        left = 1 - np.repeat(seats, np.diff(offsets))
        _, equity = self._net.evaluate_boards(np.ascontiguousarray(legal[:, ::-1]), left)
        chosen = np.empty_like(boards)
        for i, (first, end) in enumerate(pairwise(offsets)):
            seed, pair, turn = (int(key) for key in keys[i])
            place = ((pair * 2 + int(seats[i])) << 16) + turn
            noise = np.random.Generator(np.random.Philox(key=[seed ^ self._salt, place]))
            judged = equity[first:end] + self._size * noise.standard_normal(end - first)
            chosen[i] = legal[first + int(np.argmin(judged))]
        return chosen
