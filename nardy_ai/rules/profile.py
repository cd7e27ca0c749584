"""Rule profiles: every rule that texts or apps disagree about, as data.

These classes say which options there are and which values they have; `profile_reader` reads them from
TOML files, and what they mean to plays is the engine's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from nardy_ai.core import InputError

Family = Literal["long", "short"]

DEFAULT_PROFILES: Mapping[str, str] = {"long": "long/fns", "short": "short/standard"}
"""Game name -> the profile that it stands for."""

DEFEATS: Mapping[str, tuple[str, ...]] = {
    "long": ("oin", "mars", "koks", "home_mars"),
    "short": ("single", "gammon", "backgammon"),
}
"""Family -> kinds of win that `[scores]` may give points to; the first is required."""

FAMILY_OF: Mapping[str, str] = {
    "head_rule": "long",
    "head_exception": "long",
    "block": "long",
    "block_scope": "long",
    "block_transient": "long",
    "last_roll": "long",
    "hit_and_run_home": "short",
}
"""Options that only one family has."""

MOST_SMALL = 3
"""The most checkers a side of a small game, which can be solved exactly."""

TEXT_KEYS = ("title", "source", "title_ru", "source_ru")
"""Keys of lines of text at the top of a profile file."""

HeadException = Literal[
    "blocked_by_head",
    "blocked_any",
    "any_double_first_turn",
    "any_double_any_turn",
    "second_player_3_4_6",
    "none",
]


@dataclass(frozen=True)
class RuleOptions:
    """How checkers move. The long family's options are neutral (no block, no head) in a short game."""

    family: Family
    checkers: int
    """Checkers a side, 1 to 15."""
    start: tuple[int, ...]
    """24 counts: checkers that each side has on its own points 1..24 before the game."""
    opening_roll: Literal["fresh", "rolloff_pair"]
    """`fresh`: a new throw after the roll-off; `rolloff_pair`: the two dice of the roll-off are played."""
    bearoff_same_turn: bool
    """The turn that brings the last checker home may already bear off."""
    head_rule: bool = False
    """Long: one checker a turn may leave the head."""
    head_exception: HeadException = "none"
    """Long: when a second checker may leave the head."""
    block: Literal["conditional", "absolute", "none"] = "none"
    """Long: six neighbouring points need an opponent checker ahead of them, are forbidden, or are free."""
    block_scope: Literal["opponent_path", "ring"] = "opponent_path"
    """Long: a run is counted along the opponent's path, or all round the board."""
    block_transient: bool = False
    """Long: the block rule holds after every single movement, not only at the end of the turn."""
    last_roll: bool = False
    """Long: when the starter finishes first, the other side has one more roll, and a draw is possible."""
    hit_and_run_home: bool = True
    """Short: a checker that hits in its own home may move on in the same turn."""


@dataclass(frozen=True)
class MatchOptions:
    """How games are strung together."""

    next_start: Literal["alternate", "winner", "rolloff"]
    draw_points: float = 0.0
    """What each side scores for a draw; only with `last_roll`."""
    length: int | None = None
    """Points of a traditional match; None where the game has no such tradition."""


@dataclass(frozen=True)
class CubeOptions:
    """The doubling cube of the short family."""

    enabled: bool = False
    jacoby: bool = False
    beavers: bool = False
    automatic_doubles: int | Literal["unlimited"] = 0
    """How often equal dice of the opening roll double the stake."""


@dataclass(frozen=True)
class Profile:
    """A complete, checked set of rules. Immutable and equal by value."""

    name: str
    """`long/fns`, or the path of a player's own file."""
    title: str
    source: str
    """Where the rules are written."""
    title_ru: str
    """The title in Russian; empty where the file has none."""
    source_ru: str
    rules: RuleOptions
    scores: tuple[tuple[str, int], ...]
    """Kinds of win with their points, in the family's order."""
    match: MatchOptions
    cube: CubeOptions

    def __str__(self) -> str:
        return self.name

    @property
    def family(self) -> Family:
        """`long` or `short`."""
        return self.rules.family

    def points_of(self, kind: str) -> int | None:
        """Points of a kind of win (`mars`, `gammon`, …); None where the profile does not score it."""
        return dict(self.scores).get(kind)

    def core_options(self) -> dict[str, Any]:
        """The options of the engine (`core.Rules`), those of the other family left out."""
        options: dict[str, Any] = {
            field.name: getattr(self.rules, field.name)
            for field in fields(RuleOptions)
            if FAMILY_OF.get(field.name, self.family) == self.family
        }
        return options | {"start": list(self.rules.start), "scores": dict(self.scores)}

    def table(self) -> dict[str, Any]:
        """The profile as the table of a TOML file; `profile_reader.profile_of_table` reads it back."""
        rules = {key: value for key, value in self.core_options().items() if key != "scores"}
        places = reversed(list(enumerate(self.rules.start, 1)))
        rules["start"] = {str(point): count for point, count in places if count}
        match: dict[str, Any] = {"next_start": self.match.next_start}
        if self.rules.last_roll:
            match["draw_points"] = self.match.draw_points
        if self.match.length is not None:
            match["length"] = self.match.length
        table: dict[str, Any] = {"format": 1, **{key: getattr(self, key) for key in TEXT_KEYS}}
        table |= {"rules": rules, "scores": dict(self.scores), "match": match}
        if self.family == "short":
            table["cube"] = {field.name: getattr(self.cube, field.name) for field in fields(CubeOptions)}
        return table

    def with_checkers(self, checkers: int) -> Profile:
        """The same rules with 1 to 3 checkers a side, named `long/fns with 3`.

        Long nardy starts with all of them on 24; short nardy, as hypergammon does, with one each on 24, 23
        and 22. Rules that have so many checkers already are returned as they are.

        Raises:
            InputError: another number of checkers.
        """
        if not 1 <= checkers <= MOST_SMALL:
            raise InputError(f"a small game has 1 to {MOST_SMALL} checkers a side, not {checkers!r}")
        if self.rules.checkers == checkers:
            return self
        start = [0] * 24
        for i in range(checkers):
            start[23 if self.family == "long" else 23 - i] += 1
        return replace(
            self,
            name=f"{self.name} with {checkers}",
            title=f"{self.title}, {checkers} checker{'s' if checkers > 1 else ''}",
            title_ru="",
            rules=replace(self.rules, checkers=checkers, start=tuple(start)),
        )
