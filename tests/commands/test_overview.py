"""Help, version and the list of commands."""

from __future__ import annotations

from importlib import import_module

import pytest
from command_line import nardy

import nardy_ai
from nardy_ai.commands import VERBS, main
from nardy_ai.commands.bench import VERBS as BENCH_VERBS


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


@pytest.mark.parametrize(
    "words", [*((verb,) for verb in VERBS), *(("bench", verb) for verb in BENCH_VERBS)], ids=" ".join
)
def test_help_of_a_command_fits_a_screen_and_has_an_example(words: tuple[str, ...]) -> None:
    ran = nardy(*words, "--help", COLUMNS="80")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert " ".join(["nardy", *words]) in next(line for line in lines if line.startswith("Example: "))


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


@pytest.mark.parametrize(("verb", "word"), [("rules", "[PROFILE]"), ("play", "[BOT ...]")])
def test_help_shows_what_may_be_left_out(verb: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    usage = capsys.readouterr().out.splitlines()[0].replace(" [OPTIONS]", "")
    assert f"{usage} ".startswith(f"usage: nardy {verb} [-h] {word} ")


def test_a_group_lists_its_verbs() -> None:
    bare, asked = nardy("bench"), nardy("bench", "--help")
    assert (bare.code, asked.code) == (2, 0)
    assert bare.out == asked.out
    assert asked.out.startswith("usage: nardy bench VERB")
    for verb, summary in BENCH_VERBS.items():
        assert f"  {verb} " in asked.out
        assert summary in asked.out


def test_a_verb_that_a_group_lacks() -> None:
    for words, said in (
        (("bench", "trith"), "there is no command 'trith' of 'nardy bench'; did you mean 'truth'?"),
        (("bench", "xyz"), "'nardy bench --help' lists what there is."),
        (("bench", "x" * 500), "x…' of 'nardy bench'"),
    ):
        ran = nardy(*words)
        assert ran.is_bad_input(), ran
        assert said in ran.err
