"""Reading what a run folder logged: rounds and measurements, speeds, and how the run was started."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from nardy_ai.core import InputError
from nardy_ai.evaluation.report.record import Gated, Measured, Rounds, Start, Stretch, read_bytes

__all__ = ["Watched", "read_metrics", "read_starts", "with_times"]

T = TypeVar("T")


class _Match(msgspec.Struct):
    opponent: str
    game: str
    pairs: Annotated[int, msgspec.Meta(ge=1)]
    seed: int
    ppg: float
    low: float
    high: float
    wins: Annotated[float, msgspec.Meta(ge=0, le=1)]


class _Line(msgspec.Struct):
    """A line of metrics.jsonl: of a round that is over, or of a measurement after it."""

    round: Annotated[int, msgspec.Meta(ge=0)]
    match: _Match | None = None
    watched: tuple[float, float, float] | None = None
    promoted: bool | None = None
    pairs: int = 0
    phase: str | None = None
    loss: float | None = None
    total_games: int | None = None
    excess: float | None = None


class _Timing(msgspec.Struct):
    round: int
    seconds: float
    games_per_second: float
    learner_share: float | None = None
    cpu: float | None = None


class Watched(msgspec.Struct):
    """How matches against the former self are played; their lines do not repeat it."""

    opponent: str
    game: str
    pairs: int
    seed: int


def read_metrics(
    path: Path, watched: Watched
) -> tuple[Rounds, list[Stretch], list[Measured], list[Gated]]:
    """Rounds, phases, measurements and what the gate said, of a metrics.jsonl.

    Raises:
        InputError: it can't be read, or a line is damaged.
    """
    rounds = Rounds([], [], [], [], [], [], [], [])
    phases: list[Stretch] = []
    strengths: list[Measured] = []
    gated: list[Gated] = []
    for number, line in _lines(path, _Line):
        last = rounds.round[-1] if rounds.round else 0
        if line.match is not None:
            of = line.match
            strength = Measured(
                line.round, of.opponent, of.game, of.pairs, of.seed, of.ppg, of.low, of.high, of.wins
            )
        elif line.watched is not None:
            how = watched
            strength = Measured(line.round, how.opponent, how.game, how.pairs, how.seed, *line.watched)
        elif line.promoted is not None:
            gated.append(Gated(line.round, line.promoted, line.pairs))
            continue
        elif line.phase is not None and line.loss is not None and line.total_games is not None:
            if line.round != last + 1:
                raise _damaged(path, number, f"round {line.round} follows round {last}")
            _append(rounds, line.total_games, line.loss, line.excess)
            if not phases or phases[-1].name != line.phase:
                phases.append(Stretch(line.phase, line.round, line.round))
            phases[-1].last = line.round
            continue
        else:
            raise _damaged(path, number, "it is neither a round nor a measurement")
        if line.round != last:
            raise _damaged(path, number, f"a measurement of round {line.round} stands after round {last}")
        if not strength.low <= strength.ppg <= strength.high:
            raise _damaged(path, number, "the interval does not hold the mean")
        strength.games = rounds.games[-1] if rounds.games else 0
        strengths.append(strength)
    return rounds, phases, strengths, gated


def _append(rounds: Rounds, games: int, loss: float, excess: float | None) -> None:
    rounds.round.append(len(rounds.round) + 1)
    rounds.games.append(games)
    rounds.loss.append(loss)
    rounds.excess.append(excess)


def with_times(rounds: Rounds, strengths: list[Measured], path: Path) -> None:
    """Fills in what timing.jsonl tells of these rounds; a run without that file has no times."""
    found = {line.round: line for _, line in _lines(path, _Timing)} if path.exists() else {}
    told = [found.get(number) for number in rounds.round]
    rounds.speed = [None if line is None else line.games_per_second for line in told]
    rounds.learner_share = [None if line is None else line.learner_share for line in told]
    rounds.seconds = _sums(None if line is None else line.seconds for line in told)
    rounds.cpu = _sums(None if line is None else line.cpu for line in told)
    for strength in strengths:
        if strength.round:
            strength.seconds = rounds.seconds[strength.round - 1]
            strength.cpu = rounds.cpu[strength.round - 1]


def _sums(values: Iterator[float | None]) -> list[float | None]:
    """Sums so far; None from the first value on that is unknown."""
    return list(
        itertools.accumulate(
            values, lambda so_far, value: None if so_far is None or value is None else so_far + value
        )
    )


def read_starts(path: Path) -> list[Start]:
    """How the run was begun and gone on with; empty for one that an older version began."""
    return [start for _, start in _lines(path, Start)] if path.exists() else []


def _lines(path: Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """Numbers from 1 and contents of the lines; one that is just being written (no line end) is left out."""
    decoder = msgspec.json.Decoder(kind)
    *whole, _ = read_bytes(path, "log").split(b"\n")
    for number, line in enumerate(whole, 1):
        try:
            yield number, decoder.decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise _damaged(path, number, str(error)) from None


def _damaged(path: Path, number: int, fault: str) -> InputError:
    return InputError(
        f"{path}, line {number} is damaged ({fault}): put the file back, or let nardy resume {path.parent} "
        "cut it to its last checkpoint"
    )
