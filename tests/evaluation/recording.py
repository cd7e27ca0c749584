"""A bot that plays like another one and keeps what it was asked and what it chose."""

from __future__ import annotations

import hashlib
from collections import defaultdict

import numpy as np

from nardy_ai.bots import BoardBot, NativeBot
from nardy_ai.bots.bot import Boards, Bytes, Keys
from nardy_ai.rules import Game


class Recorder(BoardBot):
    """Plays like `bot`, but in Python; `games` maps (pair, seat) to its moves: (turn, dice, board before,
    after)."""

    def __init__(self, bot: NativeBot) -> None:
        self._bot = bot
        self.games: dict[tuple[int, int], list[tuple[int, bytes, bytes, bytes]]] = defaultdict(list)

    @property
    def name(self) -> str:
        return f"recorded {self._bot.name}"

    @property
    def fingerprint(self) -> str:
        return f"recorded {self._bot.fingerprint}"

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        chosen = self._bot.choose_boards(game, boards, dice, seats, turns, keys)
        for i in range(len(boards)):
            move = (int(keys[i, 2]), dice[i].tobytes(), boards[i].tobytes(), chosen[i].tobytes())
            self.games[int(keys[i, 1]), int(seats[i])].append(move)
        return chosen

    def hashes(self) -> list[str]:
        """One hash for each game that it took part in, over dice and boards."""
        return [hashlib.sha256(repr(moves).encode()).hexdigest() for moves in self.games.values()]

    def last(self, pair: int, seat: int) -> tuple[int, np.ndarray]:
        """Turn and board (mover in row 0) after its last move of a game."""
        turn, _, _, after = self.games[pair, seat][-1]
        return turn, np.frombuffer(after, dtype=np.int8).reshape(2, 26)


def python_bot(bot: NativeBot) -> Recorder:
    """The same player without its native form, so that matches drive it in Python."""
    return Recorder(bot)
