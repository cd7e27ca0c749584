"""Which positions become decisions: games that are played for nothing else, and one turn of each.

The games are no training games: their dice have a stream of their own. They are played by a mixed company,
with a random play now and then, so that odd positions come about too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import Bot
from nardy_ai.bots.bot import Boards
from nardy_ai.bots.simple import RandomBot
from nardy_ai.core import InputError
from nardy_ai.evaluation.played_turns import Turns, joined, played_turns
from nardy_ai.rules import Game

GAMES_A_DECISION = 3
"""Games that are played for each decision, so that there is a choice of classes and no game gives two."""
GAMES_AT_ONCE = 256
LISTED_AT_ONCE = 4096
WORDS = 2.0**32
ORDER, NOISE = 1 << 24, 1 << 25
"""Where in a game's random numbers those for the order of its turns begin, and those for random plays."""


class MixedCompany:
    """Who plays: for each game and seat one of several bots, drawn by lot; now and then a random play.

    Args:
        game: the rules.
        bots: of whom one is drawn, each with the same chance; name one twice and it plays twice as often.
        seed: of the lots.
        noise: share of the turns in which any legal result is played.

    Raises:
        InputError: no bot, one that can't play this game, or a share outside 0..1.
    """

    def __init__(self, game: Game, bots: Sequence[Bot], seed: int, noise: float) -> None:
        if not bots:
            raise InputError("nobody plays: name at least one bot")
        if not 0.0 <= noise <= 1.0:
            raise InputError(f"noise is {noise}: give a share of the turns, from 0 to 1")
        self._game, self._seed, self._noise = game, seed, noise
        self._bots: list[Bot] = [*bots, RandomBot()]
        for bot in self._bots:
            bot.player(game)
        self._drawn: dict[tuple[int, int], int] = {}

    def __call__(self, here: Turns) -> Boards:
        """The boards after one turn of many games."""
        numbers = np.array([self._mover(*row) for row in _rows(here)])
        keys = np.stack([np.full(len(here), self._seed, np.uint64), here.games, here.numbers], 1)
        after = np.empty_like(here.boards)
        for number, bot in enumerate(self._bots):
            rows = np.flatnonzero(numbers == number)
            if len(rows):
                part = here.at(rows)
                after[rows] = bot.choose_boards(
                    self._game, part.boards, part.dice, part.seats, part.turns, keys[rows].astype(np.uint64)
                )
        return after

    def _mover(self, game: int, seat: int, number: int) -> int:
        if self._noise and draw(self._seed, game, NOISE + number) < self._noise * WORDS:
            return len(self._bots) - 1
        if (game, seat) not in self._drawn:
            self._drawn[game, seat] = draw(self._seed, game, seat) % (len(self._bots) - 1)
        return self._drawn[game, seat]


def draw(seed: int, game: int, counter: int) -> int:
    """A random number below 2**32 that depends on its arguments alone."""
    return int(core.random_words(seed, core.PURPOSES["choice_benchmark"], game, counter)[0])


def sampled_decisions(game: Game, company: MixedCompany, count: int, seed: int) -> Turns:
    """Decisions, in the order in which they were drawn: no two alike, and if possible no two of one game.

    Only turns with more than one distinct result are decisions. Each class of positions has the share that
    it has in the games.

    Raises:
        InputError: the games hold too few different decisions, as those of a very small game do.
    """
    found = joined(
        [
            _choices(
                game,
                played_turns(game, company, seed=seed, purpose="dice_benchmark", first=first, games=games),
            )
            for first, games in _slices(GAMES_A_DECISION * count)
        ]
    )
    classes = core.position_classes(game.core_rules, found.boards)
    order = np.argsort([draw(seed, g, ORDER + n) for g, _, n in _rows(found)], kind="stable")
    open_places = quotas(np.bincount(classes, minlength=len(core.CLASSES)), count)
    chosen: list[int] = []
    known: set[bytes] = set()
    used: set[int] = set()
    for fresh_games_only in (True, False):
        for row in order.tolist():
            kind, number, key = int(classes[row]), int(found.games[row]), _key(found, row)
            if open_places[kind] == 0 or key in known or (fresh_games_only and number in used):
                continue
            open_places[kind] -= 1
            chosen.append(row)
            known.add(key)
            used.add(number)
    if len(chosen) < count:
        raise InputError(
            f"{GAMES_A_DECISION * count} games of {game.name} hold {len(chosen)} different decisions "
            "by their "
            f"classes, and {count} are asked for: ask for fewer"
        )
    return found.at(np.array(chosen, np.intp))


def quotas(found: npt.NDArray[np.int64], count: int) -> list[int]:
    """How many of `count` each class gets, in proportion to how many were found (largest remainders)."""
    exact = found * (count / max(1, int(found.sum())))
    given = np.floor(exact).astype(int)
    for place in np.argsort(given - exact, kind="stable")[: count - int(given.sum())].tolist():
        given[place] += 1
    return [int(number) for number in given]


def _slices(games: int) -> list[tuple[int, int]]:
    return [(first, min(GAMES_AT_ONCE, games - first)) for first in range(0, games, GAMES_AT_ONCE)]


def _rows(turns: Turns) -> list[tuple[int, int, int]]:
    """(game, seat, number) of each row."""
    return list(zip(turns.games.tolist(), turns.seats.tolist(), turns.numbers.tolist(), strict=True))


def _choices(game: Game, turns: Turns) -> Turns:
    """Those with more than one distinct result."""
    counts = [np.empty(0, np.int64)]
    for first in range(0, len(turns), LISTED_AT_ONCE):
        part = turns.at(slice(first, first + LISTED_AT_ONCE))
        offsets = core.legal_boards(game.core_rules, part.boards, part.dice, part.seats, part.turns)[1]
        counts.append(np.diff(offsets))
    return turns.at(np.concatenate(counts) > 1)


def _key(turns: Turns, row: int) -> bytes:
    dice = bytes(sorted(turns.dice[row].tolist()))
    beside = bytes([int(turns.seats[row]), int(turns.turns[row])])
    return bytes(turns.boards[row].tobytes()) + dice + beside
