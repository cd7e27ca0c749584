"""The native evaluator: other profiles, other games, seats, ranking; and all of it without PyTorch."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.rules import Game


def boards_of(evaluator: Evaluator, games: int = 4) -> tuple[np.ndarray, np.ndarray]:
    played = core.self_play(evaluator.native, evaluator.rules, 1, 0, games)
    return played["boards"], played["seats"]


def test_equity_is_the_sum_of_outcomes_times_points(tmp_path: Path) -> None:
    evaluator = Evaluator.load(untrained_model("short", tmp_path / "m.safetensors"))
    boards, seats = boards_of(evaluator)
    outcomes, equity = evaluator.evaluate_boards(boards, seats)
    assert outcomes.shape == (len(boards), 6)
    np.testing.assert_allclose(outcomes.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(outcomes @ np.array([1, 2, 3, -1, -2, -3]), equity, atol=1e-5)


def test_seats_are_demanded_where_they_count(tmp_path: Path) -> None:
    fns = Evaluator.load(untrained_model("long", tmp_path / "m.safetensors"))
    boards, _ = boards_of(fns)
    with pytest.raises(InputError, match="seats are needed"):
        fns.evaluate_boards(boards)
    short = Evaluator.load(untrained_model("short", tmp_path / "s.safetensors"))
    boards, _ = boards_of(short)
    assert (short.net(boards)[1] == short.net(boards, np.ones(len(boards), np.uint8))[1]).all()


def test_a_finished_board_is_judged_by_rule_and_not_by_the_net(tmp_path: Path) -> None:
    evaluator = Evaluator.load(untrained_model("short", tmp_path / "m.safetensors"))
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, 0], board[0, 0, 25], board[0, 1, 25] = 1, 14, 15
    outcomes, equity = evaluator.evaluate_boards(board, np.zeros(1, np.uint8))
    assert outcomes[0].tolist() == [0, 0, 0, 1, 0, 0]
    assert equity[0] == -1


def test_ranked_plays_are_all_plays_best_first(tmp_path: Path) -> None:
    evaluator = Evaluator.load(untrained_model("short", tmp_path / "m.safetensors"))
    start = core.start_board(evaluator.rules)
    boards, moves, outcomes, equity = evaluator.rank(start, (3, 1), 0, 0)
    legal = evaluator.game.legal_boards(start, (3, 1), seat=0, turns=0)
    assert {b.tobytes() for b in boards} == {b.tobytes() for b in legal}
    assert (np.diff(equity) <= 0).all()
    assert len(moves) == len(boards) == len(outcomes) == 16
    theirs = -evaluator.evaluate_boards(boards[:, ::-1].copy(), np.ones(16, np.uint8))[1]
    np.testing.assert_allclose(theirs, equity, atol=1e-6)


def test_another_profile_of_the_game_counts_by_its_own_points(tmp_path: Path) -> None:
    """Portes has no triple: what the model calls a backgammon counts as a gammon."""
    path = untrained_model("short", tmp_path / "m.safetensors")
    own, portes = Evaluator.load(path), Evaluator.load(path, Game("short/portes"))
    boards, seats = boards_of(own)
    ours, theirs = own.net(boards, seats)[0], portes.net(boards, seats)[0]
    assert portes.outcomes == ("win", "win_gammon", "lose", "lose_gammon")
    assert ours[:, 2].max() > 0.01
    folded = np.stack([ours[:, 0], ours[:, 1] + ours[:, 2], ours[:, 3], ours[:, 4] + ours[:, 5]], axis=1)
    np.testing.assert_allclose(theirs, folded, atol=1e-6)


def test_a_profile_without_draws_takes_the_rest_of_the_model(tmp_path: Path) -> None:
    path = untrained_model("long", tmp_path / "m.safetensors")
    own, classic = Evaluator.load(path), Evaluator.load(path, Game("long/classic"))
    boards, seats = boards_of(own)
    ours, theirs = own.net(boards, seats)[0], classic.net(boards, seats)[0]
    assert classic.outcomes == ("win", "win_mars", "lose", "lose_mars")
    rest = ours[:, :4] / ours[:, :4].sum(axis=1, keepdims=True)
    possible = ~np.asarray(core.impossible(classic.rules, boards, seats), bool)
    same = possible.sum(axis=1) == 4
    assert same.any()
    np.testing.assert_allclose(theirs[same], rest[same], atol=1e-5)


def test_an_outcome_that_only_the_profile_knows_never_happens(tmp_path: Path) -> None:
    path = untrained_model("long/classic", tmp_path / "m.safetensors")
    fns = Evaluator.load(path, Game("long/fns"))
    boards, seats = boards_of(fns)
    assert (fns.net(boards, seats)[0][:, fns.outcomes.index("draw")] == 0).all()


def test_a_model_of_another_game_is_refused(tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "m.safetensors")
    with pytest.raises(InputError, match="is a model of short nardy and can't judge long/fns") as caught:
        Evaluator.load(path, Game("long"))
    assert str(path) in str(caught.value)


def test_no_torch_is_needed(tmp_path: Path) -> None:
    path = untrained_model("long", tmp_path / "m.safetensors")
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from nardy_ai.models.evaluator import Evaluator\n"
        "import numpy as np\n"
        "e = Evaluator.load(sys.argv[1])\n"
        "print(e.net(e.game.start().board[None], np.zeros(1, np.uint8))[1].shape)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() == "(1,)", ran.stderr
