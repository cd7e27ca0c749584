"""What is gathered from a run folder, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from synthetic_run import (
    decisions_of,
    fingerprint_of_round,
    ladder_of,
    model_of_round,
    speed_of,
    synthetic_run,
)

from nardy_ai.bots import load
from nardy_ai.core import InputError
from nardy_ai.evaluation.report import Report, gather, record
from nardy_ai.models.model_file import Strength, model_bytes, read_model
from nardy_ai.training.machine import command_line, machine_facts

FACTS = machine_facts()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of 200 rounds with checkpoints of rounds 150 and 200."""
    return synthetic_run(tmp_path / "run", 200)


def newest(run: Path) -> Path:
    return run / "checkpoints" / "round-000200" / "model.safetensors"


def stored(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def gathered(run: Path, **options: Any) -> Report:
    return gather(run, FACTS, **options)


def test_logs_are_joined_by_round(run: Path) -> None:
    report = gathered(run)
    assert report.rounds.round == list(range(1, 201))
    assert report.rounds.games[-1] == 250 * 200
    # 2 seconds on the clock and 3 of CPU a round.
    assert report.rounds.seconds[99] == pytest.approx(200.0)
    assert report.rounds.cpu[99] == pytest.approx(300.0)
    assert [(phase.name, phase.first, phase.last) for phase in report.phases] == [("sampled", 1, 200)]
    first = report.strengths[0]
    assert (first.round, first.opponent, first.pairs, first.seed) == (100, "pubeval", 507, 11)
    assert (first.games, first.cpu) == (25_000, pytest.approx(300.0))
    assert report.planned == 1000
    assert report.model is not None
    assert (report.model.round, report.model.hash) == (200, load(newest(run)).fingerprint)


def test_matches_against_the_former_self_are_strengths_with_their_pairs(run: Path) -> None:
    (watched,) = [one for one in gathered(run).strengths if one.opponent.startswith("self")]
    assert watched.opponent == "self 200 rounds ago"
    assert (watched.pairs, watched.ppg, watched.low, watched.high) == (300, 0.01, -0.02, 0.04)


def test_what_the_gate_said_is_taken(run: Path) -> None:
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"round": 200, "promoted": true, "pairs": 0}\n')
        file.write('{"round": 200, "promoted": false, "pairs": 320}\n')
    said = [(one.round, one.promoted, one.pairs) for one in gathered(run).gated]
    assert said == [(200, True, 0), (200, False, 320)]


def test_a_log_without_cpu_time_gives_none(tmp_path: Path) -> None:
    report = gathered(synthetic_run(tmp_path / "old", 100, cpu=False))
    assert set(report.rounds.cpu) == {None}
    assert report.rounds.seconds[-1] == pytest.approx(200.0)


def test_one_round_without_cpu_time_makes_later_sums_unknown(run: Path) -> None:
    lines = (run / "timing.jsonl").read_text().splitlines()
    lines[4] = json.dumps({"round": 5, "seconds": 2.0, "games_per_second": 1.0})
    (run / "timing.jsonl").write_text("\n".join(lines) + "\n")
    cpu = gathered(run).rounds.cpu
    assert cpu[3] == pytest.approx(12.0)
    assert cpu[4] is None and cpu[199] is None


def test_a_line_that_is_being_written_is_left_out(run: Path) -> None:
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"round": 201, "pha')
    assert len(gathered(run).rounds.round) == 200


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"round": 201, "pha', "line 210 is damaged"),
        ('{"round": 205, "phase": "sampled", "loss": 1.0, "total_games": 9}', "round 205 follows round 200"),
        ('{"round": 201, "phase": "sampled", "loss": NaN, "total_games": 9}', "line 210 is damaged"),
        ('{"round": 200, "loss": 1.0}', "neither a round nor a measurement"),
        ('{"round": 200, "watched": [0.5, 0.6, 0.7]}', "the interval does not hold the mean"),
        ('{"round": 199, "watched": [0.5, 0.4, 0.7]}', "a measurement of round 199 stands after round 200"),
    ],
)
def test_a_damaged_line_is_named(run: Path, line: str, said: str) -> None:
    with (run / "metrics.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match=said) as caught:
        gathered(run)
    assert "metrics.jsonl" in str(caught.value)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, run: Path) -> None:
    with pytest.raises(InputError, match="is no run folder"):
        gathered(tmp_path)
    with pytest.raises(InputError, match="there is no run folder"):
        gathered(tmp_path / "none")
    (run / "config.toml").write_text('game = "short"\nformat = 2\nphases = []\n')
    with pytest.raises(InputError, match="is of format 2"):
        gathered(run)
    (run / "config.toml").write_text('game = "short"\nphases = 3\n')
    with pytest.raises(InputError, match=r"config\.toml can't be read"):
        gathered(run)


# --- one model a page ------------------------------------------------------------------------------------


def test_decisions_of_the_newest_model_are_taken_with_their_look_ahead(run: Path, tmp_path: Path) -> None:
    for name, plies in ((str(newest(run)), 0), (f"{newest(run)}:1", 1)):
        file = stored(tmp_path / "d.json", decisions_of(name))
        found = gathered(run, decisions=file).decisions
        assert found is not None
        assert (found.look_ahead, found.bot.name) == (plies, name)


def test_decisions_of_another_round_are_refused_until_the_page_is_about_it(run: Path, tmp_path: Path) -> None:
    older = run / "checkpoints" / "round-000150" / "model.safetensors"
    file = stored(tmp_path / "d.json", decisions_of(older))
    with pytest.raises(InputError, match=r"is about round 150 .* does not mix models"):
        gathered(run, decisions=file)
    report = gathered(run, decisions=file, model=older)
    assert report.model is not None and report.model.round == 150
    assert report.decisions is not None


def test_figures_of_a_strange_model_are_refused(run: Path, tmp_path: Path) -> None:
    strange = model_of_round(tmp_path / "strange.safetensors", 3)
    file = stored(tmp_path / "d.json", decisions_of(strange))
    with pytest.raises(InputError, match=r"strange.safetensors .* does not mix models"):
        gathered(run, decisions=file)
    named = {"name": "strange.safetensors", "hash": load(strange).fingerprint}
    with pytest.raises(InputError, match="does not mix models"):
        gathered(run, speed=stored(tmp_path / "s.json", speed_of(named)))
    with pytest.raises(InputError, match="is none of the models that"):
        gathered(run, model=strange)


def test_speeds_of_the_model_and_of_random_nets_are_taken(run: Path, tmp_path: Path) -> None:
    own = {"name": "m", "hash": load(newest(run)).fingerprint}
    for model in (own, None):
        found = gathered(run, speed=stored(tmp_path / "s.json", speed_of(model))).speed
        assert found is not None
        assert (found.model is None) == (model is None)


def test_a_finished_model_is_its_last_checkpoint_with_its_strength(run: Path, tmp_path: Path) -> None:
    line = Strength("greedy", "short/standard", 10, 1, 0.1, 0.0, 0.2, 0.5)
    finished = dataclasses.replace(read_model(newest(run)), strength=(line,))
    (run / "model.safetensors").write_bytes(model_bytes(finished))
    file = stored(tmp_path / "d.json", decisions_of(newest(run)))
    report = gathered(run, decisions=file)
    assert report.model is not None and report.decisions is not None
    assert report.model.file.endswith("run/model.safetensors")
    assert report.model.hash != report.decisions.bot.hash


def test_a_ladder_is_taken_and_what_it_can_not_compare_is_marked(run: Path) -> None:
    stored(run / "ladder.json", ladder_of(run, (100, 150, 200)))
    ladder = gathered(run).ladder
    assert ladder is not None
    assert ladder.anchor_name == "greedy"
    assert [place.kept for place in ladder.ratings] == [False, True, True, None, None]


def test_a_ladder_of_another_run_is_refused(run: Path) -> None:
    content = ladder_of(run, (150, 200))
    content["ratings"][1]["hash"] = "0" * 16
    stored(run / "ladder.json", content)
    with pytest.raises(InputError, match=f"another model of round 200 .*{fingerprint_of_round(run, 200)}"):
        gathered(run)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "a ladder of format 2"),
        ({"game": "long/fns"}, "is a ladder of long/fns"),
        ({"ratings": 5}, "can't be read"),
        ({"ratings": [{"name": "a", "hash": "b", "pairs": 1, "confidence": 0.9}]}, "intervals of 90 %"),
    ],
)
def test_a_ladder_that_does_not_fit_is_refused(run: Path, change: dict[str, Any], said: str) -> None:
    stored(run / "ladder.json", ladder_of(run, (200,)) | change)
    with pytest.raises(InputError, match=said):
        gathered(run)


def test_files_of_another_kind_or_format_are_refused(run: Path, tmp_path: Path) -> None:
    file = stored(tmp_path / "d.json", decisions_of(newest(run)) | {"format": 9})
    for options, said in (
        ({"decisions": file}, "decisions of format 9"),
        ({"decisions": stored(tmp_path / "a.json", [1])}, "can't be read"),
        ({"decisions": stored(tmp_path / "b.json", {"format": 1})}, "can't be read"),
        ({"speed": file}, "can't be read"),
        ({"speed": tmp_path / "none.json"}, "there is no file of speeds"),
    ):
        with pytest.raises(InputError, match=said):
            gathered(run, **options)  # type: ignore[arg-type]


def test_no_file_is_read_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some devices, /dev/zero is one, never end."""
    monkeypatch.setattr(record, "MOST_BYTES", 10)
    (tmp_path / "log").write_bytes(b"0123456789")
    assert record.read_bytes(tmp_path / "log", "log") == b"0123456789"
    (tmp_path / "log").write_bytes(b"0123456789\n")
    with pytest.raises(InputError, match=r"log: larger than 10 bytes, which no log is"):
        record.read_bytes(tmp_path / "log", "log")


def test_command_lines_can_be_typed_again() -> None:
    assert command_line(["/x/nardy", "train", "a b.toml"]) == "nardy train 'a b.toml'"
    assert command_line(["/x/nardy_ai/__main__.py", "doctor"]) == "nardy doctor"
    assert command_line([""]) == "python"
