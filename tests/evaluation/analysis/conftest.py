"""Twenty self-played games of each kind with plays put in on purpose, read back from their `.mat` text."""

from __future__ import annotations

import pytest
from command_line import REPOSITORY
from self_played import Played, self_played

from nardy_ai.bots import load
from nardy_ai.evaluation.analysis import analyse
from nardy_ai.rules import Game, games_of_text, mat_text

GAMES = 20


@pytest.fixture(scope="session", params=["short", "long"])
def played(request: pytest.FixtureRequest) -> Played:
    bot = load(REPOSITORY / "checkpoints" / f"{request.param}-quick.safetensors")
    file, planted = self_played(bot.model, Game(request.param), GAMES, seed=5)
    text = mat_text(file)
    games = games_of_text(text)
    return Played(bot, text, games, planted, analyse([("played.mat", games)], bot, progress=False))
