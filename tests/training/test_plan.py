"""What a config would do, told beforehand."""

import dataclasses
from pathlib import Path

import pytest
from tiny_runs import EXACT, SAMPLED, tiny

from nardy_ai.core import InputError
from nardy_ai.training import plan as planning
from nardy_ai.training.loop import train
from nardy_ai.training.plan import Plan, plan, short, spell


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_SECONDS", 0.05)
    monkeypatch.setattr(planning, "_PAIRS", 4)


@pytest.fixture
def found() -> Plan:
    return plan(tiny(milestone=3), workers=1)


def test_it_tells_every_phase_with_its_net_and_its_games(found: Plan) -> None:
    sampled, exact = found.phases
    assert (sampled.shape, sampled.rounds, sampled.games) == ("196/8/6", 4, 48)
    assert (exact.shape, exact.rounds, exact.games) == ("196/12-12/6", 4, 12)
    scout = 196 * 6 + 6 + 6 * 6 + 6
    assert sampled.weights == 196 * 8 + 8 + 8 * 6 + 6 + scout
    assert exact.weights == 196 * 12 + 12 + 12 * 12 + 12 + 12 * 6 + 6 + scout


def test_labels_are_turns_of_games_less_those_that_the_stride_leaves_out(found: Plan) -> None:
    sampled, exact = found.phases
    turns = sampled.labels / sampled.games
    assert 30 < turns < 90
    assert exact.labels / exact.games == pytest.approx(turns / 3, rel=0.02)


def test_time_grows_with_the_work() -> None:
    little, much = (plan(tiny({**SAMPLED, "rounds": rounds}), workers=1) for rounds in (10, 1000))
    assert much.seconds > 30 * little.seconds > 0
    cheap, dear = (
        plan(tiny({**EXACT, "hidden": hidden, "replay": 0, "memory": 0}), workers=1).seconds
        for hidden in ([8], [256, 256])
    )
    assert dear > 1.5 * cheap


def test_disk_is_what_a_run_comes_to(tmp_path: Path) -> None:
    """Within a factor of two of the real thing, whose games are longer than greedy's."""
    config = tiny(milestone=3, keep=2)
    train(config, tmp_path / "run", progress=False, say=lambda _line: None)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    real = sum({path.stat().st_ino: path.stat().st_size for path in files}.values())
    assert real / 2 < plan(config, workers=1).disk < 2 * real


def test_what_training_refuses_is_refused_here() -> None:
    with pytest.raises(InputError, match="workers: 0 must be at least 1"):
        plan(tiny(), workers=0)
    with pytest.raises(InputError, match="there is no nardy-ai model at nowhere"):
        plan(dataclasses.replace(tiny(), init="nowhere.safetensors"))


def test_the_table_fits_a_terminal_and_names_the_whole(found: Plan) -> None:
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith("short/standard: learner on cpu, 1 worker on ")
    assert lines[2].split() == ["phase", "targets", "net", "rounds", "games", "labels", "time"]
    assert "in all" in lines[-1] and "MB" in lines[-1]


@pytest.mark.parametrize(("number", "text"), [(950, "950"), (12_300, "12 k"), (3_449_000, "3.4 M")])
def test_large_numbers_are_short(number: float, text: str) -> None:
    assert short(number) == text


@pytest.mark.parametrize(("seconds", "text"), [(40, "40 s"), (720, "12 min"), (12_600, "3.5 h")])
def test_times_are_spelled(seconds: float, text: str) -> None:
    assert spell(seconds) == text
