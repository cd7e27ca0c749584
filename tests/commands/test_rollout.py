"""`nardy rollout`: the same numbers as text and JSON, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import nardy

from nardy_ai.commands import main
from nardy_ai.rules import Game


def test_table_and_json_for_any_number_of_threads(long_model: Path) -> None:
    words = ["rollout", "start", "--model", long_model, "--trials", "150", "--truncate", "3", "--seed", "5"]
    table = nardy(*words)
    assert table.code == 0, table.err
    one, two = nardy(*words, "--json", "--threads", "1"), nardy(*words, "--json", "--threads", "2")
    assert one.code == 0 and one.out == two.out
    report = json.loads(one.out)
    assert report["trials"] == 180
    assert report["position"] == Game("long").start().key
    equity, error = f"{report['equity']:+.4f}", f"{report['equity_error']:.4f}"
    for word in (equity, error, "long/fns", "180 trials", "seed 5"):
        assert word in table.out


def test_positions_search_and_the_stop_by_error(short_model: Path) -> None:
    key = Game("short").start().key
    words = ["rollout", key, "--model", short_model, "--json"]
    words += ["--truncate", "2", "--plies", "1", "--error", "0.5"]
    report = json.loads(nardy(*words).out)
    assert report["trials"] == 144
    assert report["plies"] == 1
    other = json.loads(nardy(*words, "--leave-luck", "--game", "short/portes").out)
    assert other["game"] == "short/portes"
    assert other["equity_error"] > report["equity_error"]


def test_a_sample_without_variance_ends_with_code_1(short_model: Path) -> None:
    ran = nardy("rollout", "start", "--model", short_model, "--trials", "72", "--truncate", "1")
    assert ran.code == 1
    assert ran.out == "" and ran.err.count("\n") == 1 and "showed the same" in ran.err


def test_bad_input(short_model: Path, long_model: Path) -> None:
    for words in (
        ("rollout", "start"),
        ("rollout", "start", "--model", "missing.safetensors"),
        ("rollout", "nonsense", "--model", short_model),
        ("rollout", "start", "--model", short_model, "--game", "long"),
        ("rollout", "start", "--model", short_model, "--plies", "4"),
        ("rollout", "start", "--model", short_model, "--threads", "0"),
        ("rollout", "start", "--model", short_model, "--error", "0"),
        ("rollout", Game("long").start().id, "--model", long_model),
    ):
        assert nardy(*words).is_bad_input(), words


def test_trials_are_rounded_as_the_help_says(short_model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["rollout", "start", "--model", str(short_model), "--truncate", "2", "--json"]
    for asked, played in ((1, 72), (72, 72), (73, 108)):
        assert main([*words, "--trials", str(asked)]) == 0
        assert json.loads(capsys.readouterr().out)["trials"] == played
    with pytest.raises(SystemExit):
        main(["rollout", "--help"])
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "rounded up to a multiple of 36, and never fewer than 72" in shown
