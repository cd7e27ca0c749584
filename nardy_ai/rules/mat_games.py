"""Reads what can be read of a `.mat` file: game by game, each on its own, with faults kept beside them.

`read_mat` takes a file as a whole or refuses it. Whoever wants to look at plays can do with less: here a
game that breaks the rules ends at that place and the next one is read all the same; scores, the cube's
value, the order of row numbers and tags that say nothing about how checkers move are not checked. What an
illegal play leaves is taken as it is written where its movements can be made, once a game.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import named, path_text, shown
from nardy_ai.rules.dice import Dice
from nardy_ai.rules.game import Game
from nardy_ai.rules.mat_file import USUAL_NAMES, MatError, line_name, read_tag, true_name, unescaped
from nardy_ai.rules.mat_reader import LONGEST_LINE, MOST_ROWS, Reading, mat_bytes
from nardy_ai.rules.mat_tags import game_of_tags, read_roll_offs
from nardy_ai.rules.match import GameResult, MatchState, Terms, steps
from nardy_ai.rules.match.terms import LARGEST_CUBE
from nardy_ai.rules.notation import OFF, WrittenMove, read_moves
from nardy_ai.rules.play import Play
from nardy_ai.rules.position import Position, facing_point

__all__ = ["CubeTurn", "MatGames", "RecordedGame", "RecordedTurn", "games_of_text", "read_mat_games"]

_HEADING = re.compile(r"\s*Game\s+(\d{1,6})\s*[.:]?\s*", re.IGNORECASE)
_LENGTH = re.compile(r"\s*(?:match\s+to\s+)?(\d{1,5})[\s-]*points?(?:\s+match)?\s*\.?\s*", re.IGNORECASE)
_ROW = re.compile(r"\s*(\d{1,6})\)(.*)")
_NUMBER = r"\d{1,7}(?:\.\d{1,17})?"
_NAMES = re.compile(rf"\s*(.*?)\s*:\s*({_NUMBER})(?:\s+|$)(.*?)\s*:\s*({_NUMBER})\s*")
_NAMES_LATE = 2
"""Lines behind a heading among which names and score are looked for."""

CubeAction = Literal["double", "take", "drop", "beaver"]
_CUBE_ACTIONS: Mapping[type[steps.Step], CubeAction] = {
    steps.Double: "double",
    steps.Take: "take",
    steps.Drop: "drop",
    steps.Beaver: "beaver",
}


@dataclass(frozen=True)
class RecordedTurn:
    """A throw and what was made of it."""

    player: int
    """0 for the left column, 1 for the right one."""
    row: int
    """Number of its row in the file."""
    position: Position
    """Before the throw."""
    dice: Dice
    play: Play | None
    """None where the throw was not played, or the play is not legal."""
    written: str = ""
    """The text of a play that is not legal; empty for all others."""


@dataclass(frozen=True)
class CubeTurn:
    """What somebody did with the cube."""

    player: int
    row: int
    action: CubeAction
    value: int
    """What the cube stands at once it is taken."""
    position: Position
    """The board that lay before them, its player on roll about to throw."""


Event = RecordedTurn | CubeTurn


@dataclass(frozen=True)
class RecordedGame:
    """One game, as far as it can be replayed."""

    number: int
    """In the file's own counting."""
    names: tuple[str, str]
    score: tuple[float, float] | None
    """Before the game; None where the file does not tell."""
    events: tuple[Event, ...]
    result: GameResult | None
    """None where it is not finished, or could not be read to its end."""
    faults: tuple[MatError, ...]

    @property
    def turns(self) -> tuple[RecordedTurn, ...]:
        """The throws, in their order."""
        return tuple(event for event in self.events if isinstance(event, RecordedTurn))


@dataclass(frozen=True)
class MatGames:
    """The games of a file."""

    game: Game
    length: int | None
    """Points that the match is played to; None for money play, or where the file does not tell."""
    games: tuple[RecordedGame, ...]

    @property
    def faults(self) -> tuple[MatError, ...]:
        """What is wrong in any of the games."""
        return tuple(fault for game in self.games for fault in game.faults)


def read_mat_games(
    path: str | os.PathLike[str], game: Game | None = None, *, encoding: str | None = None
) -> MatGames:
    """The games of a `.mat` file. See `games_of_text`.

    Args:
        path: the file.
        game: the rules that were played by, see `games_of_text`.
        encoding: how the file is encoded, such as `cp1251`; by default UTF-8, or UTF-16 where it says so.

    Raises:
        InputError: the file cannot be read, is no text in that encoding, or as `games_of_text`.
    """
    return games_of_text(_decoded(mat_bytes(path), named(path_text(path)), encoding), game)


def games_of_text(text: str, game: Game | None = None) -> MatGames:
    """The games of a `.mat` file's text.

    Args:
        text: the file's text.
        game: the rules that were played by; by default those that the file's tags name. Without such tags
            it is short nardy, unless that breaks the rules and long nardy does not.

    Raises:
        MatError: there is no game in it.
        InputError: no text, or tags and `game` that contradict one another.
    """
    if not isinstance(text, str):
        raise InputError(f"games are read from text, not from {type(text).__name__}")
    head, parts = _parts(text)
    tags = dict(tag for _, line in head if (tag := read_tag(line)) is not None)
    if game is not None or "Variation" in tags or "Rules" in tags:
        return _games(game_of_tags(tags, game), head, tags, parts)
    usual = _games(Game("short"), head, tags, parts)
    if not usual.faults:
        return usual
    other = _games(Game("long"), head, tags, parts)
    return usual if other.faults else other


# --- text -----------------------------------------------------------------------------------------------

Lines = list[tuple[int, str]]
"""Lines with their numbers, from 1."""


def _decoded(raw: bytes, place: str, encoding: str | None) -> str:
    wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    name = encoding or ("utf-16" if wide else "utf-8-sig")
    try:
        text = raw.decode(name)
    except LookupError:
        raise InputError(f"there is no encoding {shown(name)}; there are utf-8, utf-16, cp1251, …") from None
    except (UnicodeError, ValueError) as error:
        if encoding is not None or wide:
            raise InputError(f"{place} is not a text file in {name}") from None
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        raise MatError(
            f"{place} is not a text file in UTF-8; say how it is encoded, such as --encoding cp1251",
            line=raw.count(b"\n", 0, start) + 1,
        ) from None
    if "\0" in text[:2000]:
        raise InputError(f"{place} is not a text file in {name}: it holds zero bytes")
    return text.removeprefix("\ufeff")


def _parts(text: str) -> tuple[Lines, list[tuple[int, Lines]]]:
    """The lines before the first game, and of each game its number and its lines, tags left out."""
    head: Lines = []
    parts: list[tuple[int, Lines]] = []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            raise MatError(f"the line has {len(line)} characters, which no line of a match has", line=number)
        if not line or line.isspace():
            continue
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            parts.append((int(heading[1]), []))
        elif not parts:
            head.append((number, line))
        elif not line.lstrip().startswith(";") or not parts[-1][1]:
            parts[-1][1].append((number, line.expandtabs(8).rstrip()))
    if not parts:
        raise MatError('there is no game in the file, such as " Game 1" begins', line=len(lines))
    return head, parts


def _games(
    game: Game, head: Lines, tags: Mapping[str, str], parts: list[tuple[int, Lines]]
) -> MatGames:
    lengths = [int(found[1]) for _, line in head if (found := _LENGTH.fullmatch(line)) is not None]
    try:
        ties = read_roll_offs(tags.get("RollOffs", ""))
    except InputError:
        ties = {}
    # The cube may do whatever the file says: nothing about it is judged.
    terms = Terms.money(game)
    if game.profile.cube.enabled:
        terms = Terms.money(game, jacoby=False, beavers=True, max_cube=LARGEST_CUBE)
    games = [_GameReading(tags, ties.get(number, ())).game(number, lines, terms) for number, lines in parts]
    return MatGames(game, (lengths[0] or None) if lengths else None, tuple(games))


# --- one game -------------------------------------------------------------------------------------------


class _GameReading(Reading):
    """The state of reading one game, whose first fault that matters is its end."""

    def __init__(self, tags: Mapping[str, str], roll_offs: tuple[steps.Step, ...]) -> None:
        super().__init__("", tags=dict(tags))
        self.before_play = roll_offs
        self.events: list[Event] = []
        self.faults: list[MatError] = []
        self.score: tuple[float, float] | None = None
        self.over = False
        self.unread = ""
        """The text of the play that lies on the board and could not be made."""

    def game(self, number: int, lines: Lines, terms: Terms) -> RecordedGame:
        """All of the game that can be replayed."""
        self.states = [replace(MatchState.begin(terms), number=number)]
        self.number = lines[0][0] if lines else 0
        try:
            for number_of_line, line in self.after_names(lines):
                self.number = number_of_line
                self.row_of_plays(line)
                if self.over:
                    break
        except MatError as fault:
            self.faults.append(fault)
        self.note_unplayed()
        assert self.names is not None
        return RecordedGame(
            number, self.names, self.score, tuple(self.events), self.state.result, tuple(self.faults)
        )

    def after_names(self, lines: Lines) -> Lines:
        """The lines behind names and score, which may be missing."""
        for place, (_, line) in enumerate(lines[:_NAMES_LATE]):
            found = None if _ROW.fullmatch(line) else _NAMES.fullmatch(line)
            if found is not None:
                self.names = self.full_name(1, found[1]), self.full_name(2, found[3])
                self.score = float(found[2]), float(found[4])
                return self.started(lines[place + 1 :])
        self.names = self.full_name(1, ""), self.full_name(2, "")
        return self.started(lines)

    def full_name(self, player: int, on_line: str) -> str:
        """A name as the tags have it in full, as the line has it, or a usual one."""
        tag = self.tags.get(f"Player {player}")
        if on_line:
            return true_name(on_line, tag)
        return unescaped(tag) if tag and line_name(unescaped(tag)) else USUAL_NAMES[player - 1]

    def started(self, lines: Lines) -> Lines:
        for roll in self.before_play:
            self.step(roll)
        return lines

    def fault(self, sentence: str) -> MatError:
        """An error with the place that is being read."""
        return MatError(sentence, line=self.number, game=self.state.number, row=self.row or None)

    def step(self, step: steps.Step, by: int | None = None) -> None:
        """Makes a step and notes what it means to the players."""
        before = self.state
        if isinstance(step, steps.Resign):
            self.note_unplayed()
        super().step(step, by)
        if before.on_roll is None:
            return
        if isinstance(step, steps.Move):
            assert before.dice is not None
            turn = RecordedTurn(before.on_roll, self.row, before.position, before.dice, step.play)
            self.events.append(turn)
        elif type(step) in _CUBE_ACTIONS:
            assert before.decider is not None
            value = before.offered or (before.cube.value * 2)
            action = _CUBE_ACTIONS[type(step)]
            value = value * 2 if action == "beaver" else value
            self.events.append(CubeTurn(before.decider, self.row, action, value, before.position))

    def note_unplayed(self) -> None:
        """A throw that lies on the board with no play."""
        state = self.state
        if state.phase == "play" and state.on_roll is not None and state.dice is not None and not self.over:
            turn = RecordedTurn(state.on_roll, self.row, state.position, state.dice, None, self.unread)
            self.events.append(turn)
            self.over = True

    # --- what may be otherwise --------------------------------------------------------------------------

    def row_of_plays(self, line: str) -> None:
        """A row, whatever its number, or what stands behind the last one."""
        found = _ROW.fullmatch(line)
        if found is None:
            self.end_of_game(line)
            return
        self.row = int(found[1])
        if self.row > MOST_ROWS:
            raise self.fault(f"the row has number {self.row}, which no game comes to")
        for player, text in self.cells(found[2]):
            if not self.over:
                self.cell(player, text)

    def end_of_game(self, line: str) -> None:
        """A result on a line of its own; what is no result is a fault that ends nothing."""
        try:
            super().end_of_game(line)
        except MatError as fault:
            self.faults.append(fault)
            self.over = True

    def wins(self, player: int, points: int, match_over: bool) -> None:
        """A result; one that does not follow from the plays is reported, and the plays stand."""
        try:
            if self.state.phase == "doubled" and self.state.decider == 1 - player:
                self.step(steps.Drop())
            if self.state.result is not None and self.state.result.winner == player:
                return
            super().wins(player, points, match_over=False)
        except MatError as fault:
            self.faults.append(fault)
        finally:
            self.over = True

    def turn_cube(self, player: int, verb: str, value: int) -> None:
        """A double or a beaver, from whatever value the cube is told to have."""
        if verb == "doubles":
            self.opening(player, None)
        times = 2 if verb == "doubles" else 4
        if value >= times and value & (value - 1) == 0 and value // times <= LARGEST_CUBE:
            cube = replace(self.state.cube, value=value // times)
            self.states[-1] = replace(self.state, cube=cube)
        super().turn_cube(player, verb, value)

    def play(self, text: str) -> None:
        """A play; the first one of a game that is not legal is taken as written where that can be done."""
        before = self.state
        try:
            super().play(text)
        except MatError as fault:
            self.unread = " ".join(text.split())
            after = None if self.faults else _made_anyway(before.position, text)
            if self.faults:
                raise self.fault(f"behind a play that is not legal: {fault.sentence}") from fault
            if after is None or before.on_roll is None or before.dice is None:
                raise
            self.faults.append(fault)
            turn = RecordedTurn(before.on_roll, self.row, before.position, before.dice, None, self.unread)
            self.events.append(turn)
            self.states.append(replace(before, phase="throw", position=after, dice=None))
            self.over = after.finished


def _made_anyway(before: Position, text: str) -> Position | None:
    """The position after movements that the roll does not allow; None where they cannot be made at all."""
    try:
        written = read_moves(text)
    except InputError:
        return None
    board = before.board.copy()
    for start, end in _single(written):
        if board[0, start - 1] == 0:
            return None
        board[0, start - 1] -= 1
        if end == OFF:
            board[0, 25] += 1
            continue
        facing = facing_point(before.game.family, end) - 1
        if board[1, facing] >= (2 if before.game.family == "short" else 1):
            return None
        board[0, end - 1] += 1
        board[1, 24] += board[1, facing]
        board[1, facing] = 0
    after = before.after(board)
    try:
        return before.game.position(after.board, seat=after.seat, turns=after.turns)
    except InputError:
        return None


def _single(written: tuple[WrittenMove, ...]) -> Iterator[tuple[int, int]]:
    for move in written:
        for _ in range(move.times):
            yield from pairwise(move.path)
