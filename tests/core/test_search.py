"""Search: against a slow expectimax in Python, and what must never change an answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pip_nets import pip_model
from random_nets import FAMILIES, game_positions, random_model

from nardy_ai import core
from nardy_ai.core import DEFAULT_FILTERS, NO_FILTERS, Filters, InputError, Search, Stage

DICE = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
WEIGHTS = np.array([1 if high == low else 2 for high, low in DICE]) / 36
NARROW = Filters((Stage(4, 0.3), Stage(3, 0.2), Stage(2, 0.1)), (Stage(2, 0.1), Stage(1)))


def small_rules(family: str, checkers: int, **options: object) -> core.Rules:
    start = [0] * 24
    if family == "long":
        start[23] = checkers
    else:
        start[21] = start[22] = start[23] = 1
    return core.Rules({"family": family, "checkers": checkers, "start": start, **options})


SMALL = {
    "long, last roll": small_rules("long", 2),
    "long, first turns": small_rules("long", 4, head_exception="any_double_first_turn", last_roll=False),
    "long, second player": small_rules("long", 3, head_exception="second_player_3_4_6"),
    "short": small_rules("short", 3),
}


class Expectimax:
    """The definition word for word. Turns are counted for both seats; nothing is cut or remembered."""

    def __init__(self, model: core.Model) -> None:
        self.model, self.rules = model, model.rules
        self.points = np.array(self.rules.points)
        half = len(self.rules.outcomes) // 2
        self.swap = [*range(half, 2 * half), *range(half), *range(2 * half, len(self.rules.outcomes))]

    def values(self, boards: np.ndarray, seat: int, had: tuple[int, int], plies: int) -> np.ndarray:
        seats = np.full(len(boards), seat, np.uint8)
        if plies == 0:
            return core.evaluate(self.model, self.rules, boards, seats)[0].astype(np.float64)
        over = core.results(self.rules, boards, seats)
        sure = np.eye(len(self.rules.outcomes))
        return np.array(
            [
                sure[result] if result >= 0 else self.value(board, seat, had, plies)
                for board, result in zip(boards, over, strict=True)
            ]
        )

    def value(self, board: np.ndarray, seat: int, had: tuple[int, int], plies: int) -> np.ndarray:
        after = (had[0] + (seat == 0), had[1] + (seat == 1))
        turns = np.full(21, min(had[seat], 3), np.uint8)
        many = np.repeat(board[None], 21, axis=0)
        results, starts = core.legal_boards(
            self.rules, many, np.array(DICE, np.uint8), np.full(21, seat, np.uint8), turns
        )
        turned = np.ascontiguousarray(results[:, ::-1])
        mine = self.values(turned, 1 - seat, after, plies - 1)[:, self.swap]
        equity = mine @ self.points
        best = [
            max(range(starts[i], starts[i + 1]), key=lambda j: (round(equity[j], 7), *-results[j].ravel()))
            for i in range(21)
        ]
        return WEIGHTS @ mine[best]


def turns_of_both(seat: int, turns: int) -> tuple[int, int]:
    """Turns that either seat has had, by alternation from seat 0."""
    return (turns, turns) if seat == 0 else (turns + 1, turns)


def some_positions(rules: core.Rules, count: int, seed: int = 1):
    """Positions of random games, among them early turns."""
    boards, seats, turns = game_positions(rules, 40, seed=seed)
    rng = np.random.default_rng(seed)
    early, late = np.flatnonzero(turns < 3), np.flatnonzero(turns == 3)
    half = count // 2
    chosen = [*rng.choice(early, half, replace=False), *rng.choice(late, count - half, replace=False)]
    return boards[chosen], seats[chosen], turns[chosen]


@pytest.mark.parametrize("name", SMALL)
def test_values_are_those_of_a_slow_expectimax(name: str) -> None:
    rules = SMALL[name]
    model = random_model(rules, [24], seed=2)
    slow, search = Expectimax(model), Search(model, NO_FILTERS)
    for plies, count in ((1, 30), (2, 6)):
        boards, seats, turns = some_positions(rules, count)
        found, equity = search.values(boards, seats, turns, plies=plies)
        for i in range(count):
            had = turns_of_both(int(seats[i]), int(turns[i]))
            expected = slow.value(boards[i], int(seats[i]), had, plies)
            assert np.abs(found[i] - expected).max() < 1e-6
            assert abs(equity[i] - expected @ slow.points) < 3e-6


@pytest.mark.parametrize("family", FAMILIES)
def test_one_ply_of_whole_games_is_that_of_a_slow_expectimax(family: str) -> None:
    rules = FAMILIES[family]
    model = random_model(rules, [24], seed=6)
    slow, search = Expectimax(model), Search(model)
    boards, seats, turns = some_positions(rules, 60, seed=5)
    found, _ = search.values(boards, seats, turns, plies=1)
    for i in range(60):
        had = turns_of_both(int(seats[i]), int(turns[i]))
        assert np.abs(found[i] - slow.value(boards[i], int(seats[i]), had, 1)).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["long, last roll", "short"])
def test_three_plies_are_those_of_a_slow_expectimax(name: str) -> None:
    rules = SMALL[name]
    model = random_model(rules, [24], seed=2)
    slow, search = Expectimax(model), Search(model, NO_FILTERS)
    boards, seats, turns = some_positions(rules, 1, seed=3)
    found, _ = search.values(boards, seats, turns, plies=3)
    had = turns_of_both(int(seats[0]), int(turns[0]))
    assert np.abs(found[0] - slow.value(boards[0], int(seats[0]), had, 3)).max() < 1e-6


@pytest.mark.parametrize("family", FAMILIES)
def test_zero_plies_are_the_net_and_one_ply_is_the_exact_target(family: str) -> None:
    rules = FAMILIES[family]
    model = random_model(rules, [32])
    boards, seats, turns = some_positions(rules, 60)
    search = Search(model, NO_FILTERS)
    outcomes, equity = search.values(boards, seats, turns, plies=0)
    net, worth = core.evaluate(model, rules, boards, seats)
    assert np.array_equal(outcomes, net) and np.array_equal(equity, worth)
    exact = core.exact_values(model, boards, seats, turns)
    assert np.array_equal(search.values(boards, seats, turns, plies=1)[0], exact)
    assert np.abs(exact - net).max() > 0.01


@pytest.mark.parametrize("plies", [0, 1, 2])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_play_is_worth_the_exact_negative_of_what_it_leaves(family: str, plies: int) -> None:
    rules = FAMILIES[family]
    search = Search(random_model(rules, [16]), NARROW)
    boards, seats, turns = some_positions(rules, 4)
    for board, seat, had in zip(boards, seats.tolist(), turns.tolist(), strict=True):
        plays, _, outcomes, equity, depth = search.rank(board, 6, 2, seat, had, plies=plies)
        left = np.ascontiguousarray(plays[depth == plies][:, ::-1])
        count = len(left)
        after = np.full(count, turns_of_both(seat, had)[1 - seat], np.uint8).clip(max=3)
        theirs, worth = search.values(left, np.full(count, 1 - seat, np.uint8), after, plies=plies)
        assert np.array_equal(equity[:count], -worth)
        assert np.array_equal(outcomes[:count], theirs[:, Expectimax(search.model).swap])


def finished_boards(family: str) -> np.ndarray:
    """The other side is off: lost plainly, without a checker off, and with some far back."""
    boards = np.zeros((3, 2, 26), np.int8)
    boards[:, 1, 25] = 15
    boards[0, 0, 25], boards[0, 0, 2] = 3, 12
    boards[1, 0, 4] = 15
    boards[2, 0, 23], boards[2, 0, 1] = 2, 13
    return boards


@pytest.mark.parametrize("family", FAMILIES)
def test_finished_games_are_judged_by_rule_and_ask_no_net(family: str) -> None:
    rules = FAMILIES[family]
    search = Search(random_model(rules, [16]), NO_FILTERS)
    boards, zeros, threes = finished_boards(family), np.zeros(3, np.uint8), np.full(3, 3, np.uint8)
    expected = np.eye(len(rules.outcomes))[core.results(rules, boards, zeros)]
    for plies in range(3):
        assert np.array_equal(search.values(boards, zeros, threes, plies=plies)[0], expected)
    # The mover has one checker left: whatever he throws, he is off, and seat 1 has no last roll then.
    last = np.zeros((1, 2, 26), np.int8)
    last[0, 0, 0], last[0, 0, 25], last[0, 1, 5], last[0, 1, 25] = 1, 14, 14, 1
    for plies in (1, 2):
        outcomes, equity = search.values(last, np.ones(1, np.uint8), np.full(1, 3, np.uint8), plies=plies)
        assert outcomes[0, 0] == 1 and equity[0] == 1
    assert search.evaluations == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_answers_do_not_depend_on_cache_threads_batch_or_history(family: str) -> None:
    rules = FAMILIES[family]
    model = random_model(rules, [16])
    boards, seats, turns = some_positions(rules, 10)
    for filters in (DEFAULT_FILTERS, NARROW):
        plain = Search(model, filters, cache_mib=0)
        others = [
            Search(model, filters),
            Search(model, filters, cache_mib=0.002),
            Search(model, filters, threads=4),
            Search(model, filters, threads=3, cache_mib=0),
        ]
        for plies in (1, 2):
            outcomes, equity = plain.values(boards, seats, turns, plies=plies)
            ranking = plain.rank(boards[3], 5, 1, int(seats[3]), int(turns[3]), plies=plies)
            for search in others:
                found = search.values(boards, seats, turns, plies=plies)
                assert np.array_equal(found[0], outcomes) and np.array_equal(found[1], equity)
                backwards = search.values(boards[::-1], seats[::-1], turns[::-1], plies=plies)
                assert np.array_equal(backwards[0][::-1], outcomes)
                for i in (0, 7):
                    alone = search.values(boards[i : i + 1], seats[i : i + 1], turns[i : i + 1], plies=plies)
                    assert np.array_equal(alone[0][0], outcomes[i])
                same = search.rank(boards[3], 1, 5, int(seats[3]), int(turns[3]), plies=plies)
                assert same[1] == ranking[1]
                assert all(np.array_equal(same[part], ranking[part]) for part in (0, 2, 3, 4))
        assert plain.cache_use == (0, 0)
        assert others[0].cache_use[1] > 0 and others[1].cache_use[1] > 0
        assert others[0].evaluations < others[1].evaluations


@pytest.mark.parametrize("cache_mib", [16, 0.0003])
@pytest.mark.parametrize("name", SMALL)
def test_the_cache_tells_seats_turns_and_plies_apart(name: str, cache_mib: float) -> None:
    """In a cache of four entries every position meets every other."""
    rules = SMALL[name]
    model = random_model(rules, [16])
    start = core.start_board(rules)[None]
    search, found = Search(model, cache_mib=cache_mib), {}
    for _ in range(2):
        for turns in (0, 1, 2, 3):
            for plies in (1, 2):
                for seat in (0, 1):
                    asked = (start, np.array([seat], np.uint8), np.array([turns], np.uint8))
                    value = search.values(*asked, plies=plies)[0]
                    assert np.array_equal(value, Search(model, cache_mib=0).values(*asked, plies=plies)[0])
                    found[seat, turns, plies] = value.tobytes()
    assert (found[0, 0, 2] != found[0, 3, 2]) == rules.uses_turns
    if rules.uses_seat or rules.uses_turns:
        assert found[0, 0, 2] != found[1, 0, 2]
        assert len(set(found.values())) > 4
    else:
        assert len(set(found.values())) == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_many_searches_at_once_do_not_disturb_each_other(family: str) -> None:
    rules = FAMILIES[family]
    boards, seats, turns = some_positions(rules, 8)
    jobs = [
        (random_model(rules, [16], seed=seed), filters)
        for seed in (1, 2, 3, 4)
        for filters in (DEFAULT_FILTERS, NARROW)
    ]

    def work(job: tuple[core.Model, Filters]) -> bytes:
        return Search(job[0], job[1]).values(boards, seats, turns, plies=2)[0].tobytes()

    alone = [work(job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, jobs)) == alone
        shared = Search(*jobs[0])
        answers = pool.map(lambda _: shared.values(boards, seats, turns, plies=2)[0].tobytes(), range(8))
        assert set(answers) == {alone[0]}
    assert len(set(alone)) == len(jobs)


@pytest.mark.parametrize("family", FAMILIES)
def test_search_changes_decisions_and_no_search_changes_none(family: str) -> None:
    rules = FAMILIES[family]
    model = pip_model(rules)
    search = Search(model)
    boards, seats, turns = some_positions(rules, 100)
    dice = core.dice(1, core.PURPOSES["test"], 1, 0, 100)
    changed = forced = 0
    for i in range(100):
        asked = (boards[i], int(dice[i, 0]), int(dice[i, 1]), int(seats[i]), int(turns[i]))
        first = core.rank(model, rules, *asked)
        none = search.rank(*asked, plies=0)
        assert np.array_equal(first[0], none[0]) and np.array_equal(first[3], none[3]) and not none[4].any()
        one = search.rank(*asked, plies=1)
        assert {board.tobytes() for board in one[0]} == {board.tobytes() for board in first[0]}
        forced += len(one[0]) == 1
        changed += not np.array_equal(one[0][0], first[0][0])
    assert changed >= 3
    assert forced > 0


@pytest.mark.parametrize("plies", [0, 1, 2])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_player_that_searches_plays_the_first_of_the_ranking(family: str, plies: int) -> None:
    rules = FAMILIES[family]
    model = random_model(rules, [16])
    boards, seats, turns = some_positions(rules, 12)
    dice = core.dice(1, core.PURPOSES["test"], plies, 0, 12)
    keys = np.zeros((12, 3), np.uint64)
    for filters in (NARROW, None):
        search = Search(model, filters)
        player = core.search_player(model, plies, filters)
        chosen = core.choose(player, rules, boards, dice, seats, turns, keys)
        for i in range(12):
            asked = (boards[i], int(dice[i, 0]), int(dice[i, 1]), int(seats[i]), int(turns[i]))
            assert np.array_equal(chosen[i], search.rank(*asked, plies=plies)[0][0])
    if plies == 0:
        by_net = core.choose(core.net_player(model), rules, boards, dice, seats, turns, keys)
        assert np.array_equal(chosen, by_net)


@pytest.mark.parametrize("name", SMALL)
def test_threads_rank_the_plays_of_early_turns_alike(name: str) -> None:
    rules = SMALL[name]
    model = random_model(rules, [16])
    one, three = Search(model, NO_FILTERS), Search(model, NO_FILTERS, threads=3)
    boards, seats, turns = some_positions(rules, 12)
    for i in range(6):
        asked = (boards[i], 1 + i % 6, 1 + i % 4, int(seats[i]), int(turns[i]))
        alone, shared = one.rank(*asked, plies=2), three.rank(*asked, plies=2)
        assert alone[1] == shared[1]
        assert all(np.array_equal(alone[part], shared[part]) for part in (0, 2, 3, 4))


@pytest.mark.parametrize("name", SMALL)
def test_a_duel_is_played_by_the_choices_of_its_players(name: str) -> None:
    """Game by game in Python, with the turns that both have had."""
    rules = SMALL[name]
    model = random_model(rules, [12])
    players = core.search_player(model, 1, NO_FILTERS), core.search_player(model, 0)
    found = core.duel(*players, rules, 3, 0, 30)
    opening = rules.options["opening_roll"] == "rolloff_pair"
    for pair in range(30):
        dice = core.dice(3, core.PURPOSES["dice_duel"], pair, 0, 400, opening)
        board, seat, had, turn = core.start_board(rules), 0, [0, 0], 0
        while (result := int(core.results(rules, board[None], np.array([seat], np.uint8))[0])) < 0:
            after = core.choose(
                players[seat],
                rules,
                board[None],
                dice[turn : turn + 1],
                np.array([seat], np.uint8),
                np.array([min(had[seat], 3)], np.uint8),
                np.array([[3, pair, turn]], np.uint64),
            )
            had[seat] += 1
            board, seat, turn = np.ascontiguousarray(after[0, ::-1]), 1 - seat, turn + 1
        points = rules.points[result] * (1 if seat == 0 else -1)
        assert (found["plies"][pair, 0], rules.points[found["outcomes"][pair, 0]]) == (turn, points)


@pytest.mark.parametrize("name", SMALL)
def test_duels_of_searching_players_are_exact_mirrors(name: str) -> None:
    rules = SMALL[name]
    model = random_model(rules, [12])
    one, net = core.search_player(model, 1), core.net_player(model)
    ab, ba = core.duel(one, net, rules, 1, 0, 20), core.duel(net, one, rules, 1, 0, 20)
    points = np.array(rules.points)
    assert np.array_equal(points[ab["outcomes"]], -points[ba["outcomes"]][:, ::-1])
    assert points[ab["outcomes"]].sum(axis=1).any()
    same = core.duel(one, one, rules, 1, 0, 20)["outcomes"]
    assert (points[same].sum(axis=1) == 0).all()


def test_filters_say_which_plays_are_looked_at() -> None:
    rules = FAMILIES["short"]
    model = random_model(rules, [16])
    start = core.start_board(rules)
    count = len(core.plays(rules, start, 2, 1, 0, 0)[0])
    everything = Search(model, NO_FILTERS).rank(start, 2, 1, 0, 0, plies=2)
    assert everything[4].tolist() == [2] * count
    some = Filters((Stage(6), Stage(3), Stage()), (Stage(), Stage()))
    ranked = Search(model, some).rank(start, 2, 1, 0, 0, plies=2)
    assert ranked[4].tolist() == [2] * 3 + [1] * 3 + [0] * (count - 6)
    for depth in (2, 1, 0):
        group = ranked[3][ranked[4] == depth]
        assert (np.diff(group) <= 0).all()
    zero = core.rank(model, rules, start, 2, 1, 0, 0)
    order = [board.tobytes() for board in zero[0]]
    assert {board.tobytes() for board in ranked[0][:6]} == set(order[:6])
    # A margin: those within so many points of the best, the best always.
    margin = float(zero[3][0] - zero[3][4]) + 1e-6
    near = Search(model, Filters((Stage(None, margin), Stage(), Stage()))).rank(start, 2, 1, 0, 0, plies=1)
    assert (near[4] == 1).sum() == (zero[3][0] - zero[3] <= np.float32(margin)).sum() == 5
    lone = Search(model, Filters((Stage(1), Stage(1), Stage(1)))).rank(start, 2, 1, 0, 0, plies=2)
    assert lone[0][0].tobytes() == order[0] and lone[4].tolist() == [2] + [0] * (count - 1)


def test_arrays_belong_to_the_caller() -> None:
    rules = FAMILIES["long"]
    search = Search(random_model(rules, [16]))
    boards, seats, turns = some_positions(rules, 6)
    held = search.values(boards[:3], seats[:3], turns[:3], plies=1)
    ranked = search.rank(boards[0], 3, 1, int(seats[0]), int(turns[0]), plies=1)
    before = [part.copy() for part in (*held, ranked[0], *ranked[2:])]
    search.values(boards[3:], seats[3:], turns[3:], plies=1)
    search.rank(boards[4], 4, 4, int(seats[4]), int(turns[4]), plies=1)
    for part, copy in zip((*held, ranked[0], *ranked[2:]), before, strict=True):
        assert np.array_equal(part, copy)
        part.flags.writeable = True


def test_bad_input_is_said_in_one_sentence() -> None:
    short, long = FAMILIES["short"], FAMILIES["long"]
    search = Search(random_model(short, [8]))
    start = core.start_board(short)[None]
    for plies in (-1, 4, 1.5, "2"):
        with pytest.raises(InputError, match="plies cannot be"):
            search.values(start, plies=plies)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="plies cannot be"):
        core.search_player(search.model, 4)
    with pytest.raises(InputError, match="finished"):
        search.rank(finished_boards("short")[0], 3, 1, 0, 3, plies=1)
    with pytest.raises(InputError, match="dice"):
        search.rank(start[0], 0, 1, 0, 3, plies=1)
    with pytest.raises(InputError, match="bad board"):
        search.values(np.zeros((1, 2, 26), np.int8), plies=1)
    with pytest.raises(InputError, match="cannot keep 0"):
        Stage(0)
    for margin in (-0.1, float("nan")):
        with pytest.raises(InputError, match="margin"):
            Stage(None, margin)
    for threads in (0, 2000):
        with pytest.raises(InputError, match="threads"):
            Search(search.model, threads=threads)
    with pytest.raises(InputError, match="cache"):
        Search(search.model, cache_mib=-1)
    other = Search(random_model(long, [8]))
    board, one = core.start_board(long)[None], np.zeros(1, np.uint8)
    with pytest.raises(InputError, match="turns"):
        other.values(board, one, plies=1)
    with pytest.raises(InputError, match="seats"):
        other.values(board, turns=one, plies=1)
