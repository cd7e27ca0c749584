"""What an analysis holds: every turn with its grade, and their sums by player and class."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nardy_ai.evaluation.analysis.cube import CubeTally, GradedCube, cube_tally
from nardy_ai.evaluation.analysis.grades import GRADES, MILLIPOINTS, grade, luck_word, performance, rating
from nardy_ai.evaluation.analysis.judge import Judged, Ranked
from nardy_ai.evaluation.statistics import mean_interval
from nardy_ai.rules import Game, Position
from nardy_ai.rules.dice import Dice
from nardy_ai.rules.match import GameResult

__all__ = ["FORMAT", "AnalysedGame", "Analysis", "GradedTurn", "Source", "Tally"]

FORMAT = 2


@dataclass(frozen=True)
class GradedTurn:
    """One throw with all that is said about it."""

    number: int
    """In the game, from 1, both players counted."""
    row: int
    """Of the file's rows of plays."""
    player: int
    position: Position
    """Before the throw."""
    dice: Dice
    kind: str
    """Class of the position: `contact` or `race`."""
    judged: Judged
    written: str
    """The text of a play that is not legal; empty for all others."""

    @property
    def is_decision(self) -> bool:
        """Whether a play was made that was not the only one."""
        return self.judged.made is not None and self.judged.choices > 1

    @property
    def loss(self) -> float | None:
        """Points lost, at least 0; None where no legal play was made."""
        return self.judged.loss

    @property
    def grade(self) -> str:
        """`doubtful`, `bad`, `very bad`, or empty."""
        return grade(self.loss) if self.is_decision else ""

    @property
    def made(self) -> Ranked | None:
        """The play that was made."""
        return self.judged.made

    @property
    def best(self) -> Ranked:
        """The best play; the one that was made where nothing is better."""
        return self.judged.plays[0] if self.made is None or self.loss else self.made

    def as_dict(self, outcomes: tuple[str, ...]) -> dict[str, Any]:
        """Plain values for JSON, in points."""
        made, luck = self.made, self.judged.luck
        return {
            "turn": self.number,
            "row": self.row,
            "player": self.player,
            "position": self.position.key,
            "dice": list(self.dice),
            "class": self.kind,
            "choices": self.judged.choices,
            "decision": self.is_decision,
            "played": None if made is None else made.play.notation,
            "illegal": self.written or None,
            "best": self.best.play.notation,
            "equity": None if made is None else made.equity,
            "best_equity": self.best.equity,
            "loss": self.loss,
            "grade": self.grade or None,
            "luck": luck,
            "luck_word": luck_word(luck) or None,
            "before": self.judged.before,
            "plays": [ranked_as_dict(entry, outcomes) for entry in self.judged.plays],
        }


def ranked_as_dict(entry: Ranked, outcomes: tuple[str, ...]) -> dict[str, Any]:
    """One of the ranked plays as plain values for JSON, in points."""
    return {
        "place": entry.place,
        "play": entry.play.notation,
        "equity": entry.equity,
        "plies": entry.plies,
        "outcomes": dict(zip(outcomes, entry.outcomes, strict=True)),
    }


@dataclass(frozen=True)
class AnalysedGame:
    """One game with the grades of its turns."""

    number: int
    """In the file's own counting."""
    names: tuple[str, str]
    labels: tuple[str, str]
    """Who the players are in the sums: their names, told apart where these are alike."""
    score: tuple[float, float] | None
    """Before the game."""
    events: tuple[GradedTurn | GradedCube, ...]
    result: GameResult | None
    faults: tuple[str, ...]
    unjudged: str = ""
    """Why its doubles could not be judged, whether it has any or not; empty where they could."""

    @property
    def turns(self) -> tuple[GradedTurn, ...]:
        """The throws, in their order."""
        return tuple(event for event in self.events if isinstance(event, GradedTurn))

    @property
    def cubes(self) -> tuple[GradedCube, ...]:
        """What was done with the cube, in its order."""
        return tuple(event for event in self.events if isinstance(event, GradedCube))

    @property
    def curve(self) -> list[float]:
        """What the left player may expect: before the first throw, then behind each play, in points.

        A game that was played to its end ends on what it was worth, without the cube.
        """
        points: list[float] = []
        for turn in self.turns:
            sign = 1 if turn.player == 0 else -1
            points = points or [sign * turn.judged.before]
            if turn.made is not None:
                points.append(sign * turn.made.equity)
        return points

    def as_dict(self, outcomes: tuple[str, ...]) -> dict[str, Any]:
        """Plain values for JSON."""
        result = self.result
        return {
            "game": self.number,
            "names": list(self.names),
            "players": list(self.labels),
            "score": None if self.score is None else list(self.score),
            "result": None
            if result is None
            else {"winner": result.winner, "kind": result.kind, "how": result.how, "points": result.points},
            "faults": list(self.faults),
            "curve": self.curve,
            "turns": [turn.as_dict(outcomes) for turn in self.turns],
            "cube": [
                {
                    "before_turn": 1 + sum(isinstance(other, GradedTurn) for other in self.events[:place]),
                    **event.as_dict(outcomes),
                }
                for place, event in enumerate(self.events)
                if isinstance(event, GradedCube)
            ],
            "cube_unjudged": (self.unjudged or None) if self.cubes else None,
        }


@dataclass(frozen=True)
class Source:
    """One file."""

    name: str
    game: Game
    length: int | None
    """Points that its match is played to; None for money play, or where it does not tell."""
    games: tuple[AnalysedGame, ...]


@dataclass(frozen=True)
class Tally:
    """Sums over some turns of one player."""

    turns: int
    decisions: int
    """Turns with more than one distinct play, of which a legal one was made."""
    lost: float
    """Points, over all decisions."""
    graded: tuple[int, ...]
    """How many were doubtful, bad, very bad."""
    luck: float
    """Points, over all turns."""
    interval: tuple[float, float] | None
    """95 % interval of the mean loss in points, decisions taken as independent; None for fewer than two."""

    @property
    def margin(self) -> float | None:
        """Half of the interval."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2

    @property
    def mean(self) -> float | None:
        """Points lost a decision; None without decisions."""
        return self.lost / self.decisions if self.decisions else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        mean = self.mean
        return {
            "turns": self.turns,
            "decisions": self.decisions,
            "lost": self.lost,
            "millipoints": None if mean is None else MILLIPOINTS * mean,
            "millipoints_interval": None
            if self.interval is None
            else [MILLIPOINTS * end for end in self.interval],
            "pr": None if mean is None else performance(mean),
            **{word.replace(" ", "_"): count for (word, _), count in zip(GRADES, self.graded, strict=True)},
            "luck": self.luck,
        }


def tally_of(turns: Iterable[GradedTurn]) -> Tally:
    """The sums over those turns."""
    every = list(turns)
    decisions = [turn for turn in every if turn.is_decision]
    words = [turn.grade for turn in decisions]
    losses = np.array([turn.loss or 0.0 for turn in decisions])
    return Tally(
        turns=len(every),
        decisions=len(decisions),
        lost=math.fsum(losses),
        graded=tuple(words.count(word) for word, _ in GRADES),
        luck=math.fsum(turn.judged.luck for turn in every),
        interval=mean_interval(losses).interval if len(losses) > 1 else None,
    )


@dataclass(frozen=True)
class Analysis:
    """Everything that is said about some files."""

    sources: tuple[Source, ...]
    model: str
    """How the judge was named."""
    hash: str
    net: str
    """Its shape."""
    plies: int
    skipped: tuple[tuple[str, str], ...]
    """Files that could not be read, with the reason."""
    version: str

    @property
    def game(self) -> Game:
        """The rules of the first file."""
        return self.sources[0].game

    @property
    def games(self) -> list[tuple[Source, AnalysedGame]]:
        """Every game with its file."""
        return [(source, game) for source in self.sources for game in source.games]

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody who played, in the order in which they appear."""
        return tuple(dict.fromkeys(label for _, game in self.games for label in game.labels))

    @property
    def faults(self) -> list[tuple[Source, AnalysedGame, str]]:
        """What is wrong in records that were read."""
        return [(source, game, fault) for source, game in self.games for fault in game.faults]

    def turns_of(self, player: str) -> Iterator[GradedTurn]:
        """All throws of a player."""
        for _, game in self.games:
            if player in game.labels:
                yield from (turn for turn in game.turns if game.labels[turn.player] == player)

    def tally(self, player: str, kind: str | None = None) -> Tally:
        """The sums of a player, over all positions or those of one class."""
        return tally_of(turn for turn in self.turns_of(player) if kind in (None, turn.kind))

    def cube_tally(self, player: str) -> CubeTally:
        """The sums of a player's cube decisions."""
        return cube_tally(
            cube
            for _, game in self.games
            for cube in game.cubes
            if game.labels[cube.turn.player] == player
        )

    @property
    def cubes_unjudged(self) -> dict[str, int]:
        """Why cube decisions could not be judged, and how many."""
        found: Counter[str] = Counter()
        for _, game in self.games:
            if game.unjudged and game.cubes:
                found[game.unjudged] += len(game.cubes)
        return dict(found)

    @property
    def wrong_cubes(self) -> list[tuple[Source, AnalysedGame, GradedCube]]:
        """The cube decisions that lost as much as graded plays do, worst first."""
        found = [(source, game, cube) for source, game in self.games for cube in game.cubes if cube.grade]
        return sorted(found, key=lambda entry: -(entry[2].judged.loss if entry[2].judged else 0.0))

    def worst(self, most: int) -> list[tuple[Source, AnalysedGame, GradedTurn]]:
        """The turns that lost most among the graded ones, worst first."""
        found = [
            (source, game, turn) for source, game in self.games for turn in game.turns if turn.grade
        ]
        found.sort(key=lambda entry: -(entry[2].loss or 0.0))
        return found[:most]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: all in points (`unit`), luck and equities for the player who throws."""
        return {
            "format": FORMAT,
            "kind": "nardy-ai analysis",
            "version": self.version,
            "judge": {"name": self.model, "hash": self.hash, "net": self.net, "plies": self.plies},
            "unit": "points, cubeless and for money; millipoints a decision; pr = 500 x points a decision; "
            "cube: points of the stake before the double",
            "thresholds": dict(GRADES),
            "players": [self._player_as_dict(player) for player in self.players],
            "files": [
                {
                    "file": source.name,
                    "game": source.game.name,
                    "length": source.length,
                    "games": [game.as_dict(source.game.outcomes) for game in source.games],
                }
                for source in self.sources
            ],
            "skipped": [{"file": file, "reason": reason} for file, reason in self.skipped],
        }

    def _player_as_dict(self, player: str) -> dict[str, Any]:
        every = self.tally(player)
        kinds = sorted({turn.kind for turn in self.turns_of(player)})
        return {
            "name": player,
            **every.as_dict(),
            "rating": (rating(self.game, every.mean) or None) if every.mean is not None else None,
            "cube": self.cube_tally(player).as_dict(),
            "classes": {kind: self.tally(player, kind).as_dict() for kind in kinds},
        }
