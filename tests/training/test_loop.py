"""The loop: the result depends on config and seed alone, and the lag is exactly one round."""

import dataclasses
import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import EXACT, SAMPLED, result_of, tiny

from nardy_ai import core
from nardy_ai.commands.judging import gate
from nardy_ai.core import InputError
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.layers import Nets
from nardy_ai.models.model_file import ModelFile, Strength, read_model, write_model
from nardy_ai.rules import Game
from nardy_ai.training import loop, workers
from nardy_ai.training.beginning import first_checkpoint, prepared
from nardy_ai.training.config import Opponent, TrainingConfig
from nardy_ai.training.errors import TrainingError, WorkerError
from nardy_ai.training.loop import TrainingResult, resume, train
from nardy_ai.training.run_folder import RunFolder, read_log


def run(config: TrainingConfig, folder: Path, **options: Any) -> TrainingResult:
    return train(config, folder, **{"progress": False, "say": lambda _line: None, **options})


def test_the_number_of_workers_cannot_be_seen(tmp_path: Path) -> None:
    for count in (1, 2, 3):
        run(tiny(), tmp_path / str(count), workers=count)
    results = [result_of(tmp_path / str(count)) for count in (1, 2, 3)]
    assert results[0] == results[1] == results[2]


def test_the_seed_decides_everything(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(tiny(SAMPLED, seed=seed), tmp_path / name)
    first, again, other = (result_of(tmp_path / name) for name in "abc")
    assert first == again
    assert first["metrics.jsonl"] != other["metrics.jsonl"]
    losses = [[line["loss"] for line in read_log(tmp_path / name / "metrics.jsonl")] for name in "abc"]
    assert losses[0] == losses[1] != losses[2]


def test_long_nardy_learns_too(tmp_path: Path) -> None:
    result = run(tiny(SAMPLED, EXACT, game="long"), tmp_path / "run")
    model = read_model(tmp_path / "run" / "model.safetensors")
    assert result.finished
    assert (model.game, model.profile, model.encoding) == ("long", "long/fns", "long-1-seat")
    assert model.shape == "195/12-12/5"


def weights_of(nets: Nets) -> bytes:
    return b"".join(w.tobytes() + b.tobytes() for layers in nets.values() for w, b in layers)


def test_every_round_is_played_one_behind_and_the_first_of_a_phase_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: dict[int, bytes] = {}
    inner = loop._Loop._play

    def watched(self: Any, round_number: int, first_game: int, nets: Nets) -> Any:
        assert round_number not in used
        used[round_number] = weights_of(nets)
        return inner(self, round_number, first_game, nets)

    monkeypatch.setattr(loop._Loop, "_play", watched)
    same_size = {**EXACT, "hidden": [8]}
    run(tiny(SAMPLED, same_size, milestone=1, keep=20), tmp_path / "run")
    after = {0: weights_of(read_model(tmp_path / "run/checkpoints/round-000000/model.safetensors").nets)}
    for number in range(1, 9):
        path = tmp_path / "run" / "milestones" / f"round-{number:06d}.safetensors"
        after[number] = weights_of(read_model(path).nets)
    assert len(set(after.values())) == 9
    played_with = {n: [k for k in after if after[k] == used[n]] for n in used}
    assert played_with == {1: [0], 2: [0], 3: [1], 4: [2], 5: [4], 6: [4], 7: [5], 8: [6]}


def test_metrics_tell_every_round_once_with_the_rate_of_the_schedule(tmp_path: Path) -> None:
    run(tiny(), tmp_path / "run")
    lines = read_log(tmp_path / "run" / "metrics.jsonl")
    assert [line["round"] for line in lines] == list(range(1, 9))
    assert [line["total_games"] for line in lines] == [12, 24, 36, 48, 51, 54, 57, 60]
    steps = 0
    for i, line in enumerate(lines):
        place, count = i % 4, line["steps"] - steps
        steps = line["steps"]
        low, high = (1e-3, 3e-4) if i < 4 else (3e-4, 3e-5)
        for key, step in (("rate_first", 0), ("rate", count - 1)):
            assert line[key] == pytest.approx(low * (high / low) ** ((place + step / count) / 4), rel=1e-9)
        assert line["excess"] > 0
        assert sum(line["outcomes"].values()) == line["games"]
    timing = read_log(tmp_path / "run" / "timing.jsonl")
    assert [line["round"] for line in timing] == list(range(1, 9))
    assert all(line["games_per_second"] > 0 and line["cpu"] > 0 for line in timing)
    (start,) = read_log(tmp_path / "run" / "starts.jsonl")
    assert (start["round"], start["device"], start["cores"] >= 1) == (0, "cpu", True)
    assert start["versions"]["nardy-ai"] and start["versions"]["torch"] and start["command"]


def test_the_memory_holds_the_last_rounds_of_the_phase_alone(tmp_path: Path) -> None:
    """Sampled targets must not be learned again among exact ones."""
    run(tiny({**SAMPLED, "memory": 2, "replay": 1}, EXACT, keep=20), tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    kept = {n: [number for number, _ in folder.load(folder.folder_of(n)).memory] for n in range(9)}
    assert kept == {
        0: [],
        1: [1],
        2: [1, 2],
        3: [2, 3],
        4: [3, 4],
        5: [5],
        6: [5, 6],
        7: [5, 6, 7],
        8: [6, 7, 8],
    }
    steps = [line["steps"] for line in read_log(folder.metrics)]
    positions = [line["positions"] for line in read_log(folder.metrics)]
    # Round 1 has nothing to draw; round 2 is learned together with round 1.
    assert steps[0] == -(-positions[0] // 256)
    assert steps[1] - steps[0] == -(-(positions[0] + positions[1]) // 256)


def test_old_checkpoints_go_and_milestones_stay(tmp_path: Path) -> None:
    run(tiny(keep=2, milestone=3), tmp_path / "run")
    assert RunFolder(tmp_path / "run").rounds() == [7, 8]
    kept = sorted(path.name for path in (tmp_path / "run" / "milestones").iterdir())
    assert kept == [f"round-00000{n}.safetensors" for n in (3, 4, 6, 8)]


def test_a_rarer_checkpoint_changes_nothing(tmp_path: Path) -> None:
    run(tiny(), tmp_path / "each")
    run(tiny(checkpoint=3, keep=20), tmp_path / "third")
    assert RunFolder(tmp_path / "third").rounds() == [0, 3, 4, 6, 8]
    assert result_of(tmp_path / "each") == result_of(tmp_path / "third")


def test_a_checkpoint_gives_back_what_the_net_said(tmp_path: Path) -> None:
    run(tiny(keep=20), tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    game = Game("short")
    boards = core.self_play(
        Evaluator.load(tmp_path / "run" / "model.safetensors").native, game.core_rules, 9, 0, 2
    )["boards"][:64]
    final = Evaluator.load(tmp_path / "run" / "model.safetensors").net(boards)[1]
    loaded = Evaluator(folder.load(folder.folder_of(8)).model).net(boards)[1]
    random = Evaluator(folder.load(folder.folder_of(0)).model).net(boards)[1]
    assert (final == loaded).all()
    assert (final != random).all()


def test_provenance_says_where_the_weights_come_from(tmp_path: Path) -> None:
    run(tiny(), tmp_path / "run")
    facts = read_model(tmp_path / "run" / "model.safetensors").provenance
    assert (facts["seed"], facts["games"], facts["rounds"]) == (4, 60, 8)
    assert len(facts["config_hash"]) == 16
    assert set(facts) == {"version", "commit", "config_hash", "seed", "games", "rounds"}


# ---- init ------------------------------------------------------------------------------------------


def test_a_run_can_start_from_another_model(tmp_path: Path) -> None:
    run(tiny(SAMPLED), tmp_path / "first")
    source = tmp_path / "first" / "model.safetensors"
    run(tiny(EXACT, init=str(source), keep=20), tmp_path / "second")
    begun = read_model(tmp_path / "second" / "checkpoints" / "round-000000" / "model.safetensors")
    assert weights_of(begun.nets) == weights_of(read_model(source).nets)
    facts = read_model(tmp_path / "second" / "model.safetensors").provenance
    assert facts["init"] == "model.safetensors"
    assert len(facts["init_hash"]) == 16


def test_a_run_can_start_under_another_profile_and_with_more_classes(tmp_path: Path) -> None:
    run(tiny(SAMPLED), tmp_path / "first")
    source = tmp_path / "first" / "model.safetensors"
    phase = {key: value for key, value in SAMPLED.items() if key != "hidden"}
    config = tiny(phase, init=str(source), game="short/portes", classes=["contact", "race"])
    run(config, tmp_path / "second")
    model = read_model(tmp_path / "second" / "model.safetensors")
    assert model.outcomes == ("win", "win_gammon", "lose", "lose_gammon")
    assert set(model.nets) == {"contact", "race"}


def test_a_model_that_cannot_be_started_from_is_refused_before_any_work(tmp_path: Path) -> None:
    run(tiny(SAMPLED), tmp_path / "first")
    source = str(tmp_path / "first" / "model.safetensors")
    smaller = tiny({**SAMPLED, "hidden": [4]}, init=source)
    other_game = tiny(SAMPLED, init=source, game="long", encoding="long-1")
    faults = {
        "can't grow": smaller,
        "has the inputs short-1": tiny(SAMPLED, init=source, game="long"),
        "there is no nardy-ai model": tiny(SAMPLED, init=str(tmp_path / "none")),
        "inputs short-1, and long-1 of this run lacks some": other_game,
    }
    for message, config in faults.items():
        with pytest.raises(InputError, match=message):
            run(config, tmp_path / "second")
    assert not (tmp_path / "second").exists()


# ---- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "shrot"}, 'did you mean "short"'),
        ({"game": "long/fnss"}, "fns"),
        ({"encoding": "short-9"}, "encoding: 'short-9' is unknown"),
        ({"encoding": "long-1"}, "is not for the short game"),
    ],
)
def test_a_plan_that_cannot_work_is_refused_before_any_work(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        run(tiny(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("count", [0, -1])
def test_a_number_of_workers_that_cannot_play_is_refused(tmp_path: Path, count: int) -> None:
    with pytest.raises(InputError, match=f"workers: {count} must be at least 1"):
        run(tiny(), tmp_path / "run", workers=count)
    assert not (tmp_path / "run").exists()


def test_a_new_layer_too_narrow_to_pass_the_outcomes_on_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"phases\[1\].hidden: \[16\] can't grow to \[16, 8\]"):
        run(tiny({**SAMPLED, "hidden": [16]}, {**EXACT, "hidden": [16, 8]}), tmp_path / "run")


def test_a_folder_that_exists_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "precious").write_text("x")
    with pytest.raises(InputError, match=r"exists already; choose another folder.*nardy resume"):
        run(tiny(), tmp_path / "run")
    assert [entry.name for entry in (tmp_path / "run").iterdir()] == ["precious"]
    with pytest.raises(InputError, match="precious is there and is no folder"):
        run(tiny(), tmp_path / "run" / "precious")
    assert (tmp_path / "run" / "precious").read_text() == "x"


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    run(tiny(SAMPLED), tmp_path / "new" / "deeper" / "run")
    assert (tmp_path / "new" / "deeper" / "run" / "model.safetensors").is_file()


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="can't be written"):
        run(tiny(), tmp_path / "file" / "run")


# ---- faults on the way -----------------------------------------------------------------------------


def test_a_rate_that_is_far_too_high_stops_and_keeps_the_last_good_checkpoint(tmp_path: Path) -> None:
    wild = {**SAMPLED, "lr_from": 1e6, "lr_to": 1e6}
    named = r"round 5: the loss became .* last good checkpoint is .*round-000004"
    with pytest.raises(TrainingError, match=named):
        run(tiny(SAMPLED, wild), tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    assert folder.rounds()[-1] == 4
    for layers in folder.load(folder.last_checkpoint()).model.nets.values():
        assert all(np.isfinite(weight).all() for weight, _ in layers)
    assert [line["round"] for line in read_log(folder.metrics)] == [1, 2, 3, 4]
    assert not folder.model.exists()


def test_a_worker_that_fails_ends_the_run_which_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tiny(), tmp_path / "whole")
    inner = core.self_play

    def failing(model: Any, rules: Any, seed: int, first: int, games: int, **settings: Any) -> Any:
        if first <= 30 < first + games:
            raise RuntimeError("cosmic ray")
        return inner(model, rules, seed, first, games, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(workers.core, "self_play", failing)
        with pytest.raises(WorkerError, match=r"worker .* failed in round 3 .*cosmic ray"):
            run(tiny(), tmp_path / "run", workers=3)
    resume(tmp_path / "run", progress=False, say=lambda _line: None)
    assert result_of(tmp_path / "run") == result_of(tmp_path / "whole")


def test_a_full_disk_is_told_and_the_run_can_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tiny(), tmp_path / "whole")
    inner = RunFolder.save

    def full(self: RunFolder, checkpoint: Any) -> Path:
        if checkpoint.state.round == 3:
            raise OSError(28, "No space left on device")
        return inner(self, checkpoint)

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "save", full)
        with pytest.raises(TrainingError, match=r"round 3 can't be written \(No space .* nardy resume"):
            run(tiny(), tmp_path / "run")
    resume(tmp_path / "run", progress=False, say=lambda _line: None)
    assert result_of(tmp_path / "run") == result_of(tmp_path / "whole")


# ---- measuring and telling -------------------------------------------------------------------------


def a_judge(evaluator: Evaluator, opponent: Opponent) -> Strength:
    worth = float(evaluator.net(evaluator.game.start().board[None], np.zeros(1, np.uint8))[1][0])
    return Strength(
        opponent.bot, evaluator.game.name, opponent.pairs, opponent.seed, worth, worth - 1, worth + 1, 0.5
    )


def test_opponents_are_measured_when_it_is_their_turn_and_at_the_end(tmp_path: Path) -> None:
    often = {"bot": "random", "pairs": 10, "every": 3, "seed": 7}
    said: list[str] = []
    config = tiny(opponents=[often, {"bot": "greedy", "pairs": 20}])
    result = run(config, tmp_path / "run", judge=a_judge, say=said.append)
    matches = [line for line in read_log(tmp_path / "run" / "metrics.jsonl") if "match" in line]
    assert [(line["round"], line["match"]["opponent"]) for line in matches] == [
        (3, "random"),
        (6, "random"),
        (8, "random"),
        (8, "greedy"),
    ]
    strength = read_model(tmp_path / "run" / "model.safetensors").strength
    facts = [(line.opponent, line.pairs, line.seed) for line in strength]
    assert facts == [("random", 10, 7), ("greedy", 20, 1)]
    assert strength == result.strength
    assert any("points a game against greedy (95 % interval" in line for line in said)


def test_opponents_do_not_change_the_weights(tmp_path: Path) -> None:
    run(tiny(opponents=[{"bot": "random", "pairs": 10, "every": 2}]), tmp_path / "a", judge=a_judge)
    run(tiny(), tmp_path / "b")
    models = [read_model(tmp_path / name / "model.safetensors") for name in "ab"]
    assert weights_of(models[0].nets) == weights_of(models[1].nets)
    assert models[0].provenance == models[1].provenance


def against_former_self(*points: float) -> loop.Judge:
    """A judge that finds these points, one after another, ± 0.1."""
    left = list(points)

    def found(evaluator: Evaluator, opponent: Opponent) -> Strength:
        assert Path(opponent.bot).is_file()
        worth = left.pop(0)
        return Strength(opponent.bot, "short", opponent.pairs, 1, worth, worth - 0.1, worth + 0.1, 0.5)

    return found


def test_a_model_that_collapsed_ends_the_run_and_its_former_self_is_named(tmp_path: Path) -> None:
    """Watched every 2 rounds: round 4 plays round 2, and 6 plays 4."""
    config = tiny(watch=2, watch_pairs=10)
    judge = against_former_self(-0.25, -0.35)
    with pytest.raises(TrainingError, match=r"round 6: the model has collapsed, -0\.35 points.*round 4;"):
        run(config, tmp_path / "run", judge=judge)
    former = tmp_path / "run" / "watched" / "round-000004.safetensors"
    assert read_model(former).provenance["rounds"] == 4
    log = read_log(tmp_path / "run" / "metrics.jsonl")
    found = [line["watched"] for line in log if "watched" in line]
    np.testing.assert_allclose(found, [[-0.25, -0.35, -0.15], [-0.35, -0.45, -0.25]])


def test_watching_changes_no_weights_and_keeps_few_files(tmp_path: Path) -> None:
    judge = against_former_self(*[0.1] * 8)
    watched = run(tiny(watch=1, watch_pairs=10), tmp_path / "a", judge=judge)
    run(tiny(), tmp_path / "b")
    models = [read_model(tmp_path / name / "model.safetensors") for name in "ab"]
    assert weights_of(models[0].nets) == weights_of(models[1].nets)
    assert watched.finished
    kept = sorted(path.name for path in (tmp_path / "a" / "watched").iterdir())
    assert kept == [f"round-{number:06d}.safetensors" for number in (6, 7, 8)]


def test_a_model_becomes_the_best_when_the_gate_lets_it_pass(tmp_path: Path) -> None:
    """Asked every 2 rounds, with the best so far; the first is the best for want of another."""
    answers = iter([False, True, False])
    asked: list[tuple[int, int, float, int]] = []

    def gate(evaluator: Evaluator, best: Path, points: float, pairs: int) -> tuple[bool, int]:
        rounds = evaluator.model.provenance["rounds"], read_model(best).provenance["rounds"]
        asked.append((*rounds, points, pairs))
        return next(answers), 32

    config = tiny(promote=2, promote_points=0.05, promote_pairs=64)
    run(config, tmp_path / "a", gate=gate)
    assert asked == [(4, 2, 0.05, 64), (6, 2, 0.05, 64), (8, 6, 0.05, 64)]
    assert read_model(tmp_path / "a" / "best.safetensors").provenance["rounds"] == 6
    log = read_log(tmp_path / "a" / "metrics.jsonl")
    assert [line["promoted"] for line in log if "promoted" in line] == [True, False, True, False]
    run(tiny(), tmp_path / "b")
    models = [read_model(tmp_path / name / "model.safetensors") for name in "ab"]
    assert weights_of(models[0].nets) == weights_of(models[1].nets)


def test_the_gate_of_the_command_is_a_sequential_test(tmp_path: Path) -> None:
    """A model that is no other than the best is not better, and a trained one than a blank one is, soon."""
    trained = tmp_path / "run"
    run(tiny({**SAMPLED, "rounds": 12, "games": 40, "trace": 0.5}), trained)
    write_model(tmp_path / "blank.safetensors", blank_model())
    evaluator = Evaluator.load(trained / "model.safetensors")
    better, pairs = gate(evaluator, tmp_path / "blank.safetensors", 0.1, 400)
    assert better and pairs < 400
    assert gate(evaluator, trained / "model.safetensors", 0.1, 400)[0] is False


def blank_model() -> ModelFile:
    return first_checkpoint(*prepared(tiny(SAMPLED)), "cpu").model


def test_the_first_lines_name_net_device_reason_and_cores(tmp_path: Path) -> None:
    said: list[str] = []
    run(tiny(opponents=[{"bot": "random", "pairs": 10}]), tmp_path / "run", say=said.append, workers=2)
    assert said[0] == "short/standard: net 196/8/6 (2,854 weights), seed 4, 8 rounds"
    assert said[1].startswith("learner on c")
    assert "1 thread; 2 workers on" in said[1]
    assert said[2] == "positions in memory: at most about 1 MB"
    assert "not played" in said[3]
    assert said[-1].startswith("the model is ")


def test_the_bar_shows_games_a_second_loss_and_time_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tiny(), tmp_path / "run", progress=True)
    bar = capsys.readouterr().err
    assert "sampled (1/2): 100%" in bar
    assert "games/s, loss" in bar
    assert "4/4 [00:" in bar


def test_tensorboard_files_are_written_when_wanted(tmp_path: Path) -> None:
    run(tiny(SAMPLED, tensorboard=True), tmp_path / "run")
    events = list((tmp_path / "run" / "tensorboard").glob("events.out.*"))
    assert len(events) == 1
    content = events[0].read_bytes()
    for name in (b"loss", b"rate", b"games_per_second"):
        assert name in content


def test_signal_handlers_are_put_back(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    run(tiny(SAMPLED), tmp_path / "run")
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_the_config_in_the_run_folder_is_the_resolved_one(tmp_path: Path) -> None:
    config = tiny()
    run(config, tmp_path / "run")
    kept = RunFolder(tmp_path / "run").read_config()
    assert kept == dataclasses.replace(config, game="short/standard", encoding="short-1")
    state = json.loads((tmp_path / "run" / "checkpoints" / "round-000008" / "state.json").read_text())
    facts = read_model(tmp_path / "run" / "model.safetensors").provenance
    assert state["config_hash"] == facts["config_hash"]
