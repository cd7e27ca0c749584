"""How fast legal plays are listed, beside outside programs, on the same positions in one run.

    python scripts/bench_plays.py [--positions 20000] [--seed 1] [--json FILE]

Positions come from games of random and of greedy players, openings to bear-offs. One thread; seconds are CPU
seconds of this process; the figures of several rounds are given as median. The peers (gnubg-nn, bgsage) are
measured where they are installed (extra `peers`); they play standard short nardy alone.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro

from nardy_ai import core
from nardy_ai.bots import bot
from nardy_ai.core import InputError
from nardy_ai.rules import Game

Int8 = npt.NDArray[np.int8]
UInt8 = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Options:
    """Measure how fast legal plays are listed."""

    positions: int = 20000
    """Positions, half of random and half of greedy play."""
    seed: int = 1
    """Seed of the games."""
    rounds: int = 5
    """Times that everything is measured."""
    json: Path | None = None
    """File for the figures."""


@dataclass(frozen=True)
class Batch:
    """Positions with a roll each."""

    boards: Int8
    dice: UInt8
    seats: UInt8
    turns: UInt8


def games_of(game: Game, name: str, wanted: int, seed: int) -> Batch:
    """Positions of games that one player plays against itself, in the order of play."""
    rules, player = game.core_rules, bot(name).player(game)
    found: list[tuple[Int8, list[int], int, int]] = []
    number = 0
    while len(found) < wanted:
        board, turns, seat = core.start_board(rules)[None], [0, 0], 0
        for turn in range(400):
            if core.results(rules, board, np.array([seat], np.uint8))[0] >= 0:
                break
            opening = rules.options["opening_roll"] == "rolloff_pair"
            roll = core.dice(seed, core.PURPOSES["test"], number, turn, 1, opening)
            state = np.array([seat], np.uint8), np.array([turns[seat]], np.uint8)
            found.append((board[0].copy(), roll[0].tolist(), seat, turns[seat]))
            key = np.array([[seed, number, turn]], np.uint64)
            board = core.choose(player, rules, board, roll, *state, key)[:, ::-1]
            turns[seat], seat = min(3, turns[seat] + 1), 1 - seat
        number += 1
    boards, dice, seats, counts = zip(*found[:wanted], strict=True)
    columns = (np.array(column, np.uint8) for column in (dice, seats, counts))
    return Batch(np.stack(boards), *columns)


def positions(game: Game, wanted: int, seed: int) -> Batch:
    """Half of them from random play, half from greedy play."""
    parts = [
        games_of(game, "random", wanted - wanted // 2, seed),
        games_of(game, "greedy", wanted // 2, seed + 1),
    ]
    return Batch(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("boards", "dice", "seats", "turns")
        )
    )


def ours(game: Game, batch: Batch) -> Callable[[], int]:
    """The batch generator: every result of every position as an array."""
    rules = game.core_rules
    return lambda: len(core.legal_boards(rules, batch.boards, batch.dice, batch.seats, batch.turns)[0])


def gnubg(batch: Batch) -> Callable[[], int] | None:
    """`moves` of gnubg-nn, which lists the results as position keys."""
    try:
        import gnubg_nn
    except ImportError:
        return None
    jobs = [
        ([board[1, :25].tolist(), board[0, :25].tolist()], *roll)
        for board, roll in zip(batch.boards, batch.dice.tolist(), strict=True)
    ]
    return lambda: sum(max(1, len(gnubg_nn.moves(*job))) for job in jobs)


def sage(batch: Batch) -> Callable[[], int] | None:
    """`possible_moves` of Open Sage, which lists the results as lists of 26."""
    try:
        import bgsage
    except ImportError:
        return None
    jobs = []
    for board, roll in zip(batch.boards.astype(int), batch.dice.tolist(), strict=True):
        points = (board[0, :24] - board[1, :24][::-1]).tolist()
        jobs.append(([int(board[1, 24]), *points, int(board[0, 24])], *roll))
    return lambda: sum(max(1, len(bgsage.possible_moves(*job))) for job in jobs)


def seconds(work: Callable[[], int]) -> tuple[float, int]:
    """CPU seconds of one run, and the number of results."""
    start = time.process_time()
    count = work()
    return time.process_time() - start, count


def measure(options: Options) -> dict[str, Any]:
    """Every program in turn, several rounds, so that a drift of the machine meets all of them."""
    short, long = Game("short"), Game("long")
    batch, long_batch = (positions(game, options.positions, options.seed) for game in (short, long))
    programs = {
        "nardy-ai, short": ours(short, batch),
        "nardy-ai, long": ours(long, long_batch),
        "gnubg-nn moves": gnubg(batch),
        "Open Sage possible_moves": sage(batch),
    }
    times: dict[str, list[float]] = {name: [] for name, work in programs.items() if work}
    results: dict[str, int] = {}
    for _ in range(options.rounds):
        for name, work in programs.items():
            if work:
                spent, results[name] = seconds(work)
                times[name].append(spent)
    lists = {name: options.positions / statistics.median(spent) for name, spent in times.items()}
    base = lists["nardy-ai, short"]
    return {
        "options": {**asdict(options), "json": None},
        "programs": {
            name: {"lists_per_second": rate, "results": results[name], "ours_is_faster_by": base / rate}
            for name, rate in lists.items()
        },
    }


def main() -> None:
    """Prints the table."""
    options = tyro.cli(Options)
    if options.positions < 2:
        raise InputError(f"positions is {options.positions}: give at least 2")
    found = measure(options)
    rounds = f"median of {options.rounds}, one thread, CPU seconds"
    print(f"{options.positions} positions, seed {options.seed}, {rounds}")
    print(f"{'':26}{'lists/s':>12}{'results':>10}{'ours is faster by':>20}")
    for name, row in found["programs"].items():
        print(
            f"{name:26}{row['lists_per_second']:12,.0f}{row['results']:10,}{row['ours_is_faster_by']:19.1f}x"
        )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
