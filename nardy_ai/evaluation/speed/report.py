"""What was measured: rates, peers, bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nardy_ai.evaluation.speed.loss_report import LossForTime

__all__ = ["OURS", "Bar", "Row", "SpeedReport"]

OURS = "nardy-ai"


@dataclass(frozen=True)
class Bar:
    """Something that a rate is wanted to reach."""

    wanted: float
    """A rate, or a factor where `peer` is named."""
    peer: str | None = None
    """The program whose rate is multiplied; None: `wanted` stands for itself."""
    note: str = ""
    """What else must hold for it, in words."""

    def met(self, rates: Mapping[str, float]) -> bool | None:
        """Whether it is reached; None where the peer was not measured."""
        if self.peer is None:
            return rates[OURS] >= self.wanted
        return rates[OURS] >= self.wanted * rates[self.peer] if self.peer in rates else None

    def told(self, rates: Mapping[str, float]) -> str:
        """The bar and whether it is met, as a line of text."""
        answer = {True: "met", False: "MISSED", None: "not measured"}[self.met(rates)]
        note = f", {self.note}" if self.note else ""
        if self.peer is None:
            return f"wanted {_shown(self.wanted)}{note}: {answer}"
        factor = f"{rates[OURS] / rates[self.peer]:.1f} x {self.peer}" if self.peer in rates else self.peer
        return f"{factor}, wanted {self.wanted:g} x{note}: {answer}"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    unit: str
    """What is counted: "evaluations/s", …"""
    rates: Mapping[str, float]
    """Program -> units a CPU second, the median of the rounds; `OURS` is always there."""
    bars: Sequence[Bar] = ()
    facts: Mapping[str, float] = field(default_factory=dict)
    """Further figures of ours."""

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON."""
        bars = [{**asdict(bar), "met": bar.met(self.rates)} for bar in self.bars]
        ratios = {peer: self.rates[OURS] / rate for peer, rate in self.rates.items() if peer != OURS}
        return {
            "name": self.name,
            "unit": self.unit,
            "rates": dict(self.rates),
            "ours_is_faster_by": ratios,
            "bars": bars,
            "facts": dict(self.facts),
        }


@dataclass(frozen=True)
class SpeedReport:
    """All rows, and how they were measured."""

    rows: Sequence[Row]
    kernels: str
    """The path of the engine's inner loops that was measured."""
    version: str
    seed: int
    rounds: int
    seconds: float
    """CPU seconds that a row was given."""
    peers: Sequence[str]
    model: Mapping[str, str] | None = None
    """Name and hash of the model that was measured; None: random nets of the rows' shapes."""
    losses: LossForTime | None = None
    """What programs lose a decision beside their CPU time, where a trained model was named for it."""

    @property
    def missed(self) -> list[str]:
        """Names of rows with a bar that was measured and missed."""
        rows = [row.name for row in self.rows if any(bar.met(row.rates) is False for bar in row.bars)]
        return rows + (self.losses.missed if self.losses else [])

    def as_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        about = {key: value for key, value in vars(self).items() if key not in ("rows", "losses")}
        losses = {"losses": self.losses.as_dict()} if self.losses else {}
        return {**about, "peers": list(self.peers), "rows": [row.as_dict() for row in self.rows], **losses}

    def __str__(self) -> str:
        names = [OURS, *self.peers]
        width = 4 if self.peers else max(len(row.name) for row in self.rows)
        lines = [
            f"nardy-ai {self.version}, kernels {self.kernels}, seed {self.seed}; units a CPU second, "
            "one thread,",
            f"medians of {self.rounds} interleaved rounds, {self.seconds:g} s a row",
            "",
            f"{'':{width}}" + "".join(f"{name:>12}" for name in names),
        ]
        for row in self.rows:
            cells = "".join(f"{_shown(row.rates[name]) if name in row.rates else '-':>12}" for name in names)
            # Beside the figures of others there is no room for the name.
            lines += [row.name] if self.peers else []
            lines.append(f"{'' if self.peers else row.name:{width}}{cells}  {row.unit}")
            lines += [f"    {bar.told(row.rates)}" for bar in row.bars]
            lines += [f"    {key}: {_shown(value)}" for key, value in row.facts.items()]
        return "\n".join(lines + (["", str(self.losses)] if self.losses else []))


def _shown(rate: float) -> str:
    """Three figures or whole numbers."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
