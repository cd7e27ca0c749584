"""What plays are worth: the two halves, the errors, and who gets trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_nets import random_model

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.evaluation.decisions.worths import (
    ESTIMATED,
    PlayJudge,
    PlayWorths,
    Trials,
    halves_of,
    losses_of,
    stratified_error,
)
from nardy_ai.rules import Game, Position

SHORT = Game("short")


# --- the two halves -------------------------------------------------------------------------------------


def test_losses_by_hand() -> None:
    # By the first half play 1 is the best (0.5), by the second play 0 (0.3): valued by the other halves
    # they are worth 0.1 and 0.4, so the best is worth 0.25.
    worths = np.array([[0.4, 0.3], [0.5, 0.1], [-1.0, -0.8]])
    losses, best = losses_of(worths, np.array([72, 72, 72]))
    assert losses == pytest.approx([0.25 - 0.35, 0.25 - 0.3, 0.25 + 0.9])
    assert best == 0


def test_plays_of_fewer_trials_are_never_the_best() -> None:
    worths = np.array([[0.9, 0.9], [0.5, 0.1], [0.4, 0.3]])
    losses, best = losses_of(worths, np.array([72, 144, 144]))
    assert losses == pytest.approx([0.25 - 0.9, 0.25 - 0.3, 0.25 - 0.35])
    assert best == 2


def test_estimates_compete_where_nothing_was_rolled_out() -> None:
    losses, best = losses_of(np.array([[0.2, 0.2], [0.5, 0.5]]), np.zeros(2, np.int64))
    assert losses == pytest.approx([0.3, 0.0])
    assert best == 1


@pytest.mark.parametrize("truth", [[0.0] * 6, [0.0, -0.02, -0.05, -0.3], [0.0, -4.0]])
def test_the_winners_curse_is_not_in_the_losses(truth: list[float]) -> None:
    """Plays of known worth, judged with noise: who takes the highest mean for the best overrates it."""
    rng = np.random.default_rng(1)
    known, noise, count = np.array(truth), 0.1, 20_000
    shown = known[:, None] + noise * rng.normal(size=(count, len(known), 2))
    trials = np.full(len(known), 72)
    valued = np.array([losses_of(one, trials)[0] + one.mean(axis=1) for one in shown[:4000]])[:, 0]
    picked = known[shown[:4000].argmax(axis=1)].mean()
    error = 4 * valued.std() / np.sqrt(len(valued))
    # Right on average for the play that is picked, which is at best the best.
    assert valued.mean() == pytest.approx(picked, abs=error)
    assert valued.mean() <= error
    naive = shown.mean(axis=2).max(axis=1).mean()
    if truth[1] == 0:
        assert naive > 0.08
    if truth[1] == -4:
        assert valued.mean() == pytest.approx(0, abs=error)


# --- errors ---------------------------------------------------------------------------------------------


def test_the_spread_among_first_rolls_is_no_error() -> None:
    first_rolls = np.tile(np.arange(36.0), (4, 1))
    assert stratified_error(first_rolls) == 0
    # Two blocks, each column 0 and 2: variance 2 a column, so 36 * 2 / 2 = 36, its root 6, over 36.
    assert stratified_error(np.stack([np.zeros(36), np.full(36, 2.0)])) == pytest.approx(1 / 6)


def test_the_error_is_what_repeated_rollouts_show() -> None:
    rng = np.random.default_rng(2)
    means, errors = [], []
    for _ in range(400):
        values = np.arange(36.0) + rng.normal(size=(6, 36))
        means.append(values.mean())
        errors.append(stratified_error(values))
    assert np.std(means) == pytest.approx(np.mean(errors), rel=0.12)


def test_halves_are_every_other_block() -> None:
    blocks = np.repeat(np.array([[1.0], [5.0], [3.0], [9.0]]), 36, axis=1)
    assert halves_of(blocks).tolist() == [2.0, 7.0]


# --- who gets trials ------------------------------------------------------------------------------------


def judged(
    pos: Position, dice: tuple[int, int], *, seed: int = 5, **words: Any
) -> tuple[PlayWorths, core.Search]:
    model = random_model(pos.game.core_rules, [16], 3)
    terms = {"truncate": 3, "least": 144, "most": 288, "margin": 0.3, **words}
    return PlayJudge(model, Trials(**terms)).judge(pos, dice, seed), core.Search(model, core.NO_FILTERS)


def direct(search: core.Search, pos: Position, board: Any, trials: int, seed: int = 5) -> Any:
    """float64 [blocks, 36]: what the same trials of one play show for the mover, asked for in one go."""
    after = pos.after(board)
    outcomes, _ = search.rollout(
        after.board, after.seat, after.turns, seed=seed, first_trial=0, trials=trials, truncate=3
    )
    return -(outcomes @ np.array(pos.game.points)).reshape(-1, 36)


def test_worths_are_means_of_the_plays_own_trials() -> None:
    pos = SHORT.start()
    found, search = judged(pos, (3, 1), target=0.02)
    boards = sorted((play.board for play in SHORT.plays(pos, (3, 1))), key=lambda board: board.tobytes())
    most = found.trials.max()
    assert most >= 144
    checked = 0
    for place in np.flatnonzero(found.trials == most):
        values = direct(search, pos, boards[place], int(most))
        assert found.worths[place] == pytest.approx(halves_of(values))
        assert found.errors[place, 0] == pytest.approx(stratified_error(values))
        checked += 1
    assert checked > 1
    best = int(np.where(found.trials == most, found.worths.mean(axis=1), -9).argmax())
    assert found.errors[best, 1] == 0
    assert found.played == found.trials.sum()


def test_a_play_that_was_dropped_is_told_by_its_difference_to_the_best() -> None:
    pos = SHORT.start()
    found, search = judged(pos, (4, 1), target=0.008, most=8000)
    boards = sorted((play.board for play in SHORT.plays(pos, (4, 1))), key=lambda board: board.tobytes())
    most = int(found.trials.max())
    best = int(np.where(found.trials == most, found.worths.mean(axis=1), -9).argmax())
    dropped = np.flatnonzero((found.trials > 0) & (found.trials < most))
    assert len(dropped)
    top = direct(search, pos, boards[best], most)
    for place in dropped:
        behind = top[: found.trials[place] // 36] - direct(
            search, pos, boards[place], int(found.trials[place])
        )
        assert found.worths[place] == pytest.approx(halves_of(top) - halves_of(behind))
        assert found.errors[place, 1] == pytest.approx(stratified_error(behind))


def test_plays_far_behind_are_estimated_beside_the_best() -> None:
    pos = SHORT.start()
    found, search = judged(pos, (4, 1))
    estimated = np.flatnonzero(found.trials == 0)
    assert len(estimated)
    assert (found.errors[estimated] == ESTIMATED).all()
    assert (found.worths[estimated, 0] < found.worths[found.trials > 0].mean(axis=1).max() - 0.1).all()
    boards, _, _, equities, _ = search.rank(pos.board, 4, 1, 0, 0, plies=1)
    by_board = {board.tobytes(): float(worth) for board, worth in zip(boards, equities, strict=True)}
    order = sorted(by_board)
    best = int(np.where(found.errors[:, 1] == 0, found.worths.mean(axis=1), -9).argmax())
    for place in estimated:
        gap = by_board[order[best]] - by_board[order[place]]
        assert found.worths[best] - found.worths[place] == pytest.approx([gap, gap])


def test_a_play_without_a_rival_needs_no_trials() -> None:
    found, _ = judged(SHORT.start(), (3, 1), margin=1e-9)
    assert found.trials.sum() == found.played == found.close == found.compared == 0
    assert (found.worths[:, 0] == found.worths[:, 1]).all()
    assert found.errors[int(found.worths[:, 0].argmax()), 1] == 0


def test_close_plays_get_trials_until_their_difference_is_known() -> None:
    rough, _ = judged(SHORT.start(), (4, 1), target=0.05, most=4000)
    fine, _ = judged(SHORT.start(), (4, 1), target=0.008, most=8000, dropped_at=100.0)
    assert fine.trials.max() > rough.trials.max()
    assert fine.close_met == fine.close == 7
    assert np.sort(fine.errors[:, 1])[-7:].max() <= 0.008
    never, _ = judged(SHORT.start(), (4, 1), target=1e-9, dropped_at=100.0)
    assert (never.close, never.close_met) == (7, 0)
    assert never.trials.max() == 288


def test_a_play_that_ends_the_game_is_known() -> None:
    """Both checkers off win at once; taking one off alone leaves the other side a roll."""
    game = Game("short/hypergammon")
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 3, 25]] = 1
    board[1, 1], board[1, 25] = 2, 1
    found, _ = judged(game.position(board), (4, 1), margin=100.0)
    assert len(found.worths) == 2
    won = int(found.worths.mean(axis=1).argmax())
    assert found.worths[won].tolist() == [1.0, 1.0]
    assert found.errors[won].tolist() == [0.0, 0.0]
    assert found.trials.min() >= 144


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"truncate": 0}, "truncate is 0"),
        ({"keep": 1}, "keep is 1"),
        ({"most": 100, "least": 200}, "most trials are 100"),
        ({"target": 0.0}, r"target is 0\.0"),
        ({"margin": float("nan")}, "margin is nan"),
        ({"plies": 4}, "plies cannot be 4"),
    ],
)
def test_bad_input(words: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Trials(**words)


def test_trials_are_rounded_up_to_two_whole_halves() -> None:
    assert (Trials(least=1, most=1).least_blocks, Trials(least=1, most=1).most_blocks) == (2, 2)
    assert (Trials(least=145).least_blocks, Trials(most=2593).most_blocks) == (6, 74)
