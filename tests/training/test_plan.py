"""What a config would do, told beforehand."""

import dataclasses
import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest
from tiny_runs import EXACT, SAMPLED, tiny

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.training import plan as planning
from nardy_ai.training import room, speeds
from nardy_ai.training.beginning import first_checkpoint, prepared
from nardy_ai.training.learner import Device
from nardy_ai.training.loop import train
from nardy_ai.training.plan import Plan, plan, short, spell
from nardy_ai.training.shares import Share
from nardy_ai.training.targets import training_set
from nardy_ai.training.workers import SelfPlay


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speeds, "_SECONDS", 0.02)
    monkeypatch.setattr(speeds, "_REHEARSAL", 0.05)
    monkeypatch.setattr(speeds, "_POSITIONS", 1024)


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
    little = plan(tiny({**SAMPLED, "rounds": 10}), workers=1)
    much = plan(tiny({**SAMPLED, "rounds": 1000}), workers=1)
    assert much.seconds > 30 * little.seconds > 0
    cheap, dear = (
        plan(tiny({**EXACT, "hidden": hidden, "replay": 0, "memory": 0}), workers=1).seconds
        for hidden in ([8], [256, 256])
    )
    assert dear > 1.5 * cheap


@pytest.mark.parametrize(
    ("cores", "workers", "elsewhere", "seconds"),
    [
        # A round is played in 6 s by one worker and learned in 4 s.
        (1, 1, "", 10.0),
        (2, 1, "", 6.0),
        (2, 2, "", 5.0),
        (4, 2, "", 4.0),
        (4, 64, "", 4.0),
        (1, 1, "on the Ray cluster", 6.0),
        (1, 2, "on the Ray cluster", 4.0),
    ],
)
def test_playing_and_learning_go_side_by_side(
    monkeypatch: pytest.MonkeyPatch, cores: int, workers: int, elsewhere: str, seconds: float
) -> None:
    monkeypatch.setattr(planning, "cores", lambda: cores)
    monkeypatch.setattr(planning, "turns_a_game", lambda _game: 60.0)
    monkeypatch.setattr(planning, "rehearsed", lambda _config, _game, nets: nets)
    # 12 games of 60 turns are 720 labels, or 240 with every third; with 2 rounds drawn from the memory and
    # gone through twice the learner has 1440 positions.
    monkeypatch.setattr(planning, "worker_speed", lambda *_: 40.0)
    monkeypatch.setattr(planning, "learner_speed", lambda *_: 360.0)
    phase = {**EXACT, "games": 12, "rounds": 7}
    (found,) = plan(tiny(phase), workers=workers, elsewhere=elsewhere).phases
    assert found.seconds == pytest.approx(7 * seconds)
    assert found.useful_workers == pytest.approx(1.5)
    assert (found.labels, found.games) == (7 * 240, 84)


def test_a_gpu_that_is_no_gain_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "choose_device", lambda *_: Device("cuda", "stand-in"))
    monkeypatch.setattr(planning, "rehearsed", lambda _config, _game, nets: nets)
    monkeypatch.setattr(planning, "worker_speed", lambda *_: 40.0)
    speed = {"cuda": 20_000.0, "cpu": 30_000.0}
    monkeypatch.setattr(planning, "learner_speed", lambda *words: speed[words[-1].name])
    found = plan(tiny(), workers=1)
    told = " ".join(str(found).split())
    assert "cuda is slower than the CPU in sampled, exact (20 k positions a second against 30 k" in told
    speed["cuda"] = 40_000.0
    found = plan(tiny(), workers=1)
    assert "slower" not in str(found)
    assert [(p.learned_per_second, p.learned_on_cpu) for p in found.phases] == [(40_000, 30_000)] * 2


def test_a_rehearsal_gives_a_net_that_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    config, game = prepared(tiny({**SAMPLED, "hidden": [16]}))
    first = first_checkpoint(config, game, "cpu").model.nets
    monkeypatch.setattr(speeds, "_REHEARSAL", 1.0)
    rules = game.core_rules
    players = [
        core.net_player(core.Model(rules, config.encoding, nets))
        for nets in (speeds.rehearsed(config, game, first), first)
    ]
    outcomes = core.duel(*players, rules, 1, 0, 50)["outcomes"]
    # The first three are wins.
    assert (outcomes < 3).mean() > 0.7


def test_a_run_that_starts_from_a_model_is_not_rehearsed(tmp_path: Path) -> None:
    config = tiny(SAMPLED)
    train(config, tmp_path / "run", progress=False, say=lambda _line: None)
    config, game = prepared(tiny(SAMPLED, init=str(tmp_path / "run" / "model.safetensors")))
    first = first_checkpoint(config, game, "cpu").model.nets
    assert speeds.rehearsed(config, game, first) is first


def test_speeds_are_those_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that is two seconds further whenever a round of work is over."""
    config, game = prepared(tiny({**SAMPLED, "games": 64}))
    nets = first_checkpoint(config, game, "cpu").model.nets
    ticks = iter(range(10**6))
    monkeypatch.setattr(speeds._Timer, "of", lambda _device, _threads: speeds._Timer(lambda: next(ticks)))
    learned = 2 * speeds.learner_speed(config.phases[0], config, nets, game, speeds.CPU)
    assert speeds._POSITIONS <= learned < 1.5 * speeds._POSITIONS
    monkeypatch.setattr(speeds.time, "thread_time", lambda: next(ticks))
    # One worker's share of 64 games is 8 of them.
    labels = 2 * speeds.worker_speed(config.phases[0], config, nets, game, 1)
    assert labels == len(SelfPlay(speeds._job(config.phases[0], config, nets, game)).play(Share(8, 8)))


def test_disk_is_what_a_run_comes_to(tmp_path: Path) -> None:
    """Within a factor of two of the real thing, whose games are longer than greedy's."""
    config = tiny(milestone=3, keep=2)
    train(config, tmp_path / "run", progress=False, say=lambda _line: None)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    real = sum({path.stat().st_ino: path.stat().st_size for path in files}.values())
    assert real / 2 < plan(config, workers=1).disk < 2 * real


def test_memory_is_what_the_positions_take(monkeypatch: pytest.MonkeyPatch) -> None:
    config, game = prepared(tiny({**EXACT, "games": 10, "memory": 7, "replay": 2}))
    monkeypatch.setattr(room, "turns_a_game", lambda _game: 60.0)
    # 200 labels a round: ten rounds of 78 bytes each, three of 196 inputs and 31 bytes.
    assert room.memory_bytes(config, game) == 200 * (10 * 78 + 3 * (4 * 196 + 31))
    samples = speeds._sampled(config, game, first_checkpoint(config, game, "cpu").model.nets, 0, 4)
    columns = (samples.boards, samples.seats, samples.turns, samples.targets)
    assert sum(column.nbytes for column in columns) == 78 * len(samples)
    data = training_set(game.core_rules, config.encoding, [samples])
    columns = (data.features, data.impossible, data.classes, data.targets)
    assert sum(column.nbytes for column in columns) == (4 * 196 + 31) * len(samples)


def test_weights_are_counted_without_making_nets() -> None:
    config, game = prepared(tiny(classes=["contact", "race"]))
    first = first_checkpoint(config, game, "cpu").model.nets
    scout = 196 * 6 + 6 + 6 * 6 + 6
    narrow, wide = (196 * 8 + 8 + 8 * 6 + 6), (196 * 12 + 12 + 12 * 12 + 12 + 12 * 6 + 6)
    assert room.phase_weights(config, first) == [2 * narrow + scout, 2 * wide + scout]


def test_a_run_that_there_is_no_room_for_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny({**SAMPLED, "games": 1000, "memory": 500})
    monkeypatch.setattr(room.shutil, "disk_usage", lambda _place: shutil._ntuple_diskusage(1, 1, 10**6))
    with pytest.raises(InputError, match=r"comes to about 2,\d\d\d MB, but only 1 MB are free there; choose"):
        train(config, tmp_path / "new" / "run", progress=False)
    assert not (tmp_path / "new").exists()


def test_room_for_half_of_it_is_enough_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate is no better than that."""
    config, game = prepared(tiny())
    first = first_checkpoint(config, game, "cpu").model.nets
    needed = room.disk_bytes(config, game, first)
    for free, refused in ((needed * 0.51, False), (needed * 0.49, True)):
        usage = shutil._ntuple_diskusage(1, 1, int(free))
        monkeypatch.setattr(room.shutil, "disk_usage", lambda _place, usage=usage: usage)
        with pytest.raises(InputError) if refused else nullcontext():
            room.check_room(tmp_path / "run", config, game, first)


def test_what_training_refuses_is_refused_here() -> None:
    with pytest.raises(InputError, match="workers: 0 must be at least 1"):
        plan(tiny(), workers=0)
    with pytest.raises(InputError, match="there is no nardy-ai model at nowhere"):
        plan(dataclasses.replace(tiny(), init="nowhere.safetensors"))


def test_the_table_fits_a_terminal_and_names_the_whole(found: Plan) -> None:
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("short/standard: learner on cpu, 1 worker on ")
    assert lines[2].split() == ["phase", "targets", "net", "rounds", "games", "labels", "useful", "time"]
    assert "in all" in lines[-3] and "MB" in lines[-2]
    assert lines[-1] == "positions in memory: at most about 1 MB"


@pytest.mark.parametrize(("number", "text"), [(950, "950"), (12_300, "12 k"), (3_449_000, "3.4 M")])
def test_large_numbers_are_short(number: float, text: str) -> None:
    assert short(number) == text


@pytest.mark.parametrize(("seconds", "text"), [(40, "40 s"), (720, "12 min"), (12_600, "3.5 h")])
def test_times_are_spelled(seconds: float, text: str) -> None:
    assert spell(seconds) == text
