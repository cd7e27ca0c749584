"""A match or money play as an immutable state machine: opening roll, throws, plays, cube, score.

Players are 0 and 1 through the whole match; who starts a game changes. Every step returns a new state and
leaves the old one alone; a step that the rules forbid raises `IllegalStep`, which names the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import is_one_of, needed, shown
from nardy_ai.rules.dice import Dice, dice_pair
from nardy_ai.rules.game import Game
from nardy_ai.rules.match import steps
from nardy_ai.rules.match.errors import IllegalStep
from nardy_ai.rules.match.result import GameResult, played_out
from nardy_ai.rules.match.terms import Terms
from nardy_ai.rules.play import Play
from nardy_ai.rules.play_reader import NotationError
from nardy_ai.rules.position import Position

Phase = Literal["rolloff", "throw", "play", "doubled", "beavered", "game_over", "match_over"]

_NEXT: dict[str, str] = {
    "rolloff": "the roll-off for who starts comes next",
    "throw": "player {0} is about to throw",
    "play": "player {0} has thrown and must play",
    "doubled": "player {0} must first answer the double",
    "beavered": "player {0} must first answer the beaver",
    "game_over": "the game is over, and the next one has not begun",
    "match_over": "the match is over",
}
_CHOICES: dict[Phase, tuple[str, ...]] = {
    "rolloff": ("roll_off",),
    "throw": ("throw",),
    "play": ("play",),
    "doubled": ("take", "drop"),
    "beavered": ("take", "drop"),
    "game_over": ("next_game",),
    "match_over": (),
}


@dataclass(frozen=True)
class Cube:
    """The doubling cube."""

    value: int = 1
    owner: int | None = None
    """The player who may turn it; None in the middle, where both may."""


@dataclass(frozen=True)
class MatchState:
    """Where a match stands. Immutable; `==` and `hash` by value.

    `begin` makes the first state, `set_up` one in the middle of a game, every step the next one.
    """

    terms: Terms
    phase: Phase
    """`rolloff`, `throw` (the player on roll may throw or double), `play` (dice lie), `doubled` (the other
    must answer), `beavered` (the first doubler must answer), `game_over`, `match_over`."""
    number: int
    """The game's number, from 1."""
    won: tuple[int, int]
    """Points from games won by each player; `score` adds draws."""
    draws: int
    """Games drawn so far."""
    crawford: bool
    """Whether this is the Crawford game, which is played without the cube."""
    crawford_played: bool
    """Whether the Crawford game is this one or an earlier one."""
    starter: int | None
    """The player who starts this game; None before the roll-off."""
    position: Position
    """The board with the player on roll; in a finished game the last one."""
    dice: Dice | None
    """The throw that lies on the board, larger die first."""
    cube: Cube
    automatic: int
    """Automatic doubles of this game."""
    result: GameResult | None
    """How this game ended; None while it goes on."""

    @classmethod
    def begin(cls, terms: Terms) -> MatchState:
        """The state before the first roll-off."""
        return cls(
            terms=terms,
            phase="rolloff",
            number=1,
            won=(0, 0),
            draws=0,
            crawford=False,
            crawford_played=False,
            starter=None,
            position=needed(terms, Terms).game.start(),
            dice=None,
            cube=Cube(),
            automatic=0,
            result=None,
        )

    # --- what it says -----------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.terms.game

    @property
    def score(self) -> tuple[float, float]:
        """Points of both players, draws included."""
        drawn = self.draws * self.game.profile.match.draw_points
        return self.won[0] + drawn, self.won[1] + drawn

    @property
    def on_roll(self) -> int | None:
        """The player whose turn it is, also while the other answers his double; None between games."""
        if self.starter is None or self.result is not None:
            return None
        return self.starter ^ self.position.seat

    @property
    def decider(self) -> int | None:
        """The player who must do something next; None in a roll-off and between games."""
        on_roll = self.on_roll
        return 1 - on_roll if self.phase == "doubled" and on_roll is not None else on_roll

    @property
    def post_crawford(self) -> bool:
        """Whether the Crawford game lies behind."""
        return self.crawford_played and not self.crawford

    @property
    def offered(self) -> int | None:
        """The value of the cube that is being offered; None where none is."""
        return self.cube.value * 2 if self.phase in ("doubled", "beavered") else None

    @property
    def winner(self) -> int | None:
        """The player who has won the match; None while it goes on, and always in money play."""
        ahead, behind = max(self.score), min(self.score)
        if self.terms.length is None or ahead < self.terms.length or ahead == behind:
            return None
        return self.score.index(ahead)

    @property
    def choices(self) -> tuple[str, ...]:
        """Names of the steps that are possible now, resignation aside, which goes with `throw` and `play`."""
        if self.phase == "throw" and self.double_fault() is None:
            return "throw", "double"
        if self.phase == "doubled" and self.beaver_fault() is None:
            return "take", "drop", "beaver"
        return _CHOICES[self.phase]

    # --- the opening ------------------------------------------------------------------------------------

    def roll_off(self, dice: Sequence[int]) -> MatchState:
        """One die each, player 0's first; a tie is thrown again, and may double the stake.

        Raises IllegalStep where no roll-off is due, InputError for bad dice.
        """
        self._expect("a roll-off", "rolloff")
        large, small = dice_pair(dice)
        if large == small:
            return self._tied()
        starter = 0 if next(iter(dice)) == large else 1
        if self.game.profile.rules.opening_roll == "rolloff_pair":
            return replace(self, starter=starter, phase="play", dice=(large, small))
        return replace(self, starter=starter, phase="throw")

    def starts(self, player: int) -> MatchState:
        """A roll-off that `player` won, with dice that are not known.

        Raises IllegalStep where no roll-off is due, and where its dice are played.
        """
        self._expect("a roll-off", "rolloff")
        if self.game.profile.rules.opening_roll == "rolloff_pair":
            raise IllegalStep("opening", f"{self.game.name} plays the dice of the roll-off: give them")
        return replace(self, starter=_player(player), phase="throw")

    def _tied(self) -> MatchState:
        doubles = self.terms.automatic_double_follows(self.automatic)
        if not doubles or self.cube.value * 2 > self.terms.max_cube:
            return self
        return replace(self, cube=Cube(self.cube.value * 2), automatic=self.automatic + 1)

    # --- throwing and playing ---------------------------------------------------------------------------

    def throw(self, dice: Sequence[int], *, by: int | None = None) -> MatchState:
        """The player on roll throws. Raises IllegalStep out of turn, InputError for bad dice."""
        self._expect("a throw", "throw", by=by)
        return replace(self, phase="play", dice=dice_pair(dice))

    def plays(self) -> list[Play]:
        """The legal plays of the throw that lies on the board. Raises IllegalStep where none lies."""
        self._expect("a play", "play")
        assert self.dice is not None
        return self.game.plays(self.position, self.dice)

    def play(self, play: Play | str, *, by: int | None = None) -> MatchState:
        """The player on roll makes a play, given as one of `plays()` or in notation (`8/5 6/5`, `pass`).

        Raises IllegalStep out of turn and for a play that is not legal (`plays`), InputError for text that
        cannot be read.
        """
        self._expect("a play", "play", by=by)
        position = self.legal_play(play).position
        assert self.starter is not None
        end = played_out(position, self.starter ^ position.seat)
        if end is None:
            return replace(self, phase="throw", position=position, dice=None)
        winner, kind = end
        turned = self.cube.owner is not None
        points = 0 if winner is None else self.terms.points_of(kind, self.cube.value, cube_turned=turned)
        return replace(self, position=position)._ended(GameResult(winner, kind, "play", points))

    def legal_play(self, play: Play | str) -> Play:
        """The legal play that a play or its notation means. Raises as `play` does."""
        self._expect("a play", "play")
        assert self.dice is not None
        if isinstance(play, str):
            try:
                return self.game.play(self.position, self.dice, play)
            except NotationError as error:
                raise IllegalStep("plays", str(error)) from error
        if not isinstance(play, Play):
            raise InputError(f"a play is a Play or its notation, not {type(play).__name__}")
        if play not in self.plays():
            raise IllegalStep("plays", f"{play.notation} of {play.dice} is none of this position and throw")
        return play

    # --- the cube ---------------------------------------------------------------------------------------

    def double_fault(self) -> tuple[str, str] | None:
        """The rule that forbids the player about to throw to double, and why; None where he may."""
        cube, terms = self.cube, self.terms
        if not terms.cube.enabled:
            return "cube", f"{self.game.name} is played without doubling"
        if self.crawford:
            return "crawford", f"game {self.number} is the Crawford game, in which nobody may double"
        if cube.owner not in (None, self.on_roll):
            return "cube_owner", f"player {cube.owner} owns the cube, so player {self.on_roll} may not double"
        if cube.value * 2 > terms.max_cube:
            return "cube_limit", f"the cube stands at {cube.value} and may not go above {terms.max_cube}"
        return None

    def double(self, *, by: int | None = None) -> MatchState:
        """The player about to throw offers the cube. Raises IllegalStep naming the rule where he may not."""
        if self.phase == "play" and by in (None, self.on_roll):
            raise IllegalStep("cube", f"player {self.on_roll} has thrown; doubling comes before the throw")
        self._expect("a double", "throw", by=by)
        _raise(self.double_fault())
        return replace(self, phase="doubled")

    def take(self, *, by: int | None = None) -> MatchState:
        """The offered cube is taken and the doubler goes on to throw.

        Raises IllegalStep where nothing is offered or the wrong player answers.
        """
        self._expect("a take", "doubled", "beavered", by=by)
        owner = self.decider if self.phase == "doubled" else self.cube.owner
        return replace(self, phase="throw", cube=Cube(self.cube.value * 2, owner))

    def drop(self, *, by: int | None = None) -> MatchState:
        """The offered cube is refused, which loses the present stake. Raises IllegalStep as `take` does."""
        self._expect("a drop", "doubled", "beavered", by=by)
        assert self.decider is not None
        kind, points = self.game.profile.scores[0]
        return self._ended(GameResult(1 - self.decider, kind, "drop", points * self.cube.value))

    def beaver_fault(self) -> tuple[str, str] | None:
        """The rule that forbids the doubled player to beaver, and why; None where he may."""
        if not self.terms.cube.beavers:
            where = "a match has no beavers" if self.terms.length is not None else "they were not agreed on"
            return "beavers", where
        if self.cube.value * 4 > self.terms.max_cube:
            return "cube_limit", f"a beaver would turn the cube above {self.terms.max_cube}"
        return None

    def beaver(self, *, by: int | None = None) -> MatchState:
        """The doubled player redoubles at once and keeps the cube; the first doubler must answer.

        Raises IllegalStep as `take` does, and where beavers were not agreed on.
        """
        self._expect("a beaver", "doubled", by=by)
        _raise(self.beaver_fault())
        return replace(self, phase="beavered", cube=Cube(self.cube.value * 2, self.decider))

    # --- the end of a game ------------------------------------------------------------------------------

    def resign(self, kind: str, *, by: int) -> MatchState:
        """Player `by` gives the game up as a loss of a kind that the profile scores, at the present stake.

        Raises IllegalStep outside of a game, while a double is offered (there is `drop`), and for a kind that
        is not scored.
        """
        self._expect("a resignation", "throw", "play")
        kinds = dict(self.game.profile.scores)
        if not is_one_of(kind, kinds):
            raise IllegalStep("resignation", f"{shown(kind)} is no loss here; there are {', '.join(kinds)}")
        turned = self.cube.owner is not None
        points = self.terms.points_of(kind, self.cube.value, cube_turned=turned)
        return self._ended(GameResult(1 - _player(by), kind, "resignation", points))

    def next_game(self) -> MatchState:
        """The next game, whose starter the profile's `next_start` decides.

        Raises IllegalStep while the game goes on and after the end of the match.
        """
        self._expect("the next game", "game_over")
        starter = self._next_starter()
        length = self.terms.length
        reached = length is not None and max(self.won) >= length - 1
        crawford = self.terms.crawford and reached and not self.crawford_played
        return replace(
            self,
            phase="rolloff" if starter is None else "throw",
            number=self.number + 1,
            crawford=crawford,
            crawford_played=self.crawford_played or crawford,
            starter=starter,
            position=self.game.start(),
            cube=Cube(),
            automatic=0,
            result=None,
        )

    def _next_starter(self) -> int | None:
        rule = self.game.profile.match.next_start
        assert self.result is not None and self.starter is not None
        if rule == "rolloff":
            return None
        # After a draw there is no winner to start: the other player does, as where players alternate.
        if rule == "winner" and self.result.winner is not None:
            return self.result.winner
        return 1 - self.starter

    def _ended(self, result: GameResult) -> MatchState:
        won = list(self.won)
        if result.winner is not None:
            won[result.winner] += result.points
        drawn = self.draws + (result.winner is None)
        over = replace(self, phase="game_over", dice=None, won=(won[0], won[1]), draws=drawn, result=result)
        return over if over.winner is None else replace(over, phase="match_over")

    # --- any step ---------------------------------------------------------------------------------------

    def after(self, step: steps.Step) -> MatchState:
        """The state after a step given as a value. Raises as the step's own method does."""
        match step:
            case steps.RollOff(dice):
                return self.roll_off(dice)
            case steps.Starts(player):
                return self.starts(player)
            case steps.Throw(dice):
                return self.throw(dice)
            case steps.Move(play):
                return self.play(play)
            case steps.Double():
                return self.double()
            case steps.Take():
                return self.take()
            case steps.Drop():
                return self.drop()
            case steps.Beaver():
                return self.beaver()
            case steps.Resign(player, kind):
                return self.resign(kind, by=player)
            case steps.NextGame():
                return self.next_game()
        raise InputError(f"a step of a match is needed, not {type(step).__name__}")

    def _expect(self, what: str, *phases: Phase, by: int | None = None) -> None:
        """Raises IllegalStep unless one of the phases holds and the decider is `by`, where that is given."""
        if self.phase not in phases:
            rule = "end" if self.phase == "match_over" else "order"
            raise IllegalStep(rule, f"{what} is not possible now: {_NEXT[self.phase].format(self.decider)}")
        if by is not None and _player(by) != self.decider:
            raise IllegalStep("order", f"{what} is not player {by}'s: it is up to player {self.decider}")


def _player(player: int) -> int:
    if type(player) is not int or player not in (0, 1):
        raise InputError(f"a player is 0 or 1, not {shown(player)}")
    return player


def _raise(fault: tuple[str, str] | None) -> None:
    if fault is not None:
        raise IllegalStep(*fault)
