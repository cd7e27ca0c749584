"""Expected answers that travel with a web bundle: a page compares its own engine with them.

Positions stand as keys (`str(position.key)`), plays as their notation in the engine's order. Expected values
are those of the package's engine with its plain kernels, so that they are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.models.evaluator import outcome_places
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game
from nardy_ai.rules.position import Position

__all__ = ["EQUAL_WORTH", "FORMAT", "TOLERANCE", "Counts", "vectors"]

FORMAT: Final = 1
TOLERANCE: Final = 1e-5
EQUAL_WORTH: Final = 2e-5
_SEED: Final = 20
_DICE: Final = 12
_GAMES: Final = 16
_MOST_TURNS: Final = 400


@dataclass(frozen=True)
class Counts:
    """How many of each kind of expected answers a bundle holds."""

    boards: int = 120
    """Boards judged without look-ahead."""
    searched: int = 3
    """Boards judged with one ply, and as many rolls with their best play at one ply."""
    rolls: int = 60
    """Rolls of that profile with all plays, and as many with the best one."""
    levels: int = 27
    """Rolls of that profile with the choice of a level, 1 to 9 in turn."""
    other_rolls: int = 6
    """Rolls of every other profile with all plays."""


def vectors(
    model: ModelFile, games: Mapping[str, Game], profile: str, counts: Counts = Counts()
) -> dict[str, Any]:
    """The content of `vectors.json` for a model under a profile, one of `games` by name."""
    own = games[profile]
    native = core.Model(
        own.core_rules, model.encoding, model.nets, outcome_places(model, own), kernels="plain"
    )
    search = core.Search(native, cache_mib=1)
    positions = _played(own, max(counts.boards, counts.rolls))
    judged = [
        _evaluations(search, positions[: counts.boards], 0),
        _evaluations(search, positions[: counts.searched], 1),
    ]
    dice = _dice(len(positions))
    rolled = list(zip(positions, dice, strict=True))
    best = [_best(search, *roll, 0) for roll in rolled[: counts.rolls]]
    best += [_best(search, *roll, 1) for roll in rolled[: counts.searched]]
    levels = [_level(search, model, i, *roll) for i, roll in enumerate(rolled[: counts.levels])]
    return {
        "format": FORMAT,
        "seed": _SEED,
        "tolerance": TOLERANCE,
        "equal_worth": EQUAL_WORTH,
        "rules": [
            _rules(name, game, rolled[: counts.rolls] if game is own else _rolled(game, counts.other_rolls))
            for name, game in games.items()
        ],
        "evaluations": judged,
        "best": best,
        "levels": levels,
    }


def _rules(name: str, game: Game, rolled: Sequence[tuple[Position, tuple[int, int]]]) -> dict[str, Any]:
    pair = game.profile.rules.opening_roll == "rolloff_pair"
    return {
        "profile": name,
        "start": game.start().key,
        "dice": core.dice(_SEED, core.PURPOSES["dice_play"], 0, 0, _DICE, pair).tolist(),
        "rolls": [
            {
                "position": position.key,
                "roll": list(roll),
                "plays": [play.notation for play in game.plays(position, roll)],
            }
            for position, roll in rolled
        ],
    }


def _evaluations(search: core.Search, positions: Sequence[Position], plies: int) -> dict[str, Any]:
    outcomes, equities = search.values(*_columns(positions), plies=plies)
    return {
        "plies": plies,
        "positions": [position.key for position in positions],
        "outcomes": [[_short(share) for share in row] for row in outcomes],
        "equities": [_short(equity) for equity in equities],
    }


def _best(search: core.Search, position: Position, roll: tuple[int, int], plies: int) -> dict[str, Any]:
    notations = {play.board.tobytes(): play.notation for play in position.game.plays(position, roll)}
    boards, _, _, equities, depths = search.rank(
        np.array(position.board), *roll, position.seat, position.turns, plies=plies
    )
    deepest = depths == depths[0]
    return {
        "position": position.key,
        "roll": list(roll),
        "plies": plies,
        "plays": [notations[board.tobytes()] for board in boards[deepest]],
        "equities": [_short(equity) for equity in equities[deepest]],
    }


def _level(
    search: core.Search, model: ModelFile, number: int, position: Position, roll: tuple[int, int]
) -> dict[str, Any]:
    """The choice of a level: all plays in the order in which they look good through its noise."""
    level = number % (core.LEVELS - 1) + 1
    notations = {play.board.tobytes(): play.notation for play in position.game.plays(position, roll)}
    boards, _, _, equities, _ = search.rank(
        np.array(position.board), *roll, position.seat, position.turns, plies=0
    )
    noise = core.noise(core.noise_key(_SEED, number, position.seat, 1), boards)
    seen = equities + model.level_table.of(level).noise * noise
    order = np.argsort(-seen, kind="stable")
    return {
        "position": position.key,
        "roll": list(roll),
        "level": level,
        "key": {"seed": _SEED, "game": number, "turn": 1},
        "plays": [notations[boards[i].tobytes()] for i in order],
        "seen": [_short(seen[i]) for i in order],
        "noise": float(noise[order[0]]),
    }


def _short(number: float) -> float:
    """A float32 in as few digits as give it back within a hundredth of the tolerance."""
    return float(f"{number:.7f}")


def _columns(
    positions: Sequence[Position],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    boards = np.array([position.board for position in positions], np.int8).reshape(-1, 2, 26)
    seats = np.array([position.seat for position in positions], np.uint8)
    return boards, seats, np.array([position.turns for position in positions], np.uint8)


def _dice(count: int) -> list[tuple[int, int]]:
    drawn = np.random.Generator(np.random.Philox(_SEED)).integers(1, 7, (count, 2))
    return [(int(a), int(b)) for a, b in drawn]


def _rolled(game: Game, count: int) -> list[tuple[Position, tuple[int, int]]]:
    return list(zip(_played(game, count), _dice(count), strict=True))


def _played(game: Game, count: int) -> list[Position]:
    """Unfinished positions of random games from the start to the last checkers, in a random order."""
    random = np.random.Generator(np.random.Philox(_SEED))
    rules = game.core_rules
    boards = np.repeat(core.start_board(rules)[None], _GAMES, axis=0)
    found: list[tuple[npt.NDArray[np.int8], int, int]] = []
    for turn in range(_MOST_TURNS):
        seat, turns = turn % 2, min(3, turn // 2)
        found += [(board, seat, turns) for board in boards]
        columns = [np.full(len(boards), value, np.uint8) for value in (seat, turns)]
        dice = random.integers(1, 7, (len(boards), 2)).astype(np.uint8)
        after, offsets = core.legal_boards(rules, boards, dice, *columns)
        chosen = offsets[:-1] + (random.random(len(boards)) * np.diff(offsets)).astype(np.int64)
        boards = np.ascontiguousarray(after[chosen][:, ::-1])
        boards = boards[core.results(rules, boards, 1 - columns[0]) < 0]
        if len(boards) == 0:
            break
    order = random.permutation(len(found))
    times = -(-count // len(found))
    return [Position(game, *found[i]) for i in np.tile(order, times)[:count]]
