"""Losses beside those that GNU Backgammon finds in the same file, both looking two turns ahead."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import REPOSITORY
from gnubg_program import run_gnubg
from self_played import self_played

from nardy_ai.bots import load
from nardy_ai.evaluation.analysis import analyse
from nardy_ai.rules import Game, read_mat_games, write_mat

ANALYSIS = """
for command in (
    "set analysis cube off", "set analysis luck off", "set analysis chequerplay type evaluation",
    "set analysis chequerplay evaluation plies PLIES", "set analysis chequerplay evaluation cubeful off",
    "set analysis chequerplay evaluation prune on",
):
    gnubg.command(command)
gnubg.command('import mat "FILE"')
gnubg.command("analyse match")
told = []
for game in gnubg.match(analysis=1, boards=0)["games"]:
    for part in game["game"]:
        if part["action"] == "move":
            found = part.get("analysis", {})
            scores = [play["score"] for play in found.get("moves", [])]
            told.append([sorted(part["dice"]), scores, found.get("imove")])
answer(told)
"""


def correlation(folder: Path, games: int, plies: int, seed: int) -> tuple[float, int]:
    """Of the losses in all decisions, and their number."""
    judge = load(REPOSITORY / "checkpoints" / "short.safetensors")
    # A weaker net than the judge errs by itself, and every game holds plays that lose a little or a lot.
    player = load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    file, _ = self_played(player.model, Game("short"), games, seed, planted=8, least=0.03)
    path = folder / "match.mat"
    write_mat(path, file)
    found = analyse([("match.mat", read_mat_games(path))], judge, plies=plies, progress=False)
    turns = [turn for _, game in found.games for turn in game.turns]
    (told,) = run_gnubg(ANALYSIS.replace("PLIES", str(plies)).replace("FILE", str(path)), folder, 900)
    assert [sorted(turn.dice) for turn in turns] == [dice for dice, _, _ in told]
    pairs = [
        (turn.loss, max(scores) - scores[made])
        for turn, (_, scores, made) in zip(turns, told, strict=True)
        if turn.is_decision and len(scores) > 1 and made is not None
    ]
    assert len(pairs) == sum(turn.is_decision for turn in turns)
    (folder / "losses.json").write_text(json.dumps(pairs), encoding="utf-8")
    return float(np.corrcoef(np.array(pairs), rowvar=False)[0, 1]), len(pairs)


def test_losses_without_look_ahead_are_near_those_of_gnubg(tmp_path: Path) -> None:
    found, count = correlation(tmp_path, games=3, plies=0, seed=5)
    assert count > 100
    assert found > 0.9


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_losses_at_two_plies_correlate_with_those_of_gnubg(tmp_path: Path) -> None:
    found, count = correlation(tmp_path, games=10, plies=2, seed=5)
    print(f"correlation {found:.4f} over {count} decisions")
    assert count > 400
    assert found >= 0.9
