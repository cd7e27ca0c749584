"""Expected answers that travel with a C export, in lines that a C program reads with `scanf`.

They are those of the package's engine with its plain kernels and without tables, so that they are the same on
every machine. `c/README.md` describes the lines.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.export.varied_boards import varied_positions
from nardy_ai.models.evaluator import outcome_places
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game

__all__ = ["EQUAL_WORTH", "FORMAT", "TOLERANCE", "Counts", "c_vectors"]

FORMAT: Final = 1
TOLERANCE: Final = 1e-5
EQUAL_WORTH: Final = 2e-5
_SEED: Final = 21


@dataclass(frozen=True)
class Counts:
    """How many of each kind of expected answers an export holds."""

    boards: int = 236
    """Boards judged without look-ahead."""
    searched: int = 4
    """Boards judged with one ply, and rolls with their best play at one ply."""
    rolls: int = 60
    """Rolls with all plays, and as many with the best play without look-ahead."""


def c_vectors(model: ModelFile, game: Game, counts: Counts = Counts()) -> str:
    """The text of `vectors.txt` for a model under the rules of `game`."""
    rules = game.core_rules
    native = core.Model(rules, model.encoding, model.nets, outcome_places(model, game), kernels="plain")
    search = core.Search(native, cache_mib=1)
    most = max(counts.boards, counts.rolls)
    boards, seats, turns = varied_positions(rules, most, _SEED)
    dice = np.random.Generator(np.random.Philox(_SEED)).integers(1, 7, (most, 2)).astype(np.uint8)
    positions = [
        f"{_board(board)} {seat} {turn}" for board, seat, turn in zip(boards, seats, turns, strict=True)
    ]
    lines = [f"nardy-vectors {FORMAT}", f"tolerance {TOLERANCE:g}", f"equal {EQUAL_WORTH:g}"]
    for plies, count in ((0, counts.boards), (1, counts.searched)):
        values = search.values(boards[:count], seats[:count], turns[:count], plies=plies)
        for position, outcomes, equity in zip(positions, *values, strict=False):
            lines.append(f"value {position} {plies} {_numbers(*outcomes, equity)}")
    after, offsets = core.legal_boards(
        rules, boards[: counts.rolls], dice[: counts.rolls], seats[: counts.rolls], turns[: counts.rolls]
    )
    for i in range(counts.rolls):
        plays = after[offsets[i] : offsets[i + 1]]
        lines.append(f"roll {positions[i]} {_roll(dice[i])} {len(plays)} {zlib.crc32(plays.tobytes()):08x}")
    for plies, count in ((0, counts.rolls), (1, counts.searched)):
        for i in range(count):
            first, second = map(int, dice[i])
            ranked = search.rank(boards[i], first, second, int(seats[i]), int(turns[i]), plies=plies)
            best = f"{_board(ranked[0][0])} {_numbers(ranked[3][0])}"
            lines.append(f"best {positions[i]} {first} {second} {plies} {best}")
    return "\n".join([*lines, "end", ""])


def _board(board: npt.NDArray[np.int8]) -> str:
    return "".join(f"{count:x}" for count in board.ravel().tolist())


def _roll(dice: npt.NDArray[np.uint8]) -> str:
    return f"{dice[0]} {dice[1]}"


def _numbers(*numbers: np.float32) -> str:
    """Float32 in as many digits as give them back to the bit."""
    return " ".join(f"{number:.9g}" for number in numbers)
