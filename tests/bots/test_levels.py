"""Bots that play weaker on purpose: which have levels, what they are called, and that they are themselves."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai import core
from nardy_ai.bots import NetBot
from nardy_ai.models.level_table import table_of
from nardy_ai.models.model_file import read_model, write_model


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_model("short", tmp_path_factory.mktemp("levels") / "short.safetensors")


@pytest.fixture(scope="module")
def net(path: Path) -> NetBot:
    return nardy.load(path)


def test_a_level_is_named_behind_the_bot(path: Path) -> None:
    for name in (f"{path}#3", "greedy#1", "pubeval#9", "greedy#10"):
        assert nardy.bot(name, "short").name == name
    assert nardy.load(path, level=3).fingerprint == nardy.bot(f"{path}#3").fingerprint


def test_a_file_whose_name_has_the_sign_is_a_file(tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "try#3.safetensors")
    assert nardy.bot(str(path)).name == str(path)
    assert nardy.bot(f"{path}#4").name == f"{path}#4"


@pytest.mark.parametrize("name", ["greedy", "pubeval"])
def test_the_highest_level_is_the_bot_itself(name: str) -> None:
    assert nardy.bot(f"{name}#10").fingerprint == nardy.bot(name).fingerprint
    prints = {nardy.bot(f"{name}#{level}").fingerprint for level in range(1, 11)}
    assert len(prints) == 10


def test_the_highest_level_of_a_model_looks_one_turn_ahead(path: Path, net: NetBot) -> None:
    assert net.at_level(10).fingerprint == nardy.bot(f"{path}:1").fingerprint
    assert len({net.at_level(level).fingerprint for level in range(1, 11)} | {net.fingerprint}) == 11


@pytest.mark.parametrize("name", ["net", "greedy", "pubeval"])
def test_a_level_against_itself_scores_nothing_for_any_number_of_threads(name: str, path: Path) -> None:
    bot = nardy.bot(f"{path if name == 'net' else name}#2", "short/hypergammon" if name == "net" else "short")
    with pytest.warns(UserWarning, match="same bot"):
        found = nardy.match(bot, bot, bot.game or "short", pairs=20, seed=4, threads=2)
    assert found.ppg == 0
    assert any(found.outcomes.values())


def test_the_same_match_for_any_number_of_threads_and_either_driver(net: NetBot) -> None:
    class Asked:
        """The level, asked in Python for every play."""

        name, fingerprint, game, usual_game = "asked", "asked", None, None

        def player(self, game: nardy.Game) -> None:
            return None

        def __getattr__(self, name: str):  # type: ignore[no-untyped-def]
            return getattr(net.at_level(2), name)

    greedy = nardy.bot("greedy")
    one, two = (
        nardy.match(net.at_level(2), greedy, pairs=40, seed=3, threads=threads) for threads in (1, 2)
    )
    asked = nardy.match(Asked(), greedy, net.game, pairs=40, seed=3)
    assert one.outcomes == two.outcomes == asked.outcomes
    full = nardy.match(net, greedy, pairs=40, seed=3)
    assert full.outcomes != one.outcomes


def test_a_bot_asked_for_one_play_answers_the_same_each_time(net: NetBot) -> None:
    game, weak = net.game, net.at_level(1)
    other = 0
    for dice in itertools.product(range(1, 7), repeat=2):
        play = weak.choose(game.start(), dice)
        assert play == weak.choose(game.start(), dice) == weak.choose(game.start(), dice[::-1])
        other += play.notation != net.choose(game.start(), dice).notation
    assert other > 10


def test_what_a_level_ranks_it_ranks_without_noise(net: NetBot) -> None:
    pos = net.game.start()
    assert net.at_level(1).rank(pos, (3, 1)) == net.rank(pos, (3, 1))
    assert net.at_level(1).evaluate(pos) == net.evaluate(pos)


def test_the_table_of_a_model_says_what_its_levels_are(net: NetBot, tmp_path: Path) -> None:
    noise = [0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.06, 0.03, 0.0]
    table = table_of([*(core.Level(each, 0) for each in noise), core.Level(0, 2)])
    write_model(tmp_path / "own.safetensors", dataclasses.replace(net.model, levels=table))
    own = nardy.load(tmp_path / "own.safetensors")
    assert read_model(tmp_path / "own.safetensors").levels == table
    assert [own.at_level(level).noise for level in range(1, 11)] == [*noise, 0]
    assert own.at_level(10).plies == 2
    # A table changes no play of the bot itself, so that records and benchmarks still know it.
    assert own.fingerprint == net.fingerprint == own.at_level(9).fingerprint


def test_a_command_line_may_hold_the_sign() -> None:
    name = "program:cat no#3"
    assert nardy.bot(name).name == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("random#3", "random has no levels: they blur a judgement"),
        ("greedy#0", "level cannot be 0: give a whole number from 1 (weakest) to 10 (the full bot)"),
        ("greedy#11", "level cannot be 11"),
        ("greedy#x", "level cannot be 'x'"),
        ("greedy#", "level cannot be ''"),
        ("greedy#3#4", "names two levels: give one"),
        ("gredy#3", "did you mean 'greedy'?"),
        ("MODEL:1#3", "a level has its own look-ahead: give level or plies, not both"),
        ("MODEL#99999999999999999999", "level cannot be"),
    ],
)
def test_what_is_no_level_is_told(name: str, said: str, path: Path) -> None:
    with pytest.raises(nardy.InputError) as caught:
        nardy.bot(name.replace("MODEL", str(path)))
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_level_and_plies_are_not_both_given(path: Path, net: NetBot) -> None:
    with pytest.raises(nardy.InputError, match="give level or plies, not both"):
        nardy.load(path, plies=1, level=3)
    with pytest.raises(nardy.InputError, match="give level or plies, not both"):
        net.looking_ahead(1).at_level(3)
    assert net.at_level(3).at_level(10).at_level(4).name.endswith("#4")
