"""`nardy bench speed`."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import nardy
from untrained import untrained_model

from nardy_ai.bots import load


def test_measures_a_model_and_reports_as_json(tmp_path: Path) -> None:
    model = untrained_model("short/standard", tmp_path / "model.safetensors")
    few = ["--seconds", "0.05", "--rounds", "1", "--decisions", "20"]
    done = nardy("bench", "speed", "--model", model, "--loss", model, *few, "--json")
    assert done.code in (0, 1), done.err
    report = json.loads(done.out)
    assert report["peers"] == []
    assert [row["name"] for row in report["rows"]][1] == "best play at 0-ply, 196/24-12"
    assert report["model"] == {"name": "net 196/24-12/6", "hash": load(model).fingerprint}
    losses = report["losses"]
    assert losses["model"] == {"name": f"{model}, net 196/24-12/6", "hash": load(model).fingerprint}
    assert [part["plies"] for part in losses["programs"]] == [0, 1, 1, 2]
    held = [*(bar for row in report["rows"] for bar in row["bars"]), *losses["given_away"]]
    missed = any(part["met"] is False for part in held)
    assert done.code == (1 if missed else 0)


def test_bad_input_is_told_in_one_sentence(tmp_path: Path) -> None:
    long_model = untrained_model("long/fns", tmp_path / "long.safetensors")
    short_model = untrained_model("short/standard", tmp_path / "short.safetensors")
    for words, said in (
        (["--seconds", "0"], "seconds is 0"),
        (["--rounds", "0"], "rounds is 0"),
        (["--model", str(long_model)], "this model plays long/fns"),
        (["--model", str(tmp_path / "none")], "there is no"),
        (["--loss", str(tmp_path / "none")], "there is no"),
        (["--loss", str(long_model)], "this model plays long/fns"),
        (["--loss", str(short_model), "--decisions", "2"], "decisions are 2: give 20 to 1000"),
    ):
        done = nardy("bench", "speed", *words)
        assert done.is_bad_input(), done
        assert said in done.err


def test_help_is_one_screen_with_an_example() -> None:
    done = nardy("bench", "speed", "--help")
    assert done.code == 0
    assert "Example: nardy bench speed --peers" in done.out
    assert len(done.out.splitlines()) <= 40
