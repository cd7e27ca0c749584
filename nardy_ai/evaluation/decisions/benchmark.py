"""The file of a decision benchmark: positions, rolls and what every play is worth.

A .safetensors whose metadata say what it is (`Header`, as JSON) and whose arrays hold one row a decision and
one a play. The results of plays are not stored: they are what the engine lists, in the order of their bytes,
and a hash tells whether it lists the same ones. Reading checks everything and runs no code.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots.bot import Boards, Bytes
from nardy_ai.core import InputError
from nardy_ai.models.tensor_file import read_tensors, tensor_bytes, write_file
from nardy_ai.rules import Game, Play, Position, profile_of_table
from nardy_ai.rules.dice import Dice

__all__ = [
    "FORMAT",
    "Benchmark",
    "Header",
    "Judge",
    "RolloutTerms",
    "read_benchmark",
    "shipped_benchmark",
    "shipped_name",
]

FORMAT = "1"
WHAT = "nardy-ai decision benchmark"
KIND = "decisions"
FOLDER = "files"
"""Of the package: where those that come with it lie."""

Float32 = npt.NDArray[np.float32]
Int64 = npt.NDArray[np.int64]


class Judge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model whose rollouts say what plays are worth."""

    name: str
    """Its file as it was named."""
    hash: str
    """The fingerprint of the model without look-ahead."""
    net: str
    """Its layers, "196/256-128/6"."""
    games: int
    """Games that it was trained with; 0 where its file does not say it."""


class RolloutTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How plays were rolled out."""

    truncate: int
    """Turns of either side after which the net judged."""
    plies: int
    """Look-ahead with which plays of the trials were chosen."""
    trials_least: int
    trials_most: int
    """Trials of each play that was rolled out, at least and at most."""
    target: float
    """Points: the standard error of a difference at which close plays were left."""
    margin: float
    """Points: plays further behind the best by the judge's 1-ply search were not rolled out."""
    keep: int
    """The most plays of a decision that were rolled out."""
    dropped_at: float
    """Standard errors behind the best at which a play got no more trials."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the metadata of a benchmark say."""

    game: str
    """The profile, "long/fns"."""
    profile: dict[str, Any]
    """It as the table of a profile file."""
    decisions: int
    seed: int
    """Of games, lots and trials."""
    players: tuple[tuple[str, str], ...]
    """(name, hash) of those who played the games."""
    noise: float
    """Share of their turns that were random plays."""
    judge: Judge
    terms: RolloutTerms
    close: int
    """Plays (beside the best) that could not be told from it when their decision was left."""
    close_met: int
    """How many of them have a difference known to `terms.target`."""
    trials: int
    """Of all plays together."""
    estimate_error: float
    """Points: how far 1-ply estimates lay from rollouts, root mean square over the plays that had both."""
    command: str
    version: str
    commit: str
    plays_hash: str
    """Of all results of all decisions."""
    arrays_hash: str
    """Of the arrays."""


@dataclass(frozen=True)
class Benchmark:
    """Decisions with the worth of every play. Worths are equities for the mover, in points.

    Rows of plays stand in the order of their decisions, those of decision i from `offsets[i]` to
    `offsets[i + 1]`, in the order of the bytes of their boards.
    """

    header: Header
    game: Game
    boards: Boards
    """int8 [n, 2, 26], player on roll in row 0."""
    dice: Bytes
    """uint8 [n, 2], the larger first."""
    seats: Bytes
    """uint8 [n]."""
    turns: Bytes
    """uint8 [n]."""
    classes: Bytes
    """uint8 [n], indices into `core.CLASSES`."""
    worths: Float32
    """float32 [plays, 2]: by one half of the trials, and by the other; equal where a play was estimated."""
    errors: Float32
    """float32 [plays, 2]: standard errors of the worth by all trials, and of its difference to the best."""
    trials: Int64
    """int64 [plays]: trials of both halves; 0: not rolled out, but estimated by 1-ply search."""
    results: Boards
    """int8 [plays, 2, 26]: the boards after the plays, mover in row 0 (not in the file)."""
    offsets: Int64
    """int64 [n + 1]."""

    def __len__(self) -> int:
        return len(self.boards)

    def position(self, number: int) -> Position:
        """The position of a decision."""
        return self.game.position(
            self.boards[number], seat=int(self.seats[number]), turns=int(self.turns[number])
        )

    def roll(self, number: int) -> Dice:
        """The roll of a decision."""
        return int(self.dice[number, 0]), int(self.dice[number, 1])

    def plays(self, number: int) -> list[Play]:
        """The plays of a decision in the order of its rows."""
        plays = self.game.plays(self.position(number), self.roll(number))
        return sorted(plays, key=lambda play: play.board.tobytes())


def listed_results(
    game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes
) -> tuple[Boards, Int64]:
    """The distinct results of each decision in the order of their bytes, and where those of each begin."""
    found, offsets = core.legal_boards(game.core_rules, boards, dice, seats, turns)
    places = [
        begin + np.argsort([board.tobytes() for board in found[begin:end]], kind="stable")
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    order = np.concatenate(places) if places else np.empty(0, np.intp)
    return found[order], np.asarray(offsets, np.int64)


# --- writing --------------------------------------------------------------------------------------------


def _arrays(benchmark: Benchmark) -> dict[str, npt.NDArray[Any]]:
    return {
        "boards": benchmark.boards,
        "dice": benchmark.dice,
        "seats": benchmark.seats,
        "turns": benchmark.turns,
        "classes": benchmark.classes,
        "plays": np.diff(benchmark.offsets),
        "worths": benchmark.worths,
        "errors": benchmark.errors,
        "trials": benchmark.trials,
    }


def arrays_hash(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Sixteen hexadecimal digits that stand for arrays and their names."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        data = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {data.dtype.str} {data.shape} ".encode() + data.tobytes())
    return digest.hexdigest()[:16]


def benchmark_bytes(benchmark: Benchmark) -> bytes:
    """The content of the file, hashes filled in; equal benchmarks give equal bytes."""
    arrays = _arrays(benchmark)
    header = msgspec.structs.replace(
        benchmark.header,
        plays_hash=arrays_hash({"results": benchmark.results}),
        arrays_hash=arrays_hash(arrays),
    )
    text = msgspec.json.encode(header, order="sorted").decode()
    return tensor_bytes(arrays, {"format": FORMAT, "kind": KIND, "header": text})


def write_benchmark(path: Path, benchmark: Benchmark) -> None:
    """Writes a benchmark whole: beside its place first, then renamed. Folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, benchmark_bytes(benchmark))


# --- reading --------------------------------------------------------------------------------------------


def read_benchmark(path: Path) -> Benchmark:
    """Reads and checks a benchmark.

    Raises InputError, in one sentence with the path, for a file that is missing, truncated, damaged, of
    another kind or version, or whose parts do not agree with one another and with the engine's plays.
    """
    arrays, metadata = read_tensors(path, WHAT)
    try:
        return _checked(arrays, metadata)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _checked(arrays: Mapping[str, npt.NDArray[Any]], metadata: Mapping[str, str]) -> Benchmark:
    if metadata.get("kind") != KIND or "header" not in metadata:
        raise InputError(f"this .safetensors file is not a {WHAT}: take one that nardy bench make wrote")
    if metadata.get("format") != FORMAT:
        raise InputError(
            f"benchmark format {metadata.get('format')!r} is unknown here (this version reads {FORMAT!r}); "
            "install the nardy-ai that wrote it, or make it anew"
        )
    try:
        header = msgspec.json.decode(metadata["header"], type=Header)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"its header can't be read: {error}") from None
    game = Game(profile_of_table(header.profile, header.game, complete=True))
    plays = _checked_shapes(arrays, header)
    if arrays_hash(arrays) != header.arrays_hash:
        raise InputError("its numbers are damaged: take a whole copy of the file")
    columns = (arrays["boards"], arrays["dice"], arrays["seats"], arrays["turns"])
    _check_decisions(game, *columns, arrays["classes"])
    results, offsets = listed_results(game, *columns)
    if not np.array_equal(np.diff(offsets), plays) or arrays_hash({"results": results}) != header.plays_hash:
        raise InputError("its decisions have other plays by this version's rules: make it anew")
    _check_numbers(game, arrays)
    return Benchmark(
        header,
        game,
        *columns,
        arrays["classes"],
        arrays["worths"],
        arrays["errors"],
        arrays["trials"],
        results,
        offsets,
    )


def _checked_shapes(arrays: Mapping[str, npt.NDArray[Any]], header: Header) -> Int64:
    """The number of plays of each decision."""
    count = header.decisions
    plays = arrays.get("plays")
    total = int(plays.sum()) if plays is not None and plays.dtype == np.int64 else 0
    wanted: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
        "boards": (np.int8, (count, 2, 26)),
        "dice": (np.uint8, (count, 2)),
        "seats": (np.uint8, (count,)),
        "turns": (np.uint8, (count,)),
        "classes": (np.uint8, (count,)),
        "plays": (np.int64, (count,)),
        "worths": (np.float32, (total, 2)),
        "errors": (np.float32, (total, 2)),
        "trials": (np.int64, (total,)),
    }
    if set(arrays) != set(wanted):
        odd = sorted(set(arrays) ^ set(wanted))[0]
        raise InputError(f"array {odd!r} is {'missing' if odd in wanted else 'none that a benchmark has'}")
    for name, (dtype, shape) in wanted.items():
        if arrays[name].dtype != dtype or arrays[name].shape != shape:
            raise InputError(
                f"array {name!r} is {arrays[name].dtype} {list(arrays[name].shape)}, expected "
                f"{np.dtype(dtype)} {list(shape)}"
            )
    if count == 0 or plays is None:
        raise InputError("it holds no decision")
    return plays


def _check_decisions(
    game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, classes: Bytes
) -> None:
    core.check_boards(game.core_rules, boards, seats, turns)
    if ((dice < 1) | (dice > 6)).any() or (dice[:, 0] < dice[:, 1]).any():
        raise InputError("a roll is not two numbers from 1 to 6, the larger first")
    if (core.results(game.core_rules, boards, seats) >= 0).any():
        raise InputError("a position is finished: there is nothing to decide")
    if not np.array_equal(core.position_classes(game.core_rules, boards), classes):
        raise InputError("a position is of another class than is said")


def _check_numbers(game: Game, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    worths, errors, trials = arrays["worths"], arrays["errors"], arrays["trials"]
    # Luck taken out of few trials may push a mean a little beyond what a game can bring.
    if not np.isfinite(worths).all() or np.abs(worths).max() > 2 * max(game.points):
        raise InputError("a worth is not a number that a game can bring")
    if not np.isfinite(errors).all() or (errors < 0).any():
        raise InputError("a standard error is not a number of at least 0")
    if (trials < 0).any() or (trials % core.BLOCK_TRIALS).any():
        raise InputError(f"trials of a play are not a multiple of {core.BLOCK_TRIALS}")


# --- those that come with the package -------------------------------------------------------------------


def shipped_name(game: Game) -> str:
    """The name of the file that comes with the package for a game: `long-fns.safetensors`."""
    return f"{game.name.replace('/', '-')}.safetensors"


@functools.cache
def _shipped_files() -> dict[str, Path]:
    folder = resources.files("nardy_ai.evaluation.decisions").joinpath(FOLDER)
    if not folder.is_dir():
        return {}
    return {item.name: Path(str(item)) for item in folder.iterdir() if item.name.endswith(".safetensors")}


def shipped_benchmark(game: Game) -> Path:
    """The file that comes with the package for a game, that of its family where its profile has none.

    Raises InputError where there is none, as for small games.
    """
    files = _shipped_files()
    usual = Game(game.family)
    names = [shipped_name(game)]
    if game.checkers == usual.checkers and game.profile.rules.start == usual.profile.rules.start:
        names.append(shipped_name(usual))
    for name in names:
        if name in files:
            return files[name]
    raise InputError(
        f"no decision benchmark comes with nardy-ai for {game.name}: name a FILE, such as nardy bench make "
        "writes"
    )
