"""A phase with a teacher: another model plays and labels its games, and the bot learns from those."""

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import EXACT, SAMPLED, result_of, tiny

from nardy_ai.core import InputError
from nardy_ai.models.model_file import read_model
from nardy_ai.rules import Game
from nardy_ai.training import loop
from nardy_ai.training.beginning import prepared
from nardy_ai.training.config import config_hash, result_keys
from nardy_ai.training.loop import resume, train
from nardy_ai.training.plan import plan
from nardy_ai.training.run_folder import RunFolder, read_log

QUIET: dict[str, Any] = {"progress": False, "say": lambda _line: None}
# What a round's games say of themselves, whoever learns from them.
OF_THE_GAMES = ("plies", "positions", "distinct", "evaluations", "equity_starter", "outcomes")


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with other inputs and sizes than its pupils, and a scout."""
    folder = tmp_path_factory.mktemp("teacher") / "run"
    train(tiny({**SAMPLED, "hidden": [16]}, encoding="short-2", scout=[6]), folder, **QUIET)
    return folder / "model.safetensors"


def taught(teacher: Path | str, **changes: Any) -> dict[str, Any]:
    return {**EXACT, "hidden": [8], "teacher": str(teacher), **changes}


def games_of(run: Path) -> list[tuple[Any, ...]]:
    return [tuple(line[key] for key in OF_THE_GAMES) for line in read_log(run / "metrics.jsonl")]


def test_the_teacher_plays_and_labels_whatever_the_pupil_is(teacher: Path, tmp_path: Path) -> None:
    train(tiny(taught(teacher)), tmp_path / "small", **QUIET)
    train(tiny(taught(teacher, hidden=[12, 5], lr_from=1e-2)), tmp_path / "other", **QUIET)
    train(tiny(taught("")), tmp_path / "alone", **QUIET)
    assert games_of(tmp_path / "small") == games_of(tmp_path / "other") != games_of(tmp_path / "alone")
    models = [read_model(tmp_path / name / "model.safetensors") for name in ("small", "other")]
    assert [model.shape for model in models] == ["196/8/6", "196/12-5/6"]


def test_a_scout_of_the_teacher_chooses_candidates_for_a_pupil_without_one(
    teacher: Path, tmp_path: Path
) -> None:
    train(tiny(taught(teacher)), tmp_path / "all", **QUIET)
    train(tiny(taught(teacher, candidates=2, margin=0.01)), tmp_path / "few", **QUIET)
    seen = [sum(game[3] for game in games_of(tmp_path / name)) for name in ("all", "few")]
    assert seen[1] < seen[0]


def test_own_games_and_taught_ones_can_follow_one_another(teacher: Path, tmp_path: Path) -> None:
    config = tiny({**SAMPLED, "hidden": [8]}, taught(teacher), {**EXACT, "name": "own", "hidden": [8]})
    result = train(config, tmp_path / "run", **QUIET)
    assert (result.finished, result.rounds) == (True, 12)
    facts = read_model(tmp_path / "run" / "model.safetensors").provenance
    assert list(facts["teachers"]) == [str(teacher)]


def test_killed_and_resumed_it_gives_the_same_bytes(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny(SAMPLED, taught(teacher))
    train(config, tmp_path / "whole", workers=2, **QUIET)
    inner = loop._Loop._round

    def dies(self: Any, *details: Any) -> None:
        if self.state.round == 6:
            raise KeyboardInterrupt
        inner(self, *details)

    with monkeypatch.context() as patch:
        patch.setattr(loop._Loop, "_round", dies)
        with pytest.raises(KeyboardInterrupt):
            train(config, tmp_path / "killed", **QUIET)
    assert resume(tmp_path / "killed", workers=1, **QUIET).rounds == 8
    assert result_of(tmp_path / "killed") == result_of(tmp_path / "whole")


def test_another_file_in_the_teachers_place_is_refused_when_a_run_goes_on(
    teacher: Path, tmp_path: Path
) -> None:
    place = tmp_path / "teacher.safetensors"
    shutil.copy(teacher, place)
    train(tiny(taught(place)), tmp_path / "run", **QUIET)
    folder = RunFolder.open(tmp_path / "run")
    shutil.rmtree(folder.folder_of(4))
    folder.model.unlink()
    train(tiny({**SAMPLED, "hidden": [16]}, seed=5), tmp_path / "other", **QUIET)
    shutil.copy(tmp_path / "other" / "model.safetensors", place)
    with pytest.raises(InputError, match="another file than the one that the run began with"):
        resume(tmp_path / "run", **QUIET)
    place.unlink()
    with pytest.raises(InputError, match="there is no nardy-ai model"):
        resume(tmp_path / "run", **QUIET)


def test_another_file_in_the_teachers_place_is_refused_while_a_run_goes_on(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its phase begins hours later, and the model would say that it learned from what was there at first."""
    place = tmp_path / "teacher.safetensors"
    shutil.copy(teacher, place)
    config = tiny(SAMPLED, taught(place))
    train(config, tmp_path / "whole", **QUIET)
    inner = loop._Loop._round

    def replaces(self: Any, *details: Any) -> None:
        inner(self, *details)
        if self.state.round == 2:
            shutil.copy(tmp_path / "whole" / "model.safetensors", place)

    with monkeypatch.context() as patch:
        patch.setattr(loop._Loop, "_round", replaces)
        with pytest.raises(InputError, match="another file than the one that the run began with"):
            train(config, tmp_path / "run", **QUIET)
    shutil.copy(teacher, place)
    assert resume(tmp_path / "run", **QUIET).finished
    assert result_of(tmp_path / "run") == result_of(tmp_path / "whole")


def test_a_teacher_whose_phases_are_over_is_not_needed(teacher: Path, tmp_path: Path) -> None:
    place = tmp_path / "teacher.safetensors"
    shutil.copy(teacher, place)
    config = tiny(taught(place), {**SAMPLED, "hidden": [8]}, checkpoint=1, keep=8)
    train(config, tmp_path / "run", **QUIET)
    folder, whole = RunFolder.open(tmp_path / "run"), result_of(tmp_path / "run")
    place.unlink()
    assert resume(tmp_path / "run", **QUIET).finished
    # Killed after a round of the second phase, or after the last round of the first.
    for last in (6, 4):
        for number in range(last + 1, 9):
            shutil.rmtree(folder.folder_of(number), ignore_errors=True)
        folder.model.unlink()
        assert resume(tmp_path / "run", **QUIET).finished
        assert result_of(tmp_path / "run") == whole
    # And one round earlier.
    for number in range(4, 9):
        shutil.rmtree(folder.folder_of(number), ignore_errors=True)
    folder.model.unlink()
    with pytest.raises(InputError, match="there is no nardy-ai model"):
        resume(tmp_path / "run", **QUIET)


def test_who_cannot_teach_is_refused_before_any_work(teacher: Path, tmp_path: Path) -> None:
    train(tiny(SAMPLED), tmp_path / "plain", **QUIET)
    no_scout = tmp_path / "plain" / "model.safetensors"
    faults = {
        "there is no nardy-ai model": tiny(taught(tmp_path / "none")),
        "a model of short nardy and can't judge long/fns": tiny(taught(teacher), game="long"),
        "knows the outcomes win, .* but short/portes": tiny(taught(teacher), game="short/portes"),
        "has no scout that could choose candidates": tiny(taught(no_scout, candidates=2)),
    }
    for message, config in faults.items():
        for refusing in (lambda c: train(c, tmp_path / "run", **QUIET), plan):
            with pytest.raises(InputError, match=message):
                refusing(config)
    assert not (tmp_path / "run").exists()


def test_a_plan_times_the_teacher(teacher: Path) -> None:
    (phase,) = plan(tiny(taught(teacher)), workers=1).phases
    assert phase.shape == "196/8/6"
    assert phase.labels_per_second > 0


def test_runs_from_before_there_were_teachers_keep_their_hash() -> None:
    config, rules = prepared(tiny())[0], Game("short").core_rules.options
    assert not any("teacher" in key for key in result_keys(config, rules))
    other = dataclasses.replace(config.phases[1], teacher="x")
    with_teacher = dataclasses.replace(config, phases=(config.phases[0], other))
    assert result_keys(with_teacher, rules)["phases[1].teacher"] == "x"
    assert config_hash(config, rules) != config_hash(with_teacher, rules)
