"""The table of what programs lose a decision beside the CPU time that they take for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai.evaluation.speed.report import OURS
from nardy_ai.evaluation.statistics import bootstrap_interval
from nardy_ai.rules.screen import folded

__all__ = ["MOST_GIVEN_AWAY", "CostedLoss", "GivenAway", "LossForTime"]

MOST_GIVEN_AWAY = 0.0005
"""Points a decision that filters or a pruning may give away at most."""

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CostedLoss:
    """What one program with one look-ahead lost, and what it took for it."""

    program: str
    plies: int
    filtered: bool
    """Whether the search left plays out; False: an exact expectation. Programs of others do as they do."""
    milliseconds: float
    """CPU milliseconds a decision, in one thread."""
    losses: Float64
    """float64 [n]: points lost in each decision; single ones may lie below 0."""

    @property
    def mean(self) -> float:
        """Points lost a decision."""
        return float(self.losses.mean())

    @property
    def name(self) -> str:
        """The program and its look-ahead."""
        return f"{self.program} at {self.plies}-ply{'' if self.filtered else ', no filters'}"

    def as_dict(self, seed: int) -> dict[str, Any]:
        """Plain values for JSON, losses in thousandths of a point."""
        return {
            "program": self.program,
            "plies": self.plies,
            "filtered": self.filtered,
            "milliseconds": self.milliseconds,
            "loss": 1000 * self.mean,
            "interval": _thousandths(bootstrap_interval(self.losses, seed=seed)),
        }


@dataclass(frozen=True)
class GivenAway:
    """What leaving plays out costs a decision, by the very judgement that sees all of them."""

    what: str
    lost: Float64
    """float64 [n]: points, never below 0 but by rounding."""
    rate: float
    """Decisions a CPU second."""
    whole_rate: float
    """The same when nothing is left out."""

    @property
    def faster(self) -> float:
        """How many times less CPU time it takes than leaving nothing out."""
        return self.rate / self.whole_rate

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of what is given away, by drawing the decisions anew (seed 0)."""
        return bootstrap_interval(self.lost)

    @property
    def met(self) -> bool | None:
        """Whether no more is given away than may be; None: the interval lies on both sides of that."""
        low, high = self.interval
        return None if low <= MOST_GIVEN_AWAY < high else high <= MOST_GIVEN_AWAY

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, losses in thousandths of a point."""
        return {
            "what": self.what,
            "decisions": len(self.lost),
            "loss": 1000 * float(self.lost.mean()),
            "interval": _thousandths(self.interval),
            "wanted_at_most": 1000 * MOST_GIVEN_AWAY,
            "met": self.met,
            "rate": self.rate,
            "rate_without": self.whole_rate,
            "faster": self.faster,
        }


@dataclass(frozen=True)
class LossForTime:
    """The table of losses and CPU times."""

    model: str
    """The name of our model's net."""
    fingerprint: str
    judge: str
    """The net whose rollouts say what plays are worth."""
    own_judge: bool
    """The judge is the model itself: it finds its own faults good."""
    entries: Sequence[CostedLoss]
    given_away: Sequence[GivenAway]
    seed: int
    """Of the sample of decisions and of the intervals."""
    seconds: float
    """CPU seconds that measuring took."""

    @property
    def missed(self) -> list[str]:
        """What clearly gives more away than it may."""
        return [part.what for part in self.given_away if part.met is False]

    def match_of(self, peer: CostedLoss) -> CostedLoss | None:
        """The dearest of our settings that takes no more CPU time than a peer's; None: none is as cheap."""
        ours = [
            entry
            for entry in self.entries
            if entry.program == OURS and entry.filtered and entry.milliseconds <= peer.milliseconds
        ]
        return max(ours, key=lambda entry: entry.milliseconds, default=None)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, losses in thousandths of a point."""
        equal = []
        for peer in self._peers():
            ours = self.match_of(peer)
            if ours is not None:
                gap = ours.losses - peer.losses
                equal.append(
                    {
                        "peer": {"program": peer.program, "plies": peer.plies},
                        "plies": ours.plies,
                        "difference": 1000 * float(gap.mean()),
                        "interval": _thousandths(bootstrap_interval(gap, seed=self.seed)),
                    }
                )
        return {
            "model": {"name": self.model, "hash": self.fingerprint},
            "judge": self.judge,
            "own_judge": self.own_judge,
            "decisions": len(self.entries[0].losses),
            "unit": "thousandths of a point",
            "confidence": 0.95,
            "seed": self.seed,
            "cpu_seconds": self.seconds,
            "programs": [entry.as_dict(self.seed) for entry in self.entries],
            "at_equal_time": equal,
            "given_away": [part.as_dict() for part in self.given_away],
        }

    def __str__(self) -> str:
        prose = folded([*self._equal_times(), *self._leaving_out()])
        return "\n".join([*folded(self._head()), *self._table(), *prose])

    def _peers(self) -> Iterator[CostedLoss]:
        return (entry for entry in self.entries if entry.program != OURS)

    def _head(self) -> list[str]:
        lines = [
            f"lost a decision, thousandths of a point, beside the CPU time taken: {self.model}",
            f"({self.fingerprint}) in {len(self.entries[0].losses)} decisions that {self.judge} rolled out,",
            f"95 % intervals, seed {self.seed}; measured in {self.seconds:.0f} CPU s",
        ]
        if self.own_judge:
            lines.append("WARNING: the model is the very net that judged: its own faults look good to it")
        return [*lines, ""]

    def _table(self) -> list[str]:
        width = max(len(entry.name) for entry in self.entries)
        lines = [f"{'':{width}}  {'CPU ms':>9}  {'lost':>6}"]
        for entry in self.entries:
            interval = _range(entry.losses, self.seed)
            cost, lost = f"{entry.milliseconds:9.3f}", f"{1000 * entry.mean:6.2f}"
            lines.append(f"{entry.name:{width}}  {cost}  {lost} {interval}")
        return lines

    def _equal_times(self) -> list[str]:
        lines = []
        for peer in self._peers():
            ours = self.match_of(peer)
            if ours is None:
                told = "nothing of ours is as cheap"
            else:
                gap = ours.losses - peer.losses
                told = (
                    f"ours at {ours.plies}-ply, {peer.milliseconds / ours.milliseconds:.1f} x cheaper: "
                    f"{1000 * float(gap.mean()):+.2f} {_range(gap, self.seed)}"
                )
            lines.append(f"  {peer.name:20}  {told}")
        title = "in the CPU time of a peer, what ours loses more (+) or less (-)"
        return ["", title, *lines] if lines else []

    def _leaving_out(self) -> list[str]:
        if not self.given_away:
            return []
        lines = ["", "given away by leaving plays out, by the model's own judgement of more of them"]
        for part in self.given_away:
            answer = {True: "met", False: "MISSED", None: "not clear"}[part.met]
            low, high = _thousandths(part.interval)
            mean = 1000 * float(part.lost.mean())
            told = f"{mean:.2f} [{low:.2f}, {high:.2f}] in {len(part.lost)} decisions"
            wanted = f"wanted at most {1000 * MOST_GIVEN_AWAY:g}: {answer}"
            speed = f"{_rate(part.rate)} a CPU s instead of {_rate(part.whole_rate)}"
            lines += [f"  {part.what}:", f"    {told}", f"    {wanted}"]
            lines += [f"    {speed}, {part.faster:.1f} x as fast"]
        return lines


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _thousandths(interval: tuple[float, float]) -> list[float]:
    return [1000 * end for end in interval]


def _range(values: Float64, seed: int) -> str:
    low, high = _thousandths(bootstrap_interval(values, seed=seed))
    return f"[{low:.2f}, {high:.2f}]"
