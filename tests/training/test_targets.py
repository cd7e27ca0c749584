"""What the positions of self-play must fulfil, and that a fault among them is caught."""

import dataclasses

import numpy as np
import pytest

from nardy_ai import core
from nardy_ai.models.layers import fresh_layers
from nardy_ai.rules import Game
from nardy_ai.training.errors import TrainingError
from nardy_ai.training.targets import (
    Samples,
    check_samples,
    distinct_boards,
    report,
    target_entropy,
    training_set,
)


def model_of(game: Game) -> core.Model:
    encoding = core.encoding_name(game.core_rules)
    inputs = core.encoding_table(encoding).inputs
    layers = fresh_layers(inputs, (16,), len(game.outcomes), seed=1)
    return core.Model(game.core_rules, encoding, {"contact": layers})


def played(game: Game, games: int = 20, **settings: object) -> Samples:
    return Samples.of(core.self_play(model_of(game), game.core_rules, 1, 0, games, **settings))  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["short", "long", "long/classic"])
def game(request: pytest.FixtureRequest) -> Game:
    return Game(request.param)


@pytest.mark.parametrize("targets", ["sampled", "exact"])
def test_targets_are_distributions_over_what_can_still_happen(game: Game, targets: str) -> None:
    samples = played(game, 6, targets=targets)
    check_samples(game.core_rules, samples, "round 1")
    impossible = np.asarray(core.impossible(game.core_rules, samples.boards, samples.seats), bool)
    assert impossible.any()
    assert (samples.targets[impossible] == 0).all()
    np.testing.assert_allclose(samples.targets.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("trace", [0.5, 1.0])
def test_a_trace_carries_the_result_back(game: Game, trace: float) -> None:
    samples = played(game, 6, trace=trace)
    check_samples(game.core_rules, samples, "round 1")
    if trace == 1.0:
        assert set(np.unique(samples.targets)) == {0.0, 1.0}


def test_the_last_position_of_a_game_carries_its_result_for_the_player_who_moved() -> None:
    """A row that was labelled for the wrong player would say that he lost."""
    game = Game("short")
    model, rules = model_of(game), game.core_rules
    checked = 0
    for number in range(40):
        samples = Samples.of(core.self_play(model, rules, 3, number, 1))
        target, seat = samples.targets[-1], int(samples.seats[-1])
        starter_won = int(np.argmax(samples.outcomes)) < 3
        assert target.max() == 1.0
        # The one who moved last has won, so his row holds a win, and the starter's view agrees.
        assert int(np.argmax(target)) < 3
        assert (seat == 0) == starter_won
        board = samples.boards[-1]
        assert board[0, 25] >= 11, "the winner's checkers are in row 0"
        checked += 1
    assert checked == 40


def test_finished_games_are_not_asked_of_the_net() -> None:
    """One checker each on the last point: any roll ends the game, so exact targets need no net at all."""
    rules = core.Rules({"family": "short", "checkers": 1, "start": [1] + [0] * 23})
    model = core.Model(rules, "short-1", {"contact": fresh_layers(196, (8,), 6, seed=1)})
    played = core.self_play(model, rules, 1, 0, 5, targets="exact")
    assert played["evaluations"] == 0
    assert len(played["boards"]) == 5
    assert played["targets"].tolist() == [[0, 1, 0, 0, 0, 0]] * 5


def test_a_game_that_is_cut_is_counted_and_gets_no_result(game: Game) -> None:
    samples = played(game, 5, max_turns=7)
    assert samples.cut == 5
    assert samples.outcomes.sum() == 0
    assert len(samples) == 35
    check_samples(game.core_rules, samples, "round 1")
    assert samples.targets.max() < 1.0, "a cut game's last value is the net's"
    assert report(game.core_rules, samples)["cut"] == 5


WRONG = {
    "cumulative instead of exclusive": [0.6, 0.2, 0.05, 0.4, 0.1, 0.02],
    "not finite": [np.nan, 0, 0, 1, 0, 0],
    "negative": [1.1, -0.1, 0, 0, 0, 0],
    "all zero": [0, 0, 0, 0, 0, 0],
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_target_that_is_no_distribution_is_caught(fault: str) -> None:
    game = Game("short")
    samples = played(game, 3)
    targets = samples.targets.copy()
    targets[3] = WRONG[fault]
    with pytest.raises(TrainingError, match=r"round 4: 1 of .* number 3"):
        check_samples(game.core_rules, dataclasses.replace(samples, targets=targets), "round 4")


def test_weight_on_an_impossible_outcome_is_caught() -> None:
    game = Game("short")
    samples = played(game, 3)
    impossible = np.asarray(core.impossible(game.core_rules, samples.boards, samples.seats), bool)
    row, outcome = np.argwhere(impossible)[0]
    targets = samples.targets.copy()
    targets[row] = 0
    targets[row, outcome] = 1
    with pytest.raises(TrainingError, match="no distribution over possible outcomes"):
        check_samples(game.core_rules, dataclasses.replace(samples, targets=targets), "round 4")


def test_a_round_without_positions_says_what_is_missing() -> None:
    game = Game("short")
    samples = played(game, 3)
    columns = ("boards", "seats", "turns", "targets")
    none = dataclasses.replace(samples, **{name: getattr(samples, name)[:0] for name in columns})
    with pytest.raises(TrainingError, match=r"round 1: 3 games \(0 of them cut.* gave no position"):
        check_samples(game.core_rules, none, "round 1")


def test_positions_that_are_all_the_same_are_refused() -> None:
    game = Game("short")
    samples = played(game, 5, stride=10**6)
    starts = dataclasses.replace(
        samples,
        boards=np.repeat(core.start_board(game.core_rules)[None], 9, axis=0),
        seats=np.zeros(9, np.uint8),
        turns=np.zeros(9, np.uint8),
        targets=np.repeat(np.full((1, 6), 1 / 6, np.float32), 9, axis=0),
    )
    assert distinct_boards(starts) == 1
    with pytest.raises(TrainingError, match="all 9 positions are the same board"):
        check_samples(game.core_rules, starts, "round 1")


def test_the_report_counts(game: Game) -> None:
    samples = played(game, 20)
    facts = report(game.core_rules, samples)
    assert facts["games"] == 20 == sum(facts["outcomes"].values())
    assert facts["positions"] == facts["plies"] == len(samples)
    assert 0.9 * len(samples) < facts["distinct"] < len(samples)
    assert set(facts["outcomes"]) == set(game.outcomes)
    points = np.asarray(game.points)
    by_hand = float((samples.targets[samples.seats == 0].astype(float) @ points).mean())
    assert facts["equity_starter"] == pytest.approx(by_hand)
    assert facts["equity_starter"] != facts["equity_second"]


def test_the_entropy_of_certain_targets_is_nothing() -> None:
    assert target_entropy(np.eye(6, dtype=np.float32)) == 0.0
    assert target_entropy(np.full((3, 6), 1 / 6, np.float32)) == pytest.approx(np.log(6), rel=1e-6)


def test_what_the_learner_sees_is_what_the_encoder_says(game: Game) -> None:
    samples = played(game, 20)
    encoding = core.encoding_name(game.core_rules)
    data = training_set(game.core_rules, encoding, [samples, samples])
    once = core.encode(encoding, samples.boards[:1000], samples.seats[:1000])
    assert data.features[: len(once)].tobytes() == once.tobytes()
    assert data.features[len(samples) : len(samples) + len(once)].tobytes() == once.tobytes()
    one_by_one = np.concatenate(
        [core.encode(encoding, samples.boards[i : i + 1], samples.seats[i : i + 1]) for i in range(200)]
    )
    assert one_by_one.tobytes() == once[:200].tobytes()
