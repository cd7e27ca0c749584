"""A rule profile as the engine holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import nearest


@dataclass(frozen=True)
class Option:
    """One option of a rule profile, as the engine defines it."""

    name: str
    kind: str
    """``bool``, ``choice`` or ``count``."""
    choices: tuple[str, ...]
    low: int
    high: int
    family: str
    """The family that the option belongs to: ``long``, ``short`` or ``both``."""
    defaults: dict[str, bool | int | str]
    """The value of each family's plain game."""

    def value_of(self, number: int) -> bool | int | str:
        """The value that the engine holds as this number."""
        if self.kind == "choice":
            return self.choices[number]
        return bool(number) if self.kind == "bool" else number

    def number_of(self, value: object) -> int:
        """The engine's number for a value; InputError names what is allowed."""
        if self.kind == "bool" and isinstance(value, bool):
            return int(value)
        if self.kind == "choice" and isinstance(value, str) and value in self.choices:
            return self.choices.index(value)
        if self.kind == "count" and type(value) is int and self.low <= value <= self.high:
            return value
        raise InputError(f"rule option {self.name} cannot be {value!r}: {self._allowed()}")

    def _allowed(self) -> str:
        if self.kind == "choice":
            return "choose one of " + ", ".join(self.choices)
        return (
            "write true or false"
            if self.kind == "bool"
            else f"write a whole number from {self.low} to {self.high}"
        )


@cache
def rules_schema() -> tuple[Option, ...]:
    """Every option that a profile can set, in the engine's order."""
    options = []
    for name, kind, choices, low, high, family, default_long, default_short in _core.rules_schema():
        bare = Option(name, kind, tuple(choices), low, high, family, {})
        defaults = {"long": bare.value_of(default_long), "short": bare.value_of(default_short)}
        options.append(Option(name, kind, tuple(choices), low, high, family, defaults))
    return tuple(options)


class Rules:
    """The rules of one profile, checked and held by the engine. Immutable.

    ``options`` is a mapping of the names of `rules_schema`, with ``start`` (24 counts, index 0 is point 1)
    and ``scores`` (points by kind of win: ``oin``, ``mars``, ``koks``, ``home_mars``, or ``single``,
    ``gammon``, ``backgammon``). What is left out has the family's plain value; a kind of win that is left
    out of ``scores`` counts as the next lower one.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        if not isinstance(options, Mapping):
            raise InputError(f"rule options are a mapping of names to values, not {type(options).__name__}")
        schema = rules_schema()
        known = [*(option.name for option in schema), "start", "scores"]
        for name in options:
            if name not in known:
                raise InputError(f"unknown rule option {name}: {nearest(str(name), known)}")
        family = options.get("family")
        if family not in ("long", "short"):
            raise InputError(f"rule option family cannot be {family!r}: choose one of long, short")
        values = [
            option.number_of(options[option.name]) if option.name in options else None for option in schema
        ]
        self._handle = _core.rules(values, _start_bytes(options), _points_bytes(family, options))
        facts = _core.rules_facts(self._handle)
        self._options = {o.name: o.value_of(n) for o, n in zip(schema, facts[0], strict=True)}
        self._start = tuple(np.frombuffer(facts[1], np.int8).tolist())
        self._scores = dict(facts[2])
        self.outcomes: tuple[str, ...] = tuple(facts[3])
        """Names of the exclusive outcomes in their order: wins by rising points, losses, perhaps ``draw``."""
        self.points: tuple[float, ...] = tuple(facts[4])
        """What each outcome is worth to the player on roll."""
        self.uses_seat: bool = facts[5]
        self.uses_turns: bool = facts[6]

    @property
    def options(self) -> dict[str, Any]:
        """All options as resolved; `Rules` of it is equal."""
        return {**self._options, "start": list(self._start), "scores": dict(self._scores)}

    @property
    def family(self) -> str:
        """``long`` or ``short``."""
        return str(self._options["family"])

    @property
    def checkers(self) -> int:
        """Checkers of each side."""
        return int(self._options["checkers"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.options == other.options

    def __hash__(self) -> int:
        return hash((self._start, tuple(self._options.items()), tuple(sorted(self._scores.items()))))

    def __repr__(self) -> str:
        return f"Rules({self.options!r})"

    def __reduce__(self) -> tuple[type[Rules], tuple[dict[str, Any]]]:
        return Rules, (self.options,)


def handle_of(rules: Rules) -> Any:
    """The engine's own rules; InputError for what is no `Rules`."""
    held = getattr(rules, "_handle", None)
    if held is None or not isinstance(rules, Rules):
        raise InputError(f"Rules are needed, not {type(rules).__name__}: core.Rules(options) makes them")
    return held


def _start_bytes(options: Mapping[str, Any]) -> bytes:
    if "start" not in options:
        return b""
    start = options["start"]
    if (
        not isinstance(start, (list, tuple))
        or len(start) != 24
        or not all(type(n) is int and 0 <= n <= 15 for n in start)
    ):
        raise InputError("rule option start must be 24 counts from 0 to 15, point 1 first")
    return bytes(start)


def _points_bytes(family: str, options: Mapping[str, Any]) -> bytes:
    if "scores" not in options:
        return b""
    names = _core.defeat_names(0 if family == "long" else 1)
    points = np.zeros(len(names), np.float32)
    known = [name for name in names if name]
    scores = options["scores"]
    if not isinstance(scores, Mapping):
        raise InputError("rule option scores must name the points of each kind of win")
    for name, value in scores.items():
        if name not in known:
            raise InputError(f"unknown kind of win {name} in scores: {nearest(str(name), known)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1000:
            raise InputError(
                f"points of {name} in scores cannot be {value!r}: write a number above 0, at most 1000"
            )
        points[names.index(name)] = value
    return points.tobytes()
