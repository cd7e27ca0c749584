"""Games between a person and a bot, line by line: what is asked, what is answered, and what is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from nardy_ai.bots import Bot
from nardy_ai.commands.terminal_judge import Judge
from nardy_ai.commands.terminal_record import PERSON, Record, Table, terms_of
from nardy_ai.commands.terminal_words import TerminalWords
from nardy_ai.core import LEVELS, InputError
from nardy_ai.rules import Game, MatchState, Play

__all__ = ["Quit", "TerminalGame"]


class Quit(Exception):
    """The person leaves before the game is over."""


class TerminalGame:
    """A game, or a match, between a person and a bot.

    Args:
        game: the rules.
        bot: the other side.
        seed: the dice depend on it and the numbers of game and turn alone, so that undoing changes no roll.
        seat: 0 where the person starts the first game, else 1.
        read: asks for one line with a prompt; None at the end of the input.
        say: shows one or more lines.
        forgiving: whether the person is asked again after a wrong line; otherwise it raises `InputError`.
        judge: whose hints are given; the other side where left out.
        lang: `en` or `ru`.
        length: points of a match; None: a single game.
        record: a `.mat` file that is written after every turn.

    Raises:
        InputError: a wrong length, or a record that is there already.
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
        judge: Bot | None = None,
        lang: str = "en",
        length: int | None = None,
        record: Path | None = None,
    ) -> None:
        self._bot = bot
        self._seat = seat
        self._read = read
        self._say = say
        self._forgiving = forgiving
        self._words = TerminalWords(lang)
        self._judge = Judge(bot if judge is None else judge, self._words)
        self._length = length
        self._table = Table.laid(terms_of(game, length), seed)
        self._names = "You", Path(bot.name).name or bot.name
        self._records: dict[Path, Record] = {}
        self._kept = None if record is None else self._record(record)
        self._mine: list[Table] = []

    def play(self) -> MatchState:
        """Plays to the end of the game or the match.

        Raises `Quit` where the person leaves, and `InputError` for a wrong line unless forgiving.
        """
        first: int | None = PERSON if self._seat == 0 else 1 - PERSON
        while True:
            self._go_on(self._table.begun(first))
            while self._table.state.result is None:
                self._turn()
            self._say(f"\n{self._verdict()}")
            if self._length is None or self._table.state.phase == "match_over":
                return self._table.state
            first = None
            self._mine.clear()
            self._say(self._score())
            self._say("\n" + self._words("next_game", number=self._table.state.number + 1))

    def _go_on(self, table: Table) -> None:
        self._table = table
        if self._kept is not None:
            self._kept.write(table.history)

    def _turn(self) -> None:
        self._go_on(self._table.thrown())
        state = self._table.state
        if state.on_roll == PERSON:
            self._person(self._table, state.plays())
            return
        play = self._choice()
        self._say(self._words("other", dice=_roll(state), play=play.notation))
        self._go_on(self._table.played(play))

    def _choice(self) -> Play:
        """What the bot plays; the noise of a level hangs on seed, game and turn, as the dice do."""
        state = self._table.state
        position, dice = state.position, state.dice
        assert dice is not None
        if getattr(self._bot, "level", None) in (None, LEVELS):
            return self._bot.choose(position, dice)
        keys = np.array([[self._table.seed, state.number - 1, self._table.turn]], np.uint64)
        columns = [np.array([value], np.uint8) for value in (position.seat, position.turns)]
        roll, board = np.array([dice], np.uint8), np.asarray(position.board, np.int8)[None]
        chosen = self._bot.choose_boards(position.game, board, roll, columns[0], columns[1], keys)[0]
        return next(play for play in state.plays() if np.array_equal(play.board, chosen))

    def _person(self, table: Table, plays: list[Play]) -> None:
        state = table.state
        self._say("")
        self._say(state.position.text(state.dice, lang=self._words.lang))
        if plays[0].passed:
            self._say(self._words("passes", dice=_roll(state)))
            self._go_on(table.played(plays[0]))
            return
        while True:
            name = "prompt_only" if len(plays) == 1 else "prompt"
            line = self._read(self._words(name, dice=_roll(state), play=plays[0].notation))
            if line is None:
                raise Quit
            answer = self._answer(line.strip(), table, plays)
            if isinstance(answer, Play):
                self._mine.append(table)
                self._go_on(table.played(answer))
                return
            if isinstance(answer, Table):
                self._go_on(answer)
                return

    def _answer(self, line: str, table: Table, plays: list[Play]) -> Play | Table | None:
        """The play that was made, the turn that was gone back to, or None where something was shown."""
        word, _, rest = line.partition(" ")
        command = self._words.command(word)
        if command == "quit":
            raise Quit
        if command == "undo":
            return self._undo()
        try:
            if command is not None:
                self._say(self._shown(command, rest.strip(), table, plays))
                return None
            return self._chosen(line, table.state, plays)
        except InputError as fault:
            if not self._forgiving:
                raise
            self._say(str(fault) if command is not None else self._words("fault", fault=fault))
            return None

    def _shown(self, command: str, rest: str, table: Table, plays: list[Play]) -> str:
        """The answer to a question."""
        state = table.state
        assert state.dice is not None
        match command:
            case "help":
                return self._words("help")
            case "plays":
                return "\n".join(f"{number:>4}  {play.notation}" for number, play in enumerate(plays, 1))
            case "board":
                return state.position.text(state.dice, lang=self._words.lang)
            case "id":
                return state.position.key
            case "hint":
                return self._judge.hint(state.position, state.dice)
            case "cost":
                return self._cost()
            case "score":
                return self._score()
            case _:
                return self._save(rest)

    def _cost(self) -> str:
        if not self._mine:
            return self._words("cost_none")
        before = self._mine[-1]
        state, made = before.state, len(before.history.steps)
        assert state.dice is not None
        # The step behind the throw is the play; later ones are the bot's.
        play = getattr(self._table.history.steps[made], "play", None)
        assert isinstance(play, Play)
        return self._judge.cost(state.position, state.dice, play)

    def _score(self) -> str:
        if self._length is None:
            return self._words("no_match")
        mine, theirs = (f"{points:g}" for points in self._table.state.score)
        return self._words("score", mine=mine, theirs=theirs, length=self._length)

    def _save(self, name: str) -> str:
        if not name:
            raise InputError(self._words("save_where"))
        self._record(Path(name)).write(self._table.history)
        return self._words("saved", file=name)

    def _record(self, path: Path) -> Record:
        """The file of a record; one of this game may be written again."""
        if path not in self._records:
            if path.exists():
                raise InputError(self._words("save_there", file=path))
            self._records[path] = Record(path, self._names)
        return self._records[path]

    def _undo(self) -> Table | None:
        if not self._mine:
            self._say(self._words("no_undo"))
            return None
        return self._mine.pop()

    def _chosen(self, line: str, state: MatchState, plays: list[Play]) -> Play:
        if not line and len(plays) == 1:
            return plays[0]
        if line.isdecimal():
            number = int(line[:6])
            if not 1 <= number <= len(plays):
                raise InputError(self._words("no_play", number=number, most=len(plays)))
            return plays[number - 1]
        assert state.dice is not None
        try:
            return state.game.play(state.position, state.dice, line)
        except InputError as fault:
            raise InputError(self._words("unread", fault=fault, line=line[:40])) from None

    def _verdict(self) -> str:
        state, words = self._table.state, self._words
        result = state.result
        assert result is not None
        if result.winner is None:
            return words("draw")
        plain = result.kind == state.game.profile.scores[0][0]
        what = words.points(result.points)
        told = words(
            "win" if result.winner == PERSON else "lose",
            what=what if plain else f"{words.kind(result.kind)}, {what}",
        )
        if state.winner is None:
            return told
        mine, theirs = (f"{points:g}" for points in state.score)
        name = "match_win" if state.winner == PERSON else "match_lose"
        return f"{told}\n{words(name, mine=mine, theirs=theirs)}"


def _roll(state: MatchState) -> str:
    assert state.dice is not None
    return f"{state.dice[0]}-{state.dice[1]}"
