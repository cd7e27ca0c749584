"""One game between a person and a bot, line by line: what is asked, what is answered, and what is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from nardy_ai import core
from nardy_ai.bots import Bot, NetBot
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Play, Position

__all__ = ["Quit", "TerminalGame"]

HELP: Final = """\
  24/20 13/11   a play in your own numbers; bar/22, 6/off, 13/7(2); a number takes it from the list
  plays         list the legal plays
  hint          what the bot thinks of them
  undo          take your last play back
  board         show the board again
  id            the position's key, for `nardy` in Python: game.position("…")
  quit          leave the game"""

_HINTS: Final = 5


class Quit(Exception):
    """The person leaves before the game is over."""


@dataclass(frozen=True)
class _Turn:
    """Whose turn the number says: even ones belong to the starter."""

    number: int
    position: Position


class TerminalGame:
    """A game between a person and a bot.

    Args:
        game: the rules.
        bot: the other side.
        seed: the dice depend on it and the number of the turn alone, so that undoing changes no roll.
        seat: 0 where the person starts the game, else 1.
        read: asks for one line with a prompt; None at the end of the input.
        say: shows one or more lines.
        forgiving: whether the person is asked again after a wrong line; otherwise it raises `InputError`.
    """

    def __init__(
        self,
        game: Game,
        bot: Bot,
        *,
        seed: int,
        seat: int,
        read: Callable[[str], str | None],
        say: Callable[[str], None],
        forgiving: bool,
    ) -> None:
        self._game = game
        self._bot = bot
        self._seed = seed
        self._seat = seat
        self._read = read
        self._say = say
        self._forgiving = forgiving
        self._mine: list[_Turn] = []

    def play(self) -> str:
        """Plays to the end and returns the outcome as the person sees it, such as `win_mars`.

        Raises `Quit` where the person leaves, and `InputError` for a wrong line unless forgiving.
        """
        turn = _Turn(0, self._game.start())
        while turn.position.result is None:
            turn = self._person(turn) if turn.position.seat == self._seat else self._other(turn)
        result = turn.position.result
        if turn.position.seat == self._seat:
            return result
        # Seen by the other side: wins and losses change places, and a draw stays.
        if result.startswith("win"):
            return result.replace("win", "lose", 1)
        return result.replace("lose", "win", 1)

    def _dice(self, number: int) -> tuple[int, int]:
        pair = self._game.core_rules.options["opening_roll"] == "rolloff_pair"
        first, second = core.dice(self._seed, core.PURPOSES["dice_play"], 0, number, 1, pair)[0].tolist()
        return max(first, second), min(first, second)

    def _other(self, turn: _Turn) -> _Turn:
        dice = self._dice(turn.number)
        play = self._bot.choose(turn.position, dice)
        self._say(f"the bot rolls {dice[0]}-{dice[1]}: {play.notation}")
        return _Turn(turn.number + 1, play.position)

    def _person(self, turn: _Turn) -> _Turn:
        dice = self._dice(turn.number)
        plays = self._game.plays(turn.position, dice)
        self._say("")
        self._say(turn.position.text(dice))
        if plays[0].passed:
            self._say(f"you roll {dice[0]}-{dice[1]}: nothing can be played, so you pass")
            return _Turn(turn.number + 1, plays[0].position)
        while True:
            only = f" [Enter: {plays[0].notation}]" if len(plays) == 1 else ""
            line = self._read(f"your {dice[0]}-{dice[1]}{only}> ")
            if line is None:
                raise Quit
            answer = self._answer(line.strip(), turn, dice, plays)
            if isinstance(answer, Play):
                self._mine.append(turn)
                return _Turn(turn.number + 1, answer.position)
            if isinstance(answer, _Turn):
                return answer

    def _answer(
        self, line: str, turn: _Turn, dice: tuple[int, int], plays: list[Play]
    ) -> Play | _Turn | None:
        """The play that was made, the turn that was gone back to, or None where something was shown."""
        word = line.lower()
        if word in ("quit", "exit", "q"):
            raise Quit
        if word == "undo":
            return self._undo()
        shown = self._shown(word, turn, dice, plays)
        if shown is not None:
            self._say(shown)
            return None
        try:
            return self._chosen(line, turn, dice, plays)
        except InputError as fault:
            if not self._forgiving:
                raise
            self._say(f"{fault}; 'help' says what can be written here")
            return None

    def _shown(self, word: str, turn: _Turn, dice: tuple[int, int], plays: list[Play]) -> str | None:
        """The answer to a question; None where the line is not one."""
        if word in ("help", "?", "h"):
            return HELP
        if word in ("plays", "moves", "list"):
            return "\n".join(f"{number:>4}  {play.notation}" for number, play in enumerate(plays, 1))
        if word == "board":
            return turn.position.text(dice)
        if word == "id":
            return turn.position.key
        if word == "hint":
            return self._hint(turn.position, dice)
        return None

    def _hint(self, position: Position, dice: tuple[int, int]) -> str:
        if isinstance(self._bot, NetBot):
            ranked = self._bot.rank(position, dice)[:_HINTS]
            width = max(len(entry.notation) for entry in ranked)
            return "\n".join(f"  {entry.notation:<{width}}  {entry.equity:+.3f}" for entry in ranked)
        return f"  {self._bot.choose(position, dice).notation} ({self._bot.name} would play it)"

    def _undo(self) -> _Turn | None:
        if not self._mine:
            self._say("there is nothing to take back yet")
            return None
        return self._mine.pop()

    def _chosen(self, line: str, turn: _Turn, dice: tuple[int, int], plays: list[Play]) -> Play:
        if not line and len(plays) == 1:
            return plays[0]
        if line.isdecimal():
            number = int(line[:6])
            if not 1 <= number <= len(plays):
                raise InputError(f"there is no play {number}, the list ends at {len(plays)}")
            return plays[number - 1]
        return self._game.play(turn.position, dice, line)
