"""The stored boards and rolls, what the engine says of them, and how far another form of a bot is off."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from nardy_ai import core
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game

TOLERANCE, EQUAL_WORTH = 1e-5, 2e-5
STORED = Path(__file__).with_name("data") / "parity.json"

# Boards int8 [n, 2, 26] with the player on roll in row 0, and seats, to outcomes [n, k].
Judge = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ParitySet:
    """Boards and rolls of a game, as many as are asked for."""

    game: Game
    keys: list[str]
    boards: np.ndarray
    seats: np.ndarray
    turns: np.ndarray
    rolls: list[list[int]]
    """[number of the position, die, die, count of plays, CRC-32 of their boards]."""

    def as_json(self) -> dict[str, Any]:
        rolls = [roll[:3] for roll in self.rolls]
        return {"positions": self.keys, "rolls": rolls, "checkers": self.game.checkers}

    def plays(self) -> list[np.ndarray]:
        """The legal results of every roll in the engine's order, mover in row 0; they are those stored."""
        numbers, first, second, counts, digests = np.array(self.rolls).T
        after, offsets = core.legal_boards(
            self.game.core_rules,
            self.boards[numbers],
            np.stack([first, second], axis=1).astype(np.uint8),
            self.seats[numbers],
            self.turns[numbers],
        )
        found = [after[start:end] for start, end in pairwise(offsets)]
        assert [len(each) for each in found] == counts.tolist()
        assert [zlib.crc32(each.tobytes()) for each in found] == digests.tolist()
        return found


def parity_set(profile: str, boards: int | None = None, rolls: int | None = None) -> ParitySet:
    stored = json.loads(STORED.read_text("utf-8"))
    assert stored["format"] == 1
    game, part = Game(profile), stored["games"][profile]
    keys = part["positions"][:boards]
    positions = [game.position(key) for key in keys]
    return ParitySet(
        game,
        keys,
        np.array([np.asarray(position.board) for position in positions], np.int8),
        np.array([position.seat for position in positions], np.uint8),
        np.array([position.turns for position in positions], np.uint8),
        part["rolls"][:rolls],
    )


@dataclass(frozen=True)
class Agreement:
    """How a form of the bot compares with the engine's plain kernels."""

    boards: int
    rolls: int
    largest: float
    """Difference of an outcome."""
    same_bits: int
    """Boards with the same bits in every outcome."""
    equal_worth: int
    """Best plays that are others, and worth the same within the bound."""
    other_best: int
    """Best plays that are others and worth less."""

    def holds(self) -> bool:
        return self.largest <= TOLERANCE and self.other_best == 0

    def row(self, name: str) -> str:
        return (
            f"| {name} | {self.boards:,} | {self.largest:.1e} | {self.same_bits:,} | {self.rolls} | "
            f"{self.rolls - self.equal_worth - self.other_best} | {self.equal_worth} | {self.other_best} |"
        )


class Reference:
    """The engine with its plain kernels, as the net alone judges, finished games by rule."""

    def __init__(self, model: ModelFile, stored: ParitySet) -> None:
        self.stored, self.rules = stored, stored.game.core_rules
        self.native = core.Model(self.rules, model.encoding, model.nets, kernels="plain")
        self.outcomes, _ = core.net(self.native, self.rules, stored.boards, stored.seats)
        self.plays = stored.plays()
        self.worth = [self._worth(number) for number in range(len(stored.rolls))]

    def left(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Boards that the plays of a roll leave, the other side on roll, and their seats."""
        seat = 1 - self.stored.seats[self.stored.rolls[number][0]]
        boards = np.ascontiguousarray(self.plays[number][:, ::-1])
        return boards, np.full(len(boards), seat, np.uint8)

    def _worth(self, number: int) -> np.ndarray:
        boards, seats = self.left(number)
        _, equities = core.evaluate(self.native, self.rules, boards, seats)
        return -equities

    def judged_by(self, judge: Judge) -> Agreement:
        """Compares something that judges boards and knows no plays: of ours it takes the best."""
        points = np.array(self.rules.points)
        parts = [self.left(number) for number in range(len(self.stored.rolls))]
        boards = np.concatenate([self.stored.boards, *(part[0] for part in parts)])
        seats = np.concatenate([self.stored.seats, *(part[1] for part in parts)])
        outcomes = judge(boards, seats)
        results = core.results(self.rules, boards, seats)
        worth = -np.where(results < 0, outcomes @ points, points[np.maximum(results, 0)])
        chosen, at = [], len(self.stored.boards)
        for part in parts:
            chosen.append(int(np.argmax(worth[at : at + len(part[0])])))
            at += len(part[0])
        return self.agreement(outcomes[: len(self.stored.boards)], chosen)

    def agreement(self, outcomes: np.ndarray, chosen: Sequence[int]) -> Agreement:
        """Of outcomes [n, k] of the stored boards and the numbers of the plays chosen."""
        less = [float(worth.max() - worth[best]) for worth, best in zip(self.worth, chosen, strict=True)]
        first = [int(np.argmax(worth)) for worth in self.worth]
        others = [gap for gap, best, ours in zip(less, chosen, first, strict=True) if best != ours]
        found = np.asarray(outcomes, np.float32)
        return Agreement(
            boards=len(found),
            rolls=len(chosen),
            largest=float(np.abs(found - self.outcomes).max()),
            same_bits=int((found == self.outcomes).all(1).sum()),
            equal_worth=sum(gap < EQUAL_WORTH for gap in others),
            other_best=sum(not gap < EQUAL_WORTH for gap in others),
        )

    def told_by(self, told: dict[str, Any]) -> Agreement:
        """Compares what a form with plays of its own told: `parity_client.mjs` says in which words."""
        chosen = []
        for number, roll in enumerate(told["rolls"]):
            expected = [board.tobytes() for board in self.plays[number]]
            found = [bytes(int(digit, 16) for digit in text) for text in roll["plays"]]
            assert found == expected, f"other legal plays of roll {number}"
            chosen.append(found.index(bytes(int(digit, 16) for digit in roll["best"])))
        return self.agreement(np.array(told["outcomes"], np.float32), chosen)
