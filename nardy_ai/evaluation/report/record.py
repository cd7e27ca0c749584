"""What a page is drawn from, as one JSON file.

Everything that the page shows is in it and nothing else, so that a page can be drawn again without the run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from nardy_ai.core import InputError
from nardy_ai.rules.given_files import bytes_up_to

__all__ = [
    "FORMAT",
    "ClassLoss",
    "Decisions",
    "Gated",
    "Ladder",
    "Measured",
    "ModelFacts",
    "Place",
    "Report",
    "Rounds",
    "Speed",
    "SpeedRow",
    "Start",
    "Stretch",
    "WrongPlay",
    "decoded",
    "is_report",
    "read_bytes",
    "read_report",
    "report_bytes",
]

FORMAT = 1
MOST_BYTES = 1 << 30
"""Of a file that is read for a report; the logs of long runs are the largest."""
KIND = "nardy report"

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]


class Rounds(msgspec.Struct, forbid_unknown_fields=True):
    """Columns of equal length, a place for each round that is over."""

    round: list[int]
    games: list[int]
    """Games so far."""
    loss: list[float]
    """Cross entropy of outputs and targets, in nats a position."""
    excess: list[float | None]
    """What of it is above the targets' own entropy."""
    seconds: list[float | None]
    """Since the run began, on the clock; None where the log does not tell."""
    cpu: list[float | None]
    """CPU seconds so far; None where the log does not tell."""
    speed: list[float | None]
    """Games a second, on the clock."""
    learner_share: list[float | None]
    """Of the round's time, 0..1."""


class Stretch(msgspec.Struct, forbid_unknown_fields=True):
    """A phase as far as it went."""

    name: str
    first: int
    """Its first round."""
    last: int


class Measured(msgspec.Struct, forbid_unknown_fields=True):
    """A match of the run's model of a round."""

    round: Count
    opponent: str
    game: str
    pairs: AtLeastOne
    seed: int
    ppg: float
    """Points a game of the model."""
    low: float
    """Ends of its 95 % interval."""
    high: float
    wins: float | None = None
    """Share of games won, 0..1."""
    games: int | None = None
    """Games the model had learned from."""
    seconds: float | None = None
    cpu: float | None = None


class Gated(msgspec.Struct, forbid_unknown_fields=True):
    """What the gate said of the model of a round."""

    round: int
    promoted: bool
    pairs: Count
    """Pairs of its sequential test; 0 for the first model, which has no rival."""


class ModelFacts(msgspec.Struct, forbid_unknown_fields=True):
    """The model that the page is about."""

    file: str
    hash: str
    weights_hash: str
    round: int
    games: int
    net: str
    """Layers of its contact net."""
    weights: int
    """Weights and biases of all nets."""
    profile: str
    encoding: str
    version: str
    """Of nardy-ai when the run was begun."""
    commit: str


class Place(msgspec.Struct):
    """A bot on the ladder."""

    name: str
    hash: str
    pairs: Count
    round: int | None = None
    points: float | None = None
    """Points a game against the anchor; None where no match links them."""
    interval: tuple[float, float] | None = None
    elo: float | None = None
    elo_interval: tuple[float, float] | None = None
    confidence: float = 0.95
    kept: bool | None = None
    """Whether a model file of the run has this hash; None for a standing opponent."""


class Ladder(msgspec.Struct):
    """The ladder as `nardy ladder` wrote it."""

    format: int
    game: str
    seed: int
    anchor: str
    """Hash of the bot that stands at 0."""
    ratings: list[Place]

    @property
    def anchor_name(self) -> str:
        """Its name."""
        return next((place.name for place in self.ratings if place.hash == self.anchor), self.anchor)


class Bot(msgspec.Struct):
    """A bot in a report."""

    name: str
    hash: str
    net: str = ""


class ClassLoss(msgspec.Struct):
    """Losses in thousandths of a point."""

    decisions: AtLeastOne
    loss: float
    label_error: float
    best_share: float
    interval: tuple[float, float] | None = None


class WrongPlay(msgspec.Struct):
    """One of the worst decisions."""

    position: str
    dice: tuple[int, int]
    chosen: str
    best: str
    loss: float
    standard_error: float
    estimated: bool = False


class Benchmark(msgspec.Struct):
    """The decisions that were asked."""

    judge: Bot
    hash: str
    decisions: int
    seed: int
    truncate: int
    plies: int
    trials: int


class Decisions(msgspec.Struct):
    """What `nardy bench decisions --json` printed."""

    format: int
    bot: Bot
    game: str
    unit: str
    decisions: AtLeastOne
    loss: float
    label_error: float
    best_share: float
    confidence: float
    classes: dict[str, ClassLoss]
    worst: list[WrongPlay]
    seed: int
    benchmark: Benchmark
    interval: tuple[float, float] | None = None
    own_judge: bool = False
    look_ahead: int = 0
    """Plies of the bot, found by its hash."""

    @property
    def total(self) -> ClassLoss:
        """All classes together."""
        return ClassLoss(self.decisions, self.loss, self.label_error, self.best_share, self.interval)


class SpeedRow(msgspec.Struct):
    """One row of speeds."""

    name: str
    unit: str
    rates: dict[str, float]
    """Program -> units a CPU second."""


class Speed(msgspec.Struct):
    """What `nardy bench speed --json` printed."""

    rows: list[SpeedRow]
    kernels: str
    version: str
    seed: int
    rounds: int
    seconds: float
    model: Bot | None = None
    """The model that was measured, where the file names one."""


class Start(msgspec.Struct):
    """A beginning or going on of the run, or the writing of the page: on what, with what, by which words."""

    command: str
    processor: str | None
    cores: int
    memory_bytes: int | None
    system: str
    kernels: str
    versions: dict[str, str | None]
    round: int | None = None
    device: str | None = None
    workers: int | None = None
    learner_threads: int | None = None


class Report(msgspec.Struct, forbid_unknown_fields=True):
    """All that a page shows."""

    run: str
    game: str
    planned: int
    """Rounds that the config asks for."""
    config: str
    """Its text."""
    rounds: Rounds
    phases: list[Stretch]
    strengths: list[Measured]
    gated: list[Gated]
    model: ModelFacts | None
    ladder: Ladder | None
    decisions: Decisions | None
    speed: Speed | None
    starts: list[Start]
    written: Start
    """Where and how the page was made, which need not be where the run was."""
    time: str
    """When, in UTC."""
    kind: str = KIND
    format: int = FORMAT


class _Head(msgspec.Struct):
    kind: str
    format: int


def report_bytes(report: Report) -> bytes:
    """The file's content."""
    return msgspec.json.encode(report) + b"\n"


def is_report(data: bytes) -> bool:
    """Whether these are the bytes of a report, of whatever format."""
    try:
        return msgspec.json.decode(data, type=_Head).kind == KIND
    except (msgspec.MsgspecError, RecursionError):
        return False


def read_report(path: Path) -> Report:
    """The report of a file.

    Raises:
        InputError: it can't be read, is something else, of another format, or does not fit together.
    """
    data = read_bytes(path, "report")
    if not is_report(data):
        raise InputError(f"{path} is no report: name a run folder, or a report.json that bench report wrote")
    found = msgspec.json.decode(data, type=_Head).format
    if found != FORMAT:
        raise InputError(
            f"{path} is a report of format {found}, and this version reads format {FORMAT}: make a new one "
            "from the run folder"
        )
    report = decoded(data, Report, f"the report {path}", "make a new one from the run folder")
    columns = [getattr(report.rounds, name) for name in report.rounds.__struct_fields__]
    if len({len(column) for column in columns}) > 1:
        raise InputError(f"the report {path} is damaged (columns of unequal length): make a new one")
    return report


def read_bytes(path: Path, what: str) -> bytes:
    """A file's content; InputError where there is none or it can't be read."""
    try:
        return bytes_up_to(path, MOST_BYTES, what)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"there is no {what} at {path}: check the path") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"the {what} {str(path)!r} can't be read ({reason}): check the path") from None


def decoded(data: bytes, kind: type[T], what: str, advice: str) -> T:
    """JSON as a record of that kind; InputError, saying what to do, where it is none."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"{what} can't be read ({error}): {advice}") from None


def plain_start(facts: dict[str, Any]) -> Start:
    """The facts of a machine as a record."""
    return msgspec.convert(facts, Start)
