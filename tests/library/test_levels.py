"""Levels of the C library: the noise, choices and duels of the Python package, and what is refused."""

from __future__ import annotations

import ctypes as c
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from nardy_library import Board, Level, Library, LibraryError, Play, Player, Position, position
from random_nets import SHORT, game_positions, random_layers

from nardy_ai import core
from nardy_ai.export.net_file import net_file_bytes
from nardy_ai.models.model_file import ModelFile


@dataclass
class Net:
    """One net held by both."""

    library: Library
    rules: int
    model: int
    search: int
    ours: core.Model


@pytest.fixture(scope="module")
def net(library: Library) -> Iterator[Net]:
    layers = {"contact": random_layers(SHORT, [16], 3)}
    file = ModelFile("short", "short/standard", SHORT.options, "short-1", SHORT.outcomes, layers)
    data = net_file_bytes(file)
    model = library.made("model_read", data, len(data), None, None)
    search = library.made("search_create", model, 0, 0)
    yield Net(
        library,
        library.call("model_rules", model),
        model,
        search,
        core.Model(SHORT, "short-1", layers),
    )
    library.call("search_destroy", search)
    library.call("model_destroy", model)


def test_noise_and_its_keys_are_those_of_the_package(library: Library) -> None:
    boards, _, _ = game_positions(SHORT, 3)
    for turn, board in enumerate(boards[:50]):
        key = library.call("noise_key", 2**63 + 5, 9, turn % 2, turn)
        assert key == core.noise_key(2**63 + 5, 9, turn % 2, turn)
        found = c.c_double()
        place = position(board).board
        library.call("noise", key, c.byref(place), c.byref(found))
        assert found.value == core.noise(key, board[None])[0]


def test_usual_levels_are_those_of_the_package(library: Library) -> None:
    for family in ("long", "short"):
        rules = library.rules(f"family = {family}")
        for number in range(1, 11):
            found = Level()
            library.call("level_default", rules, number, c.byref(found))
            expected = core.default_level(family, number)
            assert (found.noise, found.plies) == (expected.noise, expected.plies)
        library.call("rules_destroy", rules)


@pytest.mark.parametrize("noise", [0.0, 0.2, 1.0])
def test_a_level_chooses_as_in_the_package(net: Net, noise: float) -> None:
    boards, seats, turns = (column[::9][:40] for column in game_positions(SHORT, 4))
    dice = np.random.default_rng(1).integers(1, 7, (len(boards), 2)).astype(np.uint8)
    keys = np.stack([np.full(len(boards), n, np.uint64) for n in (7, 2, 5)], axis=1)
    expected = core.choose(core.net_player(net.ours, noise), SHORT, boards, dice, seats, turns, keys)
    chosen, best = Play(), Play()
    others = 0
    for i, board in enumerate(boards):
        place = position(board, int(seats[i]), int(turns[i]))
        key = core.noise_key(7, 2, int(seats[i]), 5)
        roll = dice[i].tolist()
        net.library.call("choose_at", net.search, place, *roll, Level(noise, 0), key, c.byref(chosen))
        net.library.call("choose", net.search, place, *roll, 0, c.byref(best))
        assert np.array_equal(chosen.board.array(), expected[i])
        # What the play is worth is told without noise.
        assert chosen.value.equity <= best.value.equity
        others += not np.array_equal(chosen.board.array(), best.board.array())
    assert (others > 0) == (noise > 0)


def test_a_level_plays_the_same_duels(net: Net) -> None:
    outcomes, turns = (c.c_int8 * 12)(), (c.c_uint32 * 12)()
    weak, full = Player(net.model, 0, 0.4), Player(net.model, 0, 0)
    net.library.call("duel", net.rules, weak, full, 9, 100, 6, 500, outcomes, turns)
    expected = core.duel(core.net_player(net.ours, 0.4), core.net_player(net.ours), SHORT, 9, 100, 6, 500)
    assert list(outcomes) == expected["outcomes"].ravel().tolist()
    assert list(turns) == expected["plies"].ravel().tolist()
    net.library.call("duel", net.rules, full, full, 9, 100, 6, 500, outcomes, turns)
    assert list(turns) != expected["plies"].ravel().tolist()


def refused(library: Library, name: str, *arguments: object) -> str:
    with pytest.raises(LibraryError) as caught:
        library.call(name, *arguments)
    return str(caught.value)


def test_what_is_no_level_is_refused(net: Net) -> None:
    library, start, play, level = net.library, Position(), Play(), Level()
    library.call("start", net.rules, c.byref(start))

    def choosing(asked: Level | None) -> str:
        return refused(library, "choose_at", net.search, start, 3, 1, asked, 0, c.byref(play))

    assert choosing(Level(-0.1, 0)) == "the noise of a level cannot be -0.1: give points from 0"
    assert "cannot be nan" in choosing(Level(float("nan"), 0))
    assert "does not look ahead" in choosing(Level(0.1, 1))
    assert "plies cannot be 4" in choosing(Level(0, 4))
    assert "level" in choosing(None)
    for number in (0, 11):
        said = refused(library, "level_default", net.rules, number, c.byref(level))
        assert said == f"level cannot be {number}: give 1 (weakest) to 10 (the full bot)"
    outcomes = (c.c_int8 * 2)()
    player = Player(None, 0, 0.1)
    said = refused(library, "duel", net.rules, player, player, 1, 0, 1, 500, outcomes, None)
    assert said == "player a has no model whose judgement could be blurred"
    board, noise = Board(), c.c_double()
    board.row[0][3] = 16
    said = refused(library, "noise", 0, c.byref(board), c.byref(noise))
    assert said == "a count of the board is 16: it must be 0 to 15"
