"""The learner: Adam on the cross-entropy between the net's outcomes and the targets.

Everything random here (the order of positions) comes from a counter-based generator keyed by seed, round
and pass, so a round's learning depends on the weights, the optimizer's state and the data alone.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from nardy_ai.core import InputError
from nardy_ai.models.layers import Layers
from nardy_ai.models.value_net import ValueNet
from nardy_ai.training.config import Precision
from nardy_ai.training.errors import TrainingError
from nardy_ai.training.targets import TrainingSet

_ORDER = 0x6F726465
_DRAW = 0x64726177

# Steps between two looks at the loss. On a GPU each look waits for the device.
_LOOK = 32

# A net that knows nothing has a loss of ln(k) < 2.2; one that is ten times worse is lost.
HOPELESS = 25.0


@dataclass(frozen=True)
class Device:
    """Where the learner works, and why there."""

    name: str
    reason: str
    precision: Precision = "float32"
    """Of the products of layers; weights, their sums and the optimizer are float32 always."""

    def __str__(self) -> str:
        products = "" if self.precision == "float32" else f", {self.precision} with float32 weights"
        return f"{self.name} ({self.reason}){products}"


@dataclass(frozen=True)
class Schedule:
    """The learning rate of every step of a phase, in closed form: lr_from · (lr_to / lr_from) ** progress.

    `progress` goes from 0 at the phase's first step towards 1 at its last, equally fast in every round;
    within a round it rises with every step.
    """

    lr_from: float
    lr_to: float
    rounds: int

    def rate(self, round_in_phase: int, step: int, steps: int) -> float:
        """Rate of step `step` (0-based) of `steps` in the phase's round `round_in_phase` (0-based)."""
        progress = (round_in_phase + step / steps) / self.rounds
        return float(self.lr_from * (self.lr_to / self.lr_from) ** progress)


@dataclass(frozen=True)
class Learned:
    """What one round of learning did."""

    loss: float
    """Mean cross-entropy a position in nats, over the round's steps."""
    steps: int
    positions: int
    """Positions that were gone through, each as often as it was."""
    lr_first: float
    lr_last: float


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    return -(targets * torch.log_softmax(logits, dim=1)).sum() / len(targets)


def choose_device(wanted: str, precision: Precision = "float32") -> Device:
    """The device for the learner.

    Raises InputError when CUDA is demanded and not there, and for a GPU that would only imitate bf16. A CPU
    takes it, although it gains nothing: so a run that began on a GPU can go on without one.
    """
    if wanted == "cpu":
        return Device("cpu", "the config says so", precision)
    if torch.cuda.is_available():
        # Without this setting cuBLAS may sum in another order each time.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        name = torch.cuda.get_device_name(0)
        if precision == "bf16" and not torch.cuda.is_bf16_supported(including_emulation=False):
            raise InputError(f'precision: {name} has no bfloat16 of its own; write "float32"')
        return Device("cuda", f"{name} found", precision)
    reason = f"PyTorch {torch.__version__} finds no CUDA device"
    if wanted == "cuda":
        raise InputError(f'device: "cuda" is wanted, but {reason}; write "auto" or "cpu"')
    return Device("cpu", reason, precision)


def order_of(seed: int, round_number: int, number: int, positions: int) -> npt.NDArray[np.int64]:
    """The order in which a round's positions are learned in pass `number`: a permutation of `positions`."""
    return np.argsort(_words(seed, _ORDER, round_number, number, positions), kind="stable")


def drawn_rounds(seed: int, round_number: int, kept: int, wanted: int) -> list[int]:
    """Which of `kept` earlier rounds are learned again with a round: indices, all different, rising."""
    words = _words(seed, _DRAW, round_number, 0, kept)
    return sorted(np.argsort(words, kind="stable")[:wanted].tolist())


def _words(seed: int, purpose: int, round_number: int, number: int, count: int) -> npt.NDArray[np.uint64]:
    key = np.array([seed & (2**64 - 1), purpose], np.uint64)
    counter = np.array([0, 0, round_number, number], np.uint64)
    return np.random.Philox(key=key, counter=counter).random_raw(count)


class Adam:
    """Adam on all parameters of a net at once.

    They are laid out one after another in one vector, of which the net's weights become views: a step is
    then one operation, however many layers there are, and the state is two vectors and a count. PyTorch's
    own class does the same, but loads its compiler first, which takes longer than a test. One fused pass
    is 3 times as fast as six over whole vectors, and 10 times once the second moments of inputs that are
    never seen have decayed to numbers too small for the processor's fast path.
    """

    _FIRST, _SECOND, _SMALL = 0.9, 0.999, 1e-8

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        listed = list(parameters)
        self.values = torch.cat([parameter.detach().reshape(-1) for parameter in listed])
        self._gradient = torch.zeros_like(self.values)
        self.first, self.second = torch.zeros_like(self.values), torch.zeros_like(self.values)
        self.steps = 0
        offset = 0
        for parameter in listed:
            end = offset + parameter.numel()
            parameter.data = self.values[offset:end].view_as(parameter)
            parameter.grad = self._gradient[offset:end].view_as(parameter)
            offset = end

    def clear(self) -> None:
        """Forget the gradient; backward() adds to it."""
        self._gradient.zero_()

    def step(self, rate: float) -> None:
        """One step along the gradient."""
        self.steps += 1
        torch._fused_adam_(
            [self.values],
            [self._gradient],
            [self.first],
            [self.second],
            [],
            [torch.tensor(float(self.steps), device=self.values.device)],
            lr=rate,
            beta1=self._FIRST,
            beta2=self._SECOND,
            weight_decay=0.0,
            eps=self._SMALL,
            amsgrad=False,
            maximize=False,
        )


class Learner:
    """A net with its optimizer on a device."""

    def __init__(self, net: ValueNet, device: Device, threads: int) -> None:
        torch.set_num_threads(threads)
        # The same as use_deterministic_algorithms(True), which would load the compiler for seconds.
        torch.set_deterministic_debug_mode("error")
        self.device, self._mixed = torch.device(device.name), device.precision == "bf16"
        self.net = net.to(self.device)
        self.adam = Adam(self.net.parameters())
        self._average: Tensor | None = None
        self._averaged = 0

    def begin_phase(self, average: int) -> None:
        """Go on from the weights that `layers` gives, with a mean over some `average` steps from now on.

        The mean is of the exponential kind: each step's weights enter with a share of 1 / `average`.
        0: no mean is taken.
        """
        if self._average is not None:
            self.adam.values.copy_(self._average)
        self._average, self._averaged = (self.adam.values.clone() if average else None), average

    def layers(self) -> dict[str, Layers]:
        """The layers that play and are kept: the mean's where one is taken, else the last step's."""
        if self._average is None:
            return self.net.layers()
        last = self.adam.values.clone()
        self.adam.values.copy_(self._average)
        averaged = self.net.layers()
        self.adam.values.copy_(last)
        return averaged

    def learn(
        self,
        data: TrainingSet,
        rate: Callable[[int, int], float],
        *,
        batch: int,
        passes: int,
        seed: int,
        round_number: int,
    ) -> Learned:
        """Go through `data` `passes` times in batches; `rate(step, steps)` is each step's learning rate.

        Raises TrainingError as soon as the loss is not finite or hopeless; the weights are then worthless.
        """
        features, impossible = self._tensor(data.features), self._tensor(data.impossible)
        targets, classes = self._tensor(data.targets), self._tensor(data.classes)
        per_pass = -(-len(data) // batch)
        steps = per_pass * passes
        total = torch.zeros((), dtype=torch.float64, device=self.device)
        for step in range(steps):
            number, place = divmod(step, per_pass)
            if place == 0:
                order = self._tensor(order_of(seed, round_number, number, len(data)))
            rows = order[place * batch : (place + 1) * batch]
            loss = self._gradient(features[rows], impossible[rows], classes[rows], targets[rows])
            self.adam.step(rate(step, steps))
            if self._average is not None:
                self._average.lerp_(self.adam.values, 1.0 / self._averaged)
            total += loss.double() * len(rows)
            if step % _LOOK == _LOOK - 1 or step == steps - 1:
                self._check(float(loss), step, steps)
        self._check_weights()
        learned = len(data) * passes
        return Learned(float(total) / learned, steps, learned, rate(0, steps), rate(steps - 1, steps))

    def _gradient(self, features: Tensor, impossible: Tensor, classes: Tensor, targets: Tensor) -> Tensor:
        """Fill in the gradient of a batch; its mean loss (the scout's is not counted)."""
        self.adam.clear()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._mixed):
            logits = self.net(features, impossible, classes)
            scouted = self.net.scouted(features, impossible) if self.net.has_scout else None
        # What follows a layer's products is summed in float32: bf16 has three digits.
        loss = _cross_entropy(logits.float(), targets)
        whole = loss if scouted is None else loss + _cross_entropy(scouted.float(), targets)
        whole.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _check(self, loss: float, step: int, steps: int) -> None:
        if not math.isfinite(loss) or loss > HOPELESS:
            raise TrainingError(f"the loss became {loss:.3g} at step {step + 1} of {steps}")

    def _check_weights(self) -> None:
        for name, parameter in self.net.named_parameters():
            if not bool(torch.isfinite(parameter).all()):
                raise TrainingError(f"the weights {name} are no longer finite")

    def _tensor(self, array: npt.NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def optimizer_state(self) -> dict[str, npt.NDArray[Any]]:
        """Adam's two moments and its count of steps; and the last weights, where `layers` gives a mean."""
        last = {} if self._average is None else {"values": self.adam.values.cpu().numpy().copy()}
        return last | {
            "first": self.adam.first.cpu().numpy().copy(),
            "second": self.adam.second.cpu().numpy().copy(),
            "steps": np.array([self.adam.steps], np.int64),
        }

    def restore_optimizer(self, state: Mapping[str, npt.NDArray[Any]], average: int = 0) -> None:
        """Put back what `optimizer_state` gave into a learner made of what `layers` gave.

        An empty state is a fresh optimizer's. `average` is that of the phase under way.
        """
        if "values" in state:
            self._average, self._averaged = self.adam.values.clone(), average
            self.adam.values.copy_(torch.from_numpy(state["values"].copy()))
        if state:
            self.adam.first.copy_(torch.from_numpy(state["first"].copy()))
            self.adam.second.copy_(torch.from_numpy(state["second"].copy()))
            self.adam.steps = int(state["steps"][0])
