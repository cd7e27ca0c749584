"""A round's games cut into shares of consecutive ones, and the round put together again by game number.

A game depends on the seed, its number and the weights alone, so neither who plays which share, nor how
often one had to be played again, nor the number of workers can be seen in the result.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from nardy_ai.training.targets import Samples

# Shares for each worker: enough that none is left waiting for long at the end of a round. And no share is
# so long that a run that is asked to stop would have to wait for it.
_EACH, _MOST_GAMES = 8, 64


class Share(NamedTuple):
    """Consecutive games of a round."""

    first: int
    """The first one's place in the round."""
    games: int


class Shares:
    """The shares of a round of `games` games among `workers` workers. Nothing here waits or locks."""

    def __init__(self, games: int, workers: int) -> None:
        self._games = games
        self._size = min(max(1, -(-games // (workers * _EACH))), _MOST_GAMES)
        # A share is known by its first game. Nothing is laid out for shares that nobody has come to yet.
        self._firsts = range(0, games, self._size)
        self._left = iter(self._firsts)
        self._again: deque[Share] = deque()
        self._parts: dict[int, Samples] = {}

    def take(self) -> Share | None:
        """A share that nobody plays yet, those given back first; None when there is none."""
        if self._again:
            return self._again.popleft()
        first = next(self._left, None)
        return None if first is None else Share(first, min(self._size, self._games - first))

    def give_back(self, share: Share) -> None:
        """Say that a share that was taken has to be played again."""
        self._again.append(share)

    def put(self, share: Share, samples: Samples) -> None:
        """Hand in what a share gave."""
        self._parts[share.first] = samples

    @property
    def complete(self) -> bool:
        """Whether every share was handed in."""
        return len(self._parts) == len(self._firsts)

    def joined(self) -> Samples:
        """The round's samples in game order; only when complete."""
        return Samples.joined([self._parts[first] for first in self._firsts])
