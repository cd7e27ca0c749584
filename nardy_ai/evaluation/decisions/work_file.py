"""Decisions that are judged already, kept beside the file that they are for, so that making it can go on.

One line of JSON a decision, only ever added to; the first line says what it is all for. A line that was cut
off in the middle of writing is forgotten.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from nardy_ai.core import InputError
from nardy_ai.evaluation.decisions.worths import PlayWorths

__all__ = ["WorkFile"]


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    number: int
    worths: list[tuple[float, float]]
    errors: list[tuple[float, float]]
    trials: list[int]
    close: int
    close_met: int
    squares: float
    compared: int

    def worths_of_plays(self) -> PlayWorths:
        trials = np.array(self.trials, np.int64)
        return PlayWorths(
            np.array(self.worths).reshape(-1, 2),
            np.array(self.errors).reshape(-1, 2),
            trials,
            self.close,
            self.close_met,
            self.squares,
            self.compared,
            int(trials.sum()),
        )


class WorkFile:
    """The work that is done so far.

    Args:
        path: of the work file; it is made where there is none.
        purpose: all that the worths depend on, as JSON values.
        plays: how many plays each decision has.

    Raises:
        InputError: there is one already for something else, or one that is damaged; or it can't be written.
    """

    def __init__(self, path: Path, purpose: dict[str, Any], plays: list[int]) -> None:
        self.path = path
        self._plays = plays
        self._first = json.dumps(purpose, sort_keys=True).encode() + b"\n"
        self.done: dict[int, PlayWorths] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            end = self._read() if path.exists() else 0
            if path.exists():
                os.truncate(path, end)
            self._file: IO[bytes] = path.open("ab")
            if not end:
                self._append(self._first)
        except OSError as error:
            raise InputError(
                f"can't write the work file {path} ({error.strerror}): name another --out"
            ) from None

    def _read(self) -> int:
        """Takes in all whole lines; how many bytes they are."""
        text = self.path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        if not whole:
            return 0
        first, *lines = whole.splitlines(keepends=True)
        if first != self._first:
            raise InputError(
                f"{self.path} holds the work for other settings, another judge or another version: "
                "delete it, "
                "or name another --out"
            )
        for place, line in enumerate(lines, 2):
            try:
                found = msgspec.json.decode(line, type=_Line)
                plays = self._plays[found.number] if found.number >= 0 else -1
                fits = plays == len(found.worths) == len(found.errors) == len(found.trials)
            except (msgspec.MsgspecError, IndexError):
                fits = False
            if not fits:
                raise InputError(
                    f"line {place} of {self.path} is damaged: delete the file, the work begins anew"
                )
            self.done[found.number] = found.worths_of_plays()
        return len(whole)

    def add(self, number: int, found: PlayWorths) -> None:
        """Keeps one more decision; it is on its way to the disk when this returns."""
        line = _Line(
            number,
            [(a, b) for a, b in found.worths.tolist()],
            [(a, b) for a, b in found.errors.tolist()],
            found.trials.tolist(),
            found.close,
            found.close_met,
            found.squares,
            found.compared,
        )
        self._append(msgspec.json.encode(line) + b"\n")
        self.done[number] = found

    def _append(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def close(self) -> None:
        """Ends writing; the file stays."""
        self._file.close()

    def remove(self) -> None:
        """Ends writing and deletes the file."""
        self.close()
        self.path.unlink(missing_ok=True)
