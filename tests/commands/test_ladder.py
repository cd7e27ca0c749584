"""`nardy ladder`: every call adds what is missing, and bad input is one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Ran
from run_folders import add_milestone, claim, run_folder
from untrained import untrained_model

from nardy_ai.commands import main


class Here:
    """Runs commands in this process, which is much cheaper than one of their own."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str | Path) -> Ran:
        code = main([str(word) for word in words])
        said = self._capsys.readouterr()
        return Ran(code, said.out, said.err)


@pytest.fixture
def nardy(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with three milestones; the last checkpoint and the model repeat weights."""
    path = run_folder(tmp_path / "run", 10, 20, 30)
    folder = path / "checkpoints" / "round-000030"
    folder.mkdir()
    claim(untrained_model("short", folder / "model.safetensors", seed=30), 30)
    claim(untrained_model("short", path / "model.safetensors", seed=30), 30)
    return path


def test_every_call_adds_what_is_missing(run: Path, nardy: Here) -> None:
    pytest.importorskip("matplotlib")
    first = nardy("ladder", run, "--pairs", "10", "--threads", "1")
    assert first.code == 0, first.err
    assert "short/standard, 6 bots, 13 pairings, 130 pairs, seed 1" in first.out
    for name in ("round 10", "round 20", "round 30", "random", "greedy", "pubeval"):
        assert name in first.out
    assert (run / "ladder.png").read_bytes().startswith(b"\x89PNG")
    kept = (run / "ladder.json").read_bytes()
    again = nardy("ladder", run, "--pairs", "10", "--picture", "svg", "--threads", "2")
    assert (again.code, again.out) == (0, first.out)
    assert (run / "ladder.json").read_bytes() == kept and (run / "ladder.svg").is_file()
    add_milestone(run, 40)
    more = nardy("ladder", run, "--pairs", "12", "--checkpoints", "2", "--picture", "none", "--json")
    assert more.code == 0, more.err
    report = json.loads(more.out)
    # Rounds 10 and 40 go on, with the standing bots; what the others played stays as it is.
    pairs = {row["name"]: row["pairs"] for row in report["ratings"]}
    assert pairs["round 40"] == 3 * 12 and pairs["round 20"] == 4 * 10 and pairs["random"] == 3 * 12
    assert report["format"] == 1 and report["game"] == "short/standard"


def test_redrawing_plays_nothing(run: Path, nardy: Here) -> None:
    pytest.importorskip("matplotlib")
    nardy("ladder", run, "--pairs", "4", "--picture", "none")
    kept = (run / "ladder.json").read_bytes()
    add_milestone(run, 40)
    ran = nardy("ladder", run, "--redraw", "--picture", "svg")
    assert ran.code == 0 and "round 40" not in ran.out and "drew" in ran.err
    assert (run / "ladder.json").read_bytes() == kept and "round 30" in ran.out
    assert "greedy" in (run / "ladder.svg").read_text(encoding="utf-8")


def test_another_opponent_can_be_asked_for(tmp_path: Path, long_model: Path, nardy: Here) -> None:
    run = run_folder(tmp_path / "run", 10, game="long")
    ran = nardy("ladder", run, "--pairs", "3", "--against", long_model, "--picture", "none")
    assert ran.code == 0, ran.err
    assert "4 bots" in ran.out and long_model.name[-12:] in ran.out and "pubeval" not in ran.out


def test_bad_input(run: Path, tmp_path: Path, long_model: Path, nardy: Here) -> None:
    def refused(run: Path, *words: str | Path) -> str:
        before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
        ran = nardy("ladder", run, *words)
        assert ran.is_bad_input(), f"{ran.code}\n{ran.out}\n{ran.err}"
        assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
        return ran.err

    assert "no run folder" in refused(tmp_path / "nowhere")
    assert "no checkpoint that has learned" in refused(run_folder(tmp_path / "new"))
    assert "pairs is 0" in refused(run, "--pairs", "0")
    assert "--checkpoints is 0" in refused(run, "--checkpoints", "0")
    assert "seed is -1" in refused(run, "--seed=-1")
    assert "threads is 0" in refused(run, "--threads", "0", "--pairs", "1")
    assert "did you mean 'greedy'" in refused(run, "--against", "gredy")
    assert "is a model of long" in refused(run, "--against", long_model)
    assert "there is no ladder at" in refused(run, "--redraw")
    assert "jpg" in refused(run, "--picture", "jpg")
    nardy("ladder", run, "--pairs", "1", "--picture", "none", "--checkpoints", "1")
    assert "begun with seed 1, not 2" in refused(run, "--seed", "2")
    whole = (run / "ladder.json").read_text()
    for content, naming in (
        (whole.replace('"format": 1', '"format": 2'), "is a ladder of format 2"),
        (whole.replace("short/standard", "short/tavla"), "is a ladder of short/tavla by other rules"),
        (whole[:200], "is no ladder"),
    ):
        (run / "ladder.json").write_text(content)
        assert naming in refused(run)
    (run / "milestones" / "round-000010.safetensors").write_bytes(b"damaged")
    (run / "ladder.json").unlink()
    assert "round-000010.safetensors" in refused(run)


def test_without_matplotlib_one_sentence_says_what_is_missing(run: Path) -> None:
    script = (
        "import sys\n"
        "sys.modules['matplotlib'] = None\n"
        "from nardy_ai.commands import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    for words, code in (["--pairs", "2"], 0), (["--redraw"], 2):
        done = subprocess.run(
            [sys.executable, "-c", script, "ladder", str(run), *words],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert done.stderr.count("\n") == 1 and "[plots]" in done.stderr
        assert "greedy" in done.stdout
    assert (run / "ladder.json").is_file() and not (run / "ladder.png").exists()
