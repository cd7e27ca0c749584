"""A benchmark whose losses are known because they were written by hand."""

from __future__ import annotations

import numpy as np

from nardy_ai import core
from nardy_ai.evaluation.decisions.benchmark import Benchmark, Header, Judge, RolloutTerms, listed_results
from nardy_ai.rules import Game

TERMS = RolloutTerms(
    truncate=6,
    plies=0,
    trials_least=144,
    trials_most=2592,
    target=0.002,
    margin=0.1,
    keep=8,
    dropped_at=3.0,
)


def benchmark_of(
    name: str, keys: list[str], rolls: list[tuple[int, int]], judge_hash: str = "0123456789abcdef"
) -> Benchmark:
    """Decisions in which the play of the first board's bytes is worth 0.5, each later one 0.01 less."""
    game = Game(name)
    positions = [game.position(key) for key in keys]
    boards = np.stack([pos.board for pos in positions])
    dice = np.array(rolls, np.uint8)
    seats = np.array([pos.seat for pos in positions], np.uint8)
    turns = np.array([pos.turns for pos in positions], np.uint8)
    results, offsets = listed_results(game, boards, dice, seats, turns)
    ranks = np.concatenate([np.arange(count) for count in np.diff(offsets)])
    worths = np.repeat((0.5 - 0.01 * ranks)[:, None], 2, axis=1).astype(np.float32)
    errors = np.where(ranks[:, None] > 0, 0.003, [0.002, 0.0]).astype(np.float32)
    header = Header(
        game=game.name,
        profile=game.profile.table(),
        decisions=len(keys),
        seed=7,
        players=(("greedy", "abc"),),
        noise=0.1,
        judge=Judge("judge.safetensors", judge_hash, "196/8/6", 1000),
        terms=TERMS,
        close=2,
        close_met=1,
        trials=int(144 * len(ranks)),
        estimate_error=0.02,
        command="nardy bench make judge.safetensors",
        version="0",
        commit="",
        plays_hash="",
        arrays_hash="",
    )
    return Benchmark(
        header=header,
        game=game,
        boards=boards,
        dice=dice,
        seats=seats,
        turns=turns,
        classes=core.position_classes(game.core_rules, boards),
        worths=worths,
        errors=errors,
        trials=np.full(len(ranks), 144, np.int64),
        results=results,
        offsets=offsets,
    )


SHORT_KEYS = ["4HPwATDgc/ABMA:0:0", "4HPwATDgc/ABMA:1:3", "ZwAAAGcAAAAAAA:0:3"]
"""The start twice, and a race of six checkers a side."""
SHORT_ROLLS = [(3, 1), (6, 5), (2, 1)]


def short_benchmark(judge_hash: str = "0123456789abcdef") -> Benchmark:
    """Three decisions of short nardy: two contact, one race."""
    return benchmark_of("short", SHORT_KEYS, SHORT_ROLLS, judge_hash)
