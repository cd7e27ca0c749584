"""Decision benchmarks: positions with a roll, and what every play of it is worth by rollouts."""

from nardy_ai.evaluation.decisions.benchmark import Benchmark, read_benchmark, shipped_benchmark
from nardy_ai.evaluation.decisions.loss import DecisionLoss, decision_loss, losses_of_choices
from nardy_ai.evaluation.decisions.making import MakingInterrupted, make_benchmark
from nardy_ai.evaluation.decisions.worths import Trials

__all__ = [
    "Benchmark",
    "DecisionLoss",
    "MakingInterrupted",
    "Trials",
    "decision_loss",
    "losses_of_choices",
    "make_benchmark",
    "read_benchmark",
    "shipped_benchmark",
]
