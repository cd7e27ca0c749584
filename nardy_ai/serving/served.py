"""The models that a server answers with, one a game, under every profile of their games."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from nardy_ai import core
from nardy_ai.bots.bot import turn_key
from nardy_ai.bots.net_bot import Evaluation, NetBot, RankedPlay
from nardy_ai.core import InputError
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.rules import Game, Position, profile_names
from nardy_ai.rules.arguments import shown
from nardy_ai.rules.play import play_of
from nardy_ai.rules.profile import DEFAULT_PROFILES

CACHE_MIB = 4.0
"""Memory of one thread for positions that it has searched, for each profile in use."""


class Served:
    """Models that may be asked by any number of threads.

    Args:
        bots: at least one, and at most one of each game.

    Raises:
        InputError: two models of one game, or none at all.
    """

    def __init__(self, bots: Sequence[NetBot]) -> None:
        self._bots: dict[str, NetBot] = {}
        for bot in bots:
            family = bot.game.family
            if family in self._bots:
                raise InputError(
                    f"{self._bots[family].name} and {bot.name} are both models of {family} nardy: "
                    "a server has one a game, start a second one on another port"
                )
            self._bots[family] = bot
        if not self._bots:
            raise InputError("a server needs a model file to answer with")
        self._games = {game.name: game for game in self._all_games()}
        self._searches: dict[str, core.Search] = {}
        self._lock = threading.Lock()

    @property
    def bots(self) -> tuple[NetBot, ...]:
        """The models, in the order in which they were named."""
        return tuple(self._bots.values())

    @property
    def games(self) -> tuple[Game, ...]:
        """Every game that is answered: the models' own first, then the other profiles of the package."""
        return tuple(self._games.values())

    def title_of(self, game: Game) -> str:
        """The model that judges a game of `games`: the name of its file, not where it lies."""
        return Path(self._bots[game.family].name).name

    def game(self, profile: str | None) -> Game:
        """The game of a profile's name; the only model's own where none is given.

        Names of files are never looked up: a request can't make the server read one.

        Raises:
            InputError: an unknown name, a game that no model plays, or no name for several models.
        """
        if profile is None:
            if len(self._bots) > 1:
                names = " or ".join(repr(bot.game.name) for bot in self.bots)
                raise InputError(f"profile is needed, for there are several models: give {names}")
            return self.bots[0].game
        name = DEFAULT_PROFILES.get(profile, profile)
        if name in self._games:
            return self._games[name]
        if name in profile_names():
            raise InputError(f"no model of this server plays {name}; GET /profiles lists what they play")
        near = get_close_matches(profile[:40], [*DEFAULT_PROFILES, *self._games], n=1)
        advice = f"did you mean {near[0]!r}?" if near else "GET /profiles lists them"
        raise InputError(f"there is no profile {shown(profile, 40)}: {advice}")

    def level(self, game: Game, number: int) -> core.Level:
        """How the model of a game plays at a level. Raises InputError outside of 1..10."""
        return self._bots[game.family].model.level_table.of(number)

    def rank(
        self,
        pos: Position,
        dice: tuple[int, int],
        plies: int = 0,
        most: int | None = None,
        *,
        noise: float = 0.0,
        key: int | None = None,
    ) -> tuple[list[RankedPlay], int]:
        """The best plays of a roll, best first, at most `most` of them; and how many there are in all.

        With `noise` (points, of a level) the play that looks best through it stands first. Its `key` is
        0..2**64 - 1; without one it hangs on position and roll, as it does where the bot is asked itself.

        Raises:
            InputError: bad dice, a finished game, or plies outside 0..3.
        """
        game = pos.game
        result = game.result(pos)
        if result is not None:
            raise InputError(f"the game is over ({result} for the player on roll); there is nothing to play")
        boards, moves, outcomes, equity, depths = self._search(game).rank(
            np.asarray(pos.board, dtype=np.int8), dice[0], dice[1], pos.seat, pos.turns, plies=plies
        )
        order = list(range(len(boards)))
        if noise:
            drawn = core.noise(turn_key(pos, dice) if key is None else key, boards)
            order.insert(0, order.pop(int(np.argmax(equity + noise * drawn))))
        return [
            RankedPlay(
                play_of(pos, dice, boards[i], moves[i]),
                float(equity[i]),
                dict(zip(game.outcomes, outcomes[i].tolist(), strict=True)),
                int(depths[i]),
            )
            for i in order[:most]
        ], len(boards)

    def evaluate(self, pos: Position, plies: int = 0) -> Evaluation:
        """What a position is worth to the player on roll, before the throw.

        Raises:
            InputError: plies outside 0..3.
        """
        outcomes, equity = self._search(pos.game).values(
            np.asarray(pos.board, dtype=np.int8)[None],
            np.array([pos.seat], dtype=np.uint8),
            np.array([pos.turns], dtype=np.uint8),
            plies=plies,
        )
        return Evaluation(
            dict(zip(pos.game.outcomes, outcomes[0].tolist(), strict=True)), float(equity[0])
        )

    def warm(self) -> None:
        """Makes ready what the models' own games need, which takes a moment."""
        for bot in self.bots:
            self._search(bot.game)

    def _search(self, game: Game) -> core.Search:
        found = self._searches.get(game.name)
        if found is None:
            with self._lock:
                found = self._searches.get(game.name)
                if found is None:
                    bot = self._bots[game.family]
                    judge = Evaluator(bot.model, game, name=bot.name, quantised=bot.quantised)
                    found = self._searches[game.name] = core.Search(judge.native, cache_mib=CACHE_MIB)
        return found

    def _all_games(self) -> list[Game]:
        own = [bot.game for bot in self.bots]
        names = {game.name for game in own}
        others = [Game(name) for name in profile_names() if name not in names]
        return own + [game for game in others if game.family in self._bots]
