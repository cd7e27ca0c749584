"""The worst decisions of a policy: each against the solution, and all together against the exact loss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from untrained import untrained_model

from nardy_ai.bots import bot, load
from nardy_ai.evaluation.policy_decisions import sampled_losses
from nardy_ai.evaluation.policy_loss import policy_loss
from nardy_ai.evaluation.truth import Solution, solve
from nardy_ai.rules import Game


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NARDY_CACHE", str(folder))
        yield folder


def solution(name: str) -> Solution:
    return solve(Game(name), threads=1, progress=False)


@pytest.mark.parametrize(
    ("name", "games"),
    [("long with 2", 20), ("long/any_double with 2", 40), ("short/hypergammon with 1", 400)],
)
def test_every_wrong_play_by_the_solution(name: str, games: int) -> None:
    truth = solution(name)
    found = sampled_losses(truth, bot("random"), games=games, seed=3, worst=150)
    assert found.games == games
    assert 5 <= len(found.worst) <= 150
    assert [wrong.lost for wrong in found.worst] == sorted((w.lost for w in found.worst), reverse=True)
    for wrong in found.worst:
        left = {
            play.notation: truth.equity(play.position)
            if not play.position.finished
            else _ended(play.position)
            for play in truth.game.plays(wrong.position, wrong.dice)
        }
        assert left[wrong.best.notation] == pytest.approx(min(left.values()), abs=1e-9)
        assert wrong.lost == pytest.approx(left[wrong.chosen.notation] - min(left.values()), abs=1e-9)
        assert wrong.times >= 1
    assert len({(wrong.position, wrong.dice, wrong.chosen) for wrong in found.worst}) == len(found.worst)


def _ended(pos: object) -> float:
    names, points = pos.game.outcomes, pos.game.points  # type: ignore[attr-defined]
    return points[names.index(pos.result)]  # type: ignore[attr-defined]


def test_sampled_games_agree_with_the_exact_loss(tmp_path: Path) -> None:
    """The dice are fixed, so this holds or it does not."""
    truth = solution("long with 2")
    player = load(untrained_model("long with 2", tmp_path / "model.safetensors"))
    exact = policy_loss(
        truth, lambda boards, seats: player.evaluate_boards(boards, seats)[1], threads=1, progress=False
    )
    found = sampled_losses(truth, player, games=3000, seed=1, worst=1)
    assert exact.points_per_game > 0.05
    assert found.lost == pytest.approx(exact.points_per_game, rel=0.06)
    assert found.decisions / found.games == pytest.approx(exact.decisions, rel=0.03)


def test_perfect_play_has_no_worst_decisions() -> None:
    """With one checker of long nardy nothing is ever to be decided."""
    found = sampled_losses(solution("long with 1"), bot("random"), games=10, seed=1, worst=5)
    assert found.worst == ()
    assert found.lost == found.decisions == 0
