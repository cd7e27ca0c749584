"""Writes a match as a `.mat` file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from pathlib import Path

from nardy_ai.core import InputError
from nardy_ai.core.whole_files import whole_file
from nardy_ai.rules.arguments import named, needed, path_text
from nardy_ai.rules.mat_file import (
    LONG_VARIATION,
    OTHER_RULES,
    OWN_TAGS,
    RIGHT_COLUMN,
    SHORT_VARIATION,
    VARIATIONS,
    MatFile,
    line_name,
    tag_line,
)
from nardy_ai.rules.match import History, MatchState, Terms, steps
from nardy_ai.rules.play import Play
from nardy_ai.rules.profile import Profile
from nardy_ai.rules.profile_reader import load_profile, profile_names

UNPLAYED = "????"
"""In place of a play that was thrown for but not made."""

_LEFT_WIDTH = 27
_END_INDENT = (6, RIGHT_COLUMN + 1)


def mat_text(record: MatFile) -> str:
    """A match as the text of a `.mat` file.

    Names that a line of names cannot hold (colons, line breaks, very long ones) stand there shortened; tags
    have them in full, and `mat_of_text` gives them back. Of a resignation only what it paid is kept.

    Raises InputError where the record does not begin before the first roll-off.
    """
    start = needed(record, MatFile).history.start
    if start != MatchState.begin(start.terms):
        raise InputError("a .mat file begins before the first roll-off of a match; this record does not")
    lines = [tag_line(name, value) for name, value in _tags(record)]
    lines += ["", f" {start.terms.length or 0} point match"]
    for states, made in _games(record.history):
        lines += ["", *_game_lines(states, made, record.names)]
    return "\n".join(lines) + "\n"


def write_mat(path: str | os.PathLike[str], record: MatFile) -> None:
    """Writes a match into a file, UTF-8.

    Raises InputError as `mat_text` does, and where the file cannot be written.
    """
    place, text = path_text(path), mat_text(record)
    try:
        with whole_file(Path(place), durable=False) as file:
            file.write(text.encode())
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise InputError(f"{named(place)}: the match cannot be written ({reason})") from None


# --- tags -----------------------------------------------------------------------------------------------


def _tags(record: MatFile) -> Iterator[tuple[str, str]]:
    terms = record.history.start.terms
    profile = terms.game.profile
    yield "Player 1", record.names[0]
    yield "Player 2", record.names[1]
    other = LONG_VARIATION if profile.family == "long" else SHORT_VARIATION
    packaged = _packaged(profile)
    yield "Variation", VARIATIONS.get(profile.name, other) if packaged else other
    yield "Rules", profile.name if packaged else OTHER_RULES
    yield from _cube_tags(terms)
    rolled = _roll_offs(record.history)
    if rolled:
        yield "RollOffs", rolled
    for name, value in record.tags:
        if name in OWN_TAGS:
            raise InputError(f"the tag {name!r} follows from the record and cannot be given")
        yield name, value


def _packaged(profile: Profile) -> bool:
    return profile.name in profile_names() and load_profile(profile.name) == profile


def _cube_tags(terms: Terms) -> Iterator[tuple[str, str]]:
    if terms.game.family == "long":
        return
    if terms.length is not None:
        yield "Crawford", _on(terms.crawford)
    else:
        yield "Jacoby", _on(terms.cube.jacoby)
        yield "Beaver", _on(terms.cube.beavers)
        if terms.cube.automatic_doubles or terms.game.profile.cube.automatic_doubles:
            yield "AutomaticDoubles", str(terms.cube.automatic_doubles)
    yield "CubeLimit", str(terms.max_cube)


def _on(flag: bool) -> str:
    return "On" if flag else "Off"


def _roll_offs(history: History) -> str:
    """Roll-offs that the plays do not tell: `1:3-3,5-2 4:first`, by the number of the game.

    Where the roll-off's dice are played, only ties have to be told.
    """
    played = history.start.game.profile.rules.opening_roll == "rolloff_pair"
    told: dict[int, list[str]] = {}
    for state, step in zip(history.states, history.steps, strict=False):
        if isinstance(step, steps.RollOff):
            told.setdefault(state.number, []).append(f"{step.dice[0]}-{step.dice[1]}")
        elif isinstance(step, steps.Starts):
            told.setdefault(state.number, []).append(("first", "second")[step.player])
    needed = {n: rolls for n, rolls in told.items() if len(rolls) > 1 or not played or _is_tie(rolls[0])}
    return " ".join(f"{number}:{','.join(rolls)}" for number, rolls in needed.items())


def _is_tie(roll: str) -> bool:
    return roll[0] == roll[-1]


# --- games ----------------------------------------------------------------------------------------------

Made = list[tuple[MatchState, steps.Step]]


def _games(history: History) -> Iterator[tuple[MatchState, Made]]:
    """The last state of each game, and its steps with the states before them."""
    made: Made = []
    for state, step in zip(history.states, history.steps, strict=False):
        if isinstance(step, steps.NextGame):
            yield state, made
            made = []
        else:
            made.append((state, step))
    yield history.state, made


def _game_lines(end: MatchState, made: Made, names: tuple[str, str]) -> list[str]:
    score = end.score if not made else made[0][0].score
    left = f" {line_name(names[0])} : {score[0]:g}"
    rows = _Rows()
    followers = [step for _, step in made[1:]]
    for (state, step), then in zip_longest(made, followers):
        player, text = _cell(state, step, then)
        if text and player is not None:
            rows.add(player, text)
    lying = made[-1][0] if made and isinstance(made[-1][1], steps.Resign) else end
    if lying.dice is not None and lying.on_roll is not None:
        rows.add(lying.on_roll, f"{lying.dice[0]}{lying.dice[1]}: {UNPLAYED}")
    lines = [
        f" Game {end.number}",
        f"{left:<31} {line_name(names[1])} : {score[1]:g}",
        *rows.lines(),
    ]
    return lines if end.result is None else _with_end(lines, end, rows)


def _cell(state: MatchState, step: steps.Step, then: steps.Step | None) -> tuple[int | None, str]:
    """Who makes a step, and the text of his cell; empty for what is told elsewhere.

    `then` is the next step of the game, None behind the last one.
    """
    match step:
        case steps.Move(play):
            return state.on_roll, f"{play.dice[0]}{play.dice[1]}: {_play_text(play)}".rstrip()
        case steps.Double():
            return state.decider, f" Doubles => {state.cube.value * 2}"
        case steps.Beaver():
            return state.decider, f" Beavers => {state.cube.value * 4}"
        case steps.Take():
            # Who throws after a beaver has taken it, and other programs write no more than that.
            implied = state.phase == "beavered" and isinstance(then, steps.Throw)
            return state.decider, "" if implied else " Takes"
        case steps.Drop():
            return state.decider, " Drops"
        case _:
            return None, ""


def _play_text(play: Play) -> str:
    """A play as other programs write it: numbers alone, a checker at a time, hits where they are made."""
    return " ".join(
        f"{start}/{end}{'*' if end in move.hits and not again else ''}"
        for move in play.written
        for again in range(move.times)
        for start, end in pairwise(move.path)
    )


class _Rows:
    """Rows of two columns, filled one cell after the other."""

    def __init__(self) -> None:
        self.cells: list[list[str]] = []

    def add(self, player: int, text: str) -> None:
        """Puts a cell into the column of a player, in a new row where it comes before the last one."""
        if player == 0 or not self.cells or self.cells[-1][1]:
            self.cells.append(["", ""])
        self.cells[-1][player] = text

    @property
    def right_is_free(self) -> bool:
        """Whether the last row has a cell on the left alone."""
        return bool(self.cells) and not self.cells[-1][1]

    def lines(self) -> list[str]:
        """The rows with their numbers."""
        return [
            f"{number:3d}) {left:<{_LEFT_WIDTH}} {right}".rstrip()
            for number, (left, right) in enumerate(self.cells, 1)
        ]


def _with_end(lines: list[str], end: MatchState, rows: _Rows) -> list[str]:
    """The lines of a game with its result, in the column of the winner."""
    assert end.result is not None
    winner, points = end.result.winner, end.result.points
    if winner is None:
        return [*lines, " " * _END_INDENT[0] + "Draw"]
    over = " and the match" if end.phase == "match_over" else ""
    text = f"Wins {points} point{'s' * (points != 1)}{over}"
    if winner == 1 and rows.right_is_free:
        # GNU Backgammon takes a result on a line of its own here for a second one.
        return [*lines[:-1], f"{lines[-1]:<{RIGHT_COLUMN}} {text}"]
    return [*lines, " " * _END_INDENT[winner] + text]
