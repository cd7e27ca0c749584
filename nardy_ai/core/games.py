"""Whole games in the engine: self-play that yields samples, and duels."""

from __future__ import annotations

from typing import Any

import numpy as np

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import natural, nearest
from nardy_ai.core.nets import NO_PRUNING, Model, Pruning
from nardy_ai.core.players import Player, check_player
from nardy_ai.core.rule_options import Rules

TARGETS = ("sampled", "exact", "searched")


def self_play(
    model: Model,
    rules: Rules,
    seed: int,
    first_game: int,
    games: int,
    *,
    targets: str = "sampled",
    trace: float = 0.0,
    stride: int = 1,
    max_turns: int = 2000,
    pruning: Pruning = NO_PRUNING,
    plies: int = 2,
    straying: tuple[float, float] = (0.0, 0.0),
) -> dict[str, Any]:
    """Games of a model against itself, by the best play of its net, and what their positions were worth.

    Targets speak for the player on roll. ``sampled``: the value after the play that was made, mixed along
    the game by ``trace`` (lambda); a finished game gives its exact outcome. ``exact``: the expectation over
    all 21 rolls of the best play's value, sought among the plays that ``pruning`` lets pass. ``searched``:
    the position's value by a search of ``plies`` (1: the exact target), with the default filters. Every
    ``stride``-th position of a game is a sample. A game of ``max_turns`` turns is cut: it ends on the net's
    value and is counted in ``cut``. ``straying`` (share, margin): in a share of the turns the play is drawn
    by lot from those within so many points of the best; exact and searched targets do not suffer from that.

    Returns ``boards`` int8 [n, 2, 26], ``seats`` and ``turns`` uint8 [n], ``targets`` float32 [n, k] in game
    order, and counts: ``games``, ``plies``, ``evaluations``, ``cut``, ``outcomes`` int64 [k] seen by the
    starter. Any split of a range of games gives the same bytes. The interpreter lock is released.
    """
    if rules is not model.rules and rules != model.rules:
        raise InputError("the model is held under the rules of another profile")
    if targets not in TARGETS:
        raise InputError(f"unknown targets {targets}: {nearest(targets, TARGETS)}")
    counters = natural(seed, 64, "seed"), natural(first_game, 64, "first_game"), natural(games, 32, "games")
    limits = natural(stride, 32, "stride"), natural(max_turns, 32, "max_turns")
    scouting = natural(pruning.keep, 32, "keep"), pruning.margin, pruning.doubt
    seen = *scouting, natural(plies, 31, "plies")
    kind = TARGETS.index(targets)
    found = _core.self_play(model._handle, *counters, kind, trace, *limits, *seen, *straying)
    return {
        "boards": np.frombuffer(found["boards"], np.int8).reshape(-1, 2, 26),
        "seats": np.frombuffer(found["seats"], np.uint8),
        "turns": np.frombuffer(found["turns"], np.uint8),
        "targets": np.frombuffer(found["targets"], np.float32).reshape(-1, len(rules.outcomes)),
        "games": games,
        "plies": found["plies"],
        "evaluations": found["evaluations"],
        "cut": found["cut"],
        "outcomes": np.frombuffer(found["outcomes"], np.int64),
    }


def duel(
    player_a: Player,
    player_b: Player,
    rules: Rules,
    seed: int,
    first_pair: int,
    pairs: int,
    max_turns: int = 5000,
) -> dict[str, Any]:
    """Pairs of games with common dice: ``a`` starts game 0 of a pair, ``b`` game 1.

    Returns ``outcomes`` int8 [pairs, 2] seen by ``a`` (-1: cut at ``max_turns``) and ``plies`` int32
    [pairs, 2]. A pair depends on (seed, its number) alone. The interpreter lock is released.
    """
    check_player(player_a, rules)
    check_player(player_b, rules)
    counters = natural(seed, 64, "seed"), natural(first_pair, 64, "first_pair"), natural(pairs, 31, "pairs")
    outcomes, plies = _core.duel(
        player_a._handle, player_b._handle, rules._handle, *counters, natural(max_turns, 32, "max_turns")
    )
    return {
        "outcomes": np.frombuffer(outcomes, np.int8).reshape(-1, 2),
        "plies": np.frombuffer(plies, np.int32).reshape(-1, 2),
    }
