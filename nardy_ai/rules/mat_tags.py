"""What the tags of a `.mat` file say about the game and its terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import needed
from nardy_ai.rules.game import Game
from nardy_ai.rules.mat_file import OTHER_RULES
from nardy_ai.rules.match import Terms, steps
from nardy_ai.rules.match.terms import USUAL_MAX_CUBE
from nardy_ai.rules.profile_reader import profile_names

_PROFILE_OF: Mapping[str, str] = {
    "backgammon": "short/standard",
    "standard": "short/standard",
    "shortnarde": "short/standard",
    "nackgammon": "short/nackgammon",
    "hypergammon": "short/hypergammon",
    "hypergammon (3)": "short/hypergammon",
    "longnarde": "long/fns",
}
"""Variation, in small letters -> the profile that it stands for."""

_ROLL_OFFS = re.compile(r"(\d{1,6}):((?:[1-6]-[1-6]|first|second)(?:,(?:[1-6]-[1-6]|first|second))*)")


def terms_of_tags(
    tags: Mapping[str, str], game: Game | None, length: int, jacoby: bool | None, beavers: bool | None
) -> Terms:
    """The terms of play of a file with those tags; arguments that are not None go before tags.

    Raises InputError for unknown values and for tags and arguments that contradict one another.
    """
    played = game_of_tags(tags, game)
    limit = USUAL_MAX_CUBE if played.family == "long" else _cube_limit(tags)
    if length and (jacoby or beavers):
        raise InputError(f"the file is of a match to {length}, which has no Jacoby rule and no beavers")
    if length:
        return Terms.match(played, length, crawford=_switch(tags, "Crawford") is not False, max_cube=limit)
    return Terms.money(
        played,
        jacoby=_switch(tags, "Jacoby") if jacoby is None else jacoby,
        beavers=_switch(tags, "Beaver") if beavers is None else beavers,
        automatic_doubles=_automatic(tags),
        max_cube=limit,
    )


def game_of_tags(tags: Mapping[str, str], game: Game | None = None) -> Game:
    """The rules that the tags of a file name, or `game` where it is of their family.

    Raises InputError for unknown rules, and for a game that contradicts the tags.
    """
    played = _game_of(tags) if game is None else needed(game, Game)
    _check_family(tags, played)
    return played


def read_roll_offs(text: str) -> dict[int, tuple[steps.Step, ...]]:
    """Game number -> its roll-offs, from a tag such as `1:3-3,5-2 4:first`. Raises InputError."""
    found: dict[int, tuple[steps.Step, ...]] = {}
    for part in text.split():
        match = _ROLL_OFFS.fullmatch(part)
        if match is None or int(match[1]) in found:
            raise InputError(f"the tag RollOffs has {part[:40]!r}, which is not such as 2:3-3,5-2")
        found[int(match[1])] = tuple(_roll_off(roll) for roll in match[2].split(","))
    return found


def _roll_off(text: str) -> steps.Step:
    if text in ("first", "second"):
        return steps.Starts(("first", "second").index(text))
    return steps.RollOff((int(text[0]), int(text[2])))


def _game_of(tags: Mapping[str, str]) -> Game:
    rules = tags.get("Rules")
    if rules is not None and rules in profile_names():
        return Game(rules)
    if rules == OTHER_RULES:
        raise InputError("the file was written with a profile of one's own: give it as game")
    variation = tags.get("Variation", "Backgammon")
    name = _PROFILE_OF.get(variation.strip().lower())
    if name is None:
        known = ", ".join(_PROFILE_OF)
        raise InputError(f"the variation {variation[:40]!r} is unknown (known are {known}): give a game")
    return Game(name)


def _check_family(tags: Mapping[str, str], game: Game) -> None:
    """A file of one family is not read as one of the other."""
    name = _PROFILE_OF.get(tags.get("Variation", "").strip().lower())
    if name is not None and not name.startswith(game.family + "/"):
        raise InputError(f"the file is of {tags['Variation']}, which is not played by {game.name}")


def _switch(tags: Mapping[str, str], name: str) -> bool | None:
    if name not in tags:
        return None
    states = {"on": True, "off": False}
    value = tags[name].strip().lower()
    if value not in states:
        raise InputError(f"the tag {name} is {tags[name][:40]!r}; it must be On or Off")
    return states[value]


def _cube_limit(tags: Mapping[str, str]) -> int:
    text = tags.get("CubeLimit", str(USUAL_MAX_CUBE)).strip()
    if not re.fullmatch(r"\d{1,5}", text):
        raise InputError(f"the tag CubeLimit is {text[:40]!r}; it must be a power of two")
    return int(text)


def _automatic(tags: Mapping[str, str]) -> int | Literal["unlimited"] | None:
    text = tags.get("AutomaticDoubles")
    if text is None or text == "unlimited":
        return "unlimited" if text else None
    if not re.fullmatch(r"\d{1,2}", text):
        raise InputError(f"the tag AutomaticDoubles is {text[:40]!r}; it must be a number or unlimited")
    return int(text)
