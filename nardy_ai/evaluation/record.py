"""The record of a match: what every pair came to, so that a match that was stopped can go on.

A text file of JSON lines. The first line says what is played: format, both bots by hash, game, rules, seed
and limits. Every other line holds the results of consecutive pairs and is written in one go when they are
over; a line that a crash or a full disk cut short is dropped when the file is next opened. A pair depends on
the first line and its own number alone, so it is never played twice and never counted twice.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
import numpy.typing as npt

from nardy_ai.core import InputError
from nardy_ai.core.whole_files import plain_place
from nardy_ai.evaluation.match_result import CUT, UNPLAYED, Side

FORMAT = 1
KIND = "nardy match record"
MOST_BYTES = 1 << 31


class _Bot(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    name: str
    hash: str


class Terms(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a match is played by: the first line of a record."""

    a: _Bot
    b: _Bot
    game: str
    rules: str
    """A hash of the rules and their points."""
    seed: int
    max_turns: int
    length: int | None = None
    """Points that each match of a pair is played to; None: single games."""
    judge: str | None = None
    """Hash of the model that judges luck."""
    kind: str = KIND
    format: int = FORMAT

    @classmethod
    def of(cls, a: Side, b: Side, **others: Any) -> Terms:
        """The terms of a match of two bots."""
        return cls(_Bot(a.name, a.fingerprint), _Bot(b.name, b.fingerprint), **others)


class _Line(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    first: int
    outcomes: list[tuple[int, int]]
    plies: list[tuple[int, int]]
    luck: list[tuple[float, float]] | None = None


class _Head(msgspec.Struct):
    kind: str
    format: int


@dataclass(frozen=True)
class Played:
    """Results of consecutive pairs, as a `Driver` gives them."""

    first: int
    outcomes: npt.NDArray[np.int8]
    plies: npt.NDArray[np.int32]
    luck: npt.NDArray[np.float64] | None

    @property
    def pairs(self) -> range:
        """Numbers of its pairs."""
        return range(self.first, self.first + len(self.outcomes))


class MatchRecord:
    """A record that is open, read to its end, and can be added to; held by one process at a time.

    Args:
        path: the file; it is made where there is none.
        terms: what is about to be played.
        outcomes: how many outcomes the game has.

    Raises:
        InputError: the file is something else, such as a folder or a device, damaged, of another format, of
            another match, or in use.
        OSError: it can't be read or written.
    """

    def __init__(self, path: Path, terms: Terms, outcomes: int) -> None:
        self.path = path
        self._outcomes = outcomes
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file for the match's record")
        # Some devices can be read for ever.
        plain_place(path)
        self._file = _opened(path)
        try:
            _lock(self._file, path)
            self.played: list[Played] = self._read(terms)
        except BaseException:
            self._file.close()
            raise

    def add(self, part: Played) -> None:
        """Appends the results of some pairs. Raises OSError where they can't be written."""
        line = {
            "first": part.first,
            "outcomes": part.outcomes.tolist(),
            "plies": part.plies.tolist(),
            **({} if part.luck is None else {"luck": part.luck.tolist()}),
        }
        self._append(json.dumps(line, separators=(",", ":")).encode() + b"\n")

    def close(self) -> None:
        """Closes the file and lets others have it."""
        self._file.close()

    def _append(self, line: bytes) -> None:
        end = self._file.seek(0, os.SEEK_END)
        try:
            left = line
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            # What was written of the line would only be dropped later.
            self._file.truncate(end)
            raise OSError(error.errno, error.strerror, str(self.path)) from error

    def _read(self, terms: Terms) -> list[Played]:
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        if not whole:
            _check_is_record(self.path, data)
            self._file.truncate(0)
            self._append(msgspec.json.encode(terms) + b"\n")
            return []
        lines = data[:whole].splitlines()
        _check_terms(self.path, lines[0], terms)
        found = list(self._parts(lines[1:], terms))
        _check_once(self.path, found)
        if whole < len(data):
            self._file.truncate(whole)
        return found

    def _parts(self, lines: list[bytes], terms: Terms) -> Iterator[Played]:
        for number, text in enumerate(lines, 2):
            try:
                line = msgspec.json.decode(text, type=_Line)
                outcomes = np.array(line.outcomes, np.int64).reshape(-1, 2)
                luck = None if line.luck is None else np.array(line.luck, np.float64).reshape(-1, 2)
                plies = np.array(line.plies, np.int32).reshape(-1, 2)
                sizes = {len(outcomes), len(plies), len(outcomes if luck is None else luck)}
                fine = len(sizes) == 1 and len(outcomes) > 0 and 0 <= line.first < 2**62
                fine = fine and (luck is None) == (terms.judge is None)
                fine = fine and bool(((outcomes >= CUT) & (outcomes < self._outcomes)).all())
            except (msgspec.MsgspecError, ValueError, OverflowError):
                fine = False
            if not fine:
                raise InputError(
                    f"line {number} of the record {self.path} is damaged: put the file back, or delete it "
                    "and begin again"
                )
            yield Played(line.first, outcomes.astype(np.int8), plies, luck)


def _opened(path: Path) -> IO[bytes]:
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+b", 0)
    except ValueError as error:
        raise InputError(f"the record {str(path)!r} can't be opened ({error}): name another file") from None


def _check_is_record(path: Path, beginning: bytes) -> None:
    """A file without one whole line is new, or the beginning of a first line that a crash cut short."""
    start = b'{"a":{"name":'
    if not beginning.startswith(start) and not start.startswith(beginning):
        raise InputError(f"{path} is no record of a match: name another file")


def _check_terms(path: Path, line: bytes, terms: Terms) -> None:
    try:
        head = msgspec.json.decode(line, type=_Head)
        if head.kind == KIND and head.format != FORMAT:
            raise InputError(
                f"{path} is a record of format {head.format}, and this version reads format {FORMAT}: name "
                "another file"
            )
        there = msgspec.json.decode(line, type=Terms)
    except msgspec.MsgspecError:
        there = None
    if there is None or there.kind != KIND:
        raise InputError(f"{path} is no record of a match: name another file")
    # A bot is known by its hash: a file that was renamed is the same bot.
    for what, old, new, shown in (
        ("bot A", there.a.hash, terms.a.hash, (_named(there.a), _named(terms.a))),
        ("bot B", there.b.hash, terms.b.hash, (_named(there.b), _named(terms.b))),
        ("game", there.game, terms.game, None),
        ("hash of the rules", there.rules, terms.rules, None),
        ("seed", there.seed, terms.seed, None),
        ("limit of turns", there.max_turns, terms.max_turns, None),
        ("length", there.length, terms.length, None),
        ("judge of luck", there.judge, terms.judge, None),
    ):
        if old != new:
            was, wanted = shown or (_said(old), _said(new))
            raise InputError(
                f"{path} is the record of another match: its {what} is {was}, not {wanted}; name another file"
            )


def _named(bot: _Bot) -> str:
    return f"{bot.name} ({bot.hash})"


def _said(value: object) -> str:
    return "none" if value is None else str(value)


def _check_once(path: Path, parts: list[Played]) -> None:
    reached = 0
    for part in sorted(parts, key=lambda part: part.first):
        if part.first < reached:
            raise InputError(
                f"the record {path} holds pair {part.first} twice: put the file back, or delete it and begin "
                "again"
            )
        reached = part.pairs.stop


def _lock(file: IO[bytes], path: Path) -> None:
    """Two processes on one file would play the same pairs. The system ends the lock with its holder."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # A byte far behind the end, so that the file can still be read.
            file.seek(MOST_BYTES)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise InputError(
            f"the record {path} is in use by another process: wait for its end, or stop it first"
        ) from None
    except OSError:
        # A disk without locks: one process alone must still work there.
        file.seek(0)


def missing_pairs(played: npt.NDArray[np.int8], size: int) -> Iterator[tuple[int, int]]:
    """The pairs without a result, outcomes int8 [pairs, 2], as (first, count) of at most `size` pairs."""
    unplayed = (played == UNPLAYED).any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], unplayed.astype(np.int8), [0]])))
    for begin, end in edges.reshape(-1, 2):
        for first in range(int(begin), int(end), size):
            yield first, min(size, int(end) - first)
