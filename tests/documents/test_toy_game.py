"""A game that exists in docs/rules.md alone: the reader's profile file is all that it needs."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from command_line import nardy_here
from comparison import differences
from documents.document import blocks_of
from reference.positions import Position as ReferencePosition

import nardy_ai as nardy
from nardy_ai.models.model_file import read_model
from nardy_ai.rules import Game


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a reader has copied out of the page, training made shorter, and nothing else."""
    for block in blocks_of("rules.md"):
        if block.what.startswith("file: "):
            text = re.sub(r"rounds = \d+", "rounds = 40", block.text)
            text = re.sub(r"pairs = \d+", "pairs = 40", text) + "\n"
            (tmp_path / block.what.removeprefix("file: ")).write_text(
                text.replace('game = "sprint.toml"\n', 'game = "sprint.toml"\ntensorboard = false\n')
            )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def random_positions(game: Game, games: int) -> list[ReferencePosition]:
    found = []
    for seed in range(games):
        rng, position = random.Random(seed), game.start()
        while not position.finished:
            board = tuple(tuple(row) for row in position.board.tolist())
            found.append(ReferencePosition(board, position.seat, position.turns))
            position = rng.choice(game.plays(position, (rng.randint(1, 6), rng.randint(1, 6)))).position
    return found


def test_its_plays_are_those_of_the_slow_reference(reader: Path) -> None:
    game = Game("sprint.toml")
    options = {**game.core_rules.options, "start": game.profile.rules.start}
    assert differences(options, random_positions(game, 5)) == []


def test_it_is_played_trained_measured_and_taken_elsewhere(
    reader: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in (
        ["rules", "sprint.toml", "--json"],
        ["train", "sprint-training.toml", "--json"],
        ["match", "runs/sprint-training/model.safetensors", "random", "--pairs", "20", "--json"],
    ):
        ran = nardy_here(capsys, *words)
        assert ran.code == 0, ran.err
    model = read_model(Path("runs/sprint-training/model.safetensors"))
    assert model.outcomes == ("win", "win_gammon", "lose", "lose_gammon")

    # Elsewhere, without the profile file, it plays the same games by the rules in the model file.
    path = (reader / "runs" / "sprint-training" / "model.safetensors").resolve()
    here = nardy.match(nardy.load(path), nardy.bot("random"), pairs=150, seed=3)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    there = nardy.match(nardy.load(path), nardy.bot("random"), pairs=150, seed=3)
    assert (there.ppg, there.outcomes) == (here.ppg, here.outcomes)
    # It has learned: by chance it would score 0.
    assert here.interval[0] > 0.2


def test_it_is_an_environment_too(reader: Path) -> None:
    pytest.importorskip("gymnasium")
    from envs.walking import differences_in_a_game

    from nardy_ai.envs import NardyEnv, raw_env

    assert [differences_in_a_game(raw_env("sprint.toml"), 5, number) for number in range(5)] == [[]] * 5
    env = NardyEnv("sprint.toml", "greedy")
    seen, _ = env.reset(seed=1)
    assert int(np.asarray(seen["observation"][:26]).sum()) == 5
