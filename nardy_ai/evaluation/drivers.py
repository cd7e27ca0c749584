"""The two ways to play pairs of games: natively in C, and in Python where a bot is not native.

Both play the same games: dice are keyed by (seed, pair, turn), random choices by (seed, pair, seat, turn), so
what comes out depends on neither the driver nor on how the pairs are cut into slices.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import Bot, NativeBot
from nardy_ai.bots.bot import Boards, Bytes
from nardy_ai.bots.outside_bot import OutsideBot
from nardy_ai.evaluation.match_result import CUT
from nardy_ai.rules import Game

Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]

MOST_TURNS = 3
"""Turns are counted up to this number, beyond which no rule looks."""
DICE_BLOCK = 64
ROLL_CHANCES = tuple((1 if high == low else 2) / 36 for high, low in core.ROLL_PAIRS)
OPENING_CHANCES = tuple((0 if high == low else 2) / 30 for high, low in core.ROLL_PAIRS)
"""Where the roll-off for who starts is played, the first roll is no double."""


class BotFault(RuntimeError):
    """A bot failed during a match, or chose a play that is not legal; the message tells how to replay it."""


class Driver(Protocol):
    """Plays a slice of a match."""

    def play(self, first_pair: int, pairs: int) -> tuple[npt.NDArray[Any], ...]:
        """Pairs first_pair .. first_pair + pairs - 1.

        Returns:
            Outcome numbers int8 [pairs, 2] seen by the first bot, CUT where a game reached the turn limit,
            and turns int32 [pairs, 2]. In game 0 of a pair the first bot starts, in game 1 the second.
            Where luck is judged a third array, float64 [pairs, 2]: the first bot's luck in points.
        """
        ...


class RollJudge(Protocol):
    """Something that says what rolls are worth."""

    def roll_values(self, boards: Boards, seats: Bytes, turns: Bytes) -> npt.NDArray[np.float64]:
        """float64 [n, 21]: points of each roll (`core.ROLL_PAIRS`) for the player on roll who makes it."""
        ...


@dataclass(frozen=True)
class NativeDriver:
    """Both bots in C, without Python's lock: threads can play slices side by side."""

    a: core.Player
    b: core.Player
    rules: core.Rules
    seed: int
    max_turns: int

    def play(self, first_pair: int, pairs: int) -> tuple[Int8, Int32]:
        """See `Driver.play`."""
        found = core.duel(self.a, self.b, self.rules, self.seed, first_pair, pairs, max_turns=self.max_turns)
        return found["outcomes"], found["plies"]


class MixedDriver:
    """Games of a slice move on together, a turn at a time: each bot is asked about many boards at once."""

    def __init__(self, a: Bot, b: Bot, game: Game, seed: int, max_turns: int) -> None:
        self._bots = (a, b)
        self._game = game
        self._seed = seed
        self._max_turns = max_turns
        self._stopped = False

    def stop(self) -> None:
        """Ends slices that other threads play, at once where a bot can be closed; they raise `BotFault`."""
        self._stopped = True
        for bot in self._bots:
            if isinstance(bot, OutsideBot):
                bot.close()

    def play(self, first_pair: int, pairs: int) -> tuple[Int8, Int32]:
        """See `Driver.play`. Raises `BotFault` where a bot fails."""
        table = _Table(self._game, self._seed, first_pair, pairs)
        self._play_out(table)
        return table.outcomes.reshape(pairs, 2), table.plies.reshape(pairs, 2)

    def _play_out(self, table: _Table) -> None:
        for turn in range(self._max_turns):
            if len(table.live) == 0:
                break
            if self._stopped:
                raise BotFault("the match was stopped")
            dice = table.dice(turn)
            self._rolled(table, dice, turn)
            # Seat 0 moves on even turns; the first bot (number 0) has it in game 0 of a pair.
            movers = (table.live % 2) ^ (turn & 1)
            after = np.empty((len(table.live), 2, 26), dtype=np.int8)
            for number, bot in enumerate(self._bots):
                rows = np.flatnonzero(movers == number)
                if len(rows):
                    after[rows] = self._ask(bot, table, rows, dice[rows], turn)
            table.move(after, turn)

    def _rolled(self, table: _Table, dice: Bytes, turn: int) -> None:
        """A place to look at the dice of all live games before they are played."""

    def _ask(self, bot: Bot, table: _Table, rows: npt.NDArray[np.intp], dice: Bytes, turn: int) -> Boards:
        games = table.live[rows]
        boards = table.boards[games]
        seats = np.full(len(rows), turn & 1, dtype=np.uint8)
        turns = np.full(len(rows), min(turn // 2, MOST_TURNS), dtype=np.uint8)
        keys = table.keys(games, turn)
        try:
            chosen = bot.choose_boards(self._game, boards, dice, seats, turns, keys)
        except Exception as error:
            raise BotFault(self._fault(bot, error, turn, table, games)) from error
        if not isinstance(bot, NativeBot):
            self._check(bot, chosen, (boards, dice, seats, turns), turn, table, games)
        return chosen

    def _fault(
        self, bot: Bot, error: Exception, turn: int, table: _Table, games: npt.NDArray[np.intp]
    ) -> str:
        row = getattr(error, "row", None)
        if row is None:
            pairs = f"pairs {table.pair(games[0])}..{table.pair(games[-1])}"
            seat, turns = turn & 1, min(turn // 2, MOST_TURNS)
            first = self._game.position(table.boards[games[0]], seat=seat, turns=turns)
            return (
                f"{bot.name} failed in turn {turn} of {pairs}, seed {self._seed}: {error} (asked about "
                f"{len(games)} positions, the first {first.key})"
            )
        # An outside program says on which of the positions it failed.
        pair, (a, b) = table.pair(games[row]), self._bots
        again = shlex.join(["nardy", "match", a.name, b.name, "--game", self._game.name])
        return (
            f"{bot.name} failed in turn {turn} of pair {pair}, seed {self._seed}: {error}; to see it again: "
            f"{again} --seed {self._seed} --pairs {pair + 1}"
        )

    def _check(
        self,
        bot: Bot,
        chosen: Boards,
        asked: tuple[Boards, Bytes, Bytes, Bytes],
        turn: int,
        table: _Table,
        games: npt.NDArray[np.intp],
    ) -> None:
        """Nobody's word is taken for it that a play is legal."""
        boards, dice, seats, turns = asked
        if chosen.shape != boards.shape or chosen.dtype != np.int8:
            raise BotFault(
                f"{bot.name} answered {chosen.dtype} {list(chosen.shape)} for int8 {list(boards.shape)}"
            )
        legal, offsets = core.legal_boards(self._game.core_rules, boards, dice, seats, turns)
        same = (legal == np.repeat(chosen, np.diff(offsets), axis=0)).all(axis=(1, 2))
        found = np.logical_or.reduceat(same, offsets[:-1])
        if not found.all():
            row = int(np.flatnonzero(~found)[0])
            position = self._game.position(boards[row], seat=int(seats[row]), turns=int(turns[row]))
            raise BotFault(
                f"{bot.name} chose a play that is not legal: position {position.key}, dice {dice[row, 0]}-"
                f"{dice[row, 1]}, turn {turn} of pair {table.pair(games[row])}, seed {self._seed}"
            )


class JudgedDriver(MixedDriver):
    """A `MixedDriver` that also adds up the luck of the dice, as a judge sees it.

    The luck of a roll is what it is worth less the mean over all rolls that could have come. Whoever judges,
    and however badly, its expectation is 0: taking it off the score changes no expectation. How much it
    takes off the spread depends on how well the judge knows the game.
    """

    def __init__(self, a: Bot, b: Bot, game: Game, seed: int, max_turns: int, judge: RollJudge) -> None:
        super().__init__(a, b, game, seed, max_turns)
        self._judge = judge

    def play(self, first_pair: int, pairs: int) -> tuple[Int8, Int32, npt.NDArray[np.float64]]:  # type: ignore[override]
        """See `Driver.play`. Raises `BotFault` where a bot fails."""
        table = _Table(self._game, self._seed, first_pair, pairs)
        self._play_out(table)
        shape = (pairs, 2)
        return table.outcomes.reshape(shape), table.plies.reshape(shape), table.luck.reshape(shape)

    def _rolled(self, table: _Table, dice: Bytes, turn: int) -> None:
        count = len(table.live)
        values = self._judge.roll_values(
            table.boards[table.live],
            np.full(count, turn & 1, dtype=np.uint8),
            np.full(count, min(turn // 2, MOST_TURNS), dtype=np.uint8),
        )
        chances = OPENING_CHANCES if turn == 0 and table.opening_pair else ROLL_CHANCES
        mean = np.zeros(count)
        for number, chance in enumerate(chances):
            mean += values[:, number] * chance
        high, low = dice.max(axis=1).astype(np.intp), dice.min(axis=1).astype(np.intp)
        luck = values[np.arange(count), high * (high - 1) // 2 + low - 1] - mean
        # The first bot moves in game 0 of a pair on even turns, in game 1 on odd ones.
        table.luck[table.live] += np.where((table.live % 2) ^ (turn & 1) == 0, luck, -luck)


class _Table:
    """The games of one slice. Game 2 i is the first of pair first_pair + i, game 2 i + 1 its second."""

    def __init__(self, game: Game, seed: int, first_pair: int, pairs: int) -> None:
        self._rules = game.core_rules
        self._seed = seed
        self._first = first_pair
        self._pairs = pairs
        self._block: Bytes = np.empty((0, 0, 2), dtype=np.uint8)
        self._turned = _turned_outcomes(self._rules)
        self.opening_pair = self._rules.options["opening_roll"] == "rolloff_pair"
        self.boards: Boards = np.repeat(core.start_board(self._rules)[None], 2 * pairs, axis=0)
        self.live = np.arange(2 * pairs)
        self.outcomes: Int8 = np.full(2 * pairs, CUT, dtype=np.int8)
        self.plies: Int32 = np.zeros(2 * pairs, dtype=np.int32)
        self.luck = np.zeros(2 * pairs)

    def pair(self, game: int) -> int:
        """The number of a game's pair within the match."""
        return self._first + int(game) // 2

    def dice(self, turn: int) -> Bytes:
        """The roll of this turn for each live game, uint8 [live, 2]; both games of a pair have the same."""
        place = turn % DICE_BLOCK
        if place == 0:
            wanted = np.zeros(self._pairs, dtype=bool)
            wanted[self.live // 2] = True
            self._block = np.zeros((self._pairs, DICE_BLOCK, 2), dtype=np.uint8)
            for i in np.flatnonzero(wanted):
                key = self._seed, core.PURPOSES["dice_duel"], self._first + int(i)
                self._block[i] = core.dice(*key, turn, DICE_BLOCK, self.opening_pair)
        rolls: Bytes = self._block[self.live // 2, place]
        return rolls

    def keys(self, games: npt.NDArray[np.intp], turn: int) -> npt.NDArray[np.uint64]:
        """What a bot's own lots are drawn by, uint64 [games, 3]: seed, pair, turn."""
        keys = np.empty((len(games), 3), dtype=np.uint64)
        keys[:, 0] = self._seed
        keys[:, 1] = self._first + games // 2
        keys[:, 2] = turn
        return keys

    def move(self, after: Boards, turn: int) -> None:
        """Takes the boards after all live games' plays, mover in row 0; ends the games that are over."""
        turned = np.ascontiguousarray(after[:, ::-1])
        self.boards[self.live] = turned
        self.plies[self.live] += 1
        seats = np.full(len(self.live), (turn + 1) & 1, dtype=np.uint8)
        found = core.results(self._rules, turned, seats)
        over = found >= 0
        ended = self.live[over]
        # The other side is on roll now: seat (turn + 1) & 1. The first bot has seat game & 1.
        seen_by_first = (ended % 2) == ((turn + 1) & 1)
        self.outcomes[ended] = np.where(seen_by_first, found[over], self._turned[found[over]])
        self.live = self.live[~over]


def _turned_outcomes(rules: core.Rules) -> Int8:
    """For each outcome number the number of the same outcome as the other player sees it."""
    names = rules.outcomes
    other = {"win": "lose", "lose": "win"}
    turned = ["_".join([other.get(head, head), *rest]) for head, *rest in (name.split("_") for name in names)]
    return np.array([names.index(name) for name in turned], dtype=np.int8)
