"""What the reader and the writer of `.mat` match files share: the record, tags, names, the error.

A `.mat` file is text: tags (`; [Variation "LongNarde"]`), the length of the match, then the games, each with
a line of names and score and numbered rows of two columns, the left one for player 0. Plays are written in
the mover's own numbers, 25 for the bar and 0 for off. Short nardy is written as GNU Backgammon does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import needed, shown
from nardy_ai.rules.match import History

USUAL_NAMES = ("Player 1", "Player 2")
LONGEST_LINE_NAME = 30
"""Bytes of a name in a line of names and score, as other programs can take it; the tag has all of it."""

RIGHT_COLUMN = 33
"""Where the right column begins, counted from the start of a row."""

OWN_TAGS = (
    "Player 1",
    "Player 2",
    "Variation",
    "Rules",
    "Crawford",
    "Jacoby",
    "Beaver",
    "AutomaticDoubles",
    "CubeLimit",
    "RollOffs",
)
"""Tags that the writer makes from the record; others are kept as they were."""

VARIATIONS: Mapping[str, str] = {
    "short/standard": "Backgammon",
    "short/nackgammon": "NackGammon",
    "short/hypergammon": "HyperGammon (3)",
}
"""Profile -> the variation that other programs know it by."""

LONG_VARIATION = "LongNarde"
SHORT_VARIATION = "ShortNarde"
"""For games of the short family that other programs have no name for."""

OTHER_RULES = "other"
"""The tag `Rules` of a file by a profile that is not in the package."""


class MatError(InputError):
    """A `.mat` file that cannot be read, with the place where it is wrong."""

    def __init__(self, sentence: str, *, line: int, game: int | None = None, row: int | None = None) -> None:
        places = [f"line {line}"]
        places += [f"game {game}"] if game is not None else []
        places += [f"play {row}"] if row is not None else []
        super().__init__(f"{', '.join(places)}: {sentence}")
        self.line = line
        """Line of the text, from 1."""
        self.game = game
        """Number of the game, where one has begun."""
        self.row = row
        """Number of the row of plays, where it is in one."""
        self.sentence = sentence
        """What is wrong, without the place."""

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(MatError, line=self.line, game=self.game, row=self.row), (self.sentence,)


@dataclass(frozen=True)
class MatFile:
    """A match as a `.mat` file holds it. Immutable; `==` and `hash` by value."""

    history: History
    """What was played, from the beginning of a match or of money play on."""
    names: tuple[str, str] = USUAL_NAMES
    """Of player 0, in the left column, and player 1."""
    tags: tuple[tuple[str, str], ...] = ()
    """Other tags of the file, such as ("Event", "…"), in order."""

    def __post_init__(self) -> None:
        needed(self.history, History)
        if not _are_texts(self.names):
            raise InputError(f"names of a match are two texts like ('Ann', 'Bob'), not {shown(self.names)}")
        if not _are_pairs(self.tags):
            raise InputError(f"tags are pairs of texts, such as (('Event', 'Open'),), not {shown(self.tags)}")


def _are_pairs(tags: object) -> bool:
    return isinstance(tags, tuple) and all(map(_are_texts, tags))


def _are_texts(pair: object) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(text, str) for text in pair)


# --- tags -----------------------------------------------------------------------------------------------

_TAG = re.compile(r';\s*\[\s*([^"\[\]]{1,60}?)\s+"(.*)"\s*\]\s*')
_TAG_NAME = re.compile(r"[^\"\[\]\s](?:[^\"\[\]]{0,58}[^\"\[\]\s])?")
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|([\"\\]))")


def tag_line(name: str, value: str) -> str:
    """The line of a tag. Raises InputError for a name that could not be read back."""
    if not _TAG_NAME.fullmatch(name) or any(map(_unprintable, name)):
        raise InputError(f"{shown(name)} cannot be the name of a tag: it must be a few plain words")
    return f'; [{name} "{escaped(value)}"]'


def read_tag(line: str) -> tuple[str, str] | None:
    """Name and value of a tag line, the value with its escapes; None for another line."""
    found = _TAG.fullmatch(line.strip())
    return (found[1], found[2]) if found else None


def escaped(value: str) -> str:
    """Text on one line: quotes and backslashes behind a backslash, unprintable characters as `\\uXXXX`."""
    return "".join(
        # All that is unprintable here lies in the first plane, where four digits are enough.
        f"\\{c}" if c in '"\\' else f"\\u{ord(c):04x}" if _unprintable(c) else c
        for c in value
    )


def unescaped(value: str) -> str:
    """What `escaped` wrote, or the text as it is where a backslash stands for itself."""
    return _ESCAPE.sub(lambda found: found[2] or chr(int(found[1], 16)), value)


def _unprintable(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


# --- names ----------------------------------------------------------------------------------------------


def line_name(name: str) -> str:
    """The name as a line of names and score can hold it: no colon, plain single spaces, not too long."""
    plain = "".join("_" if c == ":" else " " if _unprintable(c) else c for c in name)
    words = " ".join(plain.split())
    short = words.encode("utf-8")[:LONGEST_LINE_NAME].decode("utf-8", "ignore").strip()
    return short or "?"


def true_name(on_line: str, tag: str | None) -> str:
    """The name that a tag gives in full where it is the one on the line, else that on the line."""
    for candidate in () if tag is None else (unescaped(tag), tag):
        if line_name(candidate) == line_name(on_line):
            return candidate
    return on_line
