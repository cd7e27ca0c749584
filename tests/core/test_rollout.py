"""Trials of rollouts: stratified dice, luck that is nothing on average, and exactly known positions."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from pip_nets import pip_model
from random_nets import FAMILIES, game_positions, random_model

from nardy_ai import core
from nardy_ai.core import Filters, InputError, Search, Stage

DICE = np.array([(high, low) for high in range(1, 7) for low in range(1, high + 1)], np.uint8)
WEIGHTS = np.array([1 if high == low else 2 for high, low in DICE.tolist()]) / 36
BY_NET = Filters(inner=(Stage(1), Stage(1)))


def position(family: str, number: int = 40) -> tuple[np.ndarray, int, int]:
    boards, seats, turns = game_positions(FAMILIES[family], 3)
    return boards[number], int(seats[number]), int(turns[number])


def race(
    rules: core.Rules, mine: dict[int, int], his: dict[int, int], seat: int = 0
) -> tuple[np.ndarray, int, int]:
    """Board, seat and turns with these checkers on points, the others off."""
    board = np.zeros((2, 26), np.int8)
    for row, points in enumerate((mine, his)):
        for point, count in points.items():
            board[row, point - 1] = count
        board[row, 25] = rules.checkers - sum(points.values())
    return board, seat, 3


@pytest.mark.parametrize("family", FAMILIES)
def test_blocks_have_every_first_roll_and_36_of_them_every_pair(family: str) -> None:
    """So truncated rollouts are the expectations themselves, for any seed, with luck or without."""
    search = Search(random_model(FAMILIES[family], [16]), BY_NET, cache_mib=0)
    board, seat, turns = position(family)
    one, seats, had = board[None], np.array([seat], np.uint8), np.array([turns], np.uint8)
    for turn, trials in ((1, 36), (2, 36 * 36)):
        expected = search.values(one, seats, had, plies=turn)[0][0]
        for seed in (1, 2):
            for luck in (False, True):
                values, counts = search.rollout(
                    board, seat, turns, seed=seed, first_trial=0, trials=trials, truncate=turn, take_luck=luck
                )
                assert np.abs(values.mean(axis=0) - expected).max() < 1e-6
                assert counts == {"turns": turn * trials, "truncated": trials, "cut": 0}
    assert values.std(axis=0).max() > 1e-3


@pytest.mark.parametrize("family", FAMILIES)
def test_every_block_has_every_second_roll(family: str) -> None:
    """The opponent has two checkers on his 6 point: of 36 rolls 3-3, 4-4, 5-5 and 6-6 bear both off."""
    rules = FAMILIES[family]
    search = Search(random_model(rules, [16]))
    start = race(rules, {6: 15}, {6: 2})
    for block in range(40):
        values, _ = search.rollout(
            *start, seed=3, first_trial=36 * block, trials=36, truncate=2, take_luck=False
        )
        assert (values.max(axis=1) == 1).sum() == 4


@pytest.mark.parametrize("family", FAMILIES)
def test_later_rolls_are_those_of_the_named_stream(family: str) -> None:
    """A trial replayed in Python: its first roll follows from its number, its second is one of 36."""
    rules = FAMILIES[family]
    model = random_model(rules, [16])
    search, player = Search(model), core.net_player(model)
    start, seat, turns = position(family)
    for seed, trial in ((1, 0), (1, 77), (2, 77)):
        values, _ = search.rollout(
            start, seat, turns, seed=seed, first_trial=trial, trials=1, truncate=5, take_luck=False
        )
        later = core.dice(seed, core.PURPOSES["dice_rollout"], trial, 2, 3).tolist()
        ends = set()
        for second in range(36):
            board, mover, had = start, seat, turns
            pairs = (trial % 36, second)
            for dice in [[pair // 6 + 1, pair % 6 + 1] for pair in pairs] + later:
                after = core.choose(
                    player,
                    rules,
                    board[None],
                    np.array([dice], np.uint8),
                    np.array([mover], np.uint8),
                    np.array([had], np.uint8),
                    np.zeros((1, 3), np.uint64),
                )
                had = min(had + mover, 3)
                board, mover = np.ascontiguousarray(after[0, ::-1]), 1 - mover
            ends.add(core.evaluate(model, rules, board[None], np.array([mover], np.uint8))[0].tobytes())
        half = len(rules.outcomes) // 2
        theirs = [*values[0, half : 2 * half], *values[0, :half], *values[0, 2 * half :]]
        assert np.array(theirs, np.float32).tobytes() in ends


@pytest.mark.parametrize("plies", [0, 1])
@pytest.mark.parametrize("family", FAMILIES)
def test_any_split_gives_the_same_bytes(family: str, plies: int) -> None:
    search = Search(random_model(FAMILIES[family], [16]))
    board, seat, turns = position(family)
    ask = functools.partial(search.rollout, board, seat, turns, truncate=5, plies=plies)
    whole, counts = ask(seed=5, first_trial=36, trials=72)
    parts = [ask(seed=5, first_trial=first, trials=trials) for first, trials in ((36, 1), (37, 50), (87, 21))]
    assert b"".join(part[0].tobytes() for part in parts) == whole.tobytes()
    assert sum(part[1]["turns"] for part in parts) == counts["turns"]
    other = ask(seed=6, first_trial=36, trials=72)[0]
    assert (other != whole).any(axis=1).mean() > 0.9
    assert len({row.tobytes() for row in whole}) > 60


def test_luck_is_nothing_on_average_and_most_of_the_variance() -> None:
    for rules in FAMILIES.values():
        search = Search(pip_model(rules, 0.12))
        start = race(rules, {6: 4, 5: 4, 4: 3, 3: 2}, {6: 4, 5: 3, 4: 4, 2: 3}, seat=1)
        ask = functools.partial(search.rollout, *start, seed=4, first_trial=0)
        points = np.array(rules.points)
        plain = ask(trials=36 * 60, take_luck=False)[0] @ points
        adjusted = ask(trials=36 * 20)[0] @ points
        error = np.sqrt(plain.var() / len(plain) + adjusted.var() / len(adjusted))
        assert abs(plain.mean() - adjusted.mean()) < 3 * error
        assert adjusted.var() < plain.var() / 3


@pytest.mark.parametrize("family", FAMILIES)
def test_luck_is_nothing_on_average_where_search_chooses(family: str) -> None:
    """The luck of a roll is told by the net alone, whatever is played then."""
    search = Search(random_model(FAMILIES[family], [16]))
    board, seat, turns = position(family)
    ask = functools.partial(search.rollout, board, seat, turns, seed=1, first_trial=0, trials=36, plies=1)
    plain, adjusted = ask(truncate=1, take_luck=False)[0], ask(truncate=1)[0]
    assert np.abs(plain.mean(axis=0) - adjusted.mean(axis=0)).max() < 1e-6
    # And it is search that chooses: its plays leave something else than the net's own.
    by_net = ask(truncate=1, take_luck=False, plies=0)[0]
    assert np.abs(plain - by_net).max() > 1e-4


def test_a_cut_trial_is_judged_by_the_net_and_counted() -> None:
    rules = FAMILIES["short"]
    search = Search(random_model(rules, [16]))
    board, seat, turns = position("short", 10)
    ask = functools.partial(
        search.rollout, board, seat, turns, seed=1, first_trial=0, trials=36, take_luck=False
    )
    cut, counts = ask(max_turns=4)
    assert counts == {"turns": 144, "truncated": 0, "cut": 36}
    truncated, counts = ask(truncate=4)
    assert counts == {"turns": 144, "truncated": 36, "cut": 0}
    assert np.array_equal(cut, truncated)
    assert (cut.max(axis=1) < 1).all()


class Policy:
    """The exact value of a race that both sides play by a net: every roll of every position, in Python."""

    def __init__(self, rules: core.Rules, model: core.Model) -> None:
        self.rules, self.player = rules, core.net_player(model)
        self.known: dict[tuple[bytes, int], np.ndarray] = {}
        half = len(rules.outcomes) // 2
        self.swap = [*range(half, 2 * half), *range(half), *range(2 * half, len(rules.outcomes))]

    def value(self, board: np.ndarray, seat: int) -> np.ndarray:
        key = board.tobytes(), seat
        if key not in self.known:
            result = int(core.results(self.rules, board[None], np.array([seat], np.uint8))[0])
            self.known[key] = self.mean(board, seat) if result < 0 else np.eye(len(self.swap))[result]
        return self.known[key]

    def mean(self, board: np.ndarray, seat: int) -> np.ndarray:
        seats, turns = np.full(21, seat, np.uint8), np.full(21, 3, np.uint8)
        many = np.repeat(board[None], 21, axis=0)
        keys = np.zeros((21, 3), np.uint64)
        after = core.choose(self.player, self.rules, many, DICE, seats, turns, keys)
        turned = np.ascontiguousarray(after[:, ::-1])
        return WEIGHTS @ np.array([self.value(each, 1 - seat)[self.swap] for each in turned])


def test_exactly_known_positions_lie_within_three_standard_errors() -> None:
    rng = np.random.default_rng(1)
    within = 0
    for number in range(100):
        rules = FAMILIES["short" if number % 2 else "long"]
        policy, search = Policy(rules, pip_model(rules)), Search(pip_model(rules))
        mine, his = ({int(p): 1 for p in rng.choice(np.arange(1, 7), 3, replace=False)} for _ in range(2))
        start = race(rules, mine, his, int(rng.integers(2)))
        values, counts = search.rollout(
            *start, seed=number, first_trial=0, trials=36 * 12, take_luck=number % 4 > 1
        )
        equity = (values @ np.array(rules.points)).reshape(12, 36)
        error = np.sqrt(equity.var(axis=0, ddof=1).sum() / 12) / 36
        exact = policy.value(start[0], start[1]) @ np.array(rules.points)
        assert counts["truncated"] == counts["cut"] == 0
        within += abs(equity.mean() - exact) <= 3 * error + 1e-9
    assert within >= 98


def test_the_last_roll_of_long_nardy_is_played() -> None:
    """Seat 0 is off and seat 1 has one roll: he draws if he bears off both checkers, else he has lost."""
    rules = FAMILIES["long"]
    search = Search(pip_model(rules))
    pending = race(rules, {4: 2}, {}, seat=1)
    values, counts = search.rollout(*pending, seed=1, first_trial=0, trials=36, take_luck=False)
    means = dict(zip(rules.outcomes, values.mean(axis=0) * 36, strict=True))
    assert counts["turns"] == 36
    assert means["win"] == means["win_mars"] == means["lose_mars"] == 0
    assert means["draw"] + means["lose"] == 36
    assert means["draw"] == 11  # both dice 4 or more: 9 rolls; and 2-2 and 3-3


def test_bad_input() -> None:
    rules = FAMILIES["short"]
    search = Search(random_model(rules, [8]))
    board, seat, turns = position("short", 10)
    over = np.zeros((2, 26), np.int8)
    over[0, 0], over[0, 25], over[1, 25] = 1, 14, 15
    with pytest.raises(InputError, match="finished"):
        search.rollout(over, 0, 3, seed=1, first_trial=0, trials=36)
    with pytest.raises(InputError, match="plies"):
        search.rollout(board, seat, turns, seed=1, first_trial=0, trials=36, plies=4)
    with pytest.raises(InputError, match="bad board"):
        search.rollout(np.zeros((2, 26), np.int8), 0, 3, seed=1, first_trial=0, trials=36)
