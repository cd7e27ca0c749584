"""Self-play and duels: signs, expectations, and the same bytes however the work is cut."""

import numpy as np
import pytest
from random_nets import FAMILIES, random_layers, random_model

from nardy_ai import core

SAMPLES = ("boards", "seats", "turns", "targets")


@pytest.mark.parametrize("targets", ["sampled", "exact"])
@pytest.mark.parametrize("family", FAMILIES)
def test_any_split_of_the_games_gives_the_same_bytes(family, targets):
    rules = FAMILIES[family]
    model = random_model(rules, [16])
    whole = core.self_play(model, rules, 5, 10, 6, targets=targets, stride=3, max_turns=200)
    parts = [
        core.self_play(model, rules, 5, first, games, targets=targets, stride=3, max_turns=200)
        for first, games in ((10, 1), (11, 3), (14, 2))
    ]
    for name in SAMPLES:
        np.testing.assert_array_equal(whole[name], np.concatenate([part[name] for part in parts]))
    for name in ("plies", "evaluations", "cut", "outcomes"):
        np.testing.assert_array_equal(whole[name], sum(part[name] for part in parts))


@pytest.mark.parametrize("family", FAMILIES)
def test_searched_targets_are_values_of_the_search(family):
    """The first position apart, where an opening of two different dice is known to nobody but self-play."""
    rules = FAMILIES[family]
    model = random_model(rules, [12])
    played = core.self_play(model, rules, 5, 10, 2, targets="searched", stride=40, max_turns=120)
    later = played["turns"] > 0
    assert later.sum() >= 4
    positions = [played[name][later] for name in ("boards", "seats", "turns")]
    outcomes, _ = core.Search(model).values(*positions, plies=2)
    np.testing.assert_array_equal(played["targets"][later], outcomes)


@pytest.mark.parametrize("family", FAMILIES)
def test_targets_searched_with_one_ply_are_the_exact_ones(family):
    rules = FAMILIES[family]
    model = random_model(rules, [12])
    exact, searched = (
        core.self_play(model, rules, 5, 10, 2, stride=9, max_turns=120, **how)
        for how in ({"targets": "exact"}, {"targets": "searched", "plies": 1})
    )
    np.testing.assert_array_equal(exact["boards"], searched["boards"])
    np.testing.assert_array_equal(exact["targets"], searched["targets"])


def test_a_search_for_targets_has_one_to_three_plies():
    rules = FAMILIES["short"]
    model = random_model(rules, [12])
    for plies in (0, 4):
        with pytest.raises(core.InputError, match=f"1 to 3 plies, not {plies}"):
            core.self_play(model, rules, 1, 0, 1, targets="searched", plies=plies)


@pytest.mark.parametrize("family", FAMILIES)
def test_straying_changes_the_games_and_no_target(family):
    rules = FAMILIES[family]
    model = random_model(rules, [12])
    straight, straying = (
        core.self_play(model, rules, 5, 10, 4, targets="exact", stride=5, max_turns=150, straying=how)
        for how in ((0.0, 0.1), (0.3, 0.1))
    )
    assert straight["boards"].tobytes() != straying["boards"].tobytes()
    later = straying["turns"] > 0
    positions = [straying[name][later] for name in ("boards", "seats", "turns")]
    np.testing.assert_array_equal(core.exact_values(model, *positions), straying["targets"][later])


@pytest.mark.parametrize("targets", ["exact", "searched"])
def test_a_play_that_strays_lies_within_the_margin(targets):
    """Every position follows from the one before by a play that is nearly the best of some roll."""
    rules, margin = FAMILIES["short"], 0.05
    model = random_model(rules, [12])
    settings = {"targets": targets, "plies": 1, "max_turns": 40}
    played = core.self_play(model, rules, 5, 10, 1, straying=(1.0, margin), **settings)
    dice = core.dice(5, core.PURPOSES["dice_training"], 10, 0, 40, True)
    lost = []
    for turn in range(len(played["boards"]) - 1):
        board, seat, turns = (played[name][turn] for name in ("boards", "seats", "turns"))
        found, _, _, worth = core.rank(model, rules, board, *map(int, dice[turn]), int(seat), int(turns))
        made = [i for i in range(len(found)) if np.array_equal(found[i][::-1], played["boards"][turn + 1])]
        lost.append(float(worth[0] - worth[made[0]]))
    assert max(lost) <= margin + 1e-6
    assert sum(loss > 0 for loss in lost) > 5


def test_the_share_of_straying_is_what_was_asked_for():
    """With a margin of 0 nothing but ties can change; with half of the turns about half of the plays do."""
    rules = FAMILIES["short"]
    model = random_model(rules, [12])
    settings = {"targets": "exact", "max_turns": 60, "stride": 60}
    straight = core.self_play(model, rules, 5, 0, 40, **settings)
    same = core.self_play(model, rules, 5, 0, 40, straying=(0.5, 0.0), **settings)
    assert straight["boards"].tobytes() == same["boards"].tobytes()
    moved = 0
    for game in range(200):
        first = [
            core.self_play(model, rules, 5, game, 1, targets="exact", max_turns=2, straying=how)["boards"]
            for how in ((0.0, 9.0), (0.5, 9.0))
        ]
        moved += first[0].tobytes() != first[1].tobytes()
    assert 75 <= moved <= 110  # half of 200, less the lots that fall on the best of some 16 plays


@pytest.mark.parametrize("how", [(-0.1, 0.1), (1.1, 0.1), (0.5, -1.0), (np.nan, 0.1)])
def test_straying_that_cannot_be_is_refused(how):
    rules = FAMILIES["short"]
    model = random_model(rules, [12])
    with pytest.raises(core.InputError, match="a share of 0 to 1"):
        core.self_play(model, rules, 1, 0, 1, targets="exact", straying=how)
    with pytest.raises(core.InputError, match="must not stray"):
        core.self_play(model, rules, 1, 0, 1, straying=(0.5, 0.1))


def test_games_of_different_numbers_differ():
    """Field bugs C1, C2: 800 games, 800 different courses."""
    rules = FAMILIES["short"]
    model = random_model(rules, [8])
    games = set()
    for game in range(800):
        played = core.self_play(model, rules, 1, game, 1, max_turns=12)
        games.add(played["boards"].tobytes())
    assert len(games) == 800


@pytest.mark.parametrize("family", FAMILIES)
def test_a_sampled_target_is_minus_the_value_of_what_the_play_left(family):
    """The next sample is the position that the play left: the target is its value, seen from here."""
    rules = FAMILIES[family]
    model = random_model(rules, [24])
    played = core.self_play(model, rules, 3, 0, 1)
    values, _ = core.evaluate(model, rules, played["boards"][1:], played["seats"][1:])
    np.testing.assert_array_equal(played["targets"][:-1], turned(rules, values))
    last = played["targets"][-1]
    assert sorted(last)[-1] == 1 and last.sum() == 1 and played["cut"] == 0
    starter = last if played["seats"][-1] == 0 else turned(rules, last[None])[0]
    np.testing.assert_array_equal(starter, played["outcomes"])


def turned(rules, outcomes):
    half = len(rules.points) // 2
    return np.hstack([outcomes[:, half : 2 * half], outcomes[:, :half], outcomes[:, 2 * half :]])


def test_the_last_mover_of_a_game_has_won_his_sample():
    """Field bug B7: the row of the play that ends the game carries the mover's win."""
    rules = FAMILIES["short"]
    played = core.self_play(random_model(rules, [16]), rules, 8, 0, 30, max_turns=2000)
    ends = [
        i for i in range(len(played["turns"])) if i + 1 == len(played["turns"]) or played["turns"][i + 1] == 0
    ]
    ends = [i for i in ends if played["targets"][i].max() == 1]
    assert len(ends) >= 20
    assert all(played["targets"][i][:3].sum() == 1 for i in ends)


def test_trace_mixes_along_the_game():
    rules = FAMILIES["short"]
    model = random_model(rules, [16])
    plain = core.self_play(model, rules, 2, 0, 1)
    full = core.self_play(model, rules, 2, 0, 1, trace=1.0)
    half = core.self_play(model, rules, 2, 0, 1, trace=0.5)
    np.testing.assert_array_equal(plain["boards"], full["boards"])
    result = full["targets"][-1]
    for back, target in enumerate(full["targets"][::-1]):
        expected = result if back % 2 == 0 else turned(rules, result[None])[0]
        np.testing.assert_array_equal(target, expected)
    later = turned(rules, half["targets"][1:])
    np.testing.assert_allclose(half["targets"][:-1], (plain["targets"][:-1] + later) / 2, atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_exact_target_is_the_mean_over_all_rolls_of_the_best_play(family):
    rules = FAMILIES[family]
    model = random_model(rules, [24])
    played = core.self_play(model, rules, 3, 0, 2, targets="exact", stride=9, max_turns=200)
    for i in range(0, len(played["boards"]), 4):
        # The opening roll of short nardy has no doubles; other positions of a game do.
        opening = family == "short" and played["turns"][i] == 0 and played["seats"][i] == 0
        expected = np.zeros(len(rules.outcomes))
        total = 0
        for d1 in range(1, 7):
            for d2 in range(1, 7):
                if opening and d1 == d2:
                    continue
                args = played["boards"][i], d1, d2, int(played["seats"][i]), int(played["turns"][i])
                expected += core.rank(model, rules, *args)[2][0]
                total += 1
        np.testing.assert_allclose(played["targets"][i], expected / total, atol=2e-6)


def test_exact_values_speak_for_every_roll_of_a_start():
    rules = FAMILIES["long"]
    model = random_model(rules, [16])
    board, zero = core.start_board(rules)[None], np.zeros(1, np.uint8)
    mean = np.mean(
        [core.rank(model, rules, board[0], a, b, 0, 0)[2][0] for a in range(1, 7) for b in range(1, 7)],
        axis=0,
    )
    np.testing.assert_allclose(core.exact_values(model, board, zero, zero)[0], mean, atol=2e-6)


def test_a_cut_game_is_counted_and_never_scored():
    """Field bugs B12, B14."""
    rules = FAMILIES["long"]
    model = random_model(rules, [16])
    played = core.self_play(model, rules, 1, 0, 5, max_turns=10)
    assert played["cut"] == 5
    assert played["outcomes"].sum() == 0
    assert len(played["boards"]) == 50
    assert (played["targets"].max(1) < 1).all()
    duel = core.duel(core.net_player(model), core.random_player(), rules, 1, 0, 3, max_turns=10)
    assert (duel["outcomes"] == -1).all()


def players(rules):
    rough = {"off": 100.0, "pips": -1.0, "stack": -1.0}  # enough to bring the game to an end
    weights = [rough.get(name, 0.0) for name in core.greedy_names(rules.family)]
    return {
        "net": core.net_player(random_model(rules, [16])),
        "other net": core.net_player(random_model(rules, [12], seed=9)),
        "random": core.random_player(),
        "greedy": core.greedy_player(weights),
    }


def worth(rules, outcomes):
    return np.where(outcomes < 0, 0, np.array(rules.points)[outcomes])


@pytest.mark.parametrize("name", ["net", "random", "greedy"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_player_against_itself_scores_exactly_nothing(family, name):
    """Field bug F11: both games of a pair are the same game with names swapped."""
    rules = FAMILIES[family]
    player = players(rules)[name]
    found = core.duel(player, player, rules, 4, 0, 25, max_turns=3000)
    points = worth(rules, found["outcomes"])
    assert (points.sum(1) == 0).all()
    assert np.abs(points).sum() > 0
    np.testing.assert_array_equal(found["plies"][:, 0], found["plies"][:, 1])


@pytest.mark.parametrize("names", [("net", "random"), ("net", "other net"), ("greedy", "random")])
@pytest.mark.parametrize("family", FAMILIES)
def test_swapping_the_players_swaps_the_result(family, names):
    """Field bug F12: and the compared value is not zero."""
    rules = FAMILIES[family]
    a, b = (players(rules)[name] for name in names)
    there = worth(rules, core.duel(a, b, rules, 4, 7, 30, max_turns=3000)["outcomes"])
    back = worth(rules, core.duel(b, a, rules, 4, 7, 30, max_turns=3000)["outcomes"])
    np.testing.assert_array_equal(there, -back[:, ::-1])
    assert there.sum() != 0


def test_any_split_of_the_pairs_gives_the_same_games():
    rules = FAMILIES["short"]
    a, b = players(rules)["net"], core.random_player()
    whole = core.duel(a, b, rules, 11, 100, 12, max_turns=3000)
    parts = [
        core.duel(a, b, rules, 11, first, pairs, max_turns=3000) for first, pairs in ((100, 5), (105, 7))
    ]
    for name in ("outcomes", "plies"):
        np.testing.assert_array_equal(whole[name], np.concatenate([part[name] for part in parts]))


def test_what_is_returned_belongs_to_the_caller():
    """Field bug D1: a later call must not touch what an earlier one gave."""
    rules = FAMILIES["short"]
    model = random_model(rules, [16])
    board, one, three = core.start_board(rules)[None], np.zeros(1, np.uint8), np.full(1, 3, np.uint8)
    calls = {
        "legal_boards": lambda d: core.legal_boards(rules, board, np.array([d], np.uint8), one, three),
        "plays": lambda d: core.plays(rules, board[0], *d, 0, 3)[:1],
        "rank": lambda d: core.rank(model, rules, board[0], *d, 0, 3)[:1],
        "net": lambda d: core.net(
            model, rules, core.legal_boards(rules, board, np.array([d], np.uint8), one, three)[0]
        ),
        "self_play": lambda d: [core.self_play(model, rules, d[0], 0, 1, max_turns=50)[n] for n in SAMPLES],
        "dice": lambda d: [core.dice(d[0], 1, d[1], 0, 9)],
    }
    for name, call in calls.items():
        first = call((3, 1))
        kept = [array.copy() for array in first]
        call((6, 5))
        for array, copy in zip(first, kept, strict=True):
            assert np.array_equal(array, copy), name
            array[...] = 0  # writable, and nobody else's
        for array, copy in zip(call((3, 1)), kept, strict=True):
            assert np.array_equal(array, copy), name


def test_threads_do_not_disturb_one_another():
    """Field bug D8: eight threads with different nets against the same work done in turn."""
    from concurrent.futures import ThreadPoolExecutor

    rules = FAMILIES["long"]
    models = [random_model(rules, [16], seed=s) for s in range(8)]
    serial = [core.self_play(m, rules, 1, 0, 3)["targets"] for m in models]
    with ThreadPoolExecutor(8) as pool:
        threaded = list(pool.map(lambda m: core.self_play(m, rules, 1, 0, 3)["targets"], models))
    for one, other in zip(serial, threaded, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(serial[0], serial[1])


def test_a_player_of_another_profile_is_refused():
    rules = FAMILIES["long"]
    classic = core.Rules({**rules.options, "last_roll": False})
    layers = random_layers(classic, [8], 1)
    player = core.net_player(core.Model(classic, core.encoding_name(classic), {"contact": layers}))
    with pytest.raises(core.InputError, match="another profile"):
        core.duel(player, core.random_player(), rules, 1, 0, 1)
