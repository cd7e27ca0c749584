"""Dense layers as plain numpy arrays: fresh ones, and growth that keeps the function.

The layers of one net are a list of (weight, bias) pairs from the inputs to the logits: weight float32
[outputs, inputs], bias float32 [outputs]. Between two layers stands a ReLU; the last is linear. This is
what the model file holds and what the C core and PyTorch are given, and it needs neither of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai.core import CLASSES, SCOUT, InputError

FloatArray: TypeAlias = npt.NDArray[np.float32]
Layers: TypeAlias = list[tuple[FloatArray, FloatArray]]
Nets: TypeAlias = Mapping[str, Layers]

__all__ = [
    "CLASSES",
    "NETS",
    "SCOUT",
    "FloatArray",
    "Layers",
    "Nets",
    "fresh_layers",
    "grow_layers",
    "growth_fault",
    "parameter_count",
    "sizes_of",
]

# Nets that a model may hold, in the order in which they stand in it; "contact" is always there.
NETS = (*CLASSES, SCOUT)

# Streams of random numbers that belong to nets; the core's own purposes key other generators.
_FRESH, _GROWN = 0x6E657401, 0x6E657402


def sizes_of(layers: Layers) -> tuple[int, ...]:
    """Layer sizes from the inputs to the outputs, e.g. (196, 80, 6)."""
    return (layers[0][0].shape[1], *(weight.shape[0] for weight, _ in layers))


def parameter_count(nets: Nets) -> int:
    """Number of weights and biases in all nets."""
    return sum(weight.size + bias.size for layers in nets.values() for weight, bias in layers)


def fresh_layers(inputs: int, hidden: Sequence[int], outputs: int, seed: int, stream: int = 0) -> Layers:
    """Random layers for a net that has learned nothing.

    Weights are uniform with the variance that keeps ReLU activations alike in size from layer to layer;
    every unit differs from its neighbours. `stream` tells nets of one seed apart (the class's number).
    """
    random = _generator(seed, _FRESH, stream)
    sizes = (inputs, *hidden, outputs)
    return [_fresh(random, sizes[i + 1], sizes[i]) for i in range(len(sizes) - 1)]


def growth_fault(old: Sequence[int], new: Sequence[int], outputs: int) -> str | None:
    """Why hidden sizes `old` cannot grow into `new` with the function kept; None when they can."""
    if len(new) < len(old):
        return f"{len(new)} hidden layers are fewer than {len(old)}"
    for i, size in enumerate(old):
        if new[i] < size:
            return f"hidden layer {i + 1} would shrink from {size} to {new[i]}"
    width = new[len(old) - 1] if old else 0
    for i in range(len(old), len(new)):
        if new[i] < (least := min(width, 2 * outputs)):
            return f"the new hidden layer {i + 1} needs at least {least} units, not {new[i]}"
        width = new[i]
    return None


def grow_layers(layers: Layers, hidden: Sequence[int], seed: int, stream: int = 0) -> Layers:
    """The same function in a larger net: first every layer wider, then new layers before the outputs.

    New units see random inputs and are at first heard by nobody. A new layer passes the old activations
    on (they are not negative, so the ReLU leaves them alone), or, when it is narrower than the one before
    it, the logits themselves, as their positive and negative parts. Raises InputError for sizes that
    `growth_fault` refuses.
    """
    sizes = sizes_of(layers)
    old, outputs = sizes[1:-1], sizes[-1]
    fault = growth_fault(old, hidden, outputs)
    if fault is not None:
        raise InputError(
            f"hidden sizes {list(old)} cannot grow to {list(hidden)}: {fault}; give equal or larger sizes"
        )
    random = _generator(seed, _GROWN, stream)
    grown = _wider(layers, hidden[: len(old)], random)
    for size in hidden[len(old) :]:
        grown = _deeper(grown, size, random)
    return grown


def _wider(layers: Layers, hidden: Sequence[int], random: np.random.Generator) -> Layers:
    sizes = sizes_of(layers)
    wanted = (sizes[0], *hidden, sizes[-1])
    result: Layers = []
    for i, (weight, bias) in enumerate(layers):
        rows, columns = weight.shape
        new_weight, new_bias = _fresh(random, wanted[i + 1], wanted[i])
        new_weight[:rows, :columns] = weight
        new_weight[:rows, columns:] = 0.0
        new_bias[:rows] = bias
        result.append((new_weight, new_bias))
    return result


def _deeper(layers: Layers, size: int, random: np.random.Generator) -> Layers:
    head_weight, head_bias = layers[-1]
    outputs, width = head_weight.shape
    weight, bias = _fresh(random, size, width)
    new_head = np.zeros((outputs, size), np.float32)
    if size >= width:
        weight[:width] = np.eye(width, dtype=np.float32)
        bias[:width] = 0.0
        new_head[:, :width] = head_weight
        new_head_bias = head_bias.copy()
    else:
        weight[:outputs], weight[outputs : 2 * outputs] = head_weight, -head_weight
        bias[:outputs], bias[outputs : 2 * outputs] = head_bias, -head_bias
        new_head[:, :outputs] = np.eye(outputs, dtype=np.float32)
        new_head[:, outputs : 2 * outputs] = -np.eye(outputs, dtype=np.float32)
        new_head_bias = np.zeros(outputs, np.float32)
    return [*layers[:-1], (weight, bias), (new_head, new_head_bias)]


def _fresh(random: np.random.Generator, rows: int, columns: int) -> tuple[FloatArray, FloatArray]:
    limit = np.sqrt(6.0 / columns)
    weight = ((random.random((rows, columns)) * 2.0 - 1.0) * limit).astype(np.float32)
    return weight, np.zeros(rows, np.float32)


def _generator(seed: int, purpose: int, stream: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed & (2**64 - 1), purpose << 32 | stream]))
