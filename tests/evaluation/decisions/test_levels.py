"""Levels in decisions whose plays were rolled out: more noise loses more."""

from __future__ import annotations

from command_line import REPOSITORY

import nardy_ai as nardy
from nardy_ai.evaluation.decisions import decision_loss, read_benchmark, shipped_benchmark


def test_a_lower_level_loses_more_and_the_same_for_any_number_of_threads() -> None:
    bot = nardy.load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    benchmark = read_benchmark(shipped_benchmark(bot.game))
    losses = {
        level: decision_loss(bot.at_level(level), benchmark, threads=1) for level in (1, 4, 9)
    }
    means = [found.total.mean for found in losses.values()]
    assert means == sorted(means, reverse=True) and means[0] > 1.5 * means[-1]
    again = decision_loss(bot.at_level(4), benchmark, threads=2)
    assert again.losses.tolist() == losses[4].losses.tolist()
