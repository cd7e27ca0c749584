"""Help, version and the list of commands."""

from __future__ import annotations

import pytest
from command_line import nardy

import nardy_ai
from nardy_ai.commands import VERBS


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
