"""What bots lose in decisions whose worths were written by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hand_made_benchmark import short_benchmark
from untrained import untrained_model

from nardy_ai.bots import BoardBot, bot, load
from nardy_ai.core import InputError
from nardy_ai.evaluation import BotFault
from nardy_ai.evaluation.decisions import Benchmark, decision_loss
from nardy_ai.evaluation.decisions.benchmark import listed_results
from nardy_ai.evaluation.decisions.loss import _summed
from nardy_ai.rules import Game

Boards = npt.NDArray[np.int8]
Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint64]


class RankBot(BoardBot):
    """Chooses the play of a given rank in the order of the boards' bytes, for each decision by its number."""

    name = fingerprint = "ranks"

    def __init__(self, *ranks: int) -> None:
        self.ranks = ranks

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        results, offsets = listed_results(game, boards, dice, seats, turns)
        return results[
            [a + self.ranks[key] for a, key in zip(offsets[:-1], keys[:, 1].tolist(), strict=True)]
        ]


class WrongBot(RankBot):
    """Moves nothing."""

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        return boards


def test_losses_by_hand() -> None:
    """Ranks 2, 0 and 3 lose 20, 0 and 30 thousandths."""
    loss = decision_loss(RankBot(2, 0, 3), short_benchmark())
    assert loss.losses == pytest.approx([0.02, 0.0, 0.03], abs=1e-7)
    assert loss.total.mean == pytest.approx(0.05 / 3, abs=1e-7)
    assert (loss.total.decisions, loss.total.best) == (3, 1)
    assert {name: part.decisions for name, part in loss.classes.items()} == {"contact": 2, "race": 1}
    assert loss.classes["contact"].mean == pytest.approx(0.01, abs=1e-7)
    assert loss.classes["race"].interval is None
    # Standard errors of 3 thousandths for the two that lost, none for the best play: sqrt(18) / 3.
    assert loss.total.label_error == pytest.approx(0.003 * np.sqrt(2) / 3, rel=1e-5)
    assert [wrong.number for wrong in loss.worst] == [2, 0]
    plays = short_benchmark().plays(0)
    assert (loss.worst[1].chosen, loss.worst[1].best) == (plays[2].notation, plays[0].notation)
    assert "rolled 3-1" in loss.worst[1].board
    assert len(decision_loss(RankBot(2, 1, 3), short_benchmark(), worst=1).worst) == 1


def test_the_report() -> None:
    report = decision_loss(RankBot(2, 0, 3), short_benchmark()).as_dict()
    assert report["format"] == 1
    assert report["unit"] == "thousandths of a point"
    assert report["loss"] == pytest.approx(50 / 3, abs=1e-4)
    assert report["best_share"] == pytest.approx(1 / 3)
    assert report["interval"][0] < report["loss"] < report["interval"][1]
    assert report["classes"]["contact"]["loss"] == pytest.approx(10, abs=1e-4)
    assert report["worst"][0]["loss"] == pytest.approx(30, abs=1e-4)
    assert report["benchmark"]["judge"]["hash"] == "0123456789abcdef"
    text = str(decision_loss(RankBot(2, 0, 3), short_benchmark()))
    for words in ("16.67", "33.3 %", "1 of 2 close plays", "judge.safetensors", "24/"):
        assert words in text


def test_the_best_play_everywhere_loses_nothing() -> None:
    loss = decision_loss(RankBot(0, 0, 0), short_benchmark())
    assert loss.total.mean == 0 == loss.total.label_error
    assert loss.total.best == 3
    assert loss.worst == ()


def test_halves_that_disagree_may_give_a_loss_below_zero() -> None:
    made = short_benchmark()
    worths = made.worths.copy()
    # Play 1 is better by the first half, play 0 by the second: either is the best by one half alone.
    worths[:2] = [[0.5, 0.7], [0.6, 0.6]]
    found = decision_loss(RankBot(0, 0, 0), replace(made, worths=worths))
    assert found.losses[0] == pytest.approx((0.6 + 0.5) / 2 - 0.6)
    assert found.losses[0] < 0


def test_threads_make_no_difference(tmp_path: Path) -> None:
    made = _repeated(short_benchmark(), 30)
    for player in (
        bot("random", "short"),
        load(untrained_model("short/standard", tmp_path / "m.safetensors")),
    ):
        one, three = (decision_loss(player, made, threads=threads) for threads in (1, 3))
        assert one.as_dict() == three.as_dict()
        assert one.total.mean > 0


def _repeated(made: Benchmark, times: int) -> Benchmark:
    """Each decision so many times, one after another."""
    order = np.repeat(np.arange(len(made)), times)
    rows = [np.arange(*made.offsets[number : number + 2]) for number in order]
    plays = np.concatenate(rows)
    return replace(
        made,
        **{name: getattr(made, name)[order] for name in ("boards", "dice", "seats", "turns", "classes")},
        **{name: getattr(made, name)[plays] for name in ("worths", "errors", "trials", "results")},
        offsets=np.cumsum([0, *map(len, rows)]),
    )


def test_the_seed_draws_the_lots_of_a_random_bot() -> None:
    made = _repeated(short_benchmark(), 20)
    one, other = (decision_loss(bot("random"), made, seed=seed).losses.tolist() for seed in (1, 2))
    assert one != other
    assert one == decision_loss(bot("random"), made, seed=1).losses.tolist()


def test_the_interval_holds_the_truth_with_the_noise_of_the_rollouts() -> None:
    """Losses of decisions that differ, judged with noise: about 95 in 100 intervals hold the mean of all."""
    rng = np.random.default_rng(8)
    held, times = 0, 120
    for trial in range(times):
        true = rng.exponential(0.01, 80)
        noise = np.full(80, 0.02)
        shown = true + noise * rng.normal(size=80)
        interval = _summed(shown, noise, np.zeros(80, bool), trial).interval
        assert interval is not None
        held += interval[0] <= 0.01 <= interval[1]
    assert 0.88 <= held / times <= 0.99


def test_a_net_that_judged_its_own_file_is_told(tmp_path: Path) -> None:
    judge = load(untrained_model("short/standard", tmp_path / "judge.safetensors", seed=5))
    other = load(untrained_model("short/standard", tmp_path / "other.safetensors", seed=6))
    made = short_benchmark(judge.fingerprint)
    assert decision_loss(judge, made).own_judge
    assert decision_loss(judge.looking_ahead(1), made).own_judge
    assert not decision_loss(other, made).own_judge
    assert not decision_loss(bot("greedy"), made).own_judge


def test_a_play_that_is_not_legal() -> None:
    with pytest.raises(
        BotFault, match=r"ranks chose a play that is not legal at 4HPwATDgc/ABMA:0:0 with 3-1"
    ):
        decision_loss(WrongBot(), short_benchmark())


def test_bad_input(tmp_path: Path) -> None:
    made = short_benchmark()
    with pytest.raises(InputError, match="seed is -1"):
        decision_loss(bot("greedy"), made, seed=-1)
    with pytest.raises(InputError, match="threads is 0"):
        decision_loss(bot("greedy"), made, threads=0)
    with pytest.raises(InputError, match="long"):
        decision_loss(load(untrained_model("long/fns", tmp_path / "long.safetensors")), made)
