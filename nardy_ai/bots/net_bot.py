"""A model file as a bot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots.bot import Boards, Bytes, Dice, NativeBot, fingerprint_of
from nardy_ai.core import InputError
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.model_file import ModelFile, model_bytes, read_model
from nardy_ai.rules import Game, Play, Position

FloatArray = npt.NDArray[np.float32]

QUANTISED = "~"
"""Stands behind the name of a model file whose nets are in whole numbers."""

_BOTH = "a level has its own look-ahead: give level or plies, not both"


@dataclass(frozen=True)
class Evaluation:
    """What a position is worth to the player on roll, before the throw."""

    outcomes: dict[str, float]
    """Probability of each exclusive outcome, adding up to 1."""
    equity: float
    """Expected points won less points lost."""


@dataclass(frozen=True)
class RankedPlay:
    """A play and what it is worth to the one who makes it."""

    play: Play
    equity: float
    """Expected points won less points lost, for the mover."""
    outcomes: dict[str, float]
    """Probability of each exclusive outcome, for the mover."""
    plies: int = 0
    """The look-ahead with which it was judged."""

    @property
    def notation(self) -> str:
        """The play as people write it."""
        return self.play.notation


class NetBot(NativeBot):
    """A model, judged by the native engine: no PyTorch is needed.

    Args:
        model: what a model file holds.
        game: the profile whose rules it plays by, another of the model's game where given.
        name: how reports and errors name it.
        plies: the look-ahead with which it chooses, 0..3; 0 is the net alone.
        level: of play, 1 (weakest) .. 10 (the full bot), in place of plies: what each is stands in the model.
        noise: standard deviation of noise on its judgement in points, in place of both.
        quantised: its nets in whole numbers where that is faster (`core.Model`): nearly the same judgement.

    Raises:
        InputError: the profile is of another game, plies, level or noise out of range, or two of them given.
    """

    def __init__(
        self,
        model: ModelFile,
        game: Game | None = None,
        *,
        name: str = "model",
        plies: int = 0,
        level: int | None = None,
        noise: float = 0.0,
        quantised: bool = False,
    ) -> None:
        self._model = model
        self._name = name
        self.quantised = quantised
        """Whether its nets are in whole numbers."""
        play = core.Level(core.checked_noise(noise), core.checked_plies(plies))
        if noise and (plies or level is not None):
            raise InputError("noise is that of a net without level or look-ahead: leave out two of the three")
        if level is not None:
            play = _level_of(model, level, plies)
        self.level = level
        """Of play; None: it has none, and looks ahead as it was told."""
        self.noise = play.noise
        """Standard deviation of the noise on its judgement when it chooses, in points."""
        self.plies = play.plies
        """Look-ahead with which it chooses."""
        own = Evaluator(model, game, name=name, quantised=quantised)
        self.game: Game = own.game
        self._evaluators: dict[Game, Evaluator] = {own.game: own}
        self._players: dict[Game, core.Player] = {}
        # Level 10 is the bot that looks so far ahead, by any name; a table of levels changes no play.
        search = (str(self.plies), repr(core.DEFAULT_FILTERS)) if self.plies else ()
        blurred = ("noise", repr(self.noise)) if self.noise else ()
        whole = ("quantised", "1") if quantised else ()
        judged = model_bytes(replace(model, levels=None))
        self._fingerprint = fingerprint_of(judged, *search, *blurred, *whole)

    @property
    def name(self) -> str:
        """How reports name it: the file as it was named, or "model", with its level or look-ahead."""
        name = self._name + QUANTISED if self.quantised else self._name
        if self.level is not None:
            return f"{name}#{self.level}"
        if self.noise:
            return f"{name} with noise {self.noise:g}"
        return f"{name}:{self.plies}" if self.plies else name

    @property
    def fingerprint(self) -> str:
        """A hash of what it judges by, whatever the file is called, and of its noise and look-ahead."""
        return self._fingerprint

    @property
    def model(self) -> ModelFile:
        """Weights, shape, provenance and strength lines."""
        return self._model

    def __reduce__(self) -> tuple[Any, ...]:
        # What the engine holds is made anew where the bot is copied to.
        levelled = self.level is not None
        plies, noise = (0, 0.0) if levelled else (self.plies, self.noise)
        again = partial(NetBot, name=self._name, plies=plies, level=self.level, noise=noise)
        return again, (self._model, self.game)

    def __repr__(self) -> str:
        return f"<NetBot {self.name}: {self._model.game} {self._model.shape}>"

    def looking_ahead(self, plies: int) -> NetBot:
        """The same model with another look-ahead. Raises InputError where plies is outside 0..3."""
        return self._like(plies=plies)

    def at_level(self, level: int) -> NetBot:
        """The same model at a level, 1 (weakest) .. 10 (the full bot).

        Raises InputError outside of these, and where the bot was told how far to look ahead.
        """
        if self.level is None and self.plies:
            raise InputError(_BOTH)
        return self._like(level=core.checked_level(level))

    def with_noise(self, noise: float) -> NetBot:
        """The net alone with noise of so many points (0: none) on its judgement, at no level."""
        return self._like(noise=noise)

    def _like(self, *, plies: int = 0, level: int | None = None, noise: float = 0.0) -> NetBot:
        """The same nets, choosing otherwise."""
        choosing: dict[str, Any] = {"plies": plies, "level": level, "noise": noise}
        return NetBot(self._model, self.game, name=self._name, quantised=self.quantised, **choosing)

    def player(self, game: Game) -> core.Player:
        """Its native form under these rules. Raises InputError where they are of another game."""
        if game not in self._players:
            native = self._evaluator(game).native
            self._players[game] = (
                core.search_player(native, self.plies)
                if self.plies
                else core.net_player(native, self.noise)
            )
        return self._players[game]

    def evaluate(self, pos: Position) -> Evaluation:
        """What the position is worth to the player on roll, before the throw, under the position's own rules.

        Raises:
            InputError: the position is of another game.
        """
        evaluator = self._evaluator(pos.game)
        outcomes, equity = evaluator.evaluate_boards(
            np.asarray(pos.board, dtype=np.int8)[None], np.array([pos.seat], dtype=np.uint8)
        )
        return Evaluation(_named(evaluator, outcomes[0]), float(equity[0]))

    def evaluate_boards(self, boards: Boards, seats: Bytes | None = None) -> tuple[FloatArray, FloatArray]:
        """Many boards at once, under the rules of `self.game`.

        Args:
            boards: int8 [n, 2, 26], player on roll in row 0.
            seats: uint8 [n], 0 where the player on roll started the game; needed where the profile uses it.

        Returns:
            Outcomes float32 [n, k] in the order of `self.outcomes`, and equity float32 [n] in points, both
            for the player on roll before the throw.

        Raises:
            InputError: boards that can't be, or missing seats.
        """
        return self._evaluators[self.game].evaluate_boards(boards, seats)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Names of the outcomes, in the order of the columns of `evaluate_boards`."""
        return self._evaluators[self.game].outcomes

    def rank(
        self, pos: Position, dice: Dice, plies: int = 0, *, score: object = None, cube: object = None
    ) -> list[RankedPlay]:
        """Every play of a roll with its equity for the mover, best first; at every level without noise.

        Args:
            pos: where the roll is played, under the position's own rules.
            dice: two numbers 1..6, in any order.
            plies: 0, the net on the positions that the plays leave; 1..3, search from there (`core.Search`):
                plays that its filters dropped come last, judged with fewer plies.
            score: reserved for the score of a match; must be left out.
            cube: reserved for the doubling cube; must be left out.

        Raises:
            InputError: dice outside 1..6, a finished game, a position of another game, plies outside 0..3, or
                a reserved argument.
        """
        _refuse_reserved(score, cube)
        plays = {play.board.tobytes(): play for play in pos.game.plays(pos, dice)}
        evaluator = self._evaluator(pos.game)
        search = core.Search(evaluator.native)
        boards, _, outcomes, equity, depths = search.rank(
            np.asarray(pos.board, dtype=np.int8), int(dice[0]), int(dice[1]), pos.seat, pos.turns, plies=plies
        )
        return [
            RankedPlay(
                plays[boards[i].tobytes()], float(equity[i]), _named(evaluator, outcomes[i]), int(depths[i])
            )
            for i in range(len(boards))
        ]

    def choose(self, pos: Position, dice: Dice) -> Play:
        """The best play of a roll, or that of its level: always the same in the same position.

        Raises InputError as `rank` does.
        """
        if self.noise:
            return super().choose(pos, dice)
        return self.rank(pos, dice, self.plies)[0].play

    def _evaluator(self, game: Game) -> Evaluator:
        if game not in self._evaluators:
            self._evaluators[game] = Evaluator(self._model, game, name=self._name, quantised=self.quantised)
        return self._evaluators[game]


def load(
    path: Path | str,
    game: Game | None = None,
    plies: int = 0,
    *,
    level: int | None = None,
    quantised: bool = False,
) -> NetBot:
    """The bot of a model file.

    Args:
        path: a `.safetensors` file that training wrote.
        game: another profile of the model's game to play by; its own where left out.
        plies: the look-ahead with which it chooses, 0..3.
        level: of play, 1 (weakest) .. 10 (the full bot), in place of plies.
        quantised: its nets in whole numbers where that is faster: nearly the same judgement.

    Raises:
        InputError: the file is missing, damaged, not a model, or of another game; no such level or plies.
    """
    model = read_model(Path(path))
    return NetBot(model, game, name=str(path), plies=plies, level=level, quantised=quantised)


def _level_of(model: ModelFile, level: int, plies: int) -> core.Level:
    if plies:
        raise InputError(_BOTH)
    return model.level_table.of(level)


def _named(evaluator: Evaluator, row: FloatArray) -> dict[str, float]:
    return {name: float(value) for name, value in zip(evaluator.outcomes, row, strict=True)}


def _refuse_reserved(score: object, cube: object) -> None:
    for name, value in (("score", score), ("cube", cube)):
        if value is not None:
            raise InputError(
                f"{name}= is reserved and has no meaning yet: leave it out (plays are ranked for money)"
            )
