"""The C library answers what the Python package answers, for the same nets, positions and rolls."""

from __future__ import annotations

import ctypes as c
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from nardy_library import Layer, Library, LibraryError, Play, Player, Position, Value, position
from random_nets import random_layers

from nardy_ai import core
from nardy_ai.core import DEFAULT_FILTERS, NO_FILTERS, Search
from nardy_ai.export.net_file import net_file_bytes, rules_text
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game

PROFILES = ("short/standard", "short/hypergammon", "long/fns", "long/any_double", "long/classic")


@dataclass(frozen=True)
class Both:
    """One model held by the C library and by Python, with positions of its game."""

    game: Game
    file: ModelFile
    model: core.Model
    rules: int
    handle: int
    search: int
    boards: np.ndarray
    seats: np.ndarray
    turns: np.ndarray
    dice: np.ndarray

    def positions(self) -> list[Position]:
        return [position(*parts) for parts in zip(self.boards, self.seats, self.turns, strict=True)]


def model_file(profile: str, hidden: list[int], seed: int) -> ModelFile:
    game = Game(profile)
    rules = game.core_rules
    nets = {
        "contact": random_layers(rules, hidden, seed),
        "race": random_layers(rules, hidden, seed + 1),
        "scout": random_layers(rules, [8], seed + 2),
    }
    return ModelFile(
        game=rules.family,
        profile=profile,
        rules=rules.options,
        encoding=core.encoding_name(rules),
        outcomes=rules.outcomes,
        nets=nets,
        provenance={"seed": seed, "config_hash": "0" * 16},
    )


@pytest.fixture(scope="module", params=PROFILES)
def both(request: pytest.FixtureRequest, library: Library) -> Iterator[Both]:
    file = model_file(request.param, [24, 12], 3)
    game = Game(request.param)
    rules = game.core_rules
    model = core.Model(rules, file.encoding, file.nets)
    played = core.self_play(model, rules, 5, 0, 6, max_turns=300)
    order = np.random.default_rng(1).permutation(len(played["boards"]))[:60]
    data = net_file_bytes(file)
    handle = library.made("model_read", data, len(data), None, None)
    search = library.made("search_create", handle, 0, 1 << 20)
    yield Both(
        game,
        file,
        model,
        library.call("model_rules", handle),
        handle,
        search,
        *(played[name][order] for name in ("boards", "seats", "turns")),
        np.random.default_rng(2).integers(1, 7, (len(order), 2)).astype(np.uint8),
    )
    library.call("search_destroy", search)
    library.call("model_destroy", handle)


def moves_of(play: Play) -> list[tuple[int, int]]:
    return [(play.movement[i].from_, play.movement[i].to) for i in range(play.movements)]


def values(library: Library, name: str, search: int, positions: list[Position], *plies: int):
    """Outcomes [n, 9] and equities [n]."""
    many = (Position * len(positions))(*positions)
    found = (Value * len(positions))()
    library.call(name, search, many, len(positions), *plies, found)
    return (
        np.array([value.outcomes for value in found], np.float32),
        np.array([value.equity for value in found], np.float32),
    )


def test_rules_read_back_from_a_net_file_are_those_of_the_profile(library: Library, both: Both) -> None:
    needed = c.c_size_t()
    library.call("rules_text", both.rules, None, 0, c.byref(needed))
    text = c.create_string_buffer(needed.value)
    library.call("rules_text", both.rules, text, needed.value, None)
    ours = {line.partition(" = ")[::2] for line in text.value.decode().splitlines()}
    theirs = {line.partition(" = ")[::2] for line in rules_text(both.game.core_rules).splitlines()}
    assert ours == theirs
    again = library.rules(text.value.decode())
    library.call("rules_destroy", again)


def test_outcomes_have_the_names_and_points_of_the_profile(library: Library, both: Both) -> None:
    rules = both.game.core_rules
    count = library.call("outcome_count", both.rules)
    assert tuple(library.call("outcome_name", both.rules, i).decode() for i in range(count)) == rules.outcomes
    assert tuple(library.call("outcome_points", both.rules, i) for i in range(count)) == rules.points
    assert bool(library.call("rules_use_seat", both.rules)) == rules.uses_seat
    assert bool(library.call("rules_use_turns", both.rules)) == rules.uses_turns


def test_the_game_starts_from_the_same_board(library: Library, both: Both) -> None:
    start = Position(seat=1, turns=3)
    library.call("start", both.rules, c.byref(start))
    assert np.array_equal(start.board.array(), core.start_board(both.game.core_rules))
    assert (start.seat, start.turns) == (0, 0)


def test_lists_the_same_plays_with_the_same_movements(library: Library, both: Both) -> None:
    rules = both.game.core_rules
    seen = 0
    for place, roll in zip(both.positions(), both.dice.tolist(), strict=True):
        plays = library.listed("list_plays", both.rules, place, *roll)
        boards, moves = core.plays(rules, place.board.array(), *roll, place.seat, place.turns)
        assert np.array_equal([play.board.array() for play in plays], boards)
        assert [moves_of(play) for play in plays] == moves
        seen += len(plays)
    assert seen > 100


def test_judges_as_python_does(library: Library, both: Both) -> None:
    seats = both.seats
    for name, plies, theirs in (
        ("net", (), core.net(both.model, both.model.rules, both.boards, seats)),
        ("evaluate", (0,), core.evaluate(both.model, both.model.rules, both.boards, seats)),
    ):
        outcomes, equities = values(library, name, both.search, both.positions(), *plies)
        count = theirs[0].shape[1]
        assert np.abs(outcomes[:, :count] - theirs[0]).max() <= 1e-6
        assert not outcomes[:, count:].any()
        assert np.abs(equities - theirs[1]).max() <= 1e-6


def test_judges_finished_games_by_rule(library: Library, both: Both) -> None:
    board = np.zeros((2, 26), np.int8)
    checkers = both.game.core_rules.checkers
    board[1, 25], board[0, 0] = checkers, checkers
    over = position(board, 0, 3)
    outcome = c.c_int()
    library.call("result", both.rules, over, c.byref(outcome))
    expected = int(core.results(both.game.core_rules, board[None], np.array([0], np.uint8))[0])
    assert outcome.value == expected >= 0
    outcomes, equities = values(library, "evaluate", both.search, [over], 0)
    assert outcomes[0, expected] == 1
    assert equities[0] == both.game.core_rules.points[expected]


@pytest.mark.parametrize("filters", [0, 1])
def test_looks_ahead_as_python_does(library: Library, both: Both, filters: int) -> None:
    theirs = Search(both.model, (DEFAULT_FILTERS, NO_FILTERS)[filters])
    search = library.made("search_create", both.handle, filters, 1 << 20)
    few = slice(0, 6)
    outcomes, equities = values(library, "evaluate", search, both.positions()[few], 1)
    expected = theirs.values(both.boards[few], both.seats[few], both.turns[few], plies=1)
    assert np.abs(outcomes[:, : expected[0].shape[1]] - expected[0]).max() <= 1e-6
    assert np.abs(equities - expected[1]).max() <= 1e-6
    for place, roll in list(zip(both.positions(), both.dice.tolist(), strict=True))[few]:
        ranked = library.listed("rank", search, place, *roll, 1)
        boards, moves, chances, worths, depths = theirs.rank(
            place.board.array(), *roll, place.seat, place.turns, plies=1
        )
        assert np.array_equal([play.board.array() for play in ranked], boards)
        assert [moves_of(play) for play in ranked] == moves
        assert [play.plies for play in ranked] == depths.tolist()
        assert np.abs([play.value.equity for play in ranked] - worths).max() <= 1e-6
        found = np.array([play.value.outcomes for play in ranked])[:, : chances.shape[1]]
        assert np.abs(found - chances).max() <= 1e-6
        chosen = Play()
        library.call("choose", search, place, *roll, 1, c.byref(chosen))
        assert np.array_equal(chosen.board.array(), ranked[0].board.array())
    library.call("search_destroy", search)


def test_gives_the_turn_away_and_counts_turns(library: Library, both: Both) -> None:
    place = Position()
    library.call("start", both.rules, c.byref(place))
    had = [0, 0]
    for turn in range(8):
        assert (place.seat, place.turns) == (turn % 2, min(3, had[turn % 2]))
        before = place.board.array()
        play = library.listed("list_plays", both.rules, place, 2, 1)[0]
        library.call("next", both.rules, place, c.byref(play.board), c.byref(place))
        assert np.array_equal(place.board.array(), play.board.array()[::-1])
        had[turn % 2] += 1
        assert play.movements == 0 or not np.array_equal(before, play.board.array())


def test_rolls_the_same_dice(library: Library, both: Both) -> None:
    pair = both.game.core_rules.options["opening_roll"] == "rolloff_pair"
    dice = (c.c_int * 2)()
    for game in range(3):
        theirs = core.dice(7, core.PURPOSES["dice_play"], game, 0, 20, pair)
        for turn in range(20):
            library.call("dice", both.rules, 7, game, turn, dice)
            assert list(dice) == theirs[turn].tolist()


def test_encodes_as_python_does(library: Library, both: Both) -> None:
    name = library.call("encoding_for", both.rules)
    assert name.decode() == both.file.encoding == library.call("model_encoding", both.handle).decode()
    inputs = library.call("encoding_inputs", name)
    theirs = core.encode(name.decode(), both.boards[:5], both.seats[:5])
    for place, expected in zip(both.positions()[:5], theirs, strict=True):
        seen = (c.c_float * inputs)()
        library.call("encode", both.rules, name, place, seen, inputs)
        assert np.array_equal(np.array(seen, np.float32), expected)


@pytest.mark.parametrize("plies", [0, 1])
def test_plays_the_same_duels(library: Library, both: Both, plies: int) -> None:
    pairs = 4 if plies == 0 else 1
    outcomes, turns = (c.c_int8 * (2 * pairs))(), (c.c_uint32 * (2 * pairs))()
    net, luck = Player(both.handle, plies), Player(None, 0)
    library.call("duel", both.rules, net, luck, 9, 100, pairs, 500, outcomes, turns)
    ours = core.net_player(both.model) if plies == 0 else core.search_player(both.model, plies)
    expected = core.duel(ours, core.random_player(), both.model.rules, 9, 100, pairs, 500)
    assert list(outcomes) == expected["outcomes"].ravel().tolist()
    assert list(turns) == expected["plies"].ravel().tolist()


def test_layers_in_memory_make_the_same_model_as_a_file(library: Library, both: Both) -> None:
    kept = []

    def layers_of(name: str) -> c.Array[Layer]:
        found = []
        for weight, bias in both.file.nets[name]:
            arrays = weight.copy(), bias.copy()
            kept.extend(arrays)
            found.append(Layer(weight.shape[1], weight.shape[0], *(array.ctypes.data for array in arrays)))
        return (Layer * len(found))(*found)

    contact, race, scout = (layers_of(name) for name in ("contact", "race", "scout"))
    model = library.made(
        "model_create", both.rules, both.file.encoding.encode(), contact, 3, race, 3, scout, 2, b"plain"
    )
    assert library.call("model_kernels", model) == b"plain"
    for array in kept:  # the layers were copied
        array.fill(0)
    search = library.made("search_create", model, 0, 0)
    outcomes, _ = values(library, "net", search, both.positions())
    plain = core.Model(both.model.rules, both.file.encoding, both.file.nets, kernels="plain")
    library.call("search_destroy", search)
    library.call("model_destroy", model)
    expected = core.net(plain, plain.rules, both.boards, both.seats)[0]
    assert np.abs(outcomes[:, : expected.shape[1]] - expected).max() <= 1e-6


@pytest.mark.parametrize(("trained", "used"), [("long/classic", "long/fns"), ("long/fns", "long/classic")])
def test_outcomes_match_by_name_under_another_profile(library: Library, trained: str, used: str) -> None:
    file, game = model_file(trained, [16], 4), Game(used)
    evaluator = Evaluator(file, game, tables=False)
    boards = core.self_play(evaluator.native, game.core_rules, 1, 0, 2, max_turns=100)
    data = net_file_bytes(file)
    rules = library.rules(rules_text(game.core_rules))
    model = library.made("model_read", data, len(data), rules, None)
    library.call("rules_destroy", rules)  # the model holds its own
    search = library.made("search_create", model, 0, 0)
    places = [position(board, seat) for board, seat in zip(boards["boards"], boards["seats"], strict=True)]
    outcomes, equities = values(library, "evaluate", search, places, 0)
    expected = evaluator.evaluate_boards(boards["boards"], boards["seats"])
    assert np.abs(outcomes[:, : expected[0].shape[1]] - expected[0]).max() <= 1e-6
    assert np.abs(equities - expected[1]).max() <= 1e-6
    library.call("search_destroy", search)
    library.call("model_destroy", model)


def test_tables_judge_bear_offs_as_those_of_python_do(library: Library) -> None:
    file, game = model_file("long/fns", [16], 4), Game("long/fns")
    evaluator = Evaluator(file, game)
    data = net_file_bytes(file)
    model = library.made("model_read", data, len(data), None, None)
    tables = library.made("tables_create", library.call("model_rules", model))
    random = np.random.default_rng(1)
    boards = np.zeros((40, 2, 26), np.int8)
    for board in boards.reshape(-1, 26):
        home = random.integers(1, 16)
        board[25] = 15 - home
        np.add.at(board, random.integers(0, 6, home), 1)
    seats = random.integers(0, 2, 40).astype(np.uint8)
    places = [position(board, seat) for board, seat in zip(boards, seats, strict=True)]
    search = library.made("search_create", model, 0, 0)
    by_net, _ = values(library, "evaluate", search, places, 0)
    library.call("search_destroy", search)
    library.call("model_use_tables", model, tables)
    search = library.made("search_create", model, 0, 0)
    by_tables, equities = values(library, "evaluate", search, places, 0)
    expected = evaluator.evaluate_boards(boards, seats)
    count = expected[0].shape[1]
    assert np.abs(by_tables[:, :count] - expected[0]).max() <= 1e-6
    assert np.abs(equities - expected[1]).max() <= 1e-6
    assert np.abs(by_net - by_tables).max() > 0.1
    assert np.array_equal(values(library, "net", search, places)[0], by_net)
    library.call("search_destroy", search)
    data = net_file_bytes(model_file("short/standard", [16], 4))
    short = library.made("model_read", data, len(data), None, None)
    with pytest.raises(LibraryError, match="those of other rules"):
        library.call("model_use_tables", short, tables)
    for name, handle in (("model", model), ("model", short), ("tables", tables)):
        library.call(f"{name}_destroy", handle)


def test_a_list_of_plays_is_not_changed_by_the_next_one(library: Library, both: Both) -> None:
    place, count = c.c_void_p(), c.c_size_t()
    first, second = both.positions()[:2]
    library.call("rank", both.search, first, 3, 1, 0, c.byref(place), c.byref(count))
    kept = c.string_at(place.value, count.value * c.sizeof(Play))
    library.listed("rank", both.search, second, 6, 6, 0)
    library.listed("list_plays", both.rules, second, 5, 4)
    assert c.string_at(place.value, count.value * c.sizeof(Play)) == kept
    library.call("free", place)


def test_a_file_is_loaded_as_its_bytes_are(library: Library, both: Both, tmp_path: Path) -> None:
    path = tmp_path / "net file.nardynet"
    path.write_bytes(net_file_bytes(both.file))
    model = library.made("model_load", str(path).encode(), None, None)
    search = library.made("search_create", model, 0, 0)
    assert np.array_equal(
        values(library, "net", search, both.positions()[:9])[0],
        values(library, "net", both.search, both.positions()[:9])[0],
    )
    library.call("search_destroy", search)
    library.call("model_destroy", model)
