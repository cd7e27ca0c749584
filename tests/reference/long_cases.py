"""The published cases of long nardy (``tests/data/long_nardy_cases.json``) as questions with answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from reference.boards import Board
from reference.profiles import PROFILES

_FILE = Path(__file__).parent.parent / "data" / "long_nardy_cases.json"
_DATA = json.loads(_FILE.read_text(encoding="utf-8"))


class PlayCase(NamedTuple):
    """One position and roll under one profile: which boards may the turn end on?"""

    name: str
    options: dict[str, Any]
    board: Board
    dice: tuple[int, int]
    seat: int
    turns: int
    movements: int
    ends: frozenset[Board]


class ResultCase(NamedTuple):
    """A board between turns and the outcome (None = unfinished) that the player on roll sees."""

    name: str
    options: dict[str, Any]
    board: Board
    seat: int
    outcome: str | None


class LastRollCase(NamedTuple):
    """A last roll of the second player and the one board after it that the case goes on with."""

    name: str
    options: dict[str, Any]
    board: Board
    dice: tuple[int, int]
    end: Board


def play_cases() -> list[PlayCase]:
    """Every case under its own profile and under every other one it names."""
    cases = []
    for entry in _DATA["plays"]:
        answers = {entry["profile"]: entry} | entry.get("other_profiles", {})
        mine, theirs = map(tuple, entry["board"])
        for profile, given in answers.items():
            answer = entry if given == "same" else given
            cases.append(
                PlayCase(
                    name=f"{entry['id']}-{profile}",
                    options=_options(profile),
                    board=(mine, theirs),
                    dice=tuple(entry["dice"]),
                    seat=entry["seat"],
                    turns=entry["turns"],
                    movements=answer["dice_used"],
                    ends=frozenset((tuple(end), theirs) for end in answer["ends"]),
                )
            )
    return cases


def result_cases() -> list[ResultCase]:
    """Every result under every profile or option it names, seen by both, and the pending rolls before it."""
    cases = []
    for entry, label, options, expected in _results():
        first, second, last_roll = tuple(entry["first"]), tuple(entry["second"]), entry["last_roll"]
        pending = options["last_roll"] and last_roll is not None
        if pending:
            cases.append(ResultCase(f"{label}-pending", options, (second, first), 1, None))
            second = tuple(last_roll["second_after"])
        kind = {"oin": "", "draw": ""}.get(expected["name"], f"_{expected['name']}")
        for seat, board in ((0, (first, second)), (1, (second, first))):
            # While a last roll is possible, the board with the second player on roll is the one before it.
            if options["last_roll"] and entry["finished_by"] == "first" and seat == 1:
                continue
            name = "draw" if expected["winner"] is None else _word(expected["winner"], seat) + kind
            cases.append(ResultCase(f"{label}-seat{seat}", options, board, seat, name))
    return cases


def last_roll_cases() -> list[LastRollCase]:
    """The last rolls that are played in the results, as plays."""
    cases = []
    for entry, label, options, _ in _results():
        if options["last_roll"] and entry["last_roll"] is not None:
            first, second, roll = tuple(entry["first"]), tuple(entry["second"]), entry["last_roll"]
            end = (tuple(roll["second_after"]), first)
            cases.append(LastRollCase(label, options, (second, first), tuple(roll["dice"]), end))
    return cases


def _word(winner: str, seat: int) -> str:
    return "win" if (winner == "first") == (seat == 0) else "lose"


def _results() -> list[tuple[dict[str, Any], str, dict[str, Any], dict[str, Any]]]:
    rows = []
    for entry in _DATA["results"]:
        for label, expected in entry["expect"].items():
            rows.append((entry, f"{entry['id']}-{label}", _options_by_label(label), expected))
    return rows


def _options_by_label(label: str) -> dict[str, Any]:
    """Options of a profile name, or of ``option koks=3``: the classic profile with one change.

    ``draw_points`` matter to the score of a match alone: the outcome is the one of the default profile.
    """
    if not label.startswith("option "):
        return _options(label)
    name, _, value = label.removeprefix("option ").partition("=")
    if name == "draw_points":
        return _options("fns")
    options = _options("classic")
    return options | {"scores": options["scores"] | {name: int(value)}}


def _options(profile: str) -> dict[str, Any]:
    """The options of a profile of the file; keys that no play depends on (of matches) are left out."""
    base = PROFILES["long/fns"]
    return base | {key: value for key, value in _DATA["profiles"][profile].items() if key in base}
