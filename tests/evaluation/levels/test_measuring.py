"""The strength of levels: what is played, what the report says, and that it goes into the file."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from command_line import REPOSITORY, nardy_here
from hand_made_benchmark import short_benchmark
from untrained import untrained_model

from nardy_ai.bots import Bot, load
from nardy_ai.core import Level
from nardy_ai.evaluation.decisions import decision_loss
from nardy_ai.evaluation.levels import LevelReport, Scorer, measure_levels
from nardy_ai.evaluation.match import match
from nardy_ai.evaluation.match_result import Side
from nardy_ai.evaluation.statistics import Estimate, mean_interval
from nardy_ai.models.level_table import LevelEntry, LevelTable, Score, usual_levels
from nardy_ai.models.model_file import read_model
from nardy_ai.rules import Game

QUICK = REPOSITORY / "checkpoints" / "short-quick.safetensors"
SMALL = "short/hypergammon"
"""Games of three checkers, which take a moment."""


@pytest.fixture(scope="module")
def report() -> LevelReport:
    bot = load(QUICK, Game(SMALL))
    levels = [*(Level(noise / 10, 0) for noise in range(9, 0, -1)), Level(0.0, 1)]
    with Scorer(bot.game, 16, 2, total=1, progress=False) as scorer:
        return measure_levels(bot, levels, scorer, 5)


def test_every_figure_is_that_of_a_match_of_its_own(report: LevelReport) -> None:
    bot = load(QUICK, Game(SMALL))
    full, weak = bot.looking_ahead(1), bot.with_noise(0.7)
    played = {
        "against_full": match(weak, full, SMALL, pairs=16, seed=5),
        "against_next": match(weak, bot.with_noise(0.6), SMALL, pairs=16, seed=5),
    }
    entry = report.table.levels[2]
    for name, expected in played.items():
        found = getattr(entry, name)
        assert expected.interval is not None
        assert found.mean == pytest.approx(expected.ppg, abs=1e-6)
        assert (found.low, found.high) == pytest.approx(expected.interval, abs=1e-6)
    assert (entry.noise, entry.plies, entry.loss) == (0.7, 0, None)


def test_level_10_is_compared_with_greedy_alone(report: LevelReport) -> None:
    *others, full = report.table.levels
    assert full.against_full is None and full.against_next is None and full.against_greedy is not None
    assert all(entry.against_full and entry.against_next and entry.against_greedy for entry in others)
    assert others[8].against_next == others[8].against_full
    measured = report.table.measured
    assert measured is not None
    assert (measured.game, measured.pairs, measured.seed, measured.decisions) == (SMALL, 16, 5, None)


class Unplayed(Scorer):
    """Every match ends even."""

    def score(self, a: Bot, b: Bot, seed: int, what: str) -> Estimate:
        return mean_interval([-0.1, 0.1])


def told(*nexts: tuple[float, float, float]) -> LevelReport:
    scores = [Score(-0.1, -0.2, -0.05)] * 9
    for place, numbers in enumerate(nexts):
        scores[place] = Score(*numbers)
    entries = [
        LevelEntry(each.level, each.noise, each.plies, None, score, Score(0.3, 0.2, 0.4))
        for each, score in zip(usual_levels("short").levels, [*scores, None], strict=True)
    ]
    return LevelReport(Side("m", "0123"), LevelTable(tuple(entries)))


def test_neighbours_that_cannot_be_told_apart_are_named() -> None:
    report = told((-0.02, -0.06, 0.02), (0.05, 0.01, 0.09))
    assert report.close == [1] and report.out_of_order == [2]
    said = str(report)
    assert "levels 1 and 2 can't be told apart by these pairs: -0.020 [-0.060, +0.020]" in said
    assert "level 2 beats level 3: +0.050 [+0.010, +0.090]" in said
    assert "level 1 is not even with greedy: +0.300 [+0.200, +0.400]" in said
    assert told().close == told().out_of_order == []


def test_levels_are_found_measured_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.safetensors"
    shutil.copy(QUICK, path)
    before = read_model(path)
    # A game for which no decisions come with the package.
    words = ["levels", path, "--game", "short/nackgammon", "--pairs", "4", "--threads", "1"]
    ran = nardy_here(capsys, *words, "--write", "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    after = read_model(path)
    assert after.levels is not None and after.levels.measured is not None
    assert after.levels.as_list() == told["levels"]
    assert told["measured"]["seed"] == 2 and after.levels.measured.pairs == 4
    assert after.strength == before.strength and after.provenance == before.provenance
    assert load(path).fingerprint == load(QUICK).fingerprint == told["bot"]["hash"]
    assert [file.name for file in tmp_path.iterdir()] == ["model.safetensors"]
    # What is in the file is what every bot of it plays by.
    assert load(path).at_level(1).noise == told["levels"][0]["noise"] > 0
    shown = nardy_here(capsys, "levels", path, "--show")
    assert shown.code == 0 and "4 pairs each, seed 2" in shown.out


def test_usual_levels_are_shown_as_nobodys_measurement(capsys: pytest.CaptureFixture[str]) -> None:
    ran = nardy_here(capsys, "levels", QUICK, "--show")
    assert ran.code == 0
    assert "nobody measured them for this model" in ran.out
    assert len(re.findall(r"^ +\d+ +[\d.]+ +[01]$", ran.out, re.MULTILINE)) == 10


def test_a_model_that_greedy_beats_has_no_levels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = untrained_model("short", tmp_path / "weak.safetensors")
    ran = nardy_here(capsys, "levels", path, "--pairs", "10", "--threads", "1", "--write")
    assert ran.code == 1 and ran.out == ""
    assert "level 1 is to score nothing: train it longer" in ran.err and ran.err.count("\n") == 1
    assert read_model(path).levels is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pairs", "1"], "pairs is 1: give a number from 2"),
        (["--threads", "0"], "threads is 0"),
        (["--seed", "-1"], "--seed -1 must be a whole number"),
        (["--show", "--write"], "leave out --write and --keep"),
        (["--decisions", "nowhere.safetensors"], "nowhere.safetensors"),
        (["--game", "long"], "is a model of short nardy"),
    ],
)
def test_bad_input_is_told(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = nardy_here(capsys, "levels", QUICK, *words)
    assert ran.is_bad_input(), ran
    assert said in ran.err


def test_losses_are_measured_where_there_are_decisions() -> None:
    bot = load(QUICK)
    benchmark = short_benchmark(judge_hash=bot.fingerprint)
    levels = [*(Level(noise / 10, 0) for noise in range(9, 0, -1)), Level(0.0, 1)]
    with Unplayed(bot.game, 2, 1, total=1, progress=False) as scorer:
        report = measure_levels(bot, levels, scorer, 1, benchmark)
    for number, entry in enumerate(report.table.levels, 1):
        own = bot.with_noise(levels[number - 1].noise) if number < 10 else bot.looking_ahead(1)
        assert entry.loss is not None
        expected = decision_loss(own, benchmark, seed=1).total.mean
        assert entry.loss.mean == pytest.approx(expected, abs=1e-6)
    assert report.table.measured is not None
    assert str(report.table.measured.decisions).startswith(f"{len(benchmark)} of short/standard, hash ")
    assert "thousandths of a point a decision" in str(report)
    assert "the decisions were judged by this very net" in str(report)
