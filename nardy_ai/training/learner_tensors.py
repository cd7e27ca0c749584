"""The learner's state as named tensors, as a checkpoint holds them: "adam/…", and "playing/…" beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from nardy_ai.models.layers import Layers, Nets

Tensors = Mapping[str, npt.NDArray[Any]]

_ADAM, _PLAYING = "adam/", "playing/"


def packed(optimizer: Tensors, playing: Nets | None) -> dict[str, npt.NDArray[Any]]:
    """The optimizer's state, and the weights of the round in flight where there is one."""
    tensors = {f"{_ADAM}{name}": value for name, value in optimizer.items()}
    for name, layers in (playing or {}).items():
        for i, (weight, bias) in enumerate(layers):
            tensors[f"{_PLAYING}{name}.{i}.weight"] = weight
            tensors[f"{_PLAYING}{name}.{i}.bias"] = bias
    return tensors


def optimizer_in(tensors: Tensors) -> dict[str, npt.NDArray[Any]]:
    """The optimizer's state among them; empty before anything was learned."""
    return _flat(tensors, _ADAM)


def playing_in(tensors: Tensors, like: Nets) -> dict[str, Layers] | None:
    """The weights of the round in flight by net, or None; `like` has the same number of layers."""
    flat = _flat(tensors, _PLAYING)
    if not flat:
        return None
    return {
        name: [(flat[f"{name}.{i}.weight"], flat[f"{name}.{i}.bias"]) for i in range(len(layers))]
        for name, layers in like.items()
    }


def _flat(tensors: Tensors, prefix: str) -> dict[str, npt.NDArray[Any]]:
    return {name.removeprefix(prefix): tensors[name] for name in tensors if name.startswith(prefix)}
