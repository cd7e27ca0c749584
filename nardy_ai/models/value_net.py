"""The net that learns: one multilayer perceptron per class of positions, in PyTorch.

This is the only module of the package's models that needs torch; everything else reads the layers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from nardy_ai.models.layers import CLASSES, NETS, SCOUT, Layers, Nets, fresh_layers, grow_layers, sizes_of

# Large enough that exp() of it is 0 in float32, small enough that 0 · MASKED stays a number.
MASKED = -1e9


class ValueNet(nn.Module):
    """Logits over exclusive outcomes, seen by the player on roll.

    `nets` gives each class of positions its layers; a class that has none is judged by "contact". A scout
    among them judges all positions, on its own (`scouted`).
    """

    def __init__(self, nets: Nets) -> None:
        super().__init__()
        self.classes = tuple(name for name in CLASSES if name in nets)
        self.nets = nn.ModuleDict({name: _sequence(nets[name]) for name in NETS if name in nets})

    @classmethod
    def fresh(
        cls, inputs: int, outcomes: int, hidden: Sequence[int], classes: Sequence[str], seed: int
    ) -> ValueNet:
        """A net that has learned nothing: `hidden` sizes for each of `classes`, weights by `seed`."""
        return cls(
            {name: fresh_layers(inputs, hidden, outcomes, seed, CLASSES.index(name)) for name in classes}
        )

    def forward(self, features: Tensor, impossible: Tensor, classes: Tensor | None = None) -> Tensor:
        """Masked logits float32 [n, k] for features float32 [n, inputs].

        `impossible` bool [n, k] marks the outcomes that can't happen any more: their logits become so low
        that softmax gives 0. `classes` [n] are indices into CLASSES; needed when the net has several.
        """
        return self._logits(features, classes).masked_fill(impossible, MASKED)

    @property
    def has_scout(self) -> bool:
        """Whether a scout is among the nets."""
        return SCOUT in self.nets

    def scouted(self, features: Tensor, impossible: Tensor) -> Tensor:
        """The scout's masked logits, like `forward`'s; it sees the first of the features alone."""
        seen = int(next(self.nets[SCOUT].parameters()).shape[1])
        logits: Tensor = self.nets[SCOUT](features[:, :seen])
        return logits.masked_fill(impossible, MASKED)

    def _logits(self, features: Tensor, classes: Tensor | None) -> Tensor:
        if classes is None or len(self.classes) == 1:
            logits: Tensor = self.nets[CLASSES[0]](features)
            return logits
        parts, places = [], []
        for name in self.classes:
            rows = torch.nonzero(self._judged_by(classes, CLASSES.index(name))).squeeze(1)
            parts.append(self.nets[name](features[rows]))
            places.append(rows)
        # Sorting the places back is a plain permutation: no sum depends on the order of the parts.
        return torch.cat(parts)[torch.argsort(torch.cat(places))]

    def _judged_by(self, classes: Tensor, number: int) -> Tensor:
        if number:
            return classes == number
        others = [CLASSES.index(name) for name in self.classes[1:]]
        return ~torch.isin(classes, torch.tensor(others, dtype=classes.dtype, device=classes.device))

    def layers(self) -> dict[str, Layers]:
        """The weights as numpy arrays of their own memory, by class (and the scout's)."""
        return {name: _layers(self.nets[name]) for name in NETS if name in self.nets}

    def hidden(self) -> tuple[int, ...]:
        """Hidden sizes, which all classes share."""
        return sizes_of(self.layers()[self.classes[0]])[1:-1]

    def grown(self, hidden: Sequence[int], seed: int) -> ValueNet:
        """Larger nets with the same function; raises InputError when `hidden` is smaller somewhere.

        The scout stays as it is: its use is that it is small.
        """
        nets = self.layers()
        for name in self.classes:
            nets[name] = grow_layers(nets[name], hidden, seed, CLASSES.index(name))
        return ValueNet(nets)


def _sequence(layers: Layers) -> nn.Sequential:
    modules: list[nn.Module] = []
    for weight, bias in layers:
        if modules:
            modules.append(nn.ReLU())
        # skip_init: PyTorch's own random numbers are not drawn, so they can't be depended upon.
        linear: nn.Linear = nn.utils.skip_init(  # type: ignore[no-untyped-call]
            nn.Linear, weight.shape[1], weight.shape[0]
        )
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(np.array(weight, np.float32)))
            linear.bias.copy_(torch.from_numpy(np.array(bias, np.float32)))
        modules.append(linear)
    return nn.Sequential(*modules)


def _layers(net: nn.Module) -> Layers:
    result: Layers = []
    for module in net.children():
        if isinstance(module, nn.Linear):
            weight = module.weight.detach().cpu().numpy().astype(np.float32, copy=True)
            result.append((weight, module.bias.detach().cpu().numpy().astype(np.float32, copy=True)))
    return result
