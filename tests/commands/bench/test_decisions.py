"""What `nardy bench decisions` and `nardy bench make` answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import nardy, nardy_here
from hand_made_benchmark import short_benchmark
from untrained import untrained_model

from nardy_ai.bots import load
from nardy_ai.evaluation.decisions import decision_loss, read_benchmark
from nardy_ai.evaluation.decisions.benchmark import write_benchmark


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three decisions of short nardy."""
    path = tmp_path_factory.mktemp("decisions") / "three.safetensors"
    write_benchmark(path, short_benchmark())
    return path


def test_the_report(short_model: Path, file: Path) -> None:
    ran = nardy("bench", "decisions", short_model, file, "--json", "--threads", "1")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    report = json.loads(ran.out)
    assert report == json.loads(
        json.dumps(decision_loss(load(short_model), read_benchmark(file)).as_dict())
    ) | {"bot": {"name": str(short_model), "hash": load(short_model).fingerprint}}
    text = nardy("bench", "decisions", "greedy", file, "--worst", "1")
    assert text.code == 0
    assert "greedy (" in text.out
    assert "contact" in text.out and "race" in text.out
    assert text.out.count("┌") == 1


def test_bots_of_all_kinds(capsys: pytest.CaptureFixture[str], short_model: Path, file: Path) -> None:
    for name in ("random", "pubeval", f"{short_model}:1"):
        ran = nardy_here(capsys, "bench", "decisions", name, file, "--json")
        assert json.loads(ran.out)["bot"]["name"] == name


def test_the_judges_own_net_is_warned_of(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = untrained_model("short/standard", tmp_path / "judge.safetensors")
    write_benchmark(tmp_path / "own.safetensors", short_benchmark(load(model).fingerprint))
    ran = nardy_here(capsys, "bench", "decisions", model, tmp_path / "own.safetensors", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["own_judge"] is True
    assert "WARNING" in ran.err and "the very net that judged" in ran.err


def test_a_net_of_another_profile_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, file: Path
) -> None:
    model = untrained_model("short/nine_fair", tmp_path / "nine.safetensors")
    ran = nardy_here(capsys, "bench", "decisions", model, file, "--json")
    assert ran.code == 0
    assert "trained for short/nine_fair and is judged by the rules of short/standard" in ran.err


def test_bad_input(
    capsys: pytest.CaptureFixture[str], short_model: Path, long_model: Path, file: Path, tmp_path: Path
) -> None:
    small = untrained_model("short/hypergammon", tmp_path / "small.safetensors")
    for words, said in (
        ((long_model, file), "these are decisions of short/standard"),
        ((small, file), "these are decisions of short/standard"),
        ((small,), "no decision benchmark comes with nardy-ai for short/hypergammon"),
        (("greedy",), "greedy has no game of its own"),
        (("gredy", file), "greedy"),
        ((short_model, short_model), "is not a nardy-ai decision benchmark"),
        ((short_model, "none.safetensors"), "none.safetensors"),
        ((short_model, file, "--game", "short"), "--game goes without FILE"),
        ((short_model, file, "--worst", "-1"), "worst is -1"),
        ((short_model, file, "--seed", "-1"), "seed is -1"),
        ((short_model, file, "--threads", "0"), "threads is 0"),
    ):
        ran = nardy_here(capsys, "bench", "decisions", *words)
        assert ran.is_bad_input(), ran
        assert said in ran.err, ran.err
    ran = nardy("bench", "decisions")
    assert ran.is_bad_input(), ran
    assert "MODEL is missing" in ran.err


# --- nardy bench make -----------------------------------------------------------------------------------


def test_making_a_file_and_judging_by_it(short_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "made.safetensors"
    words = ("--decisions", "6", "--truncate", "2", "--most", "144", "--margin", "0.02", "--seed", "2")
    ran = nardy("bench", "make", short_model, "--out", out, *words, "--threads", "1")
    assert ran.code == 0, ran.err
    assert "6 decisions of short/standard" in ran.out
    made = read_benchmark(out)
    assert [name for name, _ in made.header.players] == [str(short_model), str(short_model), "greedy"]
    assert nardy("bench", "decisions", "greedy", out).code == 0


def test_bad_input_of_making(capsys: pytest.CaptureFixture[str], short_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "made.safetensors"
    for words, said in (
        ((short_model,), "--out"),
        (("none.safetensors", "--out", out), "none.safetensors"),
        ((f"{short_model}:1", "--out", out), "named without plies"),
        ((short_model, "--out", tmp_path), "is a folder"),
        ((short_model, "--out", short_model), "is there and is no benchmark"),
        ((short_model, "--out", tmp_path / "made.txt"), "must end in .safetensors"),
        ((short_model, "--out", out, "--decisions", "0"), "decisions is 0"),
        ((short_model, "--out", out, "--noise", "2"), "noise is 2"),
        ((short_model, "--out", out, "--game", "long"), "long"),
        ((short_model, "--out", out, "--players", "gredy"), "greedy"),
        ((short_model, "--out", out, "--keep", "1"), "keep is 1"),
        ((short_model, "--out", out, "--target", "0"), "target is 0"),
    ):
        ran = nardy_here(capsys, "bench", "make", *words)
        assert ran.is_bad_input(), ran
        assert said in ran.err, ran.err
    assert list(tmp_path.iterdir()) == []
