"""The engine on arrays and options that cannot be: one sentence, never a crash or a guess."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_nets import LONG, SHORT, random_model

from nardy_ai import core
from nardy_ai.core import InputError

START = core.start_board(SHORT)
SEATS, LATER = np.zeros(1, np.uint8), np.full(1, 3, np.uint8)
DICE, KEYS = np.array([[3, 1]], np.uint8), np.zeros((1, 3), np.uint64)
MODEL = random_model(SHORT, [4])
SEARCH = core.Search(MODEL)
RANDOM = core.random_player()


def with_count(row: int, column: int, count: int) -> Any:
    board = START.astype(np.int64)
    board[row, column] = count
    return board[None]


def both_on_one_point() -> Any:
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, 23], board[0, 1, 0] = 15, 15
    return board


def finished() -> Any:
    board = np.zeros((1, 2, 26), np.int8)
    board[0, 0, 5], board[0, 1, 25] = 15, 15
    return board


NO_ARRAYS: dict[str, Any] = {
    "nothing": None,
    "text": "x",
    "a number": 3,
    "ragged": [[[0] * 26, [0] * 25]],
    "floats": START[None].astype(float),
    "nan": np.full((1, 2, 26), np.nan),
    "bools": START[None].astype(bool),
    "letters": np.array([[["1"] * 26] * 2]),
    "objects": np.array([[[None] * 26] * 2]),
    "25 columns": START[None, :, :25],
    "one board": START,
    "four dimensions": START[None, None],
    "turned round": START.T[None],
}
NO_COUNTS: dict[str, Any] = {
    "negative": with_count(0, 3, -1),
    "16 on the bar": with_count(0, 24, 16),
    "wraps to 0": with_count(1, 3, 256),
    "huge": with_count(1, 3, 2**40),
}
NO_BOARDS: dict[str, Any] = {
    "a checker too many": with_count(0, 3, 1),
    "a checker too few": with_count(1, 5, 4),
    "no checker": np.zeros((1, 2, 26), np.int8),
    "both on one point": both_on_one_point(),
}

ON_BOARDS: dict[str, Callable[[Any], Any]] = {
    "check_boards": lambda boards: core.check_boards(SHORT, boards, SEATS, LATER),
    "results": lambda boards: core.results(SHORT, boards, SEATS),
    "position_classes": lambda boards: core.position_classes(SHORT, boards),
    "impossible": lambda boards: core.impossible(SHORT, boards),
    "legal_boards": lambda boards: core.legal_boards(SHORT, boards, DICE, SEATS, LATER),
    "choose": lambda boards: core.choose(RANDOM, SHORT, boards, DICE, SEATS, LATER, KEYS),
    "net": lambda boards: core.net(MODEL, SHORT, boards),
    "evaluate": lambda boards: core.evaluate(MODEL, SHORT, boards),
    "exact_values": lambda boards: core.exact_values(MODEL, boards, SEATS, LATER),
    "Search.values": lambda boards: SEARCH.values(boards, plies=1),
}
COUNTS_ALONE: dict[str, Callable[[Any], Any]] = {
    "encode": lambda boards: core.encode("short-1", boards),
    "pubeval_inputs": core.pubeval_inputs,
    "greedy_features": lambda boards: core.greedy_features(SHORT, boards),
}
ON_ONE_BOARD: dict[str, Callable[[Any], Any]] = {
    "plays": lambda board: core.plays(SHORT, board, 3, 1, 0, 3),
    "rank": lambda board: core.rank(MODEL, SHORT, board, 3, 1, 0, 3),
    "Search.rank": lambda board: SEARCH.rank(board, 3, 1, 0, 3, plies=1),
    "Search.rollout": lambda board: SEARCH.rollout(board, 0, 3, seed=1, first_trial=0, trials=36, truncate=1),
}


def refused(ask: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(InputError) as caught:
        ask(value)
    assert "\n" not in str(caught.value)
    assert 10 < len(str(caught.value)) < 300


@pytest.mark.parametrize("function", [*ON_BOARDS, *COUNTS_ALONE])
def test_boards_of_a_batch(function: str) -> None:
    ask = (ON_BOARDS | COUNTS_ALONE)[function]
    ask(START[None])
    ask(np.asfortranarray(START[None].astype(np.int64)))
    for bad in (NO_ARRAYS | NO_COUNTS).values():
        refused(ask, bad)
    if function in ON_BOARDS:
        for bad in NO_BOARDS.values():
            refused(ask, bad)


@pytest.mark.parametrize("function", ON_ONE_BOARD)
def test_a_single_board(function: str) -> None:
    ask = ON_ONE_BOARD[function]
    ask(START)
    for name, bad in (NO_ARRAYS | NO_COUNTS | NO_BOARDS).items():
        if name != "one board":
            refused(ask, bad[0] if isinstance(bad, np.ndarray) and bad.ndim > 1 else bad)
    refused(ask, START[None])


@pytest.mark.parametrize("function", ["legal_boards", "choose", "exact_values"])
def test_a_finished_game_has_nothing_to_play(function: str) -> None:
    refused(ON_BOARDS[function], finished())


@pytest.mark.parametrize("function", ON_ONE_BOARD)
def test_a_single_finished_game_has_nothing_to_play(function: str) -> None:
    refused(ON_ONE_BOARD[function], finished()[0])


NO_COLUMNS = [None, 0, [2], [-1], [256], [0.0], [True], ["0"], [[0]], [0, 1], [[0], [1, 2]]]


@pytest.mark.parametrize("column", NO_COLUMNS, ids=repr)
def test_seats_and_turns(column: Any) -> None:
    turns = [4] if column == [2] else column
    for ask in (
        lambda seats: core.check_boards(SHORT, START[None], seats, LATER),
        lambda seats: core.results(SHORT, START[None], seats),
        lambda seats: core.legal_boards(SHORT, START[None], DICE, seats, LATER),
        lambda seats: core.choose(RANDOM, SHORT, START[None], DICE, seats, LATER, KEYS),
    ):
        refused(ask, column)
    for ask in (
        lambda turns: core.check_boards(SHORT, START[None], SEATS, turns),
        lambda turns: core.legal_boards(SHORT, START[None], DICE, SEATS, turns),
        lambda turns: core.choose(RANDOM, SHORT, START[None], DICE, SEATS, turns, KEYS),
    ):
        refused(ask, turns)
    for ask in (
        lambda seat: core.plays(SHORT, START, 3, 1, seat, 3),
        lambda seat: core.rank(MODEL, SHORT, START, 3, 1, seat, 3),
        lambda seat: SEARCH.rank(START, 3, 1, seat, 3, plies=0),
    ):
        refused(ask, 2 if column == 0 else column)


@pytest.mark.parametrize(
    "dice",
    [
        None,
        "31",
        [3, 1],
        [[0, 1]],
        [[7, 1]],
        [[257, 1]],
        [[-3, 1]],
        [[3.0, 1.0]],
        [[3]],
        [[True, True]],
        [[3, 1]] * 2,
    ],
    ids=repr,
)
def test_dice(dice: Any) -> None:
    refused(lambda value: core.legal_boards(SHORT, START[None], value, SEATS, LATER), dice)
    refused(lambda value: core.choose(RANDOM, SHORT, START[None], value, SEATS, LATER, KEYS), dice)


@pytest.mark.parametrize("die", [0, 7, -1, None, "3", 3.0, True, 2**70])
def test_a_single_die(die: Any) -> None:
    refused(lambda value: core.plays(SHORT, START, value, 1, 0, 3), die)
    refused(lambda value: core.rank(MODEL, SHORT, START, 1, value, 0, 3), die)
    refused(lambda value: SEARCH.rank(START, value, 1, 0, 3, plies=0), die)


@pytest.mark.parametrize(
    "keys", [None, [[0, 0]], [0, 0, 0], [[0.5, 0, 0]], [[-1, 0, 0]], [[0, 0, 0]] * 2], ids=repr
)
def test_keys_of_a_random_choice(keys: Any) -> None:
    refused(lambda value: core.choose(RANDOM, SHORT, START[None], DICE, SEATS, LATER, value), keys)


@pytest.mark.parametrize("rules", [None, "long", 3, {"family": "long"}], ids=repr)
def test_what_is_no_rules(rules: Any) -> None:
    for ask in (
        core.start_board,
        core.encoding_name,
        core.impossible_tests,
        lambda value: core.check_boards(value, START[None], SEATS, LATER),
        lambda value: core.legal_boards(value, START[None], DICE, SEATS, LATER),
        lambda value: core.plays(value, START, 3, 1, 0, 3),
        lambda value: core.choose(RANDOM, value, START[None], DICE, SEATS, LATER, KEYS),
    ):
        refused(ask, rules)


@pytest.mark.parametrize(
    "options",
    [
        None,
        3,
        {},
        {"family": "other"},
        {"family": None},
        {"family": "long", 3: 1},
        {"family": "long", "heads": True},
        {"family": "long", "checkers": 16},
        {"family": "long", "checkers": "15"},
        {"family": "long", "checkers": True},
        {"family": "long", "last_roll": 1},
        {"family": "long", "block": "none of them"},
        {"family": "short", "block": "absolute"},
        {"family": "long", "start": [1]},
        {"family": "long", "start": "24"},
        {"family": "long", "start": [0.5] * 24},
        {"family": "short", "start": [300] + [0] * 23},
        {"family": "long", "scores": 3},
        {"family": "long", "scores": {"gammon": 2}},
        {"family": "long", "scores": {"oin": "1"}},
        {"family": "long", "scores": {"oin": float("nan")}},
        {"family": "long", "scores": {"oin": 1e9}},
    ],
    ids=repr,
)
def test_rule_options(options: Any) -> None:
    refused(core.Rules, options)


@pytest.mark.parametrize("name", [None, 3, "", "long-99", b"long-1", ["long-1"], "x" * 10_000], ids=repr)
def test_encodings(name: Any) -> None:
    refused(core.encoding_table, name)
    refused(lambda value: core.encode(value, START[None]), name)


def test_linear_players_have_the_weights_of_their_game() -> None:
    good = [0.0] * len(core.greedy_names("short"))
    lists: list[Any] = [[], good[1:], [*good, 0.0], [*good[1:], float("nan")], [good], [None] * len(good)]
    for bad in (None, "short", 3.0, *lists):
        refused(core.greedy_player, bad)
    for bad in (None, [0.0] * 121, [0.0] * 123, [float("inf")] * 122, ["a"] * 122):
        refused(lambda weights: core.pubeval_player(weights, [0.0] * 122), bad)
        refused(lambda weights: core.pubeval_player([0.0] * 122, weights), bad)
    long_start = core.start_board(LONG)[None]
    for player in (core.greedy_player(good), core.pubeval_player([0.0] * 122, [0.0] * 122)):
        refused(lambda other: core.choose(other, LONG, long_start, DICE, SEATS, LATER, KEYS), player)
        refused(lambda other: core.duel(other, RANDOM, LONG, 1, 0, 1), player)
    for bad in ("a checker too many", "a checker too few", "no checker"):
        refused(lambda boards: core.greedy_features(SHORT, boards), NO_BOARDS[bad])
    for family in (None, "chess", 0):
        refused(core.greedy_names, family)
        refused(core.greedy_descriptions, family)


@pytest.mark.parametrize("number", [-1, 2**64, 1.5, None, "1", True])
def test_counters_are_never_cut(number: Any) -> None:
    for ask in (
        lambda seed: core.self_play(MODEL, SHORT, seed, 0, 1),
        lambda first: core.self_play(MODEL, SHORT, 1, first, 1),
        lambda games: core.self_play(MODEL, SHORT, 1, 0, games),
        lambda seed: core.duel(RANDOM, RANDOM, SHORT, seed, 0, 1),
        lambda pairs: core.duel(RANDOM, RANDOM, SHORT, 1, 0, pairs),
        lambda seed: core.random_words(seed, 0, 0, 0),
        lambda word: core.philox((word, 0, 0, 0), (0, 0)),
        lambda word: core.philox((0, 0, 0, 0), (0, word)),
        lambda seed: SEARCH.rollout(START, 0, 3, seed=seed, first_trial=0, trials=36),
        lambda trials: SEARCH.rollout(START, 0, 3, seed=1, first_trial=0, trials=trials),
        lambda threads: core.Search(MODEL, threads=threads),
    ):
        refused(ask, number)


@pytest.mark.parametrize("places", [[300] * 6, [0.5] * 6, "win", [None] * 6, [0, 1]], ids=repr)
def test_outcomes_of_a_model(places: Any) -> None:
    sizes = (196, 4, 6)
    layers = [
        (np.zeros((n, m), np.float32), np.zeros(n, np.float32)) for m, n in itertools.pairwise(sizes)
    ]
    core.Model(SHORT, "short-1", {"contact": layers}, outcome_of=range(6))
    with pytest.raises(ValueError):
        core.Model(SHORT, "short-1", {"contact": layers}, outcome_of=places)


def test_read_only_and_uneven_arrays_will_do() -> None:
    fixed = np.frombuffer(START.tobytes(), np.int8).reshape(1, 2, 26)
    spread = np.repeat(fixed, 3, axis=2)[:, :, ::3]
    backwards = fixed[:, ::-1, ::-1].copy()[:, ::-1, ::-1]
    assert not fixed.flags.writeable and not spread.flags.c_contiguous and not backwards.flags.c_contiguous
    expected = core.legal_boards(SHORT, START[None], DICE, SEATS, LATER)[0].tobytes()
    for boards in (fixed, spread, backwards, fixed.astype(">i4"), fixed.tolist()):
        assert core.legal_boards(SHORT, boards, DICE, SEATS, LATER)[0].tobytes() == expected
