"""What requests and answers look like: the source of the OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from nardy_ai.core import LEVELS, MAX_PLIES

Count = Annotated[int, Field(ge=0, le=15)]
Row = Annotated[list[Count], Field(min_length=26, max_length=26)]
Board = Annotated[list[Row], Field(min_length=2, max_length=2)]
Dice = Annotated[list[Annotated[int, Field(ge=1, le=6)]], Field(min_length=2, max_length=2)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class _Answer(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)


class Evaluate(_Form):
    """A position: `position` or `board` says where the checkers stand."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"position": "start"}]})

    position: Annotated[str | None, Field(max_length=64)] = None
    """`start`, a key `<id>:<seat>:<turns>`, or a 14-character position ID."""
    board: Board | None = None
    """Two rows of 26 counts, the player on roll and the other, in own numbers: points 1..24, bar, off."""
    profile: Annotated[str | None, Field(max_length=64)] = None
    """`long`, `short` or a profile of `GET /profiles`; needed where the server has several models."""
    seat: Literal[0, 1] | None = None
    """0 where the player on roll started the game, else 1; needed where the profile says so."""
    turns: Annotated[int | None, Field(ge=0, le=3)] = None
    """Turns that he has had, 3 for three or more; needed where nothing has moved and he may have passed."""
    plies: Annotated[int | None, Field(ge=0, le=MAX_PLIES)] = None
    """Look-ahead; the server has a default and a maximum."""


class Rank(Evaluate):
    """A position and a roll."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"position": "start", "dice": [3, 1], "most": 3}]}
    )

    dice: Dice
    """Two numbers from 1 to 6."""
    level: Annotated[int | None, Field(ge=1, le=LEVELS)] = None
    """A level of play, 1 (weakest) to 10 (the full bot): the play that it chooses stands first, before all
    others in their order. It has its own look-ahead, so `plies` must be left out."""
    key: Annotated[int | None, Field(ge=0, lt=2**64)] = None
    """Of the noise by which a level plays weaker. By default it hangs on position and roll, so that the same
    request gets the same answer; another number draws anew, such as one of a game and its turn."""
    most: Annotated[int | None, Field(ge=1, le=10_000)] = None
    """So many plays at most, the best ones; all of them where it is left out."""


class EvaluateBatch(_Form):
    """Several positions."""

    requests: Annotated[list[Evaluate], Field(min_length=1)]


class RankBatch(_Form):
    """Several positions with their rolls."""

    requests: Annotated[list[Rank], Field(min_length=1)]


class RankedPlayAnswer(_Answer):
    """A play, judged for the one who makes it."""

    notation: str
    moves: list[Annotated[list[int], Field(min_length=2, max_length=2)]]
    """From and to in own numbers, 25 the bar, 0 off."""
    position: str
    """Key of the position that it leaves, the other side on roll."""
    equity: float
    """Expected points won less points lost."""
    outcomes: dict[str, float]
    """Probability of each exclusive outcome."""
    plies: int
    """Look-ahead with which it was judged."""


class RankAnswer(_Answer):
    """The plays of a roll, best first, behind the choice of a level where one was asked for."""

    profile: str
    position: str
    dice: list[int]
    level: int | None
    """The level that chose the first play; null: the plays stand best first."""
    legal_plays: int
    """How many there are, whether listed or not."""
    plays: list[RankedPlayAnswer]


class EvaluateAnswer(_Answer):
    """What a position is worth to the player on roll, before the throw."""

    profile: str
    position: str
    plies: int
    equity: float
    outcomes: dict[str, float]


class RankBatchAnswer(_Answer):
    """One answer a request, in their order."""

    answers: list[RankAnswer]


class EvaluateBatchAnswer(_Answer):
    """One answer a request, in their order."""

    answers: list[EvaluateAnswer]


class ProfileAnswer(_Answer):
    """Rules that the server plays."""

    profile: str
    title: str
    game: Literal["long", "short"]
    model: str
    """The model that judges."""
    outcomes: list[str]
    points: list[float]
    """What each outcome is worth to the player on roll."""
    needs_seat: bool
    needs_turns: bool


class ProfilesAnswer(_Answer):
    """All rules that the server plays, the models' own first."""

    profiles: list[ProfileAnswer]


class HealthAnswer(_Answer):
    """That the server answers, and what with."""

    status: Literal["ok"]
    version: str
    models: dict[str, str]
    """Game -> model."""


class Step(_Answer):
    """A movement of one checker; 25 is the bar, 0 off."""

    model_config = ConfigDict(populate_by_name=True)

    start: Annotated[int, Field(alias="from")]
    to: int


class Probabilities(_Answer):
    """Cumulative: `winG` holds `winBg`, `win` holds both; to lose is 1 - `win`."""

    win: float
    winG: float  # noqa: N815 - the names that wildbg's clients know
    winBg: float  # noqa: N815
    loseG: float  # noqa: N815
    loseBg: float  # noqa: N815


class Move(_Answer):
    """A play with the probabilities after it."""

    play: list[Step]
    probabilities: Probabilities


class MoveAnswer(_Answer):
    """All legal plays, best first; one without movements where nothing can move."""

    moves: list[Move]


class CubeAnswer(_Answer):
    """Whether to double, and whether the other side should accept."""

    double: bool
    accept: bool


class EvalAnswer(_Answer):
    """A position before the throw."""

    cube: CubeAnswer
    probabilities: Probabilities


class Fault(_Answer):
    """Why a request was refused, in one sentence."""

    message: str
