"""Help, version and the list of commands."""

from __future__ import annotations

from importlib import import_module

import pytest
from command_line import nardy

import nardy_ai
from nardy_ai.commands import VERBS, main


def test_no_word_shows_what_there_is() -> None:
    ran = nardy()
    assert ran.code == 2
    for verb in VERBS:
        assert verb in ran.out


def test_help_is_no_error() -> None:
    assert nardy("--help").code == 0
    assert nardy("help").code == 0


def test_version() -> None:
    assert nardy("--version").out.strip() == f"nardy-ai {nardy_ai.__version__}"


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_command_fits_a_screen_and_has_an_example(verb: str) -> None:
    ran = nardy(verb, "--help", COLUMNS="80")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert f"nardy {verb}" in next(line for line in lines if line.startswith("Example: "))


PLAIN_VERBS = [verb for verb in VERBS if hasattr(import_module(f"nardy_ai.commands.{verb}"), "Command")]


@pytest.mark.parametrize("verb", PLAIN_VERBS)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seed", "5", "--seed", "6"], "--seed is given twice"),
        (["--seed=5", "a", "--seed", "5"], "--seed is given twice"),
        (["--json", "--json", "--json"], "--json is given 3 times"),
        (["--leave_luck", "--leave-luck"], "--leave-luck is given twice"),
    ],
)
def test_an_option_is_given_once(
    verb: str, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"nardy: {said}; once is meant, see 'nardy {verb} --help'.\n"


def test_different_options_may_have_the_same_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "random", "greedy", "--game", "long", "--pairs", "2", "--seed", "2"]) == 0
    assert "2 pairs" in capsys.readouterr().out


@pytest.mark.parametrize(("verb", "word"), [("rules", "[PROFILE]"), ("play", "[BOT]")])
def test_help_shows_what_may_be_left_out(verb: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert f"nardy {verb} [-h] {word} " in capsys.readouterr().out
