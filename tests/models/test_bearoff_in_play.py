"""Bear-off tables in the engine: where they reach, no net is asked, whoever plays, searches or learns."""

import gc
from pathlib import Path

import numpy as np
import pytest
from random_nets import FAMILIES, game_positions, random_layers, random_model
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.models.bearoff_tables import bearoff_tables
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.rules import Game


def with_tables(rules, tables):
    layers = random_layers(rules, [16], 1)
    return core.Model(rules, core.encoding_name(rules), {"contact": layers}, bearoff=tables)


def bearoffs(count, most):
    """Boards with 1 to `most` checkers a side left, all at home; seats; turns."""
    random = np.random.default_rng(3)
    boards = np.zeros((count, 2, 26), np.int8)
    for row in boards.reshape(-1, 26):
        left = random.integers(1, most + 1)
        np.add.at(row, random.integers(0, 6, left), 1)
        row[25] = 15 - left
    return boards, random.integers(0, 2, count).astype(np.uint8), np.full(count, 3, np.uint8)


@pytest.fixture(scope="module", params=FAMILIES)
def setting(request):
    """Rules, their tables, a model with them, and positions: whole games and bear-offs."""
    rules = FAMILIES[request.param]
    tables = bearoff_tables(rules)
    positions = zip(game_positions(rules, 3), bearoffs(60, 14), bearoffs(20, 6), strict=True)
    return rules, tables, with_tables(rules, tables), tuple(map(np.concatenate, positions))


def test_they_judge_where_they_reach_and_the_net_elsewhere(setting):
    rules, tables, model, (boards, seats, _) = setting
    known, covered = tables.outcomes(boards, seats)
    assert 80 <= covered.sum() < len(boards) - 50
    judged, equities = core.evaluate(model, rules, boards, seats)
    np.testing.assert_array_equal(judged[covered], known[covered])
    np.testing.assert_array_equal(judged[~covered], core.net(model, rules, boards, seats)[0][~covered])
    np.testing.assert_allclose(equities, judged @ np.asarray(rules.points, np.float32), atol=1e-5)


def test_the_net_alone_stays_the_net(setting):
    rules, _, model, (boards, seats, _) = setting
    bare = with_tables(rules, None)
    one, other = (core.net(judge, rules, boards, seats)[0] for judge in (model, bare))
    np.testing.assert_array_equal(one, other)


def test_the_plays_of_a_roll_are_judged_by_them(setting):
    """A play's worth to its maker is minus what the table says of the position that it leaves."""
    rules, tables, model, (boards, seats, turns) = setting
    _, covered = tables.outcomes(boards, seats)
    place = int(np.flatnonzero(covered)[0])
    left, _, _, equities = core.rank(model, rules, boards[place], 2, 1, int(seats[place]), int(turns[place]))
    others = np.full(len(left), 1 - seats[place], np.uint8)
    known, reached = tables.outcomes(np.ascontiguousarray(left[:, ::-1]), others)
    assert reached.any()
    worth = -(known @ np.asarray(rules.points, np.float32))
    np.testing.assert_allclose(equities[reached], worth[reached], atol=1e-6)


def test_exact_targets_of_the_two_sided_table_are_the_table(setting):
    """One step of best play by the table gives the table again: it is the solution."""
    _, tables, model, (boards, seats, turns) = setting
    known, covered = tables.outcomes(boards, seats)
    few = covered & (boards[:, 0, :6].sum(1) <= 6) & (boards[:, 1, :6].sum(1) <= 6)
    assert few.sum() >= 20
    values = core.exact_values(model, boards[few], seats[few], turns[few])
    np.testing.assert_allclose(values, known[few], atol=1e-5)


def test_they_live_as_long_as_the_model():
    rules = FAMILIES["short"]
    boards, seats, _ = game_positions(rules, 1)
    held = bearoff_tables(rules)
    own = core.tables.BearoffTables(rules, held.finish.copy(), held.first.copy(), held.pairs.copy())
    model = with_tables(rules, own)
    before = core.evaluate(model, rules, boards, seats)[0]
    player = core.net_player(model)
    del own, model
    gc.collect()
    rolled = np.full((len(boards), 2), (3, 1), np.uint8)
    keys = np.zeros((len(boards), 3), np.uint64)
    core.choose(player, rules, boards, rolled, seats, np.full(len(boards), 3, np.uint8), keys)
    assert np.array_equal(before, core.evaluate(with_tables(rules, held), rules, boards, seats)[0])


def test_tables_of_other_rules_are_refused():
    with pytest.raises(core.InputError, match="bear-off tables are those of other rules"):
        with_tables(FAMILIES["short"], bearoff_tables(FAMILIES["long"]))


def test_a_model_file_is_judged_with_them_unless_told_otherwise(tmp_path: Path):
    path = untrained_model("short", tmp_path / "m.safetensors")
    boards, seats, _ = bearoffs(10, 12)
    tables = bearoff_tables(Game("short").core_rules)
    known, covered = tables.outcomes(boards, seats)
    assert covered.all()
    evaluator = Evaluator.load(path)
    np.testing.assert_array_equal(evaluator.evaluate_boards(boards, seats)[0], known)
    bare = Evaluator(evaluator.model, tables=False)
    np.testing.assert_array_equal(bare.evaluate_boards(boards, seats)[0], bare.net(boards, seats)[0])


def test_a_random_model_without_tables_is_as_before():
    rules = FAMILIES["long"]
    boards, seats, _ = game_positions(rules, 1)
    model = random_model(rules, [8])
    judged, of_the_net = (judge(model, rules, boards, seats)[0] for judge in (core.evaluate, core.net))
    np.testing.assert_array_equal(judged, of_the_net)
