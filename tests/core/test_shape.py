"""Inputs that see a position as a whole: blocks, shots, freedom. Here they are counted point by point."""

import itertools

import numpy as np
import pytest
from random_nets import FAMILIES, game_positions

from nardy_ai import core

ENCODINGS = {"short": "short-2", "long": "long-2-seat"}
ALL = [("short", "short-2"), ("short", "short-3"), ("long", "long-2-seat"), ("long", "long-3-seat")]


def made(family, side, point):
    return side[point - 1] >= (2 if family == "short" else 1)


def facing(family, point):
    """The opponent's number of my point."""
    return 25 - point if family == "short" else (point + 11) % 24 + 1


def expected(family, mine, his):
    """One side's inputs, before they are scaled."""
    points = range(1, 25)
    held = {p: made(family, mine, p) for p in points}
    inputs = [held[p] and held[p + 1] for p in range(1, 24)]
    inputs += [held[p] and held[p + 2] for p in range(1, 23)]
    inputs += [sum(held[p + i] for i in range(6)) for p in range(1, 20)]
    pips = sum(p * mine[p - 1] for p in points) + 25 * mine[24]
    inputs.append(-(-pips // 4))
    if family == "long":
        for p in points:
            dice = [d for d in range(1, 7) if p - d < 1 or not made(family, his, facing(family, p - d))]
            inputs.append(len(dice) if mine[p - 1] else 0)
        return inputs
    his_places = [q for q in range(1, 26) if his[q - 1]]
    blots = [p for p in points if mine[p - 1] == 1]
    inputs += [min(3, sum(1 <= q - (25 - p) <= 6 for q in his_places)) if p in blots else 0 for p in points]
    inputs += [min(3, sum(q - (25 - p) == d for q in his_places for p in blots)) for d in range(1, 13)]
    return inputs


def scales(family):
    if family == "long":
        return [1] * 45 + [1 / 6] * 19 + [0.04] + [1 / 6] * 24
    return [1] * 45 + [1 / 6] * 19 + [0.04] + [1 / 3] * 36


@pytest.mark.parametrize("family", FAMILIES)
def test_every_input_is_what_its_description_says(family):
    boards, seats, _ = game_positions(FAMILIES[family], 3)
    boards, seats = boards[::2], seats[::2]
    name = ENCODINGS[family]
    first = core.encoding_table(name).shape_input
    seen = core.encode(name, boards, seats)
    columns = core.encode(core.encoding_table(name).scout, boards, seats)
    np.testing.assert_array_equal(seen[:, :first], columns)
    for board, inputs in zip(boards.astype(int), seen[:, first:], strict=True):
        values = expected(family, *board) + expected(family, *board[::-1])
        np.testing.assert_allclose(inputs, np.array(values, float) * (scales(family) * 2), rtol=1e-6)


def test_six_points_in_a_row_and_two_shots():
    """A prime from 4 to 9 and a blot on 12, with his checkers on the bar and 8 pips behind it.

    He sees my point 12 as his 13: the bar is 12 pips away from it, his point 19 six.
    """
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, 3:9] = 2
    board[0, 0, [11, 25]] = 1, 2
    board[0, 1, [24, 18, 25]] = 1, 1, 13
    seen = core.encode("short-2", board)[0][196:297]
    assert list(np.flatnonzero(seen[:23])) == [3, 4, 5, 6, 7]
    assert seen[45 + 3] == 1  # all six of the points 4 .. 9
    assert list(np.flatnonzero(seen[65:89])) == [11] and seen[65 + 11] == pytest.approx(1 / 3)
    assert list(np.flatnonzero(seen[89:])) == [5, 11]


@pytest.mark.parametrize("kernels", core.kernels())
@pytest.mark.parametrize(("family", "name"), ALL)
def test_a_net_that_sees_the_shape_says_what_its_layers_say(family, name, kernels):
    """As a board and as the result of a play it has the same bits, and nearly what NumPy computes."""
    rules = FAMILIES[family]
    boards, seats, turns = game_positions(rules, 2)
    rng = np.random.default_rng(1)
    sizes = [core.encoding_table(name).inputs, 40, 24, len(rules.outcomes)]
    layers = [
        (
            rng.normal(0, 1.5 / np.sqrt(a), (b, a)).astype(np.float32),
            rng.normal(0, 0.1, b).astype(np.float32),
        )
        for a, b in itertools.pairwise(sizes)
    ]
    model = core.Model(rules, name, {"contact": layers}, kernels=kernels)
    outcomes, _ = core.net(model, rules, boards, seats)
    x = core.encode(name, boards, seats).astype(np.float64)
    for weight, bias in layers[:-1]:
        x = np.maximum(0, x @ weight.T + bias)
    logits = x @ layers[-1][0].T + layers[-1][1]
    logits[core.impossible(rules, boards, seats)] = -np.inf
    shares = np.exp(logits - logits.max(1, keepdims=True))
    np.testing.assert_allclose(outcomes, shares / shares.sum(1, keepdims=True), atol=1e-5)
    for place in range(0, len(boards), 9):
        seat = int(seats[place])
        left, _, _, worth = core.rank(model, rules, boards[place], 6, 3, seat, int(turns[place]))
        other = np.ascontiguousarray(left[:, ::-1]), np.full(len(left), 1 - seat, np.uint8)
        running = core.results(rules, *other) < 0
        alone = core.net(model, rules, *other)[1]
        np.testing.assert_array_equal(worth[running], -alone[running])


@pytest.mark.parametrize(("family", "name"), ALL)
def test_whole_numbers_of_the_first_layer_cost_no_accuracy(family, name):
    """A wide net with heavy weights, also on the pips, is as exact as float32 sums are.

    Counts of rolls go to 36, and the error of a weight with them.
    """
    rules = FAMILIES[family]
    boards, seats, _ = game_positions(rules, 4)
    rng = np.random.default_rng(2)
    table = core.encoding_table(name)
    first = rng.normal(0, 0.4, (256, table.inputs)).astype(np.float32)
    last = rng.normal(0, 0.1, (len(rules.outcomes), 256)).astype(np.float32)
    zeros = [np.zeros(size, np.float32) for size in (256, len(rules.outcomes))]
    model = core.Model(rules, name, {"contact": [(first, zeros[0]), (last, zeros[1])]})
    outcomes, _ = core.net(model, rules, boards, seats)
    hidden = np.maximum(0, core.encode(name, boards, seats).astype(np.float64) @ first.T)
    logits = np.where(core.impossible(rules, boards, seats), -np.inf, hidden @ last.T)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    assert np.abs(outcomes - shares / shares.sum(1, keepdims=True)).max() < (6e-6 if "-3" in name else 4e-6)
