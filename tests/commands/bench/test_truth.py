"""What `nardy bench truth` reports, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import REPOSITORY, nardy, nardy_here
from untrained import untrained_model

from nardy_ai.bots import load
from nardy_ai.evaluation.policy_loss import policy_loss
from nardy_ai.evaluation.truth import solve
from nardy_ai.rules import Game
from nardy_ai.training.config import read_config


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An untrained model of hypergammon with one checker, and a cache folder of its own."""
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path / "cache"))
    return untrained_model("short/hypergammon with 1", tmp_path / "small.safetensors")


def test_the_exact_loss(model: Path) -> None:
    ran = nardy("bench", "truth", model, "--json", "--games", "40", "--threads", "1")
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    player = load(model)
    exact = policy_loss(
        solve(player.game, progress=False),
        lambda boards, seats: player.evaluate_boards(boards, seats)[1],
        progress=False,
    )
    assert report["points_per_game"] == exact.points_per_game > 0
    assert report["as_first"] == exact.as_first
    assert report["per_decision"] == exact.per_decision
    assert report["bot"]["hash"] == player.fingerprint
    assert report["game"] == "short/hypergammon with 1"
    assert report["shown"]["worst"][0]["lost"] > 0
    text = nardy("bench", "truth", model, "--games", "40", "--threads", "2")
    assert f"{exact.points_per_game:.5f} points" in text.out
    assert "worst decisions of 40 games" in text.out
    assert "┌" in text.out


def test_bad_input(capsys: pytest.CaptureFixture[str], model: Path, long_model: Path) -> None:
    for words, said in (
        ((long_model,), "has 15 checkers a side"),
        ((f"{model}:1",), "judges the net alone"),
        (("missing.safetensors",), "missing.safetensors"),
        ((model, "--games", "0"), "games is 0"),
        ((model, "--seed", "-1"), "seed is -1"),
        ((model, "--threads", "0"), "threads is 0"),
        ((model, "--game", "long with 1"), "long"),
    ):
        ran = nardy_here(capsys, "bench", "truth", *words)
        assert ran.is_bad_input(), ran
        assert said in ran.err, ran.err
    ran = nardy("bench", "truth")
    assert ran.is_bad_input(), ran
    assert "MODEL is missing" in ran.err


@pytest.mark.parametrize("recipe", ["long-3", "hypergammon"])
def test_the_recipes_train_games_that_are_solved(recipe: str) -> None:
    config = read_config(REPOSITORY / "configs" / f"{recipe}.toml")
    assert Game(config.game).checkers == 3
