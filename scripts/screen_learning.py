"""What a fresh net takes in of the same labels: hidden sizes, rates and losses side by side, in minutes.

Labels are exact targets of games that MODEL plays against itself; the first 30,000 are never learned and say
how far a net is from them: `excess`, the cross-entropy above the labels' own entropy in thousandths of a nat,
and the standard deviation of the difference in equity in thousandths of a point.

    python scripts/screen_learning.py checkpoints/short-judge.safetensors --inputs short-2 --rates 1e-3 4e-3
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import tyro

from nardy_ai import core
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.layers import CLASSES, Layers, fresh_layers
from nardy_ai.models.value_net import ValueNet
from nardy_ai.training.learner import Learner, choose_device
from nardy_ai.training.targets import Samples, TrainingSet, target_entropy, training_set

HELD_BACK = 30_000
ENDS_AT = 0.02
"""Share of the first rate that is left at the end."""
AVERAGE = 1000
"""Steps of the mean of the weights that is judged."""


@dataclass
class Screen:
    """Learn the same labels by fresh nets and say what they took in."""

    model: Annotated[Path, tyro.conf.Positional]
    """Whose labels are learned; it needs a scout, which keeps them cheap."""
    inputs: str = ""
    """Encoding of the fresh nets; by default the model's own."""
    hidden: tuple[int, ...] = (256, 64)
    """Hidden sizes."""
    rates: tuple[float, ...] = (1e-3, 2e-3, 4e-3)
    """First learning rates to be tried."""
    passes: int = 3
    """Times that the labels are gone through."""
    games: int = 5500
    """Games that are labelled."""
    seed: int = 777
    """Of their dice."""


class Labels:
    """Labelled positions, those to learn and those held back."""

    def __init__(self, asked: Screen) -> None:
        judge = Evaluator.load(asked.model)
        self.rules = judge.rules
        pruning = core.Pruning(6, 0.3)
        game = (judge.native, self.rules, asked.seed, 0, asked.games)
        played = core.self_play(*game, targets="exact", pruning=pruning, straying=(0.1, 0.1))
        samples = Samples.of(played)
        encoding = asked.inputs or judge.model.encoding
        self.held, self.learned = (
            training_set(self.rules, encoding, [_part(samples, part)])
            for part in (slice(0, HELD_BACK), slice(HELD_BACK, None))
        )

    def missed(self, nets: dict[str, Layers]) -> tuple[float, float]:
        """Excess in thousandths of a nat, and the deviation of equities in thousandths of a point."""
        held = self.held
        arrays = (torch.from_numpy(each) for each in (held.features, held.impossible, held.classes))
        with torch.no_grad():
            logs = torch.log_softmax(ValueNet(nets)(*arrays), 1).double().numpy()
        entropy = -(held.targets * np.where(held.targets > 0, logs, 0)).sum(axis=1).mean()
        apart = (np.exp(logs) - held.targets) @ np.asarray(self.rules.points)
        return 1000 * (float(entropy) - target_entropy(held.targets)), 1000 * float(apart.std())


def _part(samples: Samples, part: slice) -> Samples:
    arrays = {name: getattr(samples, name)[part] for name in ("boards", "seats", "turns", "targets")}
    return dataclasses.replace(samples, **arrays)


def _learned(data: TrainingSet, hidden: tuple[int, ...], outcomes: int, rate: float, passes: int) -> Learner:
    inputs = data.features.shape[1]
    nets = {name: fresh_layers(inputs, hidden, outcomes, 1, number) for number, name in enumerate(CLASSES)}
    learner = Learner(ValueNet(nets), choose_device("cpu"), 1)
    learner.begin_phase(AVERAGE)
    for number in range(passes):

        def fall(step: int, steps: int, number: int = number) -> float:
            return float(rate * ENDS_AT ** ((number + step / steps) / passes))

        learner.learn(data, fall, batch=256, passes=1, seed=number, round_number=1)
    return learner


def main() -> None:
    asked = tyro.cli(Screen)
    labels = Labels(asked)
    print(f"{len(labels.learned):,} labels to learn, {len(labels.held):,} held back")
    for rate in asked.rates:
        begun = time.process_time()
        learner = _learned(labels.learned, asked.hidden, len(labels.rules.outcomes), rate, asked.passes)
        excess, apart = labels.missed(learner.layers())
        spent = time.process_time() - begun
        shape = "-".join(map(str, asked.hidden))
        found = f"excess {excess:.2f}, equity {apart:.1f}, {spent:.0f} CPU s"
        print(f"{shape} rate {rate:g} passes {asked.passes}: {found}", flush=True)


if __name__ == "__main__":
    main()
