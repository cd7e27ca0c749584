"""A model judged by the native engine: outcomes, equity and ranked plays, without PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.models.bearoff_tables import bearoff_tables
from nardy_ai.models.layers import FloatArray
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.rules import Game, profile_of_table
from nardy_ai.rules.profile import FAMILY_OF

Boards: TypeAlias = npt.NDArray[np.int8]
Seats: TypeAlias = npt.NDArray[np.uint8]


class Evaluator:
    """A model under the rules of one profile of its game.

    The profile is the one the model was trained under unless another is chosen: then the chosen
    profile's rules and points count, and outcomes match by name (see `outcome_places`). One that only the
    profile knows never happens.

    Bear-offs are judged by the profile's tables, which are made when they are first needed; without `tables`
    the nets judge them like everything else. `quantised` nets are faster and judge a little differently
    (`core.Model`).
    """

    def __init__(
        self,
        model: ModelFile,
        game: Game | None = None,
        *,
        name: str = "the model",
        tables: bool = True,
        quantised: bool = False,
    ) -> None:
        self.model = model
        self.game = game if game is not None else own_game(model)
        self.rules: core.Rules = self.game.core_rules
        places = outcome_places(model, self.game, name)
        known = bearoff_tables(self.rules) if tables else None
        self.native = core.Model(
            self.rules, model.encoding, model.nets, places, bearoff=known, quantised=quantised
        )
        self._needs_seats = self.rules.uses_seat or core.encoding_table(model.encoding).seat_input >= 0

    @classmethod
    def load(cls, path: Path | str, game: Game | None = None, *, quantised: bool = False) -> Evaluator:
        """Read a model file; raises InputError as `read_model` does, and for a model of another game."""
        return cls(read_model(Path(path)), game, name=str(path), quantised=quantised)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Names of the outcomes, in the order of the columns of what is evaluated."""
        return tuple(self.rules.outcomes)

    def net(self, boards: Boards, seats: Seats | None = None) -> tuple[FloatArray, FloatArray]:
        """What the net alone says: encoding, the class's net, softmax with impossible outcomes masked.

        `boards` int8 [n, 2, 26], player on roll in row 0; `seats` uint8 [n] (0: he started the game),
        needed where the profile or the model uses it. Returns outcomes float32 [n, k] and equity float32
        [n] in points, both for the player on roll before the throw. Raises InputError for missing seats.
        """
        return core.net(self.native, self.rules, boards, self._seats(boards, seats))

    def evaluate_boards(self, boards: Boards, seats: Seats | None = None) -> tuple[FloatArray, FloatArray]:
        """Like `net`, with finished games judged by the rules (one-hot) and bear-offs by the tables."""
        return core.evaluate(self.native, self.rules, boards, self._seats(boards, seats))

    def rank(
        self, board: Boards, dice: tuple[int, int], seat: int, turns: int
    ) -> tuple[Boards, list[list[tuple[int, int]]], FloatArray, FloatArray]:
        """Every play of a roll, best first; plays of equal worth in the order of their results' bytes.

        `board` int8 [2, 26], player on roll in row 0; `turns` he has had (3: three or more). Returns the
        resulting boards int8 [n, 2, 26] with the mover still in row 0, the moves that lead to each,
        outcomes float32 [n, k] and equity float32 [n], both for the mover.
        """
        return core.rank(self.native, self.rules, board, dice[0], dice[1], seat, turns)

    def _seats(self, boards: Boards, seats: Seats | None) -> Seats:
        if seats is not None:
            return seats
        if self._needs_seats:
            raise InputError(
                f"seats are needed to judge boards of {self.game.name}: give uint8 [n], 0 where the player "
                "on roll started the game"
            )
        return np.zeros(len(boards), np.uint8)


def own_game(model: ModelFile) -> Game:
    """The game under whose profile a model was trained.

    Where that is a player's own file which is not there (any more), its rules and scores are those that the
    model file holds; match and cube, which no net knows, are the family's usual ones.

    Raises:
        InputError: there is no such profile.
    """
    if not model.profile.endswith(".toml") or Path(model.profile).exists():
        return Game(model.profile)
    kept = {key: value for key, value in model.rules.items() if FAMILY_OF.get(key, model.game) == model.game}
    scores, start = kept.pop("scores"), kept.pop("start")
    rules = {**kept, "start": {str(point): count for point, count in enumerate(start, 1) if count}}
    table = {
        "format": 1,
        "title": Path(model.profile).stem,
        "rules": rules,
        "scores": {kind: int(points) for kind, points in scores.items()},
    }
    return Game(profile_of_table(table, model.profile))


def outcome_places(model: ModelFile, game: Game, name: str = "the model") -> list[int]:
    """For each output of the model the index of its outcome among those of `game`.

    An outcome that the game's profile does not score counts as the next lower one of the same side; a
    draw where there is none is left out (-1). Raises InputError, naming the model by `name`, when it is
    of another game.
    """
    if model.game != game.family:
        raise InputError(
            f"{name} is a model of {model.game} nardy and can't judge {game.name}; take a model or a profile "
            "of the same game"
        )
    known, places = list(game.outcomes), list[int]()
    for i, outcome in enumerate(model.outcomes):
        side = outcome.partition("_")[0]
        lower = [word for word in model.outcomes[: i + 1] if word.partition("_")[0] == side and word in known]
        places.append(known.index(lower[-1]) if lower else -1)
    return places
