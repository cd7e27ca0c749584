"""Outside programs on the command line: one sentence, exit code 1, and nothing left running."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from bots.processes import ends
from command_line import REPOSITORY, nardy

FAKE = Path(__file__).parents[1] / "bots" / "fake_bot.py"
EXAMPLE = "program:" + shlex.join([sys.executable, "-I", "-S", f"{REPOSITORY}/examples/bots/random_bot.py"])


def fake(what: str, seconds: str = "20") -> str:
    return f"program@{seconds}:" + shlex.join([sys.executable, "-I", "-S", str(FAKE), what])


def test_a_program_plays_a_match() -> None:
    ran = nardy("match", EXAMPLE, "random", "--game", "long", "--pairs", "2")
    assert ran.code == 0, ran.err
    assert "random_bot.py" in ran.out and "2 pairs" in ran.out


@pytest.mark.parametrize("what", ["illegal", "hangs", "noise before"])
def test_a_program_that_goes_wrong_ends_the_match_with_one_sentence(what: str) -> None:
    seconds = "2" if what == "hangs" else "20"
    ran = nardy("match", fake(what, seconds), "random", "--game", "short", "--pairs", "2", "--seed", "5")
    assert ran.code == 1 and ran.out == ""
    assert ran.err.startswith("nardy: program:") and ran.err.count("\n") == 1 and "Traceback" not in ran.err
    for word in ("pair", "seed 5", "--seed 5", "it was asked for", "it said: pid"):
        assert word in ran.err
    assert all(ends(int(pid)) for pid in re.findall(r"pid (\d+)", ran.err))


def test_a_program_that_refuses_the_game_is_bad_input() -> None:
    ran = nardy("match", fake("refuses"), "random", "--game", "long")
    assert ran.is_bad_input() and "I know backgammon alone" in ran.err


def test_a_program_can_be_played_against() -> None:
    ran = nardy("play", fake("dies"), "--game", "short", "--seat", "second", "--seed", "1", stdin="1\n" * 40)
    assert ran.code == 1
    assert "the bot rolls" in ran.out
    assert "ended with code 3; it said: pid" in ran.err and "it was asked for" in ran.err


@pytest.mark.parametrize("verb", ["match", "play"])
def test_the_help_names_the_outside_players(verb: str) -> None:
    words = " ".join(nardy(verb, "--help").out.replace("│", " ").split())
    for name in ("gnubg:0", "gnubg-program:0", "sage:0", "program:COMMAND"):
        assert name in words
