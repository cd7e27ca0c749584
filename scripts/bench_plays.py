"""How fast legal plays are listed, beside outside programs, on the same positions in one run.

    python scripts/bench_plays.py [--positions 20000] [--seed 1] [--rounds 5] [--strong net] [--json FILE]

Positions come from whole games of a random and of a strong player against itself, openings to bear-offs, so
that every class is among them. One thread; seconds are CPU seconds of this process; the figures of several
rounds are given as median. The peers (gnubg-nn, bgsage) are measured where they are installed (extra
`peers`); they play standard short nardy alone.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import tyro

from nardy_ai import core
from nardy_ai.bots import bot
from nardy_ai.core import InputError
from nardy_ai.rules import Game

Int8 = npt.NDArray[np.int8]
UInt8 = npt.NDArray[np.uint8]

CHECKPOINTS = Path(__file__).parents[1] / "checkpoints"


@dataclass(frozen=True)
class Options:
    """Measure how fast legal plays are listed."""

    positions: int = 20000
    """Positions of each game, half of random and half of strong play."""
    seed: int = 1
    """Seed of the games."""
    rounds: int = 5
    """Times that everything is measured."""
    strong: Literal["net", "greedy"] = "net"
    """Who plays the strong games: the trained net in checkpoints/, or the greedy player."""
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


def positions(game: Game, wanted: int, seed: int, strong: str) -> Batch:
    """Half of them from random play, half from strong play."""
    family = game.core_rules.options["family"]
    player = str(CHECKPOINTS / f"{family}-quick.safetensors") if strong == "net" else strong
    parts = [
        games_of(game, "random", wanted - wanted // 2, seed),
        games_of(game, player, wanted // 2, seed + 1),
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
    batch, long_batch = (
        positions(game, options.positions, options.seed, options.strong) for game in (short, long)
    )
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
    base = statistics.median(times["nardy-ai, short"])
    short_times, long_times = times["nardy-ai, short"], times["nardy-ai, long"]
    by_round = [short / long for short, long in zip(short_times, long_times, strict=True)]
    return {
        "options": {**asdict(options), "json": None},
        "races": {"short": races(short, batch), "long": races(long, long_batch)},
        "programs": {
            name: {
                "lists_per_second": options.positions / statistics.median(spent),
                "results": results[name],
                "results_per_list": results[name] / options.positions,
                "results_per_second": results[name] / statistics.median(spent),
                "ours_is_faster_by": statistics.median(spent) / base,
            }
            for name, spent in times.items()
        },
        "long_to_short": {
            "lists_per_second": base / statistics.median(long_times),
            "lowest_round": min(by_round),
            "highest_round": max(by_round),
        },
    }


def races(game: Game, batch: Batch) -> float:
    """The share of positions in which both sides have passed each other."""
    return float(np.mean(core.position_classes(game.core_rules, batch.boards) == core.CLASSES.index("race")))


def print_table(found: dict[str, Any], options: Options) -> None:
    """The figures in words."""
    kinds = f"half of random play, half of strong play ({options.strong})"
    shares = ", ".join(f"{share:.0%} of {family} are races" for family, share in found["races"].items())
    print(f"{options.positions} positions of each game, seed {options.seed}, {kinds}; {shares}")
    print(f"median of {options.rounds}, one thread, CPU seconds")
    print(f"{'':26}{'lists/s':>12}{'results':>10}{'a list':>8}{'results/s':>13}{'ours is faster by':>20}")
    for name, row in found["programs"].items():
        rates = f"{row['results_per_list']:8.1f}{row['results_per_second']:13,.0f}"
        print(
            f"{name:26}{row['lists_per_second']:12,.0f}{row['results']:10,}{rates}"
            f"{row['ours_is_faster_by']:19.2f}x"
        )
    ratio = found["long_to_short"]
    print(
        f"long lists {ratio['lists_per_second']:.2f} times as many as short a second; "
        f"by round {ratio['lowest_round']:.2f} to {ratio['highest_round']:.2f}"
    )


def main() -> None:
    """Prints the table."""
    options = tyro.cli(Options)
    if options.positions < 2:
        raise InputError(f"positions is {options.positions}: give at least 2")
    if options.rounds < 1:
        raise InputError(f"rounds is {options.rounds}: give at least 1")
    found = measure(options)
    print_table(found, options)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
