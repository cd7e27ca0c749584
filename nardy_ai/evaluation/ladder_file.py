"""The ladder of a run on disk: who played, and what every pairing came to."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nardy_ai.core import InputError
from nardy_ai.evaluation.ladder import Pairing, Scale, pairing, rate_points, rate_wins
from nardy_ai.models.tensor_file import write_file

FORMAT = 1
KIND = "nardy ladder"


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A bot on the ladder."""

    name: str
    hash: str
    """Of all that its choices depend on."""
    round: int | None = None
    """Of the run, where it is one of its checkpoints."""


class PairingCounts(msgspec.Struct, forbid_unknown_fields=True):
    """What two bots have played so far."""

    a: str
    """Hash of the bot that sees the outcomes."""
    b: str
    """Hash of its opponent."""
    seed: int
    played: int
    """Pairs so far, those that were stopped at the turn limit with them: the number of the next pair."""
    counts: list[list[int]]
    """[k][k]: pairs by the outcome of the game that `a` started (row) and of the other (column)."""
    cut: int = 0
    """Pairs of which a game was stopped at the turn limit; they are not in `counts`."""


class Ladder(msgspec.Struct, forbid_unknown_fields=True):
    """All that is known; ratings are computed from it."""

    game: str
    rules: str
    """A hash of the rules and their points."""
    seed: int
    outcomes: list[str]
    points: list[float]
    anchor: str
    """Hash of the bot that stands at 0."""
    entries: list[Entry]
    pairings: list[PairingCounts]
    kind: str = KIND
    format: int = FORMAT
    ratings: list[dict[str, Any]] = []
    """For other programs, see `written`; never read back."""

    def number_of(self, fingerprint: str) -> int:
        """Place of a bot among the entries. Raises KeyError for one that is not there."""
        for number, entry in enumerate(self.entries):
            if entry.hash == fingerprint:
                return number
        raise KeyError(fingerprint)

    def between(self, one: str, other: str) -> PairingCounts | None:
        """The pairing of two bots, whoever sees the outcomes."""
        return next((found for found in self.pairings if {found.a, found.b} == {one, other}), None)


@dataclass(frozen=True)
class Standing:
    """One bot's place."""

    entry: Entry
    pairs: int
    """Pairs that it has played."""
    points: float | None
    """Points a game that it is expected to score against the anchor; None where no match links them."""
    interval: tuple[float, float] | None
    elo: float | None
    elo_interval: tuple[float, float] | None


@dataclass(frozen=True)
class Ratings:
    """A ladder's bots on both scales."""

    standings: tuple[Standing, ...]
    """Best first; those without a place last."""
    points: Scale
    wins: Scale


def rated(ladder: Ladder) -> Ratings:
    """The bots of a ladder on both scales."""
    played = pairings_of(ladder)
    anchor = ladder.number_of(ladder.anchor)
    points = rate_points(len(ladder.entries), played, anchor, max(ladder.points))
    wins = rate_wins(len(ladder.entries), played, anchor)
    standings = [_standing(ladder, number, played, points, wins) for number in range(len(ladder.entries))]
    standings.sort(key=lambda one: (one.points is None, -(one.points or 0.0)))
    return Ratings(tuple(standings), points, wins)


def pairings_of(ladder: Ladder) -> list[Pairing]:
    """Every pairing with a pair that counts."""
    return [
        pairing(
            ladder.number_of(one.a), ladder.number_of(one.b), one.counts, ladder.points, ladder.outcomes
        )
        for one in ladder.pairings
        if any(map(any, one.counts))
    ]


def _standing(
    ladder: Ladder, number: int, played: Sequence[Pairing], points: Scale, wins: Scale
) -> Standing:
    pairs = sum(one.pairs for one in played if number in (one.first, one.second))
    if not points.linked(number):
        return Standing(ladder.entries[number], pairs, None, None, None, None)
    return Standing(
        entry=ladder.entries[number],
        pairs=pairs,
        points=points.score(number),
        interval=points.interval(number),
        elo=wins.score(number),
        elo_interval=wins.interval(number),
    )


def write_ladder(path: Path, ladder: Ladder) -> None:
    """Writes the file beside its place and renames it. Raises OSError where it can't be written."""
    ladder.ratings = [_written(one) for one in rated(ladder).standings]
    data = msgspec.json.format(msgspec.json.encode(ladder), indent=1) + b"\n"
    try:
        write_file(path, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def as_report(ladder: Ladder) -> dict[str, Any]:
    """Plain values for JSON: the ladder with its ratings, and the covariance of both scales."""
    found = rated(ladder)
    return {
        "format": FORMAT,
        "game": ladder.game,
        "seed": ladder.seed,
        "anchor": ladder.anchor,
        "bots": [entry.hash for entry in ladder.entries],
        "ratings": [_written(one) for one in found.standings],
        "misfit": found.points.misfit,
        "points_scale": _plain(found.points),
        "elo_scale": _plain(found.wins),
    }


def _plain(scale: Scale) -> dict[str, Any]:
    return {
        "strengths": [None if np.isnan(value) else float(value) for value in scale.strengths],
        "limit": scale.limit,
        "covariance": [
            [None if np.isnan(value) else float(value) for value in row] for row in scale.covariance
        ],
    }


def _written(one: Standing) -> dict[str, Any]:
    return {
        "name": one.entry.name,
        "hash": one.entry.hash,
        "round": one.entry.round,
        "pairs": one.pairs,
        "points": one.points,
        "interval": None if one.interval is None else list(one.interval),
        "elo": one.elo,
        "elo_interval": None if one.elo_interval is None else list(one.elo_interval),
        "confidence": 0.95,
    }


class _Head(msgspec.Struct):
    kind: str
    format: int


def read_ladder(path: Path) -> Ladder:
    """The ladder of a file.

    Raises:
        InputError: it can't be read, is something else, of another format, or does not fit together.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no ladder at {path}: play one with nardy ladder RUN") from None
    except OSError as error:
        raise InputError(f"the ladder {path} can't be read ({error.strerror}): check the path") from None
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.kind == KIND and head.format != FORMAT:
            raise InputError(
                f"{path} is a ladder of format {head.format}, and this version reads format {FORMAT}: move "
                "it away, and a new one is played"
            )
        ladder = msgspec.json.decode(data, type=Ladder)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"{path} is no ladder ({error}): move it away, and a new one is played") from None
    fault = "it is of another kind" if ladder.kind != KIND else _fault(ladder)
    if fault:
        raise InputError(f"{path} is no ladder ({fault}): move it away, and a new one is played")
    return ladder


def _fault(ladder: Ladder) -> str | None:
    """What does not fit together; None where all does."""
    hashes = [entry.hash for entry in ladder.entries]
    if len(set(hashes)) < len(hashes):
        return "a bot stands in it twice"
    if ladder.anchor not in hashes:
        return "its anchor is missing"
    size = len(ladder.outcomes)
    if len(ladder.points) != size:
        return "its outcomes have other numbers of points"
    met = [frozenset((one.a, one.b)) for one in ladder.pairings]
    if len(set(met)) < len(met) or any(len(two) < 2 for two in met):
        return "two bots meet in it twice"
    for one in ladder.pairings:
        if one.a not in hashes or one.b not in hashes:
            return "an unknown bot played"
        if len(one.counts) != size or any(len(row) != size for row in one.counts):
            return "a pairing has another number of outcomes"
        numbers = [one.cut, *itertools.chain(*one.counts)]
        if min(numbers) < 0 or sum(numbers) != one.played:
            return "a pairing's pairs do not add up"
    return None
