"""How a training run is measured: a match of its model against an opponent of the config."""

from __future__ import annotations

from pathlib import Path

from nardy_ai.bots import NetBot, bot
from nardy_ai.evaluation import match
from nardy_ai.evaluation.sequential import SequentialTest
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.model_file import Strength
from nardy_ai.rules import Game
from nardy_ai.training.config import Opponent, TrainingConfig

__all__ = ["check_opponents", "gate", "judge"]


def judge(evaluator: Evaluator, opponent: Opponent) -> Strength:
    """Plays the opponent's pairs; points and interval are the model's."""
    game = evaluator.game
    own = NetBot(evaluator.model, game, name="the model")
    result = match(own, bot(opponent.bot, game), game, opponent.pairs, opponent.seed, progress=False)
    low, high = result.interval or (result.ppg, result.ppg)
    return Strength(
        opponent=opponent.bot,
        game=game.name,
        pairs=result.pairs,
        seed=opponent.seed,
        ppg=result.ppg,
        low=low,
        high=high,
        wins=result.wins,
    )


def gate(evaluator: Evaluator, best: Path, points: float, pairs: int) -> tuple[bool, int]:
    """Tests the model against the best so far: is it better by `points` a game, rather than equal?"""
    game = evaluator.game
    own = NetBot(evaluator.model, game, name="the model")
    test = SequentialTest(0.0, points)
    result = match(own, bot(str(best), game), game, pairs, progress=False, test=test)
    return result.verdict is not None and result.verdict.decision == "accepted", result.pairs


def check_opponents(config: TrainingConfig) -> None:
    """Raises `InputError` where the game or an opponent does not exist, or can't play the game."""
    game = Game(config.game)
    for opponent in config.opponents:
        bot(opponent.bot, game)
