"""`nardy match`: the same numbers as text and JSON, and what a pair is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Ran, nardy

from nardy_ai.commands import main


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


class TestInThisProcess:
    """Commands run in this process, which is much cheaper than one of their own."""

    @pytest.fixture(autouse=True)
    def _keep(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        self.capsys, self.folder = capsys, tmp_path

    def run(self, *words: str | Path) -> Ran:
        code = main(["match", "greedy", *map(str, words)])
        said = self.capsys.readouterr()
        return Ran(code, said.out, said.err)

    def test_a_record_goes_on_and_says_so(self) -> None:
        words = ["random", "--game", "short", "--json", "--record", self.folder / "r.jsonl", "--pairs"]
        self.run(*words, "40")
        more, plain = self.run(*words, "60"), self.run("random", "--game", "short", "--json", "--pairs", "60")
        assert more.code == 0 and more.out == plain.out
        assert "not played again: 40" in more.err

    def test_a_test_answers_by_its_exit_code(self) -> None:
        words = ["random", "--game", "short", "--pairs", "400", "--test"]
        accepted, rejected = self.run(*words, "0:0.5"), self.run(*words, "2.9:2.99", "--json")
        undecided = self.run("pubeval", "--pairs", "10", "--test", "0:0.03")
        assert (accepted.code, rejected.code, undecided.code) == (0, 1, 1)
        assert "accepted: +0.5 rather than +0 points a game" in accepted.out
        assert json.loads(rejected.out)["test"]["decision"] == "rejected"
        assert "undecided" in undecided.out and accepted.err == rejected.err == ""

    def test_luck_and_length(self, short_model: Path) -> None:
        adjusted = self.run("random", "--luck", short_model, "--pairs", "3")
        # Nobody says which game, and a judge does not either.
        assert adjusted.is_bad_input() and "game" in adjusted.err
        adjusted = self.run("random", "--game", "short", "--luck", short_model, "--pairs", "3", "--json")
        assert json.loads(adjusted.out)["luck"]["judge"]["name"] == str(short_model)
        to_three = self.run("random", "--game", "short", "--length", "3", "--pairs", "3")
        assert "matches to 3 points" in to_three.out

    @pytest.mark.parametrize(
        ("words", "naming"),
        [
            (["--test", "0.03"], "two scores in points a game"),
            (["--test", "0.1:0.1"], "must be above the first"),
            (["--test", "0:9"], "can't be reached"),
            (["--test", "0:0.1", "--alpha", "0.9"], "alpha is 0.9"),
            (["--alpha", "0.1"], "give --test too"),
            (["--beta", "0.01"], "give --test too"),
            (["--record", "."], "is a folder"),
            (["--record", "/dev/null"], "no plain file"),
            (["--record", "/dev/full"], "no plain file"),
            (["--record", "nowhere/r.jsonl"], "nowhere/r.jsonl"),
            (["--luck", "greedy"], "can't judge luck"),
            (["--luck", "none.safetensors"], "none.safetensors"),
            (["--length", "0"], "length of a match"),
        ],
    )
    def test_bad_input(self, words: list[str], naming: str) -> None:
        ran = self.run("pubeval", *words)
        assert ran.is_bad_input() and naming in ran.err, ran.err


def test_a_level_has_its_own_look_ahead(long_model: Path) -> None:
    ran = nardy("match", f"{long_model}#3", "greedy", "--plies", "1", "--pairs", "2")
    assert ran.is_bad_input(), ran
    assert "#3 has the look-ahead of its level: leave out --plies" in ran.err
