"""Fair dice, version 1: a game's dice from two halves of a seed, and the check that a record has those dice.

The bot commits to its half (128 bits) before the game, the player then adds a text of his own; dice follow
from both halves and the number of the throw alone. docs/web.md has the definition in words; the page of the
web bundle computes the same in JavaScript. All texts are hashed in UTF-8, digests are small hexadecimal
digits.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import needed, shown
from nardy_ai.rules.dice import dice_pair
from nardy_ai.rules.mat_file import MatFile
from nardy_ai.rules.match import steps

__all__ = [
    "VERSION",
    "CheckedGame",
    "FairDice",
    "check_record",
    "commitment_to",
    "dice_of_record",
    "plain_half",
]

VERSION = 1
LONGEST_HALF = 100
"""Characters of the player's half."""

_NAME = "nardy fair dice 1"
_TAG = re.compile(r"Dice ([1-9]\d{0,5})")
_VALUE = re.compile(r"(\d{1,4}) ([0-9a-f]{64}) ([0-9a-f]{32}|-) (.+)", re.DOTALL)
_LAST_FAIR_BYTE = 251
"""252 is the largest multiple of 6 that a byte can count."""


@dataclass(frozen=True)
class FairDice:
    """The halves of one game's seed."""

    bot: str
    """The bot's half: 128 bits as 32 small hexadecimal digits."""
    player: str
    """The player's half: text of 1 to 100 characters, as `plain_half` leaves it."""

    def __post_init__(self) -> None:
        if not _is_text(self.bot) or not re.fullmatch("[0-9a-f]{32}", self.bot):
            raise InputError(f"the bot's half is 32 small hexadecimal digits, not {shown(self.bot)}")
        if not _is_text(self.player) or not self.player or plain_half(self.player) != self.player:
            raise InputError(
                f"the player's half is a line of 1 to {LONGEST_HALF} characters without spaces at its ends, "
                f"not {shown(self.player)}"
            )

    @property
    def commitment(self) -> str:
        """What the bot shows before the game."""
        return commitment_to(self.bot)

    @property
    def key(self) -> str:
        """The key of the game's dice."""
        return _digest(f"{_NAME}\nkey\n{self.bot}\n{self.player}")

    def throw(self, number: int) -> tuple[int, int]:
        """Throw `number` of the game, 0 the first. In a roll-off the first die is player 0's."""
        if type(number) is not int or number < 0:
            raise InputError(f"the number of a throw is a whole number from 0, not {shown(number)}")
        fair = _fair_bytes(self.key, number)
        return next(fair) % 6 + 1, next(fair) % 6 + 1


@dataclass(frozen=True)
class CheckedGame:
    """What the check of one game's dice found."""

    number: int
    """Of the game, from 1."""
    throws: int
    """Throws of the game, roll-offs included."""
    fault: str | None
    """A sentence for the first thing that is wrong; None where everything fits."""


def commitment_to(bot: str) -> str:
    """SHA-256 that commits to a bot's half."""
    return _digest(f"{_NAME}\ncommitment\n{bot}")


def plain_half(text: str) -> str:
    """A player's text as it counts: in NFC, on one line, without spaces at the ends, at most 100 characters.

    Runs of spaces, line breaks and control characters become one space.
    """
    line = "".join(
        " " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp", "Zs") else c
        for c in unicodedata.normalize("NFC", text)
    )
    return " ".join(part for part in line.split(" ") if part)[:LONGEST_HALF].strip(" ")


def dice_of_record(record: MatFile) -> Mapping[int, tuple[str, FairDice | None]]:
    """Game number -> its commitment and its halves, from the tags `Dice N`.

    The halves are None while the game goes on and the bot's is not shown. Raises InputError for tags that
    cannot be read, and for a version that is not known here.
    """
    found: dict[int, tuple[str, FairDice | None]] = {}
    for name, value in needed(record, MatFile).tags:
        tag = _TAG.fullmatch(name)
        if tag is None:
            continue
        parts = _VALUE.fullmatch(value)
        if parts is None:
            raise InputError(f"the tag {name!r} has {shown(value)}, which tells no commitment and halves")
        if int(parts[1]) != VERSION:
            raise InputError(f"the tag {name!r} is of fair dice {parts[1]}; this nardy-ai checks {VERSION}")
        number = int(tag[1])
        if number in found:
            raise InputError(f"the tag 'Dice {number}' is there twice; each game has one")
        found[number] = parts[2], None if parts[3] == "-" else FairDice(parts[3], parts[4])
    return found


def check_record(record: MatFile) -> list[CheckedGame]:
    """Checks the dice of every game of a record against the halves and the commitment that its tags tell.

    A game that goes on, whose half is not shown yet, is left out. Every other game of the record is told, so
    that none gets through by its tag being taken away. Raises InputError where the record tells of no fair
    dice at all, and as `dice_of_record` does.
    """
    told = dice_of_record(record)
    if not told:
        raise InputError('the record tells of no fair dice: it has no tags such as [Dice 1 "1 …"]')
    throws = _throws(record)
    states = record.history.states
    played = {state.number for state in states}
    over = {state.number for state in states if state.phase in ("game_over", "match_over")}
    unrolled = {
        state.number
        for state, step in zip(states, record.history.steps, strict=False)
        if isinstance(step, steps.Starts)
    }
    checked = []
    for number in sorted(played | set(told)):
        commitment, halves = told.get(number, ("", None))
        thrown = throws.get(number, [])
        if number not in played:
            fault: str | None = "the record has no such game"
        elif number not in told:
            fault = "no tag tells its halves"
        elif halves is not None and number in unrolled:
            fault = "nobody wrote down the roll-off that said who starts"
        elif halves is not None:
            fault = _fault(commitment, halves, thrown)
        elif number in over:
            fault = "it is over, and the bot's half is not shown"
        else:
            continue
        checked.append(CheckedGame(number, len(thrown), fault))
    return checked


def _fault(commitment: str, halves: FairDice, throws: list[tuple[tuple[int, int], bool]]) -> str | None:
    if halves.commitment != commitment:
        return "the bot's half is not the one that it committed to"
    for number, (dice, ordered) in enumerate(throws):
        expected = halves.throw(number)
        if dice != (expected if ordered else dice_pair(expected)):
            given = f"{expected[0]}-{expected[1]}"
            return f"throw {number + 1} is {dice[0]}-{dice[1]}, and the halves give {given}"
    return None


def _throws(record: MatFile) -> dict[int, list[tuple[tuple[int, int], bool]]]:
    """Game number -> its throws in order, with whether it is known which die was whose."""
    found: dict[int, list[tuple[tuple[int, int], bool]]] = {}
    for state, step in zip(record.history.states, record.history.steps, strict=False):
        if isinstance(step, steps.RollOff):
            found.setdefault(state.number, []).append((step.dice, True))
        elif isinstance(step, steps.Throw):
            found.setdefault(state.number, []).append((dice_pair(step.dice), False))
    return found


def _fair_bytes(key: str, number: int) -> Iterator[int]:
    for block in count():
        digest = hashlib.sha256(f"{_NAME}\nthrow\n{key}\n{number}\n{block}".encode()).digest()
        yield from (byte for byte in digest if byte <= _LAST_FAIR_BYTE)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
