"""Nets in whole numbers: the same by every kernel and in any company, and near the float nets."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command_line import REPOSITORY
from core_sources import CORE, STRICT
from random_nets import FAMILIES, game_positions, random_layers

from nardy_ai import core
from nardy_ai.core.calibration import calibration_boards
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.model_file import read_model
from nardy_ai.rules import Game

SHAPES = [[80], [7], [128, 64], [33, 17, 5], [256, 128, 64, 32]]
HEADROOM, LEAST_SHARE = 1.125, 1 / 16


def quantised_model(rules, hidden, seed=3, kernels=None):
    nets = {"contact": random_layers(rules, hidden, seed), "race": random_layers(rules, hidden, seed + 1)}
    return core.Model(rules, core.encoding_name(rules), nets, kernels=kernels, quantised=True)


def float_model(rules, hidden, seed=3):
    nets = {"contact": random_layers(rules, hidden, seed), "race": random_layers(rules, hidden, seed + 1)}
    return core.Model(rules, core.encoding_name(rules), nets)


def by_hand(rules, layers, own, boards, seats):
    """The 8-bit arithmetic in NumPy; `own`: the calibration boards of the net's class."""
    encoding = core.encoding_name(rules)
    (first, bias), (weight, second_bias), *rest = [(w.astype(float), b.astype(float)) for w, b in layers]
    seen = core.encode(encoding, own[0], own[1]) @ first.T + bias
    largest = np.maximum(seen.max(0), 0)
    reach = np.maximum(HEADROOM * largest, LEAST_SHARE * largest.max())
    sums = core.encode(encoding, boards, seats) @ first.T + bias
    scaled = weight * reach
    strongest = np.abs(scaled).max(1, keepdims=True)
    whole = np.rint(scaled / strongest * 127).T * strongest.T / 127**2

    def steps(sums):
        return np.floor(np.clip(sums / reach * 127, 0, 127) + 0.5)

    shift = (steps(seen) @ whole - np.maximum(seen, 0) @ weight.T).mean(0)
    assert np.abs(shift).max() > 1e-4
    x = steps(sums) @ whole + second_bias - shift
    for after, after_bias in rest:
        x = np.maximum(x, 0) @ after.T + after_bias
    x[core.impossible(rules, boards, seats)] = -np.inf
    share = np.exp(x - x.max(1, keepdims=True))
    return share / share.sum(1, keepdims=True)


@pytest.mark.parametrize("hidden", SHAPES, ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_shape_does_the_arithmetic_that_is_written_down(family, hidden):
    rules = FAMILIES[family]
    boards, seats, _ = game_positions(rules, 12)
    found, _ = core.net(quantised_model(rules, hidden), rules, boards, seats)
    plain, _ = core.net(float_model(rules, hidden), rules, boards, seats)
    known = calibration_boards(rules)
    race = core.position_classes(rules, boards) == 1
    known_race = core.position_classes(rules, known[0]) == 1
    assert race.any() and known_race.sum() > 500
    expected = np.empty_like(found, float)
    for chosen, of, seed in ((~race, ~known_race, 3), (race, known_race, 4)):
        own = [column[of] for column in known[:2]]
        layers = random_layers(rules, hidden, seed)
        expected[chosen] = by_hand(rules, layers, own, boards[chosen], seats[chosen])
    # A unit at the edge of two steps may fall on either side: the first layer is in fixed point here.
    error = np.abs(found - expected).max(1)
    assert np.median(error) < 1e-6 and error.max() < 3e-3
    moved = found - plain
    assert 0 < np.sqrt((moved**2).mean()) < 0.01 and np.abs(moved).max() < 0.15


@pytest.mark.parametrize("hidden", SHAPES, ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_kernel_gives_the_same_bits(family, hidden):
    """All of them where the 8-bit layer is the last; the float layers behind are fused on some processors."""
    rules = FAMILIES[family]
    boards, seats, _ = game_positions(rules, 12)
    first, *others = [
        core.net(quantised_model(rules, hidden, kernels=kernels), rules, boards, seats)[0]
        for kernels in core.kernels()
    ]
    for other, kernels in zip(others, core.kernels()[1:], strict=True):
        if len(hidden) == 1 or kernels != "plain":
            np.testing.assert_array_equal(first, other)
        assert np.abs(first - other).max() < 2e-6


def test_every_kernel_sums_as_64_bits_do_and_keeps_within_its_buffers(tmp_path):
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "the tests need a C compiler"
    sanitizers = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    names = [Path(__file__).with_name("quant_layer.c"), CORE / "net_quant.c", CORE / "net_quant_x86.c"]
    program = tmp_path / "quant_layer"
    command = [compiler, *STRICT, "-ffp-contract=off", *sanitizers, f"-I{CORE}", *map(str, names)]
    subprocess.run([*command, "-lm", "-o", str(program)], check=True, capture_output=True, text=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.split()[0] == "plain"
    assert len(done.stdout.split()) >= len(set(core.kernels()) & {"plain", "avx2"})


@pytest.mark.parametrize("family", FAMILIES)
def test_the_calibration_positions_stay_as_they_are(family):
    """Another set would be another net of the same name."""
    whole = hashlib.sha256(b"".join(column.tobytes() for column in calibration_boards(FAMILIES[family])))
    assert whole.hexdigest()[:16] == {"short": "2ede5ce61aee1e4d", "long": "340e0595780a2865"}[family]


@pytest.mark.parametrize("kernels", core.kernels())
@pytest.mark.parametrize("family", FAMILIES)
def test_a_board_has_one_value_in_any_company(family, kernels):
    """Alone, in another order, or as a play's result: the same bits."""
    rules = FAMILIES[family]
    boards, seats, turns = game_positions(rules, 2)
    model = quantised_model(rules, [48, 24], kernels=kernels)
    whole, _ = core.net(model, rules, boards, seats)
    np.testing.assert_array_equal(whole, core.net(model, rules, boards[::-1], seats[::-1])[0][::-1])
    for i in (0, 1, len(boards) // 2, len(boards) - 1):
        alone = core.net(model, rules, boards[i : i + 1], seats[i : i + 1])[0][0]
        np.testing.assert_array_equal(alone, whole[i])
        after, _, _, worth = core.rank(model, rules, boards[i], 4, 2, int(seats[i]), int(turns[i]))
        single = core.evaluate(model, rules, after[:, ::-1], np.full(len(after), 1 - seats[i], np.uint8))[1]
        np.testing.assert_array_equal(worth, -single)


@pytest.mark.parametrize("name", ["short", "short-quick", "long-quick"])
def test_the_nets_that_come_with_it_judge_nearly_alike(name):
    """In thousandths of a point over positions of their own play: stated in docs/measured.md."""
    model = read_model(REPOSITORY / "checkpoints" / f"{name}.safetensors")
    plain, whole = (Evaluator(model, tables=False, quantised=quantised) for quantised in (False, True))
    played = core.self_play(plain.native, plain.rules, 5, 0, 30)
    seats = played["seats"]
    error = 1000 * (whole.net(played["boards"], seats)[1] - plain.net(played["boards"], seats)[1])
    assert 0 < np.sqrt((error**2).mean()) < 10
    assert np.abs(error).max() < 150 and abs(error.mean()) < 5


@pytest.mark.parametrize("family", FAMILIES)
def test_weights_of_any_size_keep_their_meaning(family):
    """The ranges follow the weights: nothing saturates and nothing vanishes."""
    rules = FAMILIES[family]
    boards, seats, _ = game_positions(rules, 4)
    (first, bias), (weight, second), last = random_layers(rules, [40, 20], 5)

    def judged(factor: float) -> np.ndarray:
        one, by = np.float32(factor), np.float32(1 / factor)
        layers = [(first * one, bias * one), (weight * by, second), last]
        model = core.Model(rules, core.encoding_name(rules), {"contact": layers}, quantised=True)
        return core.net(model, rules, boards, seats)[0]

    for factor in (2.0**-8, 2.0**12):
        assert np.abs(judged(factor) - judged(1.0)).max() < 3e-3


@pytest.mark.parametrize("kernels", core.kernels())
def test_the_wildest_nets_still_give_probabilities(kernels):
    rules = FAMILIES["short"]
    boards, seats, _ = game_positions(rules, 2)
    layers = random_layers(rules, [40, 20], 5)
    million = [(np.sign(w) * np.float32(1e6), np.sign(b) * np.float32(1e6)) for w, b in layers]
    dead = [(np.zeros_like(layers[0][0]), np.full_like(layers[0][1], -1)), *layers[1:]]
    nothing = [(layers[0]), (np.zeros_like(layers[1][0]), layers[1][1]), layers[2]]
    for wild in (million, dead, nothing):
        model = core.Model(rules, "short-1", {"contact": wild}, kernels=kernels, quantised=True)
        outcomes, _ = core.net(model, rules, boards, seats)
        assert np.isfinite(outcomes).all() and (outcomes >= 0).all()
        np.testing.assert_allclose(outcomes.sum(1), 1, atol=1e-5)
    for exact in (dead, nothing):
        both = [core.Model(rules, "short-1", {"contact": exact}, quantised=q) for q in (False, True)]
        expected, found = (core.net(model, rules, boards, seats)[0] for model in both)
        assert np.abs(expected - found).max() < 1e-6


def test_what_is_no_number_is_refused():
    rules = FAMILIES["short"]
    layers = random_layers(rules, [16], 1)
    layers[1][0][0, 0] = np.nan
    with pytest.raises(core.InputError, match="a weight is not a finite number"):
        core.Model(rules, "short-1", {"contact": layers}, quantised=True)


def test_the_scout_stays_as_it_is():
    """It only puts plays in order. By hand: the plays that the float scout likes best in any roll."""
    rules = FAMILIES["short"]
    boards, seats, turns = (column[:4] for column in game_positions(rules, 1))
    nets = {"contact": random_layers(rules, [32, 16], 1), "scout": random_layers(rules, [16], 2)}
    whole = core.Model(rules, "short-1", nets, quantised=True)
    assert whole.quantised and not core.Model(rules, "short-1", nets).quantised
    scout = core.Model(rules, "short-1", {"contact": nets["scout"]})
    pruned = core.exact_values(whole, boards, seats, turns, core.Pruning(1, 0.0))
    for i in range(len(boards)):
        rolls = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
        ranked = (core.rank(scout, rules, boards[i], *roll, seats[i], turns[i])[0] for roll in rolls)
        liked = {plays[0].tobytes() for plays in ranked}
        expected = np.zeros(6)
        for high, low in rolls:
            after, _, outcomes, _ = core.rank(whole, rules, boards[i], high, low, seats[i], turns[i])
            best = next(k for k, board in enumerate(after) if board.tobytes() in liked)
            expected += (1 + (high != low)) / 36 * outcomes[best]
        np.testing.assert_allclose(pruned[i], expected, atol=1e-6)


@pytest.mark.parametrize("profile", ["short/hypergammon", "long with 1", "short/portes", "long/classic"])
def test_other_games_are_calibrated_by_their_own_positions(profile):
    rules = Game(profile).core_rules
    boards, seats, turns = calibration_boards(rules)
    assert len(boards) > 300 and set(seats) == {0, 1}
    core.check_boards(rules, boards, seats, turns)
    model = core.Model(
        rules, core.encoding_name(rules), {"contact": random_layers(rules, [16], 1)}, quantised=True
    )
    assert np.isfinite(core.net(model, rules, boards, seats)[1]).all()
    with pytest.raises(ValueError, match="read-only"):
        boards[0, 0, 0] = 1


def test_search_and_self_play_stand_on_it_with_any_number_of_threads():
    rules = FAMILIES["short"]
    model = quantised_model(rules, [32, 16])
    boards, seats, turns = (column[:40] for column in game_positions(rules, 1))
    found = [
        core.Search(model, cache_mib=cache, threads=threads).values(boards, seats, turns, plies=1)
        for threads, cache in ((1, 0), (4, 1))
    ]
    np.testing.assert_array_equal(found[0][0], found[1][0])
    played, again = (core.self_play(model, rules, 1, 0, 3) for _ in range(2))
    np.testing.assert_array_equal(played["targets"], again["targets"])
