"""What a person sees of a run: lines, a bar a phase, and TensorBoard."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm

from nardy_ai.training.config import Phase

# Rounds over which the bar's speed is averaged.
_SMOOTH = 10

# What TensorBoard shows of the two logs.
_SCALARS = (
    "loss",
    "excess",
    "rate",
    "positions",
    "distinct",
    "equity_starter",
    "equity_second",
    "games_per_second",
    "learner_share",
)


class Progress:
    """Prints lines through `say`, and a bar with games/s, loss and time left; `shown` False: no bar."""

    def __init__(self, say: Callable[[str], None], shown: bool) -> None:
        self.say = say
        self._shown = shown
        self._bar: tqdm[Any] | None = None
        self._speeds: list[float] = []

    def phase(self, phase: Phase, number: int, phases: int, done: int) -> None:
        """Begin a phase of which `done` rounds are over."""
        self.close()
        self._bar = tqdm(
            total=phase.rounds,
            initial=done,
            desc=f"{phase.name} ({number}/{phases})",
            unit="round",
            disable=not self._shown,
            dynamic_ncols=True,
        )
        self._speeds = []

    def round(self, games_per_second: float, loss: float) -> None:
        """One more round is over."""
        if self._bar is not None:
            self._speeds = [*self._speeds[1 - _SMOOTH :], games_per_second]
            mean = sum(self._speeds) / len(self._speeds)
            self._bar.set_postfix_str(f"{mean:,.0f} games/s, loss {loss:.4f}", refresh=False)
            self._bar.update()

    def line(self, text: str) -> None:
        """Print a line, above the bar when there is one."""
        with tqdm.external_write_mode():
            self.say(text)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Board:
    """TensorBoard files of the logs' numbers; does nothing when `wanted` is False."""

    def __init__(self, folder: Path, wanted: bool, first_round: int) -> None:
        self._writer: Any = None
        if wanted:
            from torch.utils.tensorboard import SummaryWriter

            # Steps from a run that was killed after its last checkpoint are hidden.
            self._writer = SummaryWriter(str(folder), purge_step=first_round, max_queue=50, flush_secs=20)

    def write(self, line: Mapping[str, Any]) -> None:
        """Show the numbers of a log line at its round."""
        if self._writer is None:
            return
        for name in _SCALARS:
            if name in line:
                self._writer.add_scalar(name, line[name], line["round"])
        if "match" in line:
            match = line["match"]
            self._writer.add_scalar(f"points against {match['opponent']}", match["ppg"], line["round"])

    def close(self) -> None:
        """Write out what is still held."""
        if self._writer is not None:
            self._writer.close()


class Clock:
    """Seconds since it was last asked."""

    def __init__(self) -> None:
        self._last = time.perf_counter()

    def lap(self) -> float:
        """Seconds since the last call."""
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        return passed
