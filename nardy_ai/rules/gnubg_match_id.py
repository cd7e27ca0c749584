"""The 12-character match ID of GNU Backgammon: score, cube, dice and whose turn it is, without the board.

Sixty-seven bits, least significant bit of each byte first, nine bytes in base64. The last bit, which older
versions lack, is set where the Jacoby rule does not hold; it means nothing in a match.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Literal

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import needed
from nardy_ai.rules.dice import Dice
from nardy_ai.rules.game import Game
from nardy_ai.rules.match import Cube, MatchState, Terms, set_up
from nardy_ai.rules.match.mid_game import shown_doubles
from nardy_ai.rules.match.terms import LARGEST_CUBE, LONGEST_MATCH, USUAL_MAX_CUBE
from nardy_ai.rules.position import Position

ID_LENGTH = 12

GameState = Literal["none", "playing", "over", "resigned", "dropped"]
_GAME_STATES: tuple[GameState, ...] = ("none", "playing", "over", "resigned", "dropped")
_IN_THE_MIDDLE = 3

# Names and widths of the fields, from the first bit on.
_FIELDS = (
    ("cube", 4),
    ("owner", 2),
    ("on_roll", 1),
    ("crawford", 1),
    ("game", 3),
    ("decider", 1),
    ("doubled", 1),
    ("resignation", 2),
    ("die", 3),
    ("second_die", 3),
    ("length", 15),
    ("score_0", 15),
    ("score_1", 15),
    ("no_jacoby", 1),
)


@dataclass(frozen=True)
class MatchId:
    """What a match ID says. Players are 0 and 1."""

    game: GameState
    """Whether a game has begun, goes on, or how the last one ended."""
    cube: int
    owner: int | None
    """The cube's owner; None in the middle."""
    on_roll: int
    """The player on roll, who may have thrown or doubled."""
    decider: int
    """The player who must do something next."""
    doubled: bool
    """Whether a double is offered; a beaver where the player on roll must answer it."""
    dice: Dice | None
    """The throw, larger die first."""
    length: int | None
    """Points of the match; None for money play."""
    score: tuple[int, int]
    crawford: bool
    """Whether this is the Crawford game."""
    jacoby: bool
    """Whether the Jacoby rule holds; never in a match."""
    resignation: int
    """A resignation on offer: 1 single, 2 gammon, 3 backgammon; 0 none."""

    def terms(self, game: Game) -> Terms:
        """The terms of play that go with it, what it does not tell being as in the game's profile."""
        if self.length is not None:
            return Terms.match(needed(game, Game), self.length)
        return Terms.money(
            game,
            jacoby=self.jacoby and needed(game, Game).profile.cube.enabled,
            beavers=True if self.beavered else None,
            automatic_doubles=shown_doubles(game, Cube(self.cube, self.owner)),
            max_cube=max(USUAL_MAX_CUBE, self.cube),
        )

    @property
    def beavered(self) -> bool:
        """Whether the double on offer is a beaver, which the player on roll must answer."""
        return self.doubled and self.decider == self.on_roll

    def state(self, position: Position, terms: Terms | None = None) -> MatchState:
        """The match state that it makes together with a position.

        `terms` say what the ID does not, such as beavers; they must agree with it. Raises InputError where
        no game goes on, where a resignation is on offer, and for what does not fit together.
        """
        agreed = self.terms(needed(position, Position).game) if terms is None else needed(terms, Terms)
        if agreed.length != self.length or agreed.cube.jacoby != (self.jacoby and agreed.cube.enabled):
            raise InputError(
                "the match ID and the terms differ in the length of the match or the Jacoby rule"
            )
        if self.game != "playing" or self.resignation:
            raise InputError("the match ID is of a game that is over, being resigned or not begun")
        if not self.doubled and self.decider != self.on_roll:
            raise InputError(
                f"the match ID has player {self.on_roll} on roll and player {self.decider} to decide, but no "
                "double on offer"
            )
        return set_up(
            agreed,
            position,
            on_roll=self.on_roll,
            won=self.score,
            cube=self._cube_before(),
            dice=self.dice,
            offered="beaver" if self.beavered else "double" if self.doubled else None,
            crawford=self.crawford,
        )

    def _cube_before(self) -> Cube:
        """The cube before what is on offer: a beaver has already turned it once."""
        if not self.beavered:
            return Cube(self.cube, self.owner)
        return Cube(1) if self.cube <= 2 else Cube(self.cube // 2, self.on_roll)


def match_id(state: MatchState) -> str:
    """The match ID of a state.

    Raises InputError for what it cannot hold: half points, a cube above 32768.
    """
    score = [int(points) for points in needed(state, MatchState).score]
    if list(state.score) != score or max(score) > LONGEST_MATCH:
        shown = f"{state.score[0]:g}-{state.score[1]:g}"
        raise InputError(f"a match ID holds whole points up to {LONGEST_MATCH}, and the score is {shown}")
    if state.cube.value > LARGEST_CUBE:
        raise InputError(f"a match ID holds a cube up to {LARGEST_CUBE}, and this one is {state.cube.value}")
    on_roll = 0 if state.on_roll is None else state.on_roll
    large, small = state.dice or (0, 0)
    values = {
        "cube": state.cube.value.bit_length() - 1,
        "owner": _IN_THE_MIDDLE if state.cube.owner is None else state.cube.owner,
        "on_roll": on_roll,
        "crawford": state.crawford,
        "game": _GAME_STATES.index(_game_state(state)),
        "decider": on_roll if state.decider is None else state.decider,
        "doubled": state.phase in ("doubled", "beavered"),
        "resignation": 0,
        "die": large,
        "second_die": small,
        "length": state.terms.length or 0,
        "score_0": score[0],
        "score_1": score[1],
        "no_jacoby": not state.terms.cube.jacoby,
    }
    bits = place = 0
    for name, width in _FIELDS:
        bits |= int(values[name]) << place
        place += width
    return base64.b64encode(bits.to_bytes(9, "little")).decode("ascii")


def read_match_id(text: str) -> MatchId:
    """What a match ID says. Raises InputError for anything that GNU Backgammon would not have written."""
    bits = _bits_of(text)
    value = {}
    for name, width in _FIELDS:
        value[name] = bits & ((1 << width) - 1)
        bits >>= width
    if bits:
        raise _malformed(text, "bits are set behind the last field")
    if value["owner"] == 2:
        raise _malformed(text, "the cube's owner is neither a player nor the middle")
    if value["game"] >= len(_GAME_STATES):
        raise _malformed(text, f"it has the game state {value['game']}; states are 0 to 4")
    dice = value["die"], value["second_die"]
    if 7 in dice or (0 in dice and dice != (0, 0)):
        raise _malformed(text, f"its dice are {dice[0]} and {dice[1]}")
    return MatchId(
        game=_GAME_STATES[value["game"]],
        cube=1 << value["cube"],
        owner=None if value["owner"] == _IN_THE_MIDDLE else value["owner"],
        on_roll=value["on_roll"],
        decider=value["decider"],
        doubled=bool(value["doubled"]),
        dice=(max(dice), min(dice)) if dice[0] else None,
        length=value["length"] or None,
        score=(value["score_0"], value["score_1"]),
        crawford=bool(value["crawford"]),
        jacoby=not value["no_jacoby"] and not value["length"],
        resignation=value["resignation"],
    )


def gnubg_id(state: MatchState) -> str:
    """Position ID and match ID joined by a colon, as GNU Backgammon takes them. Raises as `match_id`."""
    return f"{needed(state, MatchState).position.id}:{match_id(state)}"


def read_gnubg_id(text: str, game: Game, *, seat: int | None = None) -> MatchState:
    """The state of a position ID and a match ID joined by a colon.

    `seat` is 0 where the player on roll started the game; needed where the game's rules use it. In front of
    the match ID a position key `<id>:<seat>:<turns>` may stand too. Raises InputError.
    """
    if not isinstance(text, str):
        raise InputError(f"an ID is text, not {type(text).__name__}")
    place, colon, match = text.strip().rpartition(":")
    if not colon:
        raise InputError(f"{_shown(text)} is no <position ID>:<match ID>")
    return read_match_id(match).state(needed(game, Game).position(place, seat=seat))


def _game_state(state: MatchState) -> GameState:
    if state.phase == "rolloff":
        return "none"
    if state.result is None:
        return "playing"
    ends: dict[str, GameState] = {"play": "over", "resignation": "resigned", "drop": "dropped"}
    return ends[state.result.how]


def _bits_of(text: str) -> int:
    if not isinstance(text, str):
        raise InputError(f"a match ID is text, not {type(text).__name__}")
    if len(text) != ID_LENGTH:
        raise _malformed(text, f"it has {len(text)} characters instead of {ID_LENGTH}")
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raw = b""
    if len(raw) != 9:
        raise _malformed(text, "its characters must be A-Z, a-z, 0-9, + and /")
    return int.from_bytes(raw, "little")


def _malformed(text: str, why: str) -> InputError:
    return InputError(f"{_shown(text)} is no match ID: {why}")


def _shown(text: object) -> str:
    shown = repr(text)
    return shown if len(shown) <= 42 else shown[:40] + "…"
