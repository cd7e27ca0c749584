"""Reads `.mat` match files, and takes nothing on trust: every step is made by the rules of the game."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import flag, named, path_text
from nardy_ai.rules.game import Game
from nardy_ai.rules.given_files import file_bytes
from nardy_ai.rules.mat_file import OWN_TAGS, MatError, MatFile, line_name, read_tag, true_name, unescaped
from nardy_ai.rules.mat_tags import read_roll_offs, terms_of_tags
from nardy_ai.rules.match import History, MatchState, steps

LARGEST_FILE = 32_000_000
"""Bytes; a thousand long games need a fifth of that."""
LONGEST_LINE = 4000
MOST_ROWS = 10_000
"""Of one game; none has come near it."""
MOST_TAGS = 1000

_LENGTH = re.compile(r"\s*(\d{1,5})\s+point\s+match\s*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d{1,6})\s*", re.IGNORECASE)
_NUMBER = r"\d{1,7}(?:\.\d{1,17})?"
_LEFT_SCORE = re.compile(rf":\s*({_NUMBER})(?:\s+|$)")
_ROW = re.compile(r"\s*(\d{1,6})\)(.*)")
_CELL = re.compile(r"[1-6][1-6]:|(?:Doubles|Beavers|Takes|Drops|Wins|Draw)\b", re.IGNORECASE)
_THROW = re.compile(r"([1-6])([1-6]):\s*(.*)")
_TURNED = re.compile(r"(Doubles|Beavers)\s*=>\s*(\d{1,6})", re.IGNORECASE)
_WINS = re.compile(r"Wins\s+(\d{1,7})\s+points?(\s+and\s+the\s+match)?\.?", re.IGNORECASE)
_PASSES = ("cannot move", "can't move", "no move", "pass")
_UNPLAYED = "????"
# A cell further right than this is in the right column; a result on a line of its own further than that.
_LEFT_CELL = 12
_LEFT_END = 20


def read_mat(
    path: str | os.PathLike[str],
    game: Game | None = None,
    *,
    jacoby: bool | None = None,
    beavers: bool | None = None,
) -> MatFile:
    """The match of a `.mat` file in UTF-8. See `mat_of_text`.

    Raises InputError where the file cannot be read or is no UTF-8 text, and as `mat_of_text` does.
    """
    shown = named(path_text(path))
    raw = mat_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MatError(f"{shown} is not a text file in UTF-8; convert it to UTF-8", line=line) from None
    return mat_of_text(text, game, jacoby=jacoby, beavers=beavers)


def mat_bytes(path: str | os.PathLike[str]) -> bytes:
    """What a file holds. Raises InputError where it cannot be read, or is larger than any match."""
    return file_bytes(Path(path_text(path)), LARGEST_FILE, "match")


def mat_of_text(
    text: str,
    game: Game | None = None,
    *,
    jacoby: bool | None = None,
    beavers: bool | None = None,
) -> MatFile:
    """The match of a `.mat` file's text.

    Args:
        text: the file's text.
        game: the rules that were played by; by default those that the file's tags name, else `short`.
        jacoby: for money play, whether the Jacoby rule held; by default as the tags say, else as the profile.
        beavers: likewise beavers; where nothing says so, they were allowed if the file has one.

    Returns:
        The match. A game that the file leaves unfinished is unfinished in it; a game that ends before
        anybody has finished was given up by the loser.

    Raises:
        MatError: naming line, game and play, for the first thing that is unreadable or against the rules.
        InputError: no text, or tags and arguments that contradict one another.
    """
    if not isinstance(text, str):
        raise InputError(f"a match is read from text, not from {type(text).__name__}")
    for name, switch in (("jacoby", jacoby), ("beavers", beavers)):
        if switch is not None:
            flag(switch, name)
    return Reading(text).match(game, jacoby, beavers)


@dataclass
class Reading:
    """The state of reading one file."""

    text: str
    number: int = 0
    """Of the line being read."""
    row: int = 0
    """Of the row of plays being read; 0 outside of one."""
    states: list[MatchState] = field(default_factory=list)
    made: list[steps.Step] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    other_tags: list[tuple[str, str]] = field(default_factory=list)
    names: tuple[str, str] | None = None
    opened: int = -1
    """The number of steps made when the play of the roll-off's dice began."""
    roll_offs: Mapping[int, tuple[steps.Step, ...]] = field(default_factory=dict)
    waiting: str = "tags"
    """What has to come next: `tags`, `game`, `names` or `rows`."""

    def match(self, game: Game | None, jacoby: bool | None, beavers: bool | None) -> MatFile:
        """The match of the whole text. Raises MatError and InputError as `mat_of_text` does."""
        lines = self.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for self.number, line in enumerate(lines, 1):
            if len(line) > LONGEST_LINE:
                raise self.fault(f"the line has {len(line)} characters, which no line of a match has")
            if not line or line.isspace():
                continue
            plain = line.expandtabs(8).rstrip()
            if plain.lstrip().startswith(";") and self.waiting != "names":
                self.comment(plain)
            elif self.waiting == "tags":
                self.begin(plain, game, jacoby, beavers)
            else:
                self.body(plain)
        self.finish()
        assert self.names is not None
        return MatFile(History(tuple(self.states), tuple(self.made)), self.names, tuple(self.other_tags))

    def finish(self) -> None:
        """Raises MatError where the file ends before anything was played."""
        if self.waiting == "tags":
            raise self.fault('the file ends before the length of the match, such as " 5 point match"')
        if self.waiting == "names" or self.names is None:
            what = "names and score" if self.waiting == "names" else "the first game"
            raise self.fault(f"the file ends before {what}")
        beyond = [number for number in self.roll_offs if number > self.state.number]
        if beyond:
            raise self.fault(f"the tag RollOffs tells of game {beyond[0]}, which is not in the file")

    def fault(self, sentence: str) -> MatError:
        """An error with the place that is being read."""
        game = self.states[-1].number if self.states and self.names is not None else None
        return MatError(sentence, line=self.number, game=game, row=self.row or None)

    @property
    def state(self) -> MatchState:
        """Where the match stands."""
        return self.states[-1]

    def step(self, step: steps.Step, by: int | None = None) -> None:
        """Makes a step, whose faults get their place in the file."""
        try:
            decider = self.state.decider
            if self.state.phase == "play" and not isinstance(step, steps.Move | steps.Resign):
                raise InputError(f"the play of player {decider}'s throw {self.state.dice} is missing")
            if by is not None and decider is not None and by != decider:
                raise InputError(f"this is in player {by}'s column, but it is up to player {decider}")
            self.states.append(self.state.after(step))
        except InputError as error:
            raise self.fault(str(error)) from error
        self.made.append(step)

    # --- before the first game --------------------------------------------------------------------------

    def comment(self, line: str) -> None:
        """A tag, or a comment, which says nothing."""
        tag = read_tag(line)
        if tag is None:
            return
        if self.waiting != "tags" and tag[0] in OWN_TAGS:
            raise self.fault(f"the tag {tag[0]} comes too late: tags stand before the length of the match")
        if tag[0] in OWN_TAGS:
            self.tags[tag[0]] = tag[1]
        else:
            self.other_tags.append((tag[0], unescaped(tag[1])))
        if len(self.other_tags) > MOST_TAGS:
            raise self.fault(f"there are more than {MOST_TAGS} tags, which no match has")

    def begin(self, line: str, game: Game | None, jacoby: bool | None, beavers: bool | None) -> None:
        """The line with the length of the match."""
        found = _LENGTH.fullmatch(line)
        if found is None:
            raise self.fault(f'{_shown(line)} is not the length of the match, such as " 5 point match"')
        length = int(found[1])
        said = beavers is not None or "Beaver" in self.tags or length > 0
        if not said and re.search(r"\bBeavers\s*=>", self.text):
            beavers = True
        try:
            terms = terms_of_tags(self.tags, game, length, jacoby, beavers)
            self.roll_offs = read_roll_offs(self.tags.get("RollOffs", ""))
        except InputError as error:
            raise self.fault(str(error)) from error
        self.states.append(MatchState.begin(terms))
        self.waiting = "game"

    # --- games ------------------------------------------------------------------------------------------

    def body(self, line: str) -> None:
        """Any line behind it."""
        game = _GAME.fullmatch(line)
        if game is not None and self.waiting != "names":
            self.next_game(int(game[1]))
        elif self.waiting == "names":
            self.names_and_score(line)
        elif self.waiting == "game":
            raise self.fault(f'{_shown(line)} is not the beginning of a game, such as " Game 1"')
        else:
            self.row_of_plays(line)

    def next_game(self, number: int) -> None:
        """The heading of a game."""
        self.row = 0
        if self.waiting == "rows":
            if self.state.result is None:
                raise self.fault(f"game {number} begins, but game {self.state.number} has not ended")
            self.step(steps.NextGame())
        if number != self.state.number:
            raise self.fault(f"game {number} begins where game {self.state.number} should")
        self.waiting = "names"

    def names_and_score(self, line: str) -> None:
        """The line of names and score."""
        # The last colon is the right score's; the left one's is the first that a number follows.
        head, _, right = line.rpartition(":")
        found = _LEFT_SCORE.search(head)
        if found is None or not re.fullmatch(_NUMBER, right.strip()):
            raise self.fault(f'{_shown(line)} is no line of names and score, such as " Ann : 0   Bob : 0"')
        tagged = self.tags.get("Player 1"), self.tags.get("Player 2")
        written = head[: found.start()].strip(), head[found.end() :].strip()
        names = true_name(written[0], tagged[0]), true_name(written[1], tagged[1])
        if self.names is not None and [*map(line_name, self.names)] != [*map(line_name, names)]:
            raise self.fault(
                f"{_shown(' and '.join(names))} play, but in game 1 {' and '.join(self.names)} did"
            )
        self.names = self.names or names
        for player, stated in enumerate((float(found[1]), float(right))):
            if abs(stated - self.state.score[player]) > 1e-9:
                raise self.fault(
                    f"player {player} is said to have {stated:g} points, and has {self.state.score[player]:g}"
                )
        self.waiting = "rows"
        for step in self.roll_offs.get(self.state.number, ()):
            self.step(step)

    def row_of_plays(self, line: str) -> None:
        """A numbered row, or what stands behind the last one."""
        found = _ROW.fullmatch(line)
        if found is None:
            self.end_of_game(line)
            return
        self.row += 1
        if self.row > MOST_ROWS:
            raise self.fault(f"the game has more than {MOST_ROWS} rows, which no game has")
        if int(found[1]) != self.row:
            raise self.fault(f"row {int(found[1])} stands where row {self.row} should")
        for player, text in self.cells(found[2]):
            self.cell(player, text)

    def cells(self, text: str) -> list[tuple[int, str]]:
        """The cells of a row with the players in whose columns they stand."""
        starts = [found.start() for found in _CELL.finditer(text)]
        if not text.strip():
            return []
        before = text[: starts[0]] if starts else text
        if before.strip() or len(starts) > 3:
            raise self.fault(f'{_shown(text)} is no row of plays, such as "31: 8/5 6/5   42: 8/4 6/4"')
        ends = [*starts[1:], len(text)]
        cells = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        first = 0 if starts and starts[0] < _LEFT_CELL else 1
        placed = list(enumerate(cells, first))
        if placed and placed[-1][0] == 2 and _WINS.fullmatch(cells[-1]):
            # GNU Backgammon, where the player on the right has thrown and resigns: the other one wins.
            placed[-1] = 0, cells[-1]
        if placed and placed[-1][0] > 1:
            raise self.fault(f"{_shown(text)} has two plays in the right column")
        return placed

    def cell(self, player: int, text: str) -> None:
        """One cell of a row: a play, a word about the cube, or the result."""
        throw, turned, wins = _THROW.fullmatch(text), _TURNED.fullmatch(text), _WINS.fullmatch(text)
        if throw is not None:
            self.throw(player, (int(throw[1]), int(throw[2])), throw[3])
        elif turned is not None:
            self.turn_cube(player, turned[1].lower(), int(turned[2]))
        elif wins is not None:
            self.wins(player, int(wins[1]), bool(wins[2]))
        elif text.lower() in ("takes", "drops"):
            self.step(steps.Take() if text.lower() == "takes" else steps.Drop(), by=player)
        else:
            raise self.fault(f"{_shown(text)} is neither a play nor a word about the cube or the result")

    # --- what a cell says -------------------------------------------------------------------------------

    def opening(self, player: int, dice: tuple[int, int] | None) -> None:
        """The roll-off that a player's beginning tells of, where none is known."""
        if self.state.phase != "rolloff":
            return
        if dice is None or self.state.game.profile.rules.opening_roll == "fresh":
            self.step(steps.Starts(player))
        elif dice[0] == dice[1]:
            raise self.fault(f"opening roll: {dice[0]}-{dice[1]} is a tie, which is thrown again")
        else:
            large, small = max(dice), min(dice)
            self.step(steps.RollOff((large, small) if player == 0 else (small, large)))

    def throw(self, player: int, dice: tuple[int, int], text: str) -> None:
        """A throw and the text of its play."""
        self.opening(player, dice)
        if self.state.phase == "beavered" and player == self.state.decider:
            self.step(steps.Take())
        rolled = max(dice), min(dice)
        if (
            self.state.phase == "play"
            and self.states[-2].phase == "rolloff"
            and self.opened != len(self.made)
        ):
            # The dice of the roll-off lie on the board.
            self.opened = len(self.made)
            if rolled != self.state.dice:
                raise self.fault(f"{rolled[0]}-{rolled[1]} is played, but the roll-off was {self.state.dice}")
            self.step_is_for(player)
        else:
            self.step(steps.Throw(rolled), by=player)
        self.play(text.strip())

    def step_is_for(self, player: int) -> None:
        """Raises MatError where somebody else won the roll-off."""
        if player != self.state.decider:
            raise self.fault(f"player {player} plays, but player {self.state.decider} won the roll-off")

    def play(self, text: str) -> None:
        """The play of the dice that lie on the board; an unplayed throw stays as it is."""
        if text == _UNPLAYED:
            return
        if not text and not self.state.plays()[0].passed:
            return  # thrown and not played: right only as the last thing of a game
        try:
            play = self.state.legal_play("pass" if not text or text.lower() in _PASSES else text)
        except InputError as error:
            raise self.fault(str(error)) from error
        self.step(steps.Move(play))

    def turn_cube(self, player: int, verb: str, value: int) -> None:
        """A double or a beaver, and the value that is told with it."""
        if verb == "doubles":
            self.opening(player, None)
        self.step(steps.Double() if verb == "doubles" else steps.Beaver(), by=player)
        if value != self.state.offered:
            raise self.fault(f"the cube is turned to {self.state.offered}, not to {value}")

    def end_of_game(self, line: str) -> None:
        """A result on a line of its own."""
        indent, text = len(line) - len(line.lstrip()), line.strip()
        wins = _WINS.fullmatch(text)
        if wins is not None:
            self.wins(0 if indent < _LEFT_END else 1, int(wins[1]), bool(wins[2]))
        elif text.lower() == "draw":
            if self.state.result is None or self.state.result.winner is not None:
                raise self.fault("the game is said to be drawn, and it is not")
        else:
            raise self.fault(f"{_shown(line)} is neither a row of plays nor the end of a game")

    def wins(self, player: int, points: int, match_over: bool) -> None:
        """A result: as the plays have it, or a resignation."""
        if self.state.result is None:
            self.resigned(1 - player, points)
        result = self.state.result
        assert result is not None
        if (result.winner, result.points) != (player, points):
            who = "nobody wins" if result.winner is None else f"player {result.winner} wins {result.points}"
            raise self.fault(f"player {player} is said to win {points}, but {who}")
        if match_over and self.state.winner != player:
            raise self.fault(f"player {player} is said to win the match, and does not")

    def resigned(self, loser: int, points: int) -> None:
        """The loser gave up: as the plainest kind of loss that pays as much."""
        state = self.state
        turned = state.cube.owner is not None
        if state.phase == "rolloff":
            raise self.fault("the game ends before it has begun")
        for kind, _ in state.game.profile.scores:
            if state.terms.points_of(kind, state.cube.value, cube_turned=turned) == points:
                self.step(steps.Resign(loser, kind))
                return
        raise self.fault(
            f"player {1 - loser} is said to win {points}, but nobody has finished, and at a stake of "
            f"{state.cube.value} no kind of win pays that"
        )


def _shown(text: str) -> str:
    plain = " ".join(text.split())
    return repr(plain if len(plain) <= 60 else plain[:60] + "…")
