"""The recipes in configs/: all can be read, and that of a solved game comes near perfect play."""

import time
from pathlib import Path

import pytest

from nardy_ai.bots import load
from nardy_ai.evaluation.policy_loss import policy_loss
from nardy_ai.evaluation.truth import solve
from nardy_ai.training.beginning import prepared
from nardy_ai.training.config import read_config
from nardy_ai.training.loop import train

CONFIGS = Path(__file__).parents[2] / "configs"
RECIPES = sorted(path.name for path in CONFIGS.glob("*.toml"))


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_one_that_can_be_trained(name: str) -> None:
    config, game = prepared(read_config(CONFIGS / name))
    assert config.rounds > 100
    assert game.family == ("long" if name.startswith("long") else "short")


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_the_recipe_of_a_solved_game_comes_near_perfect_play(tmp_path: Path) -> None:
    """Within 0.010 points a game of perfect play, exactly, for at most 600 CPU seconds."""
    begun = time.process_time()
    result = train(read_config(CONFIGS / "long-3.toml"), tmp_path / "run", workers=1, progress=False)
    spent = time.process_time() - begun
    assert result.model is not None
    bot = load(str(result.model))
    loss = policy_loss(solve(bot.game), lambda boards, seats: bot.evaluate_boards(boards, seats)[1])
    print(f"\n{loss.points_per_game:.5f} points a game, {result.games:,} games, {spent:.0f} CPU s")
    assert loss.points_per_game <= 0.010
    assert spent <= 600
