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


def values_and_cost(model, positions, stage, doubt=0.0):
    """Equities at one ply, and how many positions the large nets saw."""
    search = core.Search(model, core.Filters(scout=stage, doubt=doubt), cache_mib=0)
    return search.values(*positions, plies=1)[1].astype(np.float64), search.evaluations


def misjudging_scout(rules):
    """The large net with its last layer read out wrongly: its units know all that there is to know."""
    first, (weight, bias) = random_layers(rules, [24], 1)
    noise = np.random.default_rng(5).normal(0, 0.4, weight.shape).astype(np.float32)
    return [first, (weight + noise, bias)]


@pytest.mark.parametrize("family", FAMILIES)
def test_doubt_lies_between_the_first_choices_and_everything(family):
    rules = FAMILIES[family]
    model = model_with(rules, random_layers(rules, [4], 9))
    positions = some_positions(rules, 11)
    full, whole = values_and_cost(model, positions, core.Stage())
    before, seen = values_and_cost(model, positions, core.Stage(1, ANY))
    for doubt in (0.5, 2.0, 100.0):
        found, cost = values_and_cost(model, positions, core.Stage(1, ANY), doubt)
        assert (found >= before - 1e-6).all() and (found <= full + 1e-6).all()
        assert cost >= seen
        before, seen = found, cost
    assert (full - before).mean() < 1e-3 and seen <= whole


@pytest.mark.parametrize("family", FAMILIES)
def test_a_scout_that_misjudges_is_set_right_by_its_own_units(family):
    rules = FAMILIES[family]
    layers = random_layers(rules, [24], 1)
    nets = {"contact": layers, "scout": misjudging_scout(rules)}
    model = core.Model(rules, core.encoding_name(rules), nets)
    positions = some_positions(rules, 11)
    full, whole = values_and_cost(model, positions, core.Stage())
    trusted, _ = values_and_cost(model, positions, core.Stage(2, 0.3))
    doubted, cost = values_and_cost(model, positions, core.Stage(2, 0.3), 2.0)
    wider, _ = values_and_cost(model, positions, core.Stage(16, 0.3))
    assert (full - trusted).mean() > 0.01
    assert (full - doubted).mean() < 0.1 * (full - trusted).mean()
    assert cost < 0.6 * whole and (full - doubted).mean() < (full - wider).mean()


def rolled_results(rules, board, seat, turns):
    """All results of all rolls, player on roll in row 0, and each roll's as their places."""
    dice = np.array(core.ROLL_PAIRS, np.uint8)
    beside = np.full(21, seat, np.uint8), np.full(21, turns, np.uint8)
    legal, offsets = core.legal_boards(rules, np.repeat(board[None], 21, 0), dice, *beside)
    flat, places = np.unique(legal.reshape(len(legal), -1), axis=0, return_inverse=True)
    turned = np.ascontiguousarray(flat.reshape(-1, 2, 26)[:, ::-1])
    return turned, [places.ravel()[offsets[i] : offsets[i + 1]] for i in range(21)]


def filled(seen, lead):
    """Those that are wanted (1) and, up to whole blocks of 16, the unseen ones of the greatest lead."""
    room = -int((seen == 1).sum()) % 16
    order = [i for i in np.argsort(-lead, kind="stable") if seen[i] == 0]
    seen[order[:room]] = 1
    return seen


def leads(worth, rivals, rolls):
    lead = np.full(len(worth), -np.inf)
    for places in rolls:
        lead[places] = np.maximum(lead[places], worth[places] - rivals[places].max())
    return lead


def slowly_pruned(rules, scout, board, seat, turns, large, keep, margin, doubt):
    """The value by the scheme as pruning.h tells it, in double precision: a second opinion."""
    turned, rolls = rolled_results(rules, board, seat, turns)
    seats = np.full(len(turned), 1 - seat, np.uint8)
    told, said = (
        -core.evaluate(model, rules, turned, seats)[1].astype(np.float64) for model in (large, scout[0])
    )
    (weight, bias), _ = scout[1]
    inputs = core.encode(core.encoding_name(rules), turned, seats)
    units = np.maximum(inputs @ weight.T + bias, 0).astype(np.float64)
    units -= units.mean(axis=0)
    units = units[:, (units**2).sum(axis=0) > 1e-4 * (units**2).sum(axis=0).max()]
    units /= units.std(axis=0)
    seen = np.zeros(len(turned), int)
    for places in rolls:
        best = places[np.argsort(-said[places], kind="stable")[:keep]]
        seen[best[said[best] >= said[best[0]] - margin]] = 1
    seen[filled(seen, leads(said, said, rolls)) == 1] = 2
    for _ in range(2):
        known = seen == 2
        columns = np.column_stack([units[known], np.ones(known.sum())])
        damping = np.diag([5.0] * units.shape[1] + [0.0])
        weights = np.linalg.solve(columns.T @ columns + damping, columns.T @ (told - said)[known])
        guess = said + np.column_stack([units, np.ones(len(units))]) @ weights
        spread = np.sqrt(((told - guess)[known] ** 2).mean())
        lead = leads(guess, np.where(known, told, -np.inf), rolls)
        seen[(seen == 0) & (lead + doubt * spread > 0)] = 1
        if (seen == 1).any():
            seen[filled(seen, lead) == 1] = 2
    worth = np.array([told[places[seen[places] == 2]].max() for places in rolls])
    return worth @ [1 if high == low else 2 for high, low in core.ROLL_PAIRS] / 36


@pytest.mark.parametrize("family", FAMILIES)
def test_doubt_goes_by_its_rule(family):
    """Contact positions before anything is borne off, so that nets judge everything."""
    rules = FAMILIES[family]
    layers, wrong = random_layers(rules, [24], 1), misjudging_scout(rules)
    name = core.encoding_name(rules)
    model = core.Model(rules, name, {"contact": layers, "scout": wrong})
    large, scout = (core.Model(rules, name, {"contact": part}) for part in (layers, wrong))
    boards, seats, turns = some_positions(rules, 9)
    early = np.flatnonzero((boards[:, :, 25] == 0).all(axis=1) & (turns == 3))[:24]
    found = core.exact_values(model, boards[early], seats[early], turns[early], core.Pruning(2, 0.3, 1.0))
    full = equities(rules, core.exact_values(model, boards[early], seats[early], turns[early]))
    expected = [
        slowly_pruned(rules, (scout, wrong), boards[i], int(seats[i]), int(turns[i]), large, 2, 0.3, 1.0)
        for i in early
    ]
    same = np.abs(equities(rules, found) - expected) < 2e-6
    # Rounding may tip a scale here and there.
    assert len(early) == 24 and same.sum() >= 23
    assert (full > expected + np.array(1e-4)).any()


@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_scout_lets_the_same_plays_pass_in_any_number_of_threads(family, plies):
    """One position in several threads is shared out by its rolls."""
    rules = FAMILIES[family]
    model = model_with(rules, random_layers(rules, [4], 9))
    positions = [column[:6] for column in some_positions(rules, 23)]
    for doubt in (0.0, 1.0):
        usual = core.DEFAULT_FILTERS
        filters = core.Filters(usual.root, usual.inner, core.Stage(2, 0.1), doubt)
        alone, several = (core.Search(model, filters, threads=threads) for threads in (1, 3))
        weights = np.array([1 if high == low else 2 for high, low in core.ROLL_PAIRS]) / 36
        for i in range(6):
            one = [column[i : i + 1] for column in positions]
            outcomes, equity = alone.values(*one, plies=plies)
            np.testing.assert_array_equal(several.values(*one, plies=plies)[0], outcomes)
            for search in (alone, several):
                worth = search.roll_values(*one, plies=plies)
                assert worth[0] @ weights == pytest.approx(float(equity[0]), abs=1e-5)


def test_what_was_searched_in_between_does_not_matter_to_rolls():
    rules = FAMILIES["short"]
    search = core.Search(
        model_with(rules, random_layers(rules, [4], 9)), core.Filters(scout=core.Stage(2, 0.1)), cache_mib=0
    )
    one, other = ([column[i : i + 1] for column in some_positions(rules, 23)] for i in (0, 1))
    before = search.roll_values(*one, plies=1)
    assert (search.roll_values(*other, plies=1) != before).any()
    np.testing.assert_array_equal(search.roll_values(*one, plies=1), before)
    search.values(*other, plies=1)
    np.testing.assert_array_equal(search.roll_values(*one, plies=1), before)


@pytest.mark.parametrize(
    ("pruning", "message"),
    [
        (core.Pruning(2, 0.1, -0.5), "doubt lies between 0 and 100"),
        (core.Pruning(2, 0.1, 101.0), "doubt lies between 0 and 100"),
        (core.Pruning(2, 0.1, np.nan), "doubt lies between 0 and 100"),
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


@pytest.mark.parametrize("doubt", [-0.5, 101.0, np.nan])
def test_a_doubt_that_nobody_can_have_is_refused(doubt):
    rules = FAMILIES["short"]
    with pytest.raises(core.InputError, match=r"a scout's doubt is .*: give 0 to 100 standard deviations"):
        core.Search(model_with(rules, None), core.Filters(scout=core.Stage(2, 0.3), doubt=doubt))


@pytest.mark.parametrize("stage", [core.Stage(17, 0.1), core.Stage(3), core.Stage(None, 0.1)])
def test_a_stage_that_no_scout_can_keep_is_refused(stage):
    rules = FAMILIES["short"]
    with pytest.raises(core.InputError, match="a scout's stage has a margin and keeps 1 to 16 plays"):
        searched(model_with(rules, None), rules, 1, stage)
