"""Checks of arguments that are no arrays: values of this package, flags, paths and words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from nardy_ai.core import InputError

T = TypeVar("T")

_MADE_BY: Mapping[str, str] = {
    "Cube": "Cube(2, owner)",
    "Game": 'Game("long")',
    "History": "History.of(state)",
    "MatFile": "MatFile(history)",
    "MatchState": "MatchState.begin(terms) or set_up(terms, position, on_roll=0)",
    "Play": "Game.plays",
    "Position": "Game.start() or Game.position",
    "Profile": "load_profile",
    "Terms": "Terms.match(game, 5) or Terms.money(game)",
}
"""Type -> how a caller comes by one."""


def needed(value: Any, kind: type[T]) -> T:
    """The value, if it is of that type; else InputError names the type and how it is made."""
    if isinstance(value, kind):
        return value
    name = kind.__name__
    raise InputError(f"a {name} is needed, not {type(value).__name__}; {_MADE_BY[name]} makes one")


def flag(value: Any, name: str) -> bool:
    """A truth value that is one: nothing else is taken for it."""
    if isinstance(value, bool):
        return value
    raise InputError(f"{name} is {shown(value)}; it must be True or False")


def one_of(value: Any, choices: tuple[str, ...], what: str) -> str:
    """One of those words; InputError lists them."""
    if is_one_of(value, choices):
        return str(value)
    raise InputError(f"there is no {what} {shown(value)}; there are {', '.join(choices)}")


def is_one_of(value: Any, choices: Iterable[str]) -> bool:
    """Whether it is one of those words, whatever it is."""
    return isinstance(value, str) and value in choices


def path_text(path: Any) -> str:
    """A path as text; InputError for what is none."""
    try:
        found = os.fspath(path)
    except TypeError:
        raise InputError(f"a path is needed, not {type(path).__name__}") from None
    return found if isinstance(found, str) else os.fsdecode(found)


def named(path: str) -> str:
    """A path as messages show it: as it is, or on one line and cut where it is neither short nor plain."""
    return path if path.isprintable() and len(path) <= 200 else shown(path, 200)


def shown(value: object, most: int = 60) -> str:
    """What was given, on one line and cut where it is long."""
    # Only the beginning of a text is looked at: it may be megabytes long.
    text = repr(value[: most + 1] if isinstance(value, (str, bytes)) else value)
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
