"""What commands print fits a terminal of 80 columns."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from command_line import REPOSITORY, Ran, nardy_here

from nardy_ai.rules import Game, profile_names
from nardy_ai.rules.screen import WIDTH, folded

LONG, SHORT = ("checkpoints/long-quick.safetensors", "checkpoints/short-quick.safetensors")
FEW = ["--pairs", "2", "--threads", "1"]


@pytest.fixture(autouse=True)
def _in_the_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)


def fits(ran: Ran) -> bool:
    assert ran.out, ran.err
    return max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize(
    "words",
    [
        ["levels", "--show", "checkpoints/long.safetensors"],
        ["levels", "--show", "checkpoints/short.safetensors"],
        ["rollout", "start", "--model", LONG, "--trials", "72", "--truncate", "2"],
        ["match", f"{LONG}#3", f"{LONG}~", "--luck", LONG, *FEW],
        ["match", SHORT, "pubeval", "--length", "3", "--test", "0:0.5", *FEW],
        ["bench", "decisions", SHORT, "--worst", "2"],
        ["analyze", "tests/data/short_money.mat", "--model", SHORT],
        ["analyze", "--position", "start", "--dice", "6", "4", "--game", "long", "--model", LONG],
        ["rules"],
        ["doctor"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_tables(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert fits(nardy_here(capsys, *words))


@pytest.mark.parametrize("language", ["en", "ru"])
def test_rules_of_every_profile(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in profile_names():
        ran = nardy_here(capsys, "rules", name, "--lang", language)
        assert fits(ran)
        # Only blanks were turned into ends of lines.
        whole = json.loads(nardy_here(capsys, "rules", name, "--lang", language, "--json").out)["explanation"]
        assert ran.out.split() == whole.split()


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("model", [LONG, SHORT])
def test_a_game(
    model: str, language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "help\nplays\nhint\n1\ncost\nscore\nid\nquit\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(said.encode()), encoding="utf-8"))
    assert fits(nardy_here(capsys, "play", model, "--lang", language, "--length", "3", "--seed", "3"))


def test_an_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = nardy_here(capsys, "export", SHORT, "--to", "json", "--out", tmp_path / "out")
    assert fits(Ran(ran.code, ran.out.replace(str(tmp_path), "."), ran.err))


def test_what_fits_stays_and_words_stay_whole() -> None:
    assert folded(["a  b   c", "", "  d"]) == ["a  b   c", "", "  d"]
    assert folded(["x " * 40 + "yy"]) == [("x " * 40)[:WIDTH], "  yy"]
    path = "/" + "long" * 30
    assert folded([f"table  {path}"], "   ") == ["table", f"   {path}"]


def test_a_board_keeps_its_lines() -> None:
    """It is a text of many lines, none too wide."""
    board = Game("long").start().text()
    assert len(board) > WIDTH
    assert folded(["before", board]) == ["before", *board.splitlines()]
