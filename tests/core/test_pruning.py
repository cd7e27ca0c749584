"""Exact targets with a scout: a small net says which plays of a roll the large nets see."""

import numpy as np
import pytest
from random_nets import FAMILIES, game_positions, random_layers

from nardy_ai import core

ANY = 1000.0


def model_with(rules, scout):
    nets = {"contact": random_layers(rules, [24], 1), "race": random_layers(rules, [24], 2), "scout": scout}
    return core.Model(rules, core.encoding_name(rules), {name: net for name, net in nets.items() if net})


def some_positions(rules, step=7):
    boards, seats, turns = game_positions(rules, 3)
    return boards[::step], seats[::step], turns[::step]


def equities(rules, values):
    return values.astype(np.float64) @ np.asarray(rules.points)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_pruned_value_lies_below_the_full_one_and_rises_with_every_play_more(family):
    rules = FAMILIES[family]
    model = model_with(rules, random_layers(rules, [4], 9))
    positions = some_positions(rules)
    full = equities(rules, core.exact_values(model, *positions))
    before = np.full(len(full), -np.inf)
    for keep in (1, 2, 4, 16):
        pruned = equities(rules, core.exact_values(model, *positions, core.Pruning(keep, ANY)))
        assert (pruned >= before - 1e-6).all() and (pruned <= full + 1e-6).all()
        assert (pruned < full - 1e-3).any() or keep == 16
        before = pruned


def test_a_wider_margin_lets_more_plays_pass():
    rules = FAMILIES["short"]
    model = model_with(rules, random_layers(rules, [4], 9))
    positions = some_positions(rules)
    narrow, wide = (
        equities(rules, core.exact_values(model, *positions, core.Pruning(16, margin)))
        for margin in (0.0, ANY)
    )
    lone = equities(rules, core.exact_values(model, *positions, core.Pruning(1, ANY)))
    # Plays that the scout thinks equal both pass a margin of 0.
    assert (narrow >= lone).all() and (narrow == lone).mean() > 0.9
    assert (wide > narrow + 1e-3).any()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_scout_that_knows_as_much_loses_nothing(family):
    """One net for everything, and itself as the scout: its first choice is the best play."""
    rules = FAMILIES[family]
    layers = random_layers(rules, [24], 1)
    model = core.Model(rules, core.encoding_name(rules), {"contact": layers, "scout": layers})
    positions = some_positions(rules)
    full = core.exact_values(model, *positions)
    np.testing.assert_array_equal(core.exact_values(model, *positions, core.Pruning(1, 0.0)), full)


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_pruned_where_a_roll_has_few_plays(family):
    rules = FAMILIES[family]
    model = model_with(rules, random_layers(rules, [4], 9))
    boards, seats, turns = game_positions(rules, 3)
    rolls = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
    dice = np.array(rolls, np.uint8)
    few = [
        i
        for i in range(0, len(boards), 3)
        if max(plays_of(rules, boards[i], dice, seats[i], turns[i])) <= 16
    ]
    assert len(few) >= 10
    positions = boards[few], seats[few], turns[few]
    full = core.exact_values(model, *positions)
    np.testing.assert_array_equal(core.exact_values(model, *positions, core.Pruning(16, ANY)), full)


def plays_of(rules, board, dice, seat, turns):
    boards = np.repeat(board[None], 21, 0)
    return np.diff(core.legal_boards(rules, boards, dice, np.full(21, seat), np.full(21, turns))[1])


def test_finished_results_are_seen_by_the_scout_as_what_they_are():
    """One checker left, about to be borne off: every roll wins, whatever the scout thinks.

    O . . . . . | . . . . . .   (2 of his 15 at home)
    X . . . . . | . . . . . .
    """
    rules = FAMILIES["short"]
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, [0, 25]] = 1, 14
    board[0, 1, [0, 25]] = 2, 13
    model = model_with(rules, random_layers(rules, [4], 9))
    seat, turns = np.zeros(1, np.uint8), np.full(1, 3, np.uint8)
    values = core.exact_values(model, board, seat, turns, core.Pruning(1, 0.0))
    np.testing.assert_array_equal(values, [[1, 0, 0, 0, 0, 0]])


@pytest.mark.parametrize("family", FAMILIES)
def test_pruned_self_play_gives_the_same_bytes_for_any_split(family):
    rules = FAMILIES[family]
    model = model_with(rules, random_layers(rules, [4], 9))
    settings = {"targets": "exact", "stride": 3, "max_turns": 200, "pruning": core.Pruning(2, 0.3)}
    whole = core.self_play(model, rules, 5, 10, 4, **settings)
    parts = [core.self_play(model, rules, 5, first, games, **settings) for first, games in ((10, 1), (11, 3))]
    for name in ("boards", "targets"):
        np.testing.assert_array_equal(whole[name], np.concatenate([part[name] for part in parts]))
    values = core.exact_values(model, whole["boards"], whole["seats"], whole["turns"], settings["pruning"])
    later = whole["turns"] > 0
    np.testing.assert_array_equal(whole["targets"][later], values[later])


@pytest.mark.parametrize(
    ("pruning", "message"),
    [
        (core.Pruning(17, 0.1), "keeps 1 to 16"),
        (core.Pruning(2, -0.1), "at least 0"),
        (core.Pruning(2, np.nan), "at least 0"),
    ],
)
def test_a_pruning_that_cannot_be_is_refused(pruning, message):
    rules = FAMILIES["short"]
    model = model_with(rules, random_layers(rules, [4], 9))
    with pytest.raises(core.InputError, match=message):
        core.exact_values(model, *some_positions(rules), pruning)


def test_a_pruning_without_a_scout_is_refused():
    rules = FAMILIES["short"]
    model = model_with(rules, None)
    with pytest.raises(core.InputError, match="needs a model with a scout"):
        core.self_play(model, rules, 1, 0, 1, targets="exact", pruning=core.Pruning(2, 0.1))


def test_a_scout_judges_no_position():
    rules = FAMILIES["short"]
    boards, seats, _ = some_positions(rules)
    with_scout, without = model_with(rules, random_layers(rules, [4], 9)), model_with(rules, None)
    for judge in (core.net, core.evaluate):
        one, other = (judge(model, rules, boards, seats)[0] for model in (with_scout, without))
        np.testing.assert_array_equal(one, other)


def searched(model, rules, plies, stage):
    filters = core.Filters(core.DEFAULT_FILTERS.root, core.DEFAULT_FILTERS.inner, stage)
    positions = [column[:12] for column in some_positions(rules, 9)]
    return core.Search(model, filters).values(*positions, plies=plies)[1]


@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_search_with_a_scout_that_knows_as_much_is_the_one_without(family, plies):
    rules = FAMILIES[family]
    layers = random_layers(rules, [24], 1)
    model = core.Model(rules, core.encoding_name(rules), {"contact": layers, "scout": layers})
    full = searched(model, rules, plies, core.Stage())
    np.testing.assert_array_equal(searched(model, rules, plies, core.Stage(1, 0.0)), full)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_search_with_a_poor_scout_sees_less(family):
    rules = FAMILIES[family]
    model = model_with(rules, random_layers(rules, [4], 9))
    full, seen = (searched(model, rules, 1, stage) for stage in (core.Stage(), core.Stage(2, 0.1)))
    assert (seen <= full + 1e-6).all() and (seen < full - 1e-3).any()
    bare = model_with(rules, None)
    asked, plain = (searched(bare, rules, 1, stage) for stage in (core.Stage(2, 0.1), core.Stage()))
    np.testing.assert_array_equal(asked, plain)


@pytest.mark.parametrize("stage", [core.Stage(17, 0.1), core.Stage(3), core.Stage(None, 0.1)])
def test_a_stage_that_no_scout_can_keep_is_refused(stage):
    rules = FAMILIES["short"]
    with pytest.raises(core.InputError, match="a scout's stage has a margin and keeps 1 to 16 plays"):
        searched(model_with(rules, None), rules, 1, stage)
