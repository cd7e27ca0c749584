"""`nardy match`: the same numbers as text and JSON, and what a pair is."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import nardy


def test_the_table_names_everything_a_strength_needs() -> None:
    ran = nardy("match", "greedy", "random", "--game", "long", "--pairs", "40", "--seed", "7")
    assert ran.code == 0, ran.err
    for word in (
        "greedy",
        "random",
        "long/fns",
        "40 pairs",
        "seed 7",
        "points a game",
        "95 % interval",
        "win_mars",
    ):
        assert word in ran.out


def test_json_is_the_same_for_any_number_of_threads() -> None:
    words = ["match", "greedy", "random", "--game", "short", "--pairs", "64", "--json"]
    one, two = nardy(*words, "--threads", "1"), nardy(*words, "--threads", "2")
    assert one.code == two.code == 0
    assert one.out == two.out
    report = json.loads(one.out)
    assert report["pairs"] == 64
    assert sum(report["outcomes"].values()) == 128
    assert report["ppg"] > 0


def test_gammons_and_backgammons_are_counted() -> None:
    report = json.loads(nardy("match", "greedy", "random", "--game", "short", "--pairs", "100", "--json").out)
    points = {
        "win": 1,
        "win_gammon": 2,
        "win_backgammon": 3,
        "lose": -1,
        "lose_gammon": -2,
        "lose_backgammon": -3,
    }
    assert report["outcomes"]["win_gammon"] > 0
    assert report["outcomes"]["win_backgammon"] > 0
    total = sum(points[name] * count for name, count in report["outcomes"].items())
    assert abs(report["ppg"] - total / 200) < 1e-9


def test_a_bot_against_itself_is_exactly_zero_and_said_to_be_the_same(long_model: Path) -> None:
    ran = nardy("match", long_model, long_model, "--pairs", "30", "--json")
    assert ran.code == 0
    report = json.loads(ran.out)
    assert report["ppg"] == 0
    assert "same bot" in ran.err
    assert report["a"]["hash"] == report["b"]["hash"]


def test_a_model_brings_its_game(short_model: Path) -> None:
    report = json.loads(nardy("match", short_model, "random", "--pairs", "10", "--json").out)
    assert report["game"] == "short/standard"


def test_another_profile_of_the_same_game(long_model: Path) -> None:
    report = json.loads(
        nardy("match", long_model, "random", "--game", "long/classic", "--pairs", "10", "--json").out
    )
    assert report["game"] == "long/classic"
    assert "draw" not in report["outcomes"]
