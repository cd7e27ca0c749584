"""Profiles by name and from files, checked key by key.

Twelve profiles come with the package (`profile_names`); a player's own file works the same way, and keys
that it leaves out are as in the default profile of its family, `long/fns` or `short/standard`. Every
complaint is one sentence that names file, key, value and what is allowed.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from importlib import resources
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import named
from nardy_ai.rules.given_files import file_bytes
from nardy_ai.rules.profile import (
    DEFAULT_PROFILES,
    DEFEATS,
    FAMILY_OF,
    TEXT_KEYS,
    CubeOptions,
    Family,
    MatchOptions,
    Profile,
    RuleOptions,
)

MAX_CHECKERS = 15
MAX_POINTS = 1000
MAX_FILE_BYTES = 1_000_000


# --- names and files ------------------------------------------------------------------------------------


@cache
def profile_names() -> tuple[str, ...]:
    """Names of the profiles in the package, sorted, each family's default first."""
    names = []
    for family, default in DEFAULT_PROFILES.items():
        folder = resources.files("nardy_ai.rules") / "profiles" / family
        found = sorted(f"{family}/{f.name[:-5]}" for f in folder.iterdir() if f.name.endswith(".toml"))
        names += [default, *(name for name in found if name != default)]
    return tuple(names)


def load_profile(name: str | os.PathLike[str]) -> Profile:
    """The profile of a game (`long`, `short`), of that name (`long/classic`), or in that `.toml` file.

    `long with 3` are the rules of `long` with 3 checkers a side (1 to 3: a game that can be solved).

    Raises InputError when nothing has that name, or when the file is wrong.
    """
    if isinstance(name, os.PathLike):
        return _profile_of_file(Path(name))
    if not isinstance(name, str):
        raise InputError(f'a game is named by text such as "long", not by {type(name).__name__}')
    if small := re.fullmatch(r"(.+) with (\d{1,2})", name):
        return load_profile(small[1]).with_checkers(int(small[2]))
    full = DEFAULT_PROFILES.get(name, name)
    if full in profile_names():
        return _packaged(full)
    if name.endswith(".toml"):
        return _profile_of_file(Path(name))
    raise InputError(_unknown_game(name))


def _unknown_game(name: str) -> str:
    known = [*DEFAULT_PROFILES, *profile_names()]
    shown = _shown(name)
    family = name.partition("/")[0]
    if "/" in name and family in DEFAULT_PROFILES:
        inside = [n for n in profile_names() if n.startswith(family + "/")]
        known, what = inside, "profile"
    else:
        what = "game"
    hint = _nearest(name, known)
    return f"unknown {what} {shown}{hint} (there are {', '.join(known)}, or a .toml file)"


def _nearest(word: str, known: Sequence[str]) -> str:
    """ ", did you mean …?" where a known word is close, else nothing."""
    near = get_close_matches(word.lower(), known, n=1, cutoff=0.5)
    return f', did you mean "{near[0]}"?' if near else ""


@cache
def _packaged(name: str) -> Profile:
    family, _, stem = name.partition("/")
    text = (resources.files("nardy_ai.rules") / "profiles" / family / f"{stem}.toml").read_text("utf-8")
    return profile_of_table(tomllib.loads(text), name, complete=True)


def _profile_of_file(path: Path) -> Profile:
    shown = named(str(path))
    raw = file_bytes(path, MAX_FILE_BYTES, "profile")
    try:
        table = tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{shown}: not a text file in UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "nested too deeply"
        raise InputError(f"{shown}: not valid TOML: {reason}") from None
    return profile_of_table(table, str(path))


# --- reading a table ------------------------------------------------------------------------------------

_SECTIONS: Mapping[str, type] = {"rules": RuleOptions, "match": MatchOptions, "cube": CubeOptions}
_TOP_KEYS = ("format", *TEXT_KEYS, "rules", "scores", "match", "cube")


def profile_of_table(table: Mapping[str, Any], name: str, *, complete: bool = False) -> Profile:
    """Checks a decoded TOML table and returns its profile.

    `name` is its name in messages and in the result. Keys left out are as in the family's default
    profile, or a fault when `complete`. Raises InputError: file, key, value, what is allowed.
    """
    reader = _Reader(name)
    if not isinstance(table, Mapping):
        raise InputError(f"{name}: a profile is a table of options, not {type(table).__name__}")
    reader.known_keys("", table, _TOP_KEYS)
    reader.format(table)
    given = {section: reader.section(table, section) for section in ("rules", "scores", "match", "cube")}
    family: Family = reader.value("rules", RuleOptions, "family", given["rules"].get("family"))
    if complete:
        base: dict[str, dict[str, Any]] = {section: {} for section in given}
    else:
        default = _packaged(DEFAULT_PROFILES[family]).table()
        base = {section: dict(default.get(section, {})) for section in given}
    rules = _read_rules(reader, family, given["rules"], base["rules"])
    return Profile(
        name=name,
        title=reader.text(table, "title") or Path(name).stem,
        source=reader.text(table, "source"),
        title_ru=reader.text(table, "title_ru"),
        source_ru=reader.text(table, "source_ru"),
        rules=rules,
        scores=_read_scores(reader, family, given["scores"] or base["scores"]),
        match=_read_match(reader, rules, given["match"], base["match"]),
        cube=_read_cube(reader, family, given["cube"], base["cube"], "cube" in table),
    )


class _Reader:
    """Reads values out of tables; every complaint begins with the name of the profile."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fault(self, sentence: str) -> InputError:
        return InputError(f"{self.name}: {sentence}")

    def known_keys(self, section: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in table:
            if key not in known:
                where = f"[{section}]" if section else "the file"
                hint = _nearest(key, known)
                raise self.fault(f"unknown key {_shown(key)} in {where}{hint} (allowed: {', '.join(known)})")

    def format(self, table: Mapping[str, Any]) -> None:
        version = table.get("format")
        if type(version) is not int or version != 1:
            shown = "missing" if version is None else _shown(version)
            raise self.fault(f"format is {shown}; this version reads format = 1")

    def section(self, table: Mapping[str, Any], section: str) -> dict[str, Any]:
        found = table.get(section, {})
        if not isinstance(found, dict):
            raise self.fault(f"{section} = {_shown(found)} must be a table, written as [{section}]")
        if section in _SECTIONS:
            self.known_keys(section, found, tuple(field.name for field in fields(_SECTIONS[section])))
        return found

    def text(self, table: Mapping[str, Any], key: str) -> str:
        value = table.get(key, "")
        if not isinstance(value, str) or any(ord(c) < 32 for c in value):
            raise self.fault(f"{key} = {_shown(value)} must be one line of text")
        return value

    def value(self, section: str, kind: type, key: str, value: Any) -> Any:
        """The value of a key, of exactly the type that the section's dataclass gives it."""
        allowed = get_type_hints(kind)[key]
        if value is None:
            raise self.fault(f"{section}.{key} is missing ({_wanted(allowed)})")
        try:
            return msgspec.convert(value, allowed, strict=True)
        except msgspec.ValidationError:
            raise self.fault(f"{section}.{key} = {_shown(value)}: {_wanted(allowed, value)}") from None


def _wanted(allowed: Any, value: Any = None) -> str:
    """ "must be …" for a type, with the nearest allowed word where one is close."""
    hint = _nearest(value, _words(allowed)) if isinstance(value, str) else ""
    return f"must be {_named(allowed)}{hint}"


def _words(allowed: Any) -> list[str]:
    return [str(word) for word in get_args(allowed)] if get_origin(allowed) is Literal else []


def _named(allowed: Any) -> str:
    words = [f'"{word}"' for word in _words(allowed)]
    if words:
        return words[0] if len(words) == 1 else f"one of {', '.join(words)}"
    if get_origin(allowed) in (Union, UnionType):
        return " or ".join(_named(part) for part in get_args(allowed) if part is not type(None))
    names: dict[Any, str] = {bool: "true or false", int: "a whole number", float: "a number"}
    return names[allowed]


def _shown(value: Any) -> str:
    """A value as it could stand in the file, short enough for one sentence."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value) if not isinstance(value, str) else '"' + value.encode("unicode_escape").decode() + '"'
    return text if len(text) <= 60 else text[:57] + "…"


def _read_rules(reader: _Reader, family: Family, given: dict[str, Any], base: dict[str, Any]) -> RuleOptions:
    for key in given:
        if FAMILY_OF.get(key, family) != family:
            other = FAMILY_OF[key]
            raise reader.fault(f'rules.{key} belongs to the {other} family, but rules.family = "{family}"')
    merged = {**base, **given}
    if given.get("head_rule") is False and "head_exception" not in given:
        merged["head_exception"] = "none"
    options: dict[str, Any] = {}
    for field in fields(RuleOptions):
        key = field.name
        if key not in ("start", "checkers") and FAMILY_OF.get(key, family) == family:
            options[key] = reader.value("rules", RuleOptions, key, merged.get(key))
    if options.get("head_rule") is False and options["head_exception"] != "none":
        raise reader.fault(
            f'rules.head_exception = "{options["head_exception"]}" contradicts head_rule = false; '
            'write head_exception = "none"'
        )
    start, checkers = _read_start(reader, given, merged)
    return RuleOptions(start=start, checkers=checkers, **options)


def _read_start(
    reader: _Reader, given: dict[str, Any], merged: dict[str, Any]
) -> tuple[tuple[int, ...], int]:
    points = merged.get("start")
    if not isinstance(points, dict) or not points:
        raise reader.fault("rules.start must be a table of own points and checkers, such as { 24 = 15 }")
    start = [0] * 24
    for key, count in points.items():
        if not (key.isascii() and key.isdigit() and key == str(int(key[:3])) and 1 <= int(key) <= 24):
            raise reader.fault(f"rules.start has the point {_shown(key)}; points are 1 to 24")
        if type(count) is not int or not 1 <= count <= MAX_CHECKERS:
            raise reader.fault(f"rules.start.{key} = {_shown(count)}: must be 1 to {MAX_CHECKERS} checkers")
        start[int(key) - 1] = count
    total = sum(start)
    # A file that gives the start alone has said how many checkers there are.
    stated = merged.get("checkers") if "checkers" in given or "start" not in given else total
    checkers = reader.value("rules", RuleOptions, "checkers", stated)
    if not 1 <= checkers <= MAX_CHECKERS:
        raise reader.fault(f"rules.checkers = {checkers}: must be 1 to {MAX_CHECKERS}")
    if total != checkers:
        todo = "change one of them" if "start" in given else "give rules.start as well"
        raise reader.fault(f"rules.start has {total} checkers, but rules.checkers = {checkers}; {todo}")
    return tuple(start), checkers


def _read_scores(reader: _Reader, family: Family, given: dict[str, Any]) -> tuple[tuple[str, int], ...]:
    kinds = DEFEATS[family]
    reader.known_keys("scores", given, kinds)
    for key, points in given.items():
        if type(points) is not int or not 1 <= points <= MAX_POINTS:
            raise reader.fault(
                f"scores.{key} = {_shown(points)}: must be a whole number from 1 to {MAX_POINTS} "
                "(leave the key out where it is not scored)"
            )
    if kinds[0] not in given:
        raise reader.fault(f"scores.{kinds[0]}, the plain win, is missing")
    # Every kind is also of the kinds below it: koks and home mars are mars, a backgammon is a gammon.
    for key in kinds[1:]:
        for lower in kinds[: min(kinds.index(key), 2)]:
            if key in given and lower in given and given[key] <= given[lower]:
                raise reader.fault(
                    f"scores.{key} = {given[key]} must be above scores.{lower} = {given[lower]}; "
                    "leave it out where it is worth no more"
                )
    return tuple((kind, given[kind]) for kind in kinds if kind in given)


def _read_match(
    reader: _Reader, rules: RuleOptions, given: dict[str, Any], base: dict[str, Any]
) -> MatchOptions:
    merged = {**base, **given}
    draw_points = 0.0
    if rules.last_roll:
        draw_points = reader.value("match", MatchOptions, "draw_points", merged.get("draw_points", 0.5))
        if not 0 <= draw_points <= MAX_POINTS:
            raise reader.fault(f"match.draw_points = {draw_points}: must lie between 0 and {MAX_POINTS}")
    elif "draw_points" in given:
        raise reader.fault("match.draw_points needs rules.last_roll = true: otherwise there is no draw")
    length = merged.get("length")
    if length is not None:
        length = reader.value("match", MatchOptions, "length", length)
        if not 1 <= length <= MAX_POINTS:
            raise reader.fault(f"match.length = {length}: must be 1 to {MAX_POINTS} points")
    next_start = reader.value("match", MatchOptions, "next_start", merged.get("next_start"))
    return MatchOptions(next_start=next_start, draw_points=draw_points, length=length)


def _read_cube(
    reader: _Reader, family: Family, given: dict[str, Any], base: dict[str, Any], present: bool
) -> CubeOptions:
    if family == "long":
        if present:
            what = f"cube.{next(iter(given))}" if given else "[cube]"
            raise reader.fault(f"{what} belongs to the short family: long nardy has no cube")
        return CubeOptions()
    merged = {**base, **given}
    keys = [field.name for field in fields(CubeOptions)]
    cube = CubeOptions(**{key: reader.value("cube", CubeOptions, key, merged.get(key)) for key in keys})
    times = cube.automatic_doubles
    if times != "unlimited" and not 0 <= times <= 64:
        raise reader.fault(f'cube.automatic_doubles = {times}: must be 0 to 64, or "unlimited"')
    for key in ("jacoby", "beavers"):
        if getattr(cube, key) and not cube.enabled:
            raise reader.fault(f"cube.{key} = true needs cube.enabled = true")
    return cube
