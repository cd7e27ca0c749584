"""Losses beside CPU times: tables by hand, and short samples of the decisions that come with the package."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hand_made_benchmark import short_benchmark
from random_nets import SHORT, random_layers
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.bots.peers import Choices, peers_found
from nardy_ai.core import InputError
from nardy_ai.evaluation import BotFault
from nardy_ai.evaluation.decisions import decision_loss, losses_of_choices, read_benchmark, shipped_benchmark
from nardy_ai.evaluation.speed import Row, SpeedReport, loss_for_time
from nardy_ai.evaluation.speed.loss_for_time import _chosen, _filters_give, _Sample
from nardy_ai.evaluation.speed.loss_report import CostedLoss, GivenAway, LossForTime
from nardy_ai.evaluation.speed.report import OURS
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.layers import SCOUT
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.rules import Game


def trained_enough(tmp_path, scout=False) -> ModelFile:
    model = read_model(untrained_model("short/standard", tmp_path / "model.safetensors"))
    if scout:
        model.nets[SCOUT] = random_layers(SHORT, [4], 9)
    return model


class FirstPlays:
    """Takes the first play listed, three milliseconds for each; at 0 plies only."""

    name = "first"

    def choices(self, boards, dice, plies):
        if plies:
            return None
        found, offsets = core.legal_boards(
            SHORT, boards, dice, np.zeros(len(boards), np.uint8), np.full(len(boards), 3, np.uint8)
        )

        def decide() -> int:
            end = time.process_time() + 0.003 * len(boards)
            while time.process_time() < end:
                pass
            return len(boards)

        return Choices(decide, lambda: found[offsets[:-1]])


def entry(program: str, plies: int, milliseconds: float, *lost: float, filtered: bool = True) -> CostedLoss:
    return CostedLoss(program, plies, filtered, milliseconds, np.array(lost))


def table(*entries: CostedLoss, given_away: tuple[GivenAway, ...] = ()) -> LossForTime:
    return LossForTime("m, net 196/8/6", "abc", "a net 196/9/6", False, entries, given_away, 1, 12.0)


def test_a_peer_is_matched_with_our_dearest_setting_that_is_no_dearer() -> None:
    ours = [entry(OURS, 0, 0.1, 0.03, 0.01), entry(OURS, 1, 2.0, 0.01, 0.01)]
    exact = entry(OURS, 1, 2.5, 0.0, 0.0, filtered=False)
    slow, fast, fastest = (
        entry("x", 2, 3.0, 0.04, 0.02), entry("x", 1, 1.9, 0.0, 0.02), entry("x", 0, 0.05, 0.5, 0.5)
    )  # fmt: skip
    found = table(*ours, exact, slow, fast, fastest)
    assert found.match_of(slow) is ours[1]
    assert found.match_of(fast) is ours[0]
    assert found.match_of(fastest) is None
    told = {(part["peer"]["plies"], part["plies"]): part for part in found.as_dict()["at_equal_time"]}
    assert set(told) == {(2, 1), (1, 0)}
    # Ours less theirs: (0.01 - 0.04 + 0.01 - 0.02) / 2 and (0.03 - 0.0 + 0.01 - 0.02) / 2.
    assert told[2, 1]["difference"] == pytest.approx(-20)
    assert told[1, 0]["difference"] == pytest.approx(10)
    assert "x at 2-ply            ours at 1-ply, 1.5 x cheaper: -20.00" in str(found)
    assert "x at 0-ply            nothing of ours is as cheap" in str(found)
    assert max(map(len, str(found).splitlines())) <= 80


def test_what_is_given_away_is_held_against_half_a_thousandth() -> None:
    """Three that lost the same in every decision, and one whose interval has the bar within."""
    lost = {"a": [0.0005, 0.0005], "b": [0.0006, 0.0006], "c": [0.0, 0.0011]}
    given_away = tuple(GivenAway(what, np.array(values), 3500, 500) for what, values in lost.items())
    found = table(entry(OURS, 0, 1, 0, 0), given_away=given_away)
    assert found.missed == ["b"]
    report = SpeedReport([Row("r", "u", {OURS: 1.0})], "plain", "0", 1, 1, 1, [], losses=found)
    assert report.missed == ["b"]
    assert [part["met"] for part in report.as_dict()["losses"]["given_away"]] == [True, False, None]
    told = str(report)
    assert "a:\n    0.50 [0.50, 0.50] in 2 decisions\n    wanted at most 0.5: met\n" in told
    assert "b:\n    0.60 [0.60, 0.60] in 2 decisions\n    wanted at most 0.5: MISSED\n" in told
    assert "c:\n    0.55 [0.00, 1.10] in 2 decisions\n    wanted at most 0.5: not clear\n" in told
    assert told.count("\n    3,500 a CPU s instead of 500, 7.0 x as fast") == 3
    assert "losses" not in SpeedReport([], "plain", "0", 1, 1, 1, []).as_dict()


def test_losses_of_choices_by_hand() -> None:
    """Of the play of rank r in the order of bytes: 10 r thousandths."""
    made = short_benchmark()
    numbers = np.array([2, 0])
    chosen = made.results[made.offsets[numbers] + [1, 3]]
    assert losses_of_choices(made, numbers, chosen, "x") == pytest.approx([0.01, 0.03], abs=1e-7)
    with pytest.raises(BotFault, match=r"x chose a play that is not legal at .* \(decision 2\)"):
        losses_of_choices(made, numbers, made.boards[[0, 0]], "x")


def test_all_are_asked_about_the_same_decisions(tmp_path) -> None:
    found = loss_for_time(trained_enough(tmp_path, scout=True), peers=[FirstPlays()], decisions=20, seed=3)()
    assert [(part.program, part.plies, part.filtered) for part in found.entries] == [
        (OURS, 0, True), (OURS, 1, True), (OURS, 1, False), (OURS, 2, True), ("first", 0, True)
    ]  # fmt: skip
    assert all(len(part.losses) == 20 and part.milliseconds > 0 for part in found.entries)
    assert found.entries[-1].milliseconds == pytest.approx(3, rel=0.3)
    assert found.entries[-1].mean > 0.02
    assert [len(part.lost) for part in found.given_away] == [20, 5, 20, 20]
    for part in found.given_away:
        assert (part.lost > -1e-5).all()
    # Four units that learned nothing choose badly.
    assert found.given_away[-2].lost.mean() > 0.0005


def test_our_losses_are_those_of_the_decision_benchmark(tmp_path) -> None:
    model = trained_enough(tmp_path)
    benchmark = read_benchmark(shipped_benchmark(Game("short")))
    sample = _Sample(benchmark, np.arange(len(benchmark)))
    native = Evaluator(model).native
    chosen, _ = _chosen(native, sample, 0, core.DEFAULT_FILTERS)
    from nardy_ai.bots import NetBot

    assert losses_of_choices(benchmark, sample.numbers, chosen, "x") == pytest.approx(
        decision_loss(NetBot(model), benchmark, worst=0).losses
    )


def test_what_filters_give_away_is_the_difference_in_the_unfiltered_ranking(tmp_path) -> None:
    model = trained_enough(tmp_path)
    benchmark = read_benchmark(shipped_benchmark(Game("short")))
    sample, native = _Sample(benchmark, np.arange(60)), Evaluator(model).native
    narrow = core.Filters((core.Stage(1), core.Stage(), core.Stage()))
    chosen, _ = _chosen(native, sample, 1, narrow)
    expected = []
    for number in range(60):
        boards, _, _, worths, _ = core.Search(native, core.NO_FILTERS).rank(
            benchmark.boards[number], *benchmark.roll(number), int(benchmark.seats[number]), 3, plies=1
        )
        place = np.flatnonzero((boards == chosen[number]).all(axis=(1, 2)))[0]
        expected.append(float(worths[0]) - float(worths[place]))
    assert max(expected) > 0.001
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "DEFAULT_FILTERS", narrow)
        found = _filters_give(native, sample, 1, core.NO_FILTERS, "narrow")
        assert found.lost == pytest.approx(expected, abs=1e-6)


def test_peers_tell_what_they_chose() -> None:
    benchmark = read_benchmark(shipped_benchmark(Game("short")))
    for peer in peers_found():
        asked = peer.choices(benchmark.boards[:5], benchmark.dice[:5], 0)
        assert asked is not None
        assert asked.decide() == 5
        assert (losses_of_choices(benchmark, np.arange(5), asked.boards(), peer.name) < 0.2).all()
        assert peer.choices(benchmark.boards[:5], benchmark.dice[:5], 3) is None


@pytest.mark.parametrize(("decisions", "seed"), [(19, 1), (1001, 1), (20, -1)])
def test_numbers_out_of_range(tmp_path, decisions: int, seed: int) -> None:
    with pytest.raises(InputError, match=r"decisions are|seed is"):
        loss_for_time(trained_enough(tmp_path), decisions=decisions, seed=seed)


def test_a_model_of_another_game(tmp_path) -> None:
    model = read_model(untrained_model("long/fns", tmp_path / "long.safetensors"))
    with pytest.raises(InputError, match="plays long/fns"):
        loss_for_time(model)
