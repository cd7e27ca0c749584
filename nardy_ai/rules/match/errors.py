"""The error of a step that the rules of a match forbid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nardy_ai.core import InputError

RULES: Mapping[str, str] = {
    "order": "order of play",
    "opening": "opening roll",
    "plays": "legal plays",
    "cube": "doubling cube",
    "cube_owner": "owner of the cube",
    "cube_limit": "limit of the cube",
    "crawford": "Crawford rule",
    "beavers": "beavers",
    "resignation": "resignation",
    "end": "end of the match",
}
"""Every rule that a step can break, with its name in words."""


class IllegalStep(InputError):
    """A step that the rules forbid. The message begins with the name of the rule."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(f"{RULES[rule]}: {why}")
        self.rule = rule
        """Key into `RULES`."""
        self._why = why

    def __reduce__(self) -> tuple[Any, ...]:
        return IllegalStep, (self.rule, self._why)
