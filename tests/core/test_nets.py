"""Inference in C: against plain arithmetic, for every kernel, in any company."""

import numpy as np
import pytest
from random_nets import FAMILIES, game_positions, random_layers, random_model

from nardy_ai import core

SHAPES = [[80], [7], [128, 64], [33, 17, 5], [256, 128, 64, 32]]


def reference(rules, layers, boards, seats):
    """The same net in float64 NumPy, impossible outcomes at exactly 0."""
    x = core.encode(core.encoding_name(rules), boards, seats).astype(np.float64)
    for weight, bias in layers[:-1]:
        x = np.maximum(x @ weight.T.astype(np.float64) + bias, 0)
    logits = x @ layers[-1][0].T.astype(np.float64) + layers[-1][1]
    logits[core.impossible(rules, boards, seats)] = -np.inf
    share = np.exp(logits - logits.max(1, keepdims=True))
    share /= share.sum(1, keepdims=True)
    return share, share @ np.array(rules.points)


@pytest.mark.parametrize("kernels", core.kernels())
@pytest.mark.parametrize("hidden", SHAPES, ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_kernel_agrees_with_plain_arithmetic(family, hidden, kernels):
    rules = FAMILIES[family]
    boards, seats, _ = game_positions(rules, 12)
    model = random_model(rules, hidden, seed=3, kernels=kernels)
    outcomes, equity = core.net(model, rules, boards, seats)
    race = core.position_classes(rules, boards) == 1
    assert race.any() and not race.all()
    for chosen, seed in ((~race, 3), (race, 4)):
        expected, worth = reference(rules, random_layers(rules, hidden, seed), boards[chosen], seats[chosen])
        assert np.abs(outcomes[chosen] - expected).max() < 2e-6
        assert np.abs(equity[chosen] - worth).max() < 1e-5


def quiet_layers(rules, hidden, share):
    """Random layers in which about such a share of the units of every hidden layer answers to a position."""
    layers = random_layers(rules, hidden, 3)
    boards, seats, _ = game_positions(rules, 4)
    x = core.encode(core.encoding_name(rules), boards, seats).astype(np.float64)
    for i, (weight, bias) in enumerate(layers[:-1]):
        bias -= np.quantile(x @ weight.T + bias, 1 - share, axis=0).astype(np.float32) + (share == 0)
        x = np.maximum(x @ weight.T + bias, 0)
        # What silence took is given back to the next layer.
        layers[i + 1][0][:] /= np.float32(x.std() or 1)
    return layers


def said_by(kernels, rules, layers, boards, seats):
    model = core.Model(rules, core.encoding_name(rules), {"contact": layers}, kernels=kernels)
    whole = core.net(model, rules, boards, seats)[0]
    for i in range(0, len(boards), 7):
        alone = core.net(model, rules, boards[i : i + 1], seats[i : i + 1])[0][0]
        np.testing.assert_array_equal(alone, whole[i])
    np.testing.assert_array_equal(core.net(model, rules, boards[::-1], seats[::-1])[0][::-1], whole)
    return whole


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("hidden", [[33, 128, 80], [200, 65], [17, 300, 64]], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_units_that_keep_silent_change_no_bit(family, hidden, share):
    """Kernels may leave products with zero out: some do so where few units of a layer answer."""
    rules = FAMILIES[family]
    layers = quiet_layers(rules, hidden, share)
    boards, seats, _ = game_positions(rules, 2)
    boards, seats = boards[:70], seats[:70]
    said = {name: said_by(name, rules, layers, boards, seats) for name in core.kernels()}
    expected, _ = reference(rules, layers, boards, seats)
    for whole in said.values():
        assert np.abs(whole - expected).max() < 1e-5
    if {"avx2", "avx512"} <= said.keys():
        np.testing.assert_array_equal(said["avx2"], said["avx512"])
    assert share == 0 or len(np.unique(said["plain"][:, 0])) > 30


@pytest.mark.parametrize("family", FAMILIES)
def test_large_weights_keep_their_precision(family):
    """The first layer is held in fixed point: its scale must follow the weights."""
    rules = FAMILIES[family]
    boards, seats, _ = game_positions(rules, 4)
    layers = random_layers(rules, [40, 20], 5)
    for factor in (1e-3, 50.0):
        scaled = [(layers[0][0] * np.float32(factor), layers[0][1] * np.float32(factor)), *layers[1:]]
        scaled[1] = (scaled[1][0] / np.float32(factor), scaled[1][1])
        model = core.Model(rules, core.encoding_name(rules), {"contact": scaled})
        expected, _ = reference(rules, scaled, boards, seats)
        assert np.abs(core.net(model, rules, boards, seats)[0] - expected).max() < 1e-5


@pytest.mark.parametrize("kernels", core.kernels())
@pytest.mark.parametrize("family", FAMILIES)
def test_a_board_has_one_value_in_any_company(family, kernels):
    """Alone, in another order, in another batch, or as a play's result: the same bits."""
    rules = FAMILIES[family]
    boards, seats, turns = game_positions(rules, 2)
    model = random_model(rules, [48, 24], kernels=kernels)
    whole, equity = core.net(model, rules, boards, seats)
    backwards, _ = core.net(model, rules, boards[::-1], seats[::-1])
    np.testing.assert_array_equal(whole, backwards[::-1])
    for i in (0, 1, len(boards) // 2, len(boards) - 1):
        np.testing.assert_array_equal(
            core.net(model, rules, boards[i : i + 1], seats[i : i + 1])[0][0], whole[i]
        )
        results, _, _outcomes, worth = core.rank(model, rules, boards[i], 4, 2, int(seats[i]), int(turns[i]))
        after = results[:, ::-1]
        _, alone = core.evaluate(model, rules, after, np.full(len(after), 1 - seats[i], np.uint8))
        np.testing.assert_array_equal(worth, -alone)
    assert len(np.unique(equity)) > len(boards) // 2


def test_a_missing_race_net_folds_into_contact():
    rules = FAMILIES["short"]
    boards, _seats, _ = game_positions(rules, 3)
    layers = random_layers(rules, [16], 3)
    one = core.Model(rules, "short-1", {"contact": layers})
    two = core.Model(rules, "short-1", {"contact": layers, "race": layers})
    np.testing.assert_array_equal(core.net(one, rules, boards)[0], core.net(two, rules, boards)[0])


def test_finished_games_are_judged_by_rule_without_a_net():
    """Field bugs B2, B4, B11: one-hot outcomes, exactly +-1, 2, 3."""
    rules = FAMILIES["short"]
    model = random_model(rules, [16])
    lost = np.zeros((3, 2, 26), np.int8)
    lost[:, 1, 25] = 15
    lost[0, 0, [0, 25]] = 14, 1  # one checker off: a single game
    lost[1, 0, 9] = 15  # none off: gammon
    lost[2, 0, [9, 20]] = 14, 1  # and one in the winner's home: backgammon
    outcomes, equity = core.evaluate(model, rules, lost)
    assert outcomes.tolist() == np.eye(6)[[3, 4, 5]].tolist()
    assert equity.tolist() == [-1, -2, -3]
    # And for the one who bears his last checker off.
    for points, board in enumerate(lost, 1):
        before = board[::-1].copy()
        before[0, [0, 25]] = 1, 14
        _, _, outcomes, equity = core.rank(model, rules, before, 2, 1, 0, 3)
        assert (outcomes.tolist(), equity.tolist()) == ([np.eye(6)[points - 1].tolist()], [points])


def test_self_play_asks_no_net_about_finished_games():
    """One checker a side: every result of nearly every roll ends the game."""
    start = [0] * 24
    start[0] = 1
    rules = core.Rules({"family": "short", "checkers": 1, "start": start})
    model = core.Model(rules, "short-1", {"contact": random_layers(rules, [8], 1)})
    played = core.self_play(model, rules, 1, 0, 50)
    assert played["evaluations"] == 0
    assert played["plies"] == 50
    assert played["targets"].tolist() == [[1, 0, 0, 0, 0, 0]] * 50 or played["targets"][:, :3].sum() == 50


def test_impossible_outcomes_are_exactly_zero():
    rules = FAMILIES["short"]
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, [3, 25]] = 14, 1
    board[0, 1, [3, 25]] = 13, 2
    outcomes, _ = core.net(random_model(rules, [16]), rules, board)
    assert (outcomes[0, [1, 2, 4, 5]] == 0).all()
    assert outcomes[0].sum() == pytest.approx(1)


@pytest.mark.parametrize("family", FAMILIES)
def test_linear_tests_and_the_engine_mask_alike(family):
    options = FAMILIES[family].options
    scores = {"oin": 1, "mars": 2, "koks": 3, "home_mars": 4} if family == "long" else options["scores"]
    for rules in (FAMILIES[family], core.Rules({**options, "scores": scores})):
        boards = np.concatenate([game_positions(rules, 10)[0], _near_the_end(rules)])
        weights, thresholds, outcomes = core.impossible_tests(rules)
        hits = boards.reshape(-1, 52).astype(int) @ weights.T.astype(int) >= thresholds
        expected = np.zeros((len(boards), len(rules.outcomes)), bool)
        for test, outcome in enumerate(outcomes):
            expected[:, outcome] |= hits[:, test]
        found = core.impossible(rules, boards, np.ones(len(boards), np.uint8))
        np.testing.assert_array_equal(found, expected)
        assert found.any() and not found.all()


def _near_the_end(rules) -> np.ndarray:
    rng = np.random.default_rng(4)
    boards = np.zeros((300, 2, 26), np.int8)
    for board in boards:
        for row in board:
            row[25] = rng.choice([0, 1, 8, 11, 14])
            np.add.at(row, rng.integers(0, rng.choice([3, 6, 12]), 15 - row[25]), 1)
    boards[:60, 1] = 0
    boards[:60, 1, 25] = 15
    keep = [i for i, board in enumerate(boards) if _stands(rules, board)]
    return boards[keep]


def _stands(rules, board) -> bool:
    try:
        core.check_boards(rules, board[None], np.ones(1, np.uint8), np.full(1, 3, np.uint8))
    except core.InputError:
        return False
    return True


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda layers: layers[:1], "outputs differ|at least one hidden layer"),
        (
            lambda layers: [(layers[0][0][:, :-1], layers[0][1]), *layers[1:]],
            "inputs differ from the encoding",
        ),
        (lambda layers: [layers[0], (layers[1][0][:, 1:], layers[1][1])], "inputs differ from the outputs"),
        (lambda layers: [(layers[0][0] * np.float32("nan"), layers[0][1]), layers[1]], "finite"),
        (lambda layers: [layers[0], (layers[1][0], layers[1][1] + np.float32("inf"))], "finite"),
        (lambda layers: [layers[0], (layers[1][0][:-1], layers[1][1][:-1])], "outputs differ"),
        (lambda layers: [(layers[0][0], layers[0][1][:-1]), layers[1]], "weight \\[out, in\\]"),
        (
            lambda layers: [*layers[:-1], *[(np.eye(16, dtype=np.float32), np.zeros(16, np.float32))] * 20],
            "16 layers",
        ),
    ],
)
def test_nets_that_cannot_be_are_refused(change, words):
    rules = FAMILIES["short"]
    with pytest.raises(ValueError, match=words):
        core.Model(rules, "short-1", {"contact": change(random_layers(rules, [16], 1))})


def test_an_encoding_of_another_game_is_refused():
    with pytest.raises(core.InputError, match="not one of short nardy"):
        core.Model(FAMILIES["short"], "long-1", {"contact": random_layers(FAMILIES["short"], [16], 1)})


def test_seats_are_never_guessed():
    rules = FAMILIES["long"]
    with pytest.raises(core.InputError, match="seats of the players on roll are needed"):
        core.net(random_model(rules, [16]), rules, core.start_board(rules)[None])
