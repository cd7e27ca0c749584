"""The noise of levels: known answers, its distribution, and that nothing but key and board decides it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from random_nets import FAMILIES, SHORT, game_positions, random_model

from nardy_ai import core

U64 = 2**64 - 1


def mixed(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & U64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & U64
    return x ^ x >> 31


def written_out(key: int, board: npt.NDArray[np.int8]) -> float:
    """The noise as level.c describes it, in whole numbers and by the published block function."""
    value = key
    for row in board.tolist():
        bits = sum(count << 4 * column for column, count in enumerate(row))
        for word in (bits & U64, bits >> 64):
            value = mixed(((value ^ word) + 0x9E3779B97F4A7C15) & U64)
    halves = [number & 0xFFFFFFFF for number in (value, value >> 32, key, key >> 32)]
    words = core.philox((0, core.PURPOSES["noise"], halves[0], halves[1]), (halves[2], halves[3]))
    total = sum(word >> shift & 1023 for word in words for shift in (0, 10, 20)) + 6
    r = (total - 6144) / 4096
    x = 0.0
    for factor in (0.029899776, 0.008355968, 0.076542912, 0.252408784, 3.949846138):
        x = x * r * r + factor
    return x * r


def boards_of(count: int) -> npt.NDArray[np.int8]:
    return np.random.default_rng(2).integers(0, 16, (count, 2, 26)).astype(np.int8)


def test_golden_noise() -> None:
    start = core.start_board(SHORT)[None]
    assert core.noise_key(2026, 5, 1, 7) == GOLDEN_KEY
    assert [core.noise(key, start)[0] for key in (0, 1, GOLDEN_KEY, U64)] == GOLDEN


GOLDEN_KEY = 835892593834762891
GOLDEN = [-0.29036002034533537, -1.3368038849775241, 0.12247589987610139, -0.30484056788997815]


def test_noise_is_what_the_description_says() -> None:
    for number, board in enumerate(boards_of(200)):
        key = number * 0x123456789ABCDEF & U64
        assert core.noise(key, board[None])[0] == pytest.approx(written_out(key, board), abs=1e-12)


def test_noise_is_standard_normal() -> None:
    found = np.sort(core.noise(3, boards_of(40_000)))
    normal = np.array([(1 + math.erf(value / math.sqrt(2))) / 2 for value in found.tolist()])
    steps = np.arange(len(found)) + 0.5
    # Kolmogorov and Smirnov's test, one in a thousand; the tails by themselves.
    assert np.abs(normal - steps / len(found)).max() * math.sqrt(len(found)) < 1.95
    assert abs((np.abs(found) > 2.5758).mean() - 0.01) < 0.0017


def test_neighbouring_keys_and_boards_have_nothing_to_do_with_one_another() -> None:
    boards = boards_of(5000)
    moved = boards.copy()
    moved[:, 0, 3] ^= 1
    plain = core.noise(8, boards)
    for other in (core.noise(9, boards), core.noise(8 + 2**32, boards), core.noise(8, moved)):
        assert abs(np.corrcoef(plain, other)[0, 1]) < 0.05
    turned = core.noise(8, np.ascontiguousarray(boards[:, ::-1]))
    assert abs(np.corrcoef(plain, turned)[0, 1]) < 0.05


def test_every_part_of_a_turn_changes_the_key() -> None:
    turns = [(1, 1, 0, 1), (2, 1, 0, 1), (1 + 2**32, 1, 0, 1), (1, 2, 0, 1), (1, 1, 1, 1), (1, 1, 0, 2)]
    assert len({core.noise_key(*turn) for turn in turns}) == len(turns)


def test_a_noisy_choice_is_the_best_of_the_worths_seen_through_the_noise() -> None:
    model = random_model(SHORT, [8])
    boards, seats, turns = (column[::11][:30] for column in game_positions(SHORT, 4))
    dice = np.array([[3, 1], [6, 5], [2, 2]] * 10, np.uint8)[: len(boards)]
    keys = np.stack([np.full(len(boards), 4), np.arange(len(boards)), np.full(len(boards), 6)], 1)
    noise = 0.3
    player = core.net_player(model, noise)
    chosen = core.choose(player, SHORT, boards, dice, seats, turns, keys.astype(np.uint64))
    for i, board in enumerate(boards):
        seat = int(seats[i])
        results, _, _, worths = core.rank(model, SHORT, board, *dice[i].tolist(), seat, int(turns[i]))
        seen = worths + noise * core.noise(core.noise_key(4, i, seat, 6), results)
        assert np.array_equal(chosen[i], results[int(np.argmax(seen))])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_noisy_player_meets_itself_with_the_same_noise(family: str) -> None:
    rules = FAMILIES[family]
    model = random_model(rules, [8])
    weights = [0.0] * len(core.greedy_names(family))
    for player in (core.net_player(model, 0.5), core.greedy_player(weights, 3.0)):
        found = core.duel(player, player, rules, 3, 0, 10)["outcomes"]
        assert (found >= 0).all()
        points = np.array(rules.points)[found]
        assert (points.sum(axis=1) == 0).all()
        assert (points != 0).any()
        # In the same seat he makes the same choices, and another number of pair gives him others.
        assert len({tuple(pair) for pair in found.tolist()}) > 1


def test_no_noise_is_the_player_himself() -> None:
    model = random_model(SHORT, [8])
    boards, seats, turns = (column[:100] for column in game_positions(SHORT, 4))
    dice = np.full((len(boards), 2), (6, 3), np.uint8)
    keys = np.zeros((len(boards), 3), np.uint64)
    asked = SHORT, boards, dice, seats, turns, keys
    assert np.array_equal(
        core.choose(core.net_player(model), *asked), core.choose(core.search_player(model, 0), *asked)
    )


def test_usual_levels_get_stronger_to_the_full_bot() -> None:
    for family in ("long", "short"):
        levels = [core.default_level(family, number) for number in range(1, 11)]
        noise = [level.noise for level in levels]
        assert noise == sorted(set(noise), reverse=True)
        assert [level.plies for level in levels] == [0] * 9 + [1]
        assert noise[-1] == 0


@pytest.mark.parametrize("wrong", [0, 11, -1, "x", 3.0, True, None])
def test_what_is_no_level_is_told(wrong: object) -> None:
    with pytest.raises(core.InputError, match=r"^level cannot be .*: give a whole number from 1 \(weakest\)"):
        core.default_level("short", wrong)  # type: ignore[arg-type]


def test_noise_that_is_no_number_of_points_is_told() -> None:
    for wrong in (-0.1, float("nan"), float("inf"), 1e9):
        with pytest.raises(core.InputError, match="noise cannot be"):
            core.net_player(random_model(SHORT, [8]), wrong)
    with pytest.raises(core.InputError, match="below 0 or above 15"):
        core.noise(1, np.full((1, 2, 26), 16, np.int8))
    with pytest.raises(core.InputError, match="unknown family"):
        core.default_level("medium", 1)
    with pytest.raises(core.InputError, match="seat is 0 or 1"):
        core.noise_key(1, 1, 2, 1)
