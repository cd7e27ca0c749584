"""How a training run is measured: a match of its model against an opponent of the config."""

from __future__ import annotations

from nardy_ai.bots import NetBot, bot
from nardy_ai.evaluation import match
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.model_file import Strength
from nardy_ai.rules import Game
from nardy_ai.training.config import Opponent, TrainingConfig

__all__ = ["check_opponents", "judge"]


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


def check_opponents(config: TrainingConfig) -> None:
    """Raises `InputError` where the game or an opponent does not exist, or can't play the game."""
    game = Game(config.game)
    for opponent in config.opponents:
        bot(opponent.bot, game)
