"""A net that counts pips: without training, yet its judgement tells good rolls from bad ones."""

from __future__ import annotations

import numpy as np

from nardy_ai import core
from nardy_ai.core.batches import Float32

PIPS = np.array([*range(1, 26), 0])


def pip_layers(rules: core.Rules, slope: float = 0.3) -> list[tuple[Float32, Float32]]:
    """Two hidden units, the pips of either side; the fewer of mine, the likelier I win. Gammons are rare."""
    table = core.encoding_table(core.encoding_name(rules))
    first = np.zeros((2, table.inputs), np.float32)
    for side in range(2):
        for column in range(26):
            units = [unit for unit in range(4) if table.index[side, column, unit] >= 0]
            values = table.value[side, column][:, units]
            weights = np.linalg.lstsq(values, np.arange(16) * PIPS[column], rcond=None)[0]
            for unit, weight in zip(units, weights, strict=True):
                first[side, table.index[side, column, unit]] += weight
    last = np.zeros((len(rules.outcomes), 2), np.float32)
    bias = np.zeros(len(rules.outcomes), np.float32)
    for number, name in enumerate(rules.outcomes):
        side = {"win": -1, "lose": 1}.get(name.split("_")[0], 0)
        last[number] = np.array([side, -side]) * slope / 2
        bias[number] = 0.0 if name in ("win", "lose") else -3.0
    return [(first, np.zeros(2, np.float32)), (last, bias)]


def pip_model(rules: core.Rules, slope: float = 0.3) -> core.Model:
    """The net as a model; by it the player on roll has the odds exp(slope * pips ahead)."""
    return core.Model(rules, core.encoding_name(rules), {"contact": pip_layers(rules, slope)})
