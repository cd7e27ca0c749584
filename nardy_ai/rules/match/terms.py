"""What two players agree on before they begin: the game, how long they play, how the cube is used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import flag, needed, one_of, shown
from nardy_ai.rules.game import Game
from nardy_ai.rules.profile import CubeOptions

LONGEST_MATCH = 32767
"""Points; the longest match that a match ID can hold."""

USUAL_MAX_CUBE = 1024
LARGEST_CUBE = 2**15
MOST_AUTOMATIC = 64


@dataclass(frozen=True)
class Terms:
    """The terms of a match or of money play. Immutable; make them with `match` or `money`."""

    game: Game
    length: int | None
    """Points that the match is played to; None for money play, which goes on as long as it is wanted."""
    cube: CubeOptions
    """The cube as it is used here: a match has no Jacoby rule, beavers or automatic doubles."""
    crawford: bool
    """Whether the Crawford rule holds; only in a match with a cube."""
    max_cube: int = USUAL_MAX_CUBE
    """A power of two beyond which nothing doubles; 1 plays without turning the cube."""

    def __post_init__(self) -> None:
        needed(self.game, Game)
        _check_max_cube(self.max_cube)
        _check_length(self.length)
        if self.game.family == "long" and (self.cube, self.max_cube) != (CubeOptions(), USUAL_MAX_CUBE):
            raise InputError(f"{self.game.name} has no cube: long nardy knows none")
        if not self.cube.enabled and (self.cube.jacoby or self.cube.beavers or self.crawford):
            raise InputError("the Jacoby rule, beavers and the Crawford rule need a cube")
        if self.length is None and self.crawford:
            raise InputError("the Crawford rule belongs to matches, not to money play")
        extras = self.cube.jacoby or self.cube.beavers or self.cube.automatic_doubles
        if self.length is not None and extras:
            raise InputError("a match has no Jacoby rule, no beavers and no automatic doubles")

    @classmethod
    def match(
        cls,
        game: Game,
        length: int | None = None,
        *,
        crawford: bool = True,
        max_cube: int = USUAL_MAX_CUBE,
    ) -> Terms:
        """A match to `length` points, by default the profile's own length.

        The profile's Jacoby rule, beavers and automatic doubles do not hold in a match. Raises InputError
        for a wrong length, and where neither it nor the profile gives one.
        """
        points = needed(game, Game).profile.match.length if length is None else length
        if points is None:
            raise InputError(f"{game.name} has no usual length of a match; give length, such as 5")
        enabled = needed(game, Game).profile.cube.enabled
        holds = flag(crawford, "crawford") and enabled
        return cls(game, points, CubeOptions(enabled=enabled), holds, max_cube)

    @classmethod
    def money(
        cls,
        game: Game,
        *,
        jacoby: bool | None = None,
        beavers: bool | None = None,
        automatic_doubles: int | Literal["unlimited"] | None = None,
        max_cube: int = USUAL_MAX_CUBE,
    ) -> Terms:
        """Money play; what is not given is as in the game's profile. Raises InputError for wrong values."""
        cube = needed(game, Game).profile.cube
        if jacoby is not None:
            cube = replace(cube, jacoby=flag(jacoby, "jacoby"))
        if beavers is not None:
            cube = replace(cube, beavers=flag(beavers, "beavers"))
        if automatic_doubles is not None:
            _check_automatic(automatic_doubles)
            cube = replace(cube, automatic_doubles=automatic_doubles)
        return cls(game, None, cube, False, max_cube)

    def points_of(self, kind: str, stake: int, *, cube_turned: bool) -> int:
        """What a kind of win pays at a stake; under the Jacoby rule more only once the cube was turned.

        Raises InputError for a kind that the profile does not score.
        """
        scores = dict(self.game.profile.scores)
        paid = scores[one_of(kind, tuple(scores), f"kind of win in {self.game.name},")]
        if self.cube.jacoby and not cube_turned:
            return self.game.profile.scores[0][1] * stake
        return paid * stake

    def automatic_double_follows(self, made: int) -> bool:
        """Whether a tie of the opening roll doubles the stake after `made` such doubles in this game."""
        limit = self.cube.automatic_doubles
        return limit == "unlimited" or made < limit


def _check_automatic(times: int | str) -> None:
    if isinstance(times, str) and times == "unlimited":
        return
    if type(times) is not int or not 0 <= times <= MOST_AUTOMATIC:
        allowed = f'0 to {MOST_AUTOMATIC}, or "unlimited"'
        raise InputError(f"automatic_doubles is {shown(times)}; it must be {allowed}")


def _check_max_cube(value: int) -> None:
    if type(value) is not int or not 1 <= value <= LARGEST_CUBE:
        raise InputError(f"max_cube is {shown(value)}; it must be a power of two from 1 to {LARGEST_CUBE}")
    if value & (value - 1):
        raise InputError(f"max_cube is {value}; it must be a power of two, such as {USUAL_MAX_CUBE}")


def _check_length(length: int | None) -> None:
    if length is None:
        return
    if type(length) is not int or not 1 <= length <= LONGEST_MATCH:
        raise InputError(f"the length of a match is {shown(length)}; it must be 1 to {LONGEST_MATCH} points")
