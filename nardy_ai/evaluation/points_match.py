"""Matches to a number of points, without the cube, strung together from games of a driver.

The bots know no score, so a match is made of games as they are played for money. Game j of pair i has the
dice of game pair i * GAMES + j. The first bot starts match 0 of a pair and the second match 1, with the same
dice; who starts later games is as the profile says, and a roll-off is thrown for both matches of a pair at
once, with the winner's part swapped.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.evaluation.drivers import Driver, Int8, Int32, MixedDriver
from nardy_ai.evaluation.match_result import CUT
from nardy_ai.rules import Game
from nardy_ai.rules.match import Terms

GAMES = 4096
"""Games after which a match is given up: draws that score nothing could go on for ever."""
LONGEST = 512
"""Points; the longest match that is sure to end by then unless games are drawn."""

OUTCOMES = ("win", "lose")
WORTH = (1.0, -1.0)


@dataclass
class _Match:
    """One match while it is played; player 0 is the first bot."""

    starter: int
    won: list[float] = field(default_factory=lambda: [0.0, 0.0])
    games: int = 0
    winner: int | None = None
    cut: bool = False
    """Whether one of its games was stopped at the turn limit."""

    @property
    def over(self) -> bool:
        """Whether no more games are wanted."""
        return self.cut or self.winner is not None


class PointsMatchDriver:
    """Plays pairs of matches: outcome 0 where the first bot wins, 1 where it loses.

    In place of turns it tells how many games a match took. See `Driver`.

    Args:
        games: plays the games.
        game: whose scores, draws and order of starting hold.
        length: points, 1..512.
        seed: of the roll-offs.

    Raises:
        InputError: a bad length.
    """

    def __init__(self, games: Driver, game: Game, length: int, seed: int) -> None:
        terms = Terms.match(game, length)
        if length > LONGEST:
            raise InputError(f"the length of a match is {length}: give at most {LONGEST} points")
        self._games, self._rules, self._options = games, game.core_rules, game.profile.match
        self._length, self._seed = float(terms.length or length), seed

    def stop(self) -> None:
        """Ends what other threads play, see `MixedDriver.stop`."""
        if isinstance(self._games, MixedDriver):
            self._games.stop()

    def play(self, first_pair: int, pairs: int) -> tuple[Int8, Int32]:
        """Pairs of matches, see `Driver.play`."""
        outcomes = np.full((pairs, 2), CUT, np.int8)
        games = np.zeros((pairs, 2), np.int32)
        for i in range(pairs):
            for number, match in enumerate(self._pair(first_pair + i)):
                outcomes[i, number] = CUT if match.winner is None else match.winner
                games[i, number] = match.games
        return outcomes, games

    def _pair(self, pair: int) -> tuple[_Match, _Match]:
        start = self._winner_of_roll_off(pair * GAMES) if self._options.next_start == "rolloff" else 0
        matches = _Match(start), _Match(1 - start)
        # Most matches are over after so many games; those that are not go on with the next ones.
        block = max(1, round(self._length))
        for first in range(0, GAMES, block):
            count = min(block, GAMES - first)
            played = self._games.play(pair * GAMES + first, count)[0]
            for j in range(count):
                for number, match in enumerate(matches):
                    if not match.over:
                        self._score(match, number, played[j], pair * GAMES + first + j)
            if all(match.over for match in matches):
                break
        return matches

    def _score(self, match: _Match, number: int, played: npt.NDArray[np.int8], game: int) -> None:
        """One more game of a match: column 0 of `played` is that which the first bot started."""
        outcome = int(played[match.starter])
        match.games += 1
        if outcome == CUT:
            match.cut = True
            return
        points = float(self._rules.points[outcome])
        if points == 0.0:
            match.won = [won + self._options.draw_points for won in match.won]
        else:
            match.won[0 if points > 0.0 else 1] += abs(points)
        ahead = max(match.won)
        if ahead >= self._length and min(match.won) < ahead:
            match.winner = match.won.index(ahead)
        match.starter = self._next_starter(match, number, points, game)

    def _next_starter(self, match: _Match, number: int, points: float, game: int) -> int:
        if self._options.next_start == "rolloff":
            return self._winner_of_roll_off(game + 1) ^ number
        # After a draw there is no winner to start: the other player does.
        if self._options.next_start == "winner" and points != 0.0:
            return int(points < 0.0)
        return 1 - match.starter

    def _winner_of_roll_off(self, game: int) -> int:
        return int(core.random_words(self._seed, core.PURPOSES["shuffle"], game, 0)[0] & 1)
