"""Positions with their targets: what self-play yields, what it must fulfil, and what the learner is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.models.layers import FloatArray
from nardy_ai.training.errors import TrainingError

Bytes: TypeAlias = npt.NDArray[np.uint8]


_HASH = 0x68617368


@dataclass(frozen=True)
class Samples:
    """Labelled positions of some games, in the order of the games.

    Everything is seen by the player on roll before the throw. A game that was cut (`cut`) has no result
    and is counted nowhere else; its positions keep the targets that the net gave them.
    """

    boards: npt.NDArray[np.int8]
    """int8 [n, 2, 26], player on roll in row 0."""
    seats: Bytes
    """uint8 [n]; 0: the player on roll started the game."""
    turns: Bytes
    """uint8 [n]; turns he has had, 3 = three or more."""
    targets: FloatArray
    """float32 [n, k]; probabilities of the exclusive outcomes."""
    games: int
    plies: int
    evaluations: int
    outcomes: npt.NDArray[np.int64]
    """int64 [k]; how the games ended, seen by the player who started."""
    cut: int

    def __len__(self) -> int:
        return len(self.boards)

    @classmethod
    def of(cls, played: Mapping[str, Any]) -> Samples:
        """The samples in what core.self_play returns."""
        return cls(**{name: played[name] for name in cls.__dataclass_fields__})

    @classmethod
    def joined(cls, parts: Sequence[Samples]) -> Samples:
        """Samples of consecutive games as one."""
        return cls(
            boards=np.concatenate([part.boards for part in parts]),
            seats=np.concatenate([part.seats for part in parts]),
            turns=np.concatenate([part.turns for part in parts]),
            targets=np.concatenate([part.targets for part in parts]),
            games=sum(part.games for part in parts),
            plies=sum(part.plies for part in parts),
            evaluations=sum(part.evaluations for part in parts),
            outcomes=np.sum([part.outcomes for part in parts], axis=0),
            cut=sum(part.cut for part in parts),
        )


@dataclass(frozen=True)
class TrainingSet:
    """Positions as the learner sees them."""

    features: FloatArray
    """float32 [n, inputs]."""
    impossible: npt.NDArray[np.bool_]
    """bool [n, k]; outcomes that can't happen any more."""
    classes: Bytes
    """uint8 [n]; indices into models.layers.CLASSES."""
    targets: FloatArray
    """float32 [n, k]."""

    def __len__(self) -> int:
        return len(self.features)


def training_set(rules: core.Rules, encoding: str, rounds: Sequence[Samples]) -> TrainingSet:
    """All positions of some rounds, encoded by the same code that the engine's net is fed by."""
    boards = np.concatenate([samples.boards for samples in rounds])
    seats = np.concatenate([samples.seats for samples in rounds])
    return TrainingSet(
        features=core.encode(encoding, boards, seats),
        impossible=np.asarray(core.impossible(rules, boards, seats), np.bool_),
        classes=core.position_classes(rules, boards),
        targets=np.concatenate([samples.targets for samples in rounds]),
    )


def check_samples(rules: core.Rules, samples: Samples, where: str) -> None:
    """Raise TrainingError unless there is something to learn and every target is a distribution.

    A target is one when it is finite, nowhere negative, sums to 1, and gives an outcome that can't
    happen any more no weight.
    """
    if not len(samples):
        raise TrainingError(
            f"{where}: {samples.games} games ({samples.cut} of them cut for length) gave no position to "
            "learn from; raise games or max_turns, or lower stride"
        )
    targets = samples.targets
    impossible = np.asarray(core.impossible(rules, samples.boards, samples.seats), np.bool_)
    wrong = ~np.isfinite(targets).all(axis=1)
    wrong |= (targets < 0).any(axis=1)
    wrong |= np.abs(targets.sum(axis=1, dtype=np.float64) - 1.0) > 1e-4
    wrong |= (np.where(impossible, targets, 0.0) > 1e-5).any(axis=1)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise TrainingError(
            f"{where}: {int(wrong.sum())} of {len(samples)} targets are no distribution over possible "
            f"outcomes (the first, number {first}: {targets[first].tolist()}); please report this fault"
        )
    if len(samples) > 1 and distinct_boards(samples) == 1:
        raise TrainingError(
            f"{where}: all {len(samples)} positions are the same board, so there is nothing to learn; check "
            "the game's start and the stride"
        )


def distinct_boards(samples: Samples) -> int:
    """Number of different boards among the positions (by a 64-bit hash: two may be taken for one)."""
    rows = samples.boards.reshape(len(samples), -1).astype(np.uint64)
    factors = np.random.Philox(key=_HASH).random_raw(rows.shape[1])
    return len(np.unique(rows @ factors))


def report(rules: core.Rules, samples: Samples) -> dict[str, Any]:
    """What a round's data look like, for the log: counts, outcomes, and mean target equity by seat."""
    equity = samples.targets.astype(np.float64) @ np.asarray(rules.points, np.float64)
    return {
        "games": samples.games,
        "cut": samples.cut,
        "plies": samples.plies,
        "positions": len(samples),
        "distinct": distinct_boards(samples),
        "evaluations": samples.evaluations,
        "equity_starter": _mean(equity[samples.seats == 0]),
        "equity_second": _mean(equity[samples.seats == 1]),
        "outcomes": {name: int(n) for name, n in zip(rules.outcomes, samples.outcomes, strict=True)},
    }


def _mean(values: npt.NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else 0.0


def target_entropy(targets: FloatArray) -> float:
    """Mean entropy of the targets in nats: the part of the cross-entropy that no net can remove."""
    values = targets.astype(np.float64)
    logs = np.log(values, out=np.zeros_like(values), where=values > 0)
    return float(-(values * logs).sum(axis=1).mean())
