"""Random nets and positions of both games, made from a seed."""

from __future__ import annotations

import itertools

import numpy as np

from nardy_ai import core

SHORT = core.Rules({"family": "short"})
LONG = core.Rules({"family": "long"})
FAMILIES = {"short": SHORT, "long": LONG}

LayerList = list[tuple[core.nets.Float32, core.nets.Float32]]


def random_layers(rules: core.Rules, hidden: list[int], seed: int) -> LayerList:
    rng = np.random.default_rng(seed)
    sizes = [core.encoding_table(core.encoding_name(rules)).inputs, *hidden, len(rules.outcomes)]
    layers = []
    for inputs, outputs in itertools.pairwise(sizes):
        weight = rng.normal(0, 1.5 / np.sqrt(inputs), (outputs, inputs)).astype(np.float32)
        layers.append((weight, rng.normal(0, 0.1, outputs).astype(np.float32)))
    return layers


def random_model(
    rules: core.Rules, hidden: list[int], seed: int = 1, kernels: str | None = None
) -> core.Model:
    nets = {"contact": random_layers(rules, hidden, seed), "race": random_layers(rules, hidden, seed + 1)}
    return core.Model(rules, core.encoding_name(rules), nets, kernels=kernels)


def game_positions(rules: core.Rules, games: int, seed: int = 7):
    """Boards, seats and turns of self-played games: openings, contact and races."""
    played = core.self_play(random_model(rules, [32]), rules, seed, 0, games, max_turns=400)
    return played["boards"], played["seats"], played["turns"]
