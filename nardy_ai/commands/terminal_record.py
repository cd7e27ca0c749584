"""What was played in the terminal, as a match with its past and as a `.mat` file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nardy_ai import core
from nardy_ai.rules import Dice, Game, History, MatchState, MatFile, Play, Terms, dice_pair, write_mat
from nardy_ai.rules.match import Move, NextGame, RollOff, Starts, Throw

__all__ = ["PERSON", "Record", "Table", "terms_of"]

PERSON = 0
"""The person's number in records; the bot is the other."""


def terms_of(game: Game, length: int | None) -> Terms:
    """A single game or a match, without the cube. Raises InputError for a wrong length."""
    limit = {} if game.family == "long" else {"max_cube": 1}
    if length is not None:
        return Terms.match(game, length, crawford=False, **limit)
    return Terms.money(game, jacoby=False, beavers=False, automatic_doubles=0, **limit)


@dataclass(frozen=True)
class Table:
    """Where a match stands, with all that was played. Immutable: undoing is to keep an older one."""

    history: History
    seed: int
    """Dice depend on it, the number of the game and that of the turn alone."""
    turn: int = 0
    """Turns played in this game."""

    @classmethod
    def laid(cls, terms: Terms, seed: int) -> Table:
        """Before the first game."""
        return cls(History.of(MatchState.begin(terms)), seed)

    @property
    def state(self) -> MatchState:
        """The present state."""
        return self.history.state

    def begun(self, starter: int | None) -> Table:
        """The next game begins; a roll-off, where one is due, is won by `starter` (None: as dice say)."""
        history = self.history
        if history.state.phase == "game_over":
            history = history.make(NextGame())
        if history.state.phase == "rolloff":
            history = history.make(Table(history, self.seed)._roll_off(starter))
        return Table(history, self.seed)

    def _roll_off(self, starter: int | None) -> RollOff | Starts:
        state = self.state
        if state.game.profile.rules.opening_roll != "rolloff_pair":
            lot = core.random_words(self.seed, core.PURPOSES["shuffle"], state.number - 1, 0)[0] & 1
            return Starts(int(lot) if starter is None else starter)
        dice = self._dice(state.number, pair=True)
        if starter is None:
            return RollOff(dice)
        large, small = dice_pair(dice)
        return RollOff((large, small) if starter == PERSON else (small, large))

    def thrown(self) -> Table:
        """The player on roll has thrown, which after a roll-off whose dice are played he has."""
        if self.state.phase == "play":
            return self
        dice = dice_pair(self._dice(self.state.number, pair=False))
        return Table(self.history.make(Throw(dice)), self.seed, self.turn)

    def played(self, play: Play) -> Table:
        """He has made a play."""
        return Table(self.history.make(Move(play)), self.seed, self.turn + 1)

    def _dice(self, number: int, *, pair: bool) -> Dice:
        drawn = core.dice(self.seed, core.PURPOSES["dice_play"], number - 1, self.turn, 1, pair)
        first, second = drawn[0].tolist()
        return first, second


class Record:
    """A `.mat` file that is written anew after every turn."""

    def __init__(self, path: Path, names: tuple[str, str]) -> None:
        self._path = path
        self._names = names

    def write(self, history: History) -> None:
        """Puts what was played into the file. Raises InputError where it can't be written."""
        write_mat(self._path, MatFile(history, self._names))
