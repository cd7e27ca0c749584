"""Parts of a match against each other: known quantiles, and a program that changed half way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nardy_ai.bots import GreedyBot, RandomBot
from nardy_ai.bots.bot import Boards, Bytes, Keys
from nardy_ai.evaluation import match
from nardy_ai.evaluation.homogeneity import chi_square_probability, chunk_test
from nardy_ai.rules import Game


# Printed tables of chi-square.
@pytest.mark.parametrize(
    ("statistic", "freedom", "probability"),
    [
        (3.841459, 1, 0.05),
        (6.634897, 1, 0.01),
        (11.070498, 5, 0.05),
        (24.995790, 15, 0.05),
        (7.260944, 15, 0.95),
        (124.342113, 100, 0.05),
        (37.697298, 15, 0.001),
    ],
)
def test_quantiles_of_printed_tables(statistic: float, freedom: int, probability: float) -> None:
    assert chi_square_probability(statistic, freedom) == pytest.approx(probability, rel=1e-5)


def test_two_degrees_are_the_exponential_and_nothing_is_certain() -> None:
    for x in (0.1, 2.0, 50.0, 300.0):
        assert chi_square_probability(x, 2) == pytest.approx(math.exp(-x / 2.0), rel=1e-12)
    assert chi_square_probability(0.0, 7) == 1.0


def test_equal_parts_are_suspected_as_often_as_they_should() -> None:
    generator = np.random.default_rng(6)
    values = generator.normal(0.2, 1.0, (1000, 320))
    low = [found.probability < 0.05 for row in values if (found := chunk_test(row)) is not None]
    assert len(low) == 1000 and 0.03 <= np.mean(low) <= 0.08


def test_a_part_that_scores_otherwise_is_seen() -> None:
    values = np.random.default_rng(6).normal(0.2, 1.0, 640)
    values[:320] += 0.5
    found = chunk_test(values)
    assert found is not None and found.chunks == 16 and found.probability < 0.001


def test_too_little_or_equal_values_say_nothing() -> None:
    assert chunk_test(np.zeros(0)) is None
    assert chunk_test(np.arange(19.0)) is None
    assert chunk_test(np.full(100, 0.5)) is None


class Changing(GreedyBot):
    """Plays at random from some pair on."""

    name, fingerprint = "changing", "changing"

    def player(self, game: Game) -> None:  # type: ignore[override]
        return None

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        bot = GreedyBot() if keys[0, 1] < 64 else RandomBot()
        return bot.choose_boards(game, boards, dice, seats, turns, keys)


def test_a_report_tells_that_a_program_changed_during_the_match() -> None:
    steady = match(GreedyBot(), RandomBot(), "short", pairs=128)
    assert steady.chunks is not None and steady.chunks.probability > 0.001 and "agree" in str(steady)
    changed = match(Changing(), RandomBot(), "short", pairs=128)
    assert changed.chunks is not None and changed.chunks.probability < 0.001
    assert "12 parts        differ: look for what changed" in str(changed)
    assert changed.as_dict()["chunks"]["chunks"] == 12
