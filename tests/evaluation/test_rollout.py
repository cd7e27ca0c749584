"""Rollouts: errors that are true, samples that are refused, and results that depend on nothing else."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from pip_nets import pip_layers
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.bots import NetBot
from nardy_ai.bots.net_bot import load
from nardy_ai.core import InputError
from nardy_ai.evaluation import RolloutInterrupted, RolloutResult, ZeroVariance, rollout
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game, Position


def pip_bot(profile: str) -> NetBot:
    game = Game(profile)
    rules = game.core_rules
    return NetBot(
        ModelFile(
            game=rules.family,
            profile=game.name,
            rules=rules.options,
            encoding=core.encoding_name(rules),
            outcomes=rules.outcomes,
            nets={"contact": pip_layers(rules, 0.12)},
        )
    )


BOTS = {profile: pip_bot(profile) for profile in ("long", "short")}


def race(profile: str, mine: dict[int, int], his: dict[int, int], seat: int = 0) -> Position:
    board = np.zeros((2, 26), np.int8)
    for row, points in enumerate((mine, his)):
        for point, count in points.items():
            board[row, point - 1] = count
        board[row, 25] = 15 - sum(points.values())
    return Game(profile).position(board, seat=seat, turns=3)


@pytest.mark.parametrize("profile", BOTS)
def test_the_result_is_the_mean_of_its_trials_and_its_error_that_of_strata(profile: str) -> None:
    bot, pos = BOTS[profile], race(profile, {6: 4, 5: 4, 4: 3}, {6: 5, 5: 3, 4: 4})
    result = rollout(bot, pos, 360, seed=4, threads=1)
    model = bot.player(pos.game).model
    assert model is not None
    values, counts = core.Search(model).rollout(pos.board, pos.seat, 3, seed=4, first_trial=0, trials=360)
    equity = values @ np.array(pos.game.points)
    assert result.trials == 360
    assert result.turns == counts["turns"] / 360
    np.testing.assert_allclose(list(result.outcomes.values()), values.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(result.equity, equity.mean(), atol=1e-12)
    strata = equity.reshape(10, 36).var(axis=0, ddof=1)
    np.testing.assert_allclose(result.equity_error, np.sqrt(strata.sum() / 10) / 36, rtol=1e-9)
    first = values[:, 0].reshape(10, 36).var(axis=0, ddof=1)
    np.testing.assert_allclose(next(iter(result.errors.values())), np.sqrt(first.sum() / 10) / 36, rtol=1e-9)
    assert abs(sum(result.outcomes.values()) - 1) < 1e-6
    assert result.interval[0] < result.equity < result.interval[1]
    # Half the error for four times the trials.
    more = rollout(bot, pos, 1440, seed=4, threads=1)
    assert 0.4 < more.equity_error / result.equity_error < 0.6


@pytest.mark.parametrize("truncate", [None, 3])
@pytest.mark.parametrize("error", [None, 0.02])
def test_threads_make_no_difference(error: float | None, truncate: int | None) -> None:
    pos = race("short", {6: 5, 5: 4, 3: 4}, {6: 4, 4: 4, 2: 4})
    results = [
        rollout(BOTS["short"], pos, 2000, seed=2, threads=threads, error=error, truncate=truncate)
        for threads in (1, 2, 5)
    ]
    assert results[0] == results[1] == results[2]
    assert results[0].trials == 2016 if error is None else 144 <= results[0].trials < 2016
    assert rollout(BOTS["short"], pos, 72, seed=3).equity != rollout(BOTS["short"], pos, 72, seed=2).equity


def test_it_stops_once_the_error_is_small_enough() -> None:
    pos = race("long", {6: 5, 5: 4, 3: 4}, {6: 4, 4: 4, 2: 4})
    result = rollout(BOTS["long"], pos, 36000, error=0.03)
    assert result.equity_error <= 0.03
    assert 144 <= result.trials < 36000
    # One block earlier it was not, unless the fewest trials are what it took.
    if result.trials > 144:
        assert rollout(BOTS["long"], pos, result.trials - 36).equity_error > 0.03


def test_a_finished_game_is_known_and_nothing_is_played() -> None:
    pos = race("short", {3: 2, 25 - 2: 2}, {}, seat=0)
    result = rollout(BOTS["short"], pos)
    assert (result.trials, result.exact, result.equity, result.equity_error) == (0, True, -1.0, 0.0)
    assert result.outcomes["lose"] == 1


@pytest.mark.parametrize("plies", [0, 1])
def test_certain_positions_are_exactly_known(plies: int) -> None:
    """Off in two turns at most, while the other side cannot clear the home that it stands in."""
    board = np.zeros((2, 26), np.int8)
    board[0, 0], board[0, 25], board[1, 19] = 4, 11, 15
    result = rollout(BOTS["short"], Game("short").position(board), 72, plies=plies, take_luck=False)
    assert result.exact
    assert result.outcomes["win_backgammon"] == 1
    assert result.equity == 3
    assert result.equity_error == 0.0
    assert result.interval == (result.equity, result.equity)
    assert "exactly known" in str(result)


def test_a_sample_without_variance_is_refused() -> None:
    """A closed board: whatever is thrown, the turn is passed, and the net says the same again and again."""
    board = np.zeros((2, 26), np.int8)
    board[0, 24], board[0, 5] = 1, 14
    board[1, :6], board[1, 7] = 2, 3
    closed = Game("short").position(board)
    for luck in (True, False):
        with pytest.raises(ZeroVariance, match="showed the same"):
            rollout(BOTS["short"], closed, 72, truncate=1, take_luck=luck)
    # One turn with the luck taken out is the 1-ply value each time, and no sample.
    with pytest.raises(ZeroVariance, match="play more turns"):
        rollout(BOTS["long"], Game("long").start(), 72, truncate=1)


@pytest.mark.parametrize("mine, his", [({6: 5, 5: 4, 3: 4}, {6: 4, 4: 4, 2: 4}), ({6: 2}, {1: 1})])
def test_a_fault_that_makes_every_trial_the_same_is_refused(
    monkeypatch: pytest.MonkeyPatch, mine: dict[int, int], his: dict[int, int]
) -> None:
    """Games that never started once printed a plausible mean."""
    pos = race("short", mine, his)

    def nothing_played(self: core.Search, *args: object, trials: int, **rest: object) -> object:
        return np.tile([0.6, 0.1, 0, 0.3, 0, 0], (trials, 1)), {"turns": 0, "truncated": 0, "cut": 0}

    monkeypatch.setattr(core.Search, "rollout", nothing_played)
    with pytest.raises(ZeroVariance):
        rollout(BOTS["short"], pos, 360)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_leaves_what_was_complete(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    pos = race("short", {6: 5, 5: 4, 3: 4}, {6: 4, 4: 4, 2: 4})
    whole = core.Search.rollout

    def stopped(self: core.Search, *args: object, first_trial: int, **rest: object) -> object:
        if first_trial >= 360:
            raise KeyboardInterrupt
        return whole(self, *args, first_trial=first_trial, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(core.Search, "rollout", stopped)
    with pytest.raises(RolloutInterrupted) as caught:
        rollout(BOTS["short"], pos, 720, threads=threads, error=1e-9)
    found = caught.value.result
    assert isinstance(found, RolloutResult)
    assert found.trials == 360 and found.unfinished == 360
    assert "not played" in str(found)
    monkeypatch.undo()
    same = rollout(BOTS["short"], pos, 360)
    assert dataclasses.replace(found, unfinished=0) == same
    with pytest.raises(RolloutInterrupted) as early:
        monkeypatch.setattr(core.Search, "rollout", stopped)
        monkeypatch.setattr(core.Search, "rollout", lambda *a, **k: stopped(a[0], first_trial=360))
        rollout(BOTS["short"], pos, 720, threads=threads)
    assert early.value.result is None


def test_rollouts_tell_good_positions_from_bad_ones_at_any_ply() -> None:
    ahead = race("short", {6: 2, 3: 2}, {6: 4, 5: 3, 4: 4})
    for plies in (0, 1):
        assert rollout(BOTS["short"], ahead, 144, plies=plies).equity > 0.8


def test_the_report_says_all_that_the_numbers_depend_on(tmp_path: Path) -> None:
    bot = load(untrained_model("long", tmp_path / "m.safetensors"))
    result = rollout(bot, Game("long").start(), 72, truncate=4, seed=9)
    report = json.loads(json.dumps(result.as_dict()))
    assert report["position"] == Game("long").start().key
    assert report["bot"] == {"name": bot.name, "hash": bot.fingerprint}
    assert (report["trials"], report["truncate"], report["seed"], report["plies"]) == (72, 4, 9, 0)
    assert list(report["outcomes"]) == list(report["errors"]) == list(bot.game.outcomes)
    text = str(result)
    for word in (bot.name, "72 trials", "4 turns", "seed 9", "luck taken out", "standard error", "95 %"):
        assert word in text


def test_bad_input_is_said_in_one_sentence() -> None:
    bot, pos = BOTS["short"], Game("short").start()
    for name, value in (("trials", 0), ("truncate", 0), ("threads", 0), ("seed", -1), ("trials", 1.5)):
        with pytest.raises(InputError, match=f"{name} is"):
            rollout(bot, pos, **{name: value})
    for error in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="error is"):
            rollout(bot, pos, error=error)
    with pytest.raises(InputError, match="plies cannot be 4"):
        rollout(bot, pos, plies=4)
    with pytest.raises(InputError, match="short nardy"):
        rollout(bot, Game("long").start())
