"""What a person sees of a run: lines, a bar a phase, and TensorBoard."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tqdm import tqdm

from nardy_ai.core import InputError
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
    """Prints lines through `say`, and a bar with games/s, loss and time left; `shown` False: no bar.

    When nobody can be reached any more (`| head` has gone, the terminal was closed), training goes on
    without a word: it must not end with its audience.
    """

    def __init__(self, say: Callable[[str], None], shown: bool) -> None:
        self.say = say
        self._shown = shown
        self._bar: tqdm[Any] | None = None
        self._speeds: list[float] = []

    def phase(self, phase: Phase, number: int, phases: int, done: int) -> None:
        """Begin a phase of which `done` rounds are over."""
        self.close()
        with _unheard():
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
            with _unheard():
                self._bar.update()

    def line(self, text: str) -> None:
        """Print a line, above the bar when there is one."""
        with _unheard():
            with tqdm.external_write_mode():
                self.say(text)
            # A reader gets each line when it is said, and one that has gone is noticed here and not at exit.
            if sys.stdout is not None:
                sys.stdout.flush()

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            with _unheard():
                self._bar.close()
            self._bar = None


@contextmanager
def _unheard() -> Iterator[None]:
    """Swallow a failure to write out; what can't be written to is turned to nowhere from then on."""
    try:
        yield
    except OSError:
        for stream in (sys.stdout, sys.stderr):
            try:
                if stream is not None:
                    stream.flush()
            except OSError:
                _turn_to_nowhere(stream.fileno())


def _turn_to_nowhere(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


class Board:
    """TensorBoard files of the logs' numbers; does nothing when `wanted` is False.

    The logs hold the same numbers, so a failure to write here ends nothing: a disk that is full is told
    by the log itself. Raises InputError when the folder can't be made.
    """

    def __init__(self, folder: Path, wanted: bool, first_round: int) -> None:
        self._writer: Any = None
        if wanted:
            from torch.utils.tensorboard import SummaryWriter

            # Steps from a run that was killed after its last checkpoint are hidden.
            try:
                folder.mkdir(exist_ok=True)
                self._writer = SummaryWriter(str(folder), purge_step=first_round, max_queue=50, flush_secs=20)
            except OSError as error:
                raise InputError(
                    f"{folder} can't be used for TensorBoard files ({error.strerror}); move it away, or set "
                    "tensorboard = false in the run's config"
                ) from None

    def write(self, line: Mapping[str, Any]) -> None:
        """Show the numbers of a log line at its round."""
        if self._writer is None:
            return
        with suppress(OSError):
            self._add(line)

    def _add(self, line: Mapping[str, Any]) -> None:
        for name in _SCALARS:
            if name in line:
                self._writer.add_scalar(name, line[name], line["round"])
        if "match" in line:
            match = line["match"]
            self._writer.add_scalar(f"points against {match['opponent']}", match["ppg"], line["round"])

    def close(self) -> None:
        """Write out what is still held."""
        if self._writer is not None:
            with suppress(OSError):
                self._writer.close()


class Clock:
    """Seconds since it was last asked."""

    def __init__(self) -> None:
        self._last, self._last_cpu = time.perf_counter(), time.process_time()
        self._last_own = time.thread_time()

    def lap(self) -> float:
        """Seconds since the last call."""
        now = time.perf_counter()
        passed, self._last = now - self._last, now
        return passed

    def cpu(self) -> float:
        """CPU seconds of this process, all its threads together, since the last call."""
        now = time.process_time()
        used, self._last_cpu = now - self._last_cpu, now
        return used

    def own_cpu(self) -> float:
        """CPU seconds of the calling thread alone, the learner's, since the last call."""
        now = time.thread_time()
        used, self._last_own = now - self._last_own, now
        return used
