"""How fast this processor multiplies and adds, and how much of that the dense layers use."""

from __future__ import annotations

from nardy_ai.core import _core
from nardy_ai.core.batches import natural


def peak_operations(kernels: str, rounds: int) -> float:
    """Multiplies and adds in registers alone on the path of these kernels; returns the operations done.

    A round is 12,000 multiplies and adds of whole registers. The interpreter lock is released. InputError
    where the processor does not run the kernels.
    """
    return float(_core.speed_peak(kernels, natural(rounds, 32, "rounds")))


def dense_operations(kernels: str, inputs: int, outputs: int, rounds: int) -> float:
    """Runs a dense layer `rounds` times on one block of boards; returns the operations done.

    `inputs` and `outputs` are multiples of 16. The interpreter lock is released. InputError for other sizes,
    and where the processor does not run the kernels.
    """
    sizes = natural(inputs, 31, "inputs"), natural(outputs, 31, "outputs")
    return float(_core.speed_dense(kernels, *sizes, natural(rounds, 32, "rounds")))
