"""The decision benchmarks that come with the package: whole, small, and a ruler that ranks known bots."""

from pathlib import Path

import pytest

from nardy_ai.bots import bot
from nardy_ai.evaluation.decisions import decision_loss, read_benchmark, shipped_benchmark
from nardy_ai.models.model_file import read_model
from nardy_ai.rules import Game

CHECKPOINTS = Path(__file__).parents[3] / "checkpoints"
SHIPPED = ["short", "long"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_file_is_small_and_says_how_it_was_made(name: str) -> None:
    path = shipped_benchmark(Game(name))
    assert path.stat().st_size < 2_000_000
    header = read_benchmark(path).header
    assert header.decisions == 1000
    judge = CHECKPOINTS / f"{name}-judge.safetensors"
    assert header.judge.name == f"checkpoints/{judge.name}"
    assert read_model(judge).game == name


@pytest.mark.parametrize("name", SHIPPED)
def test_bots_of_known_strength_come_out_in_their_order(name: str) -> None:
    """A random player, a linear one, a net of minutes: each loses less than half of the one before.

    Hand-made judgement comes closer to nets in long nardy, where nothing is hit: less than two thirds.
    """
    benchmark = read_benchmark(shipped_benchmark(Game(name)))
    linear = "pubeval" if name == "short" else "greedy"
    names = ["random", linear, str(CHECKPOINTS / f"{name}-quick.safetensors")]
    lost = [decision_loss(bot(each, benchmark.game), benchmark).total.mean for each in names]
    step = 2 if name == "short" else 1.5
    assert lost[0] > step * lost[1] > step**2 * lost[2] > 0
