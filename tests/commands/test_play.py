"""`nardy play`: a whole game by lines that are piped in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import nardy

from nardy_ai.bots import bot
from nardy_ai.commands import main
from nardy_ai.commands.terminal_game import Quit, TerminalGame
from nardy_ai.core import InputError
from nardy_ai.rules import Game


class Table:
    """A terminal game whose lines come from a list; everything said is kept."""

    def __init__(
        self, lines: list[str], *, game: str = "long", seed: int = 1, seat: int = 0, forgiving: bool = True
    ):
        self.lines = iter(lines)
        self.said: list[str] = []
        self.game = TerminalGame(
            Game(game),
            bot("greedy"),
            seed=seed,
            seat=seat,
            read=self.read,
            say=self.said.append,
            forgiving=forgiving,
        )

    def read(self, prompt: str) -> str | None:
        self.said.append(prompt)
        return next(self.lines, None)

    def left(self) -> list[str]:
        """Everything that was said until the lines ran out."""
        with pytest.raises(Quit):
            self.game.play()
        return self.said


@pytest.mark.parametrize("game", ["long", "short", "short/hypergammon"])
@pytest.mark.parametrize("seat", ["first", "second"])
def test_a_game_to_its_end(game: str, seat: str) -> None:
    ran = nardy("play", "random", "--game", game, "--seat", seat, "--seed", "11", stdin="1\n" * 400)
    assert ran.code == 0, ran.err
    assert re.search(r"^(you (win|lose): .*\d points?|a draw)$", ran.out.splitlines()[-1])


@pytest.mark.parametrize("seat", ["first", "second"])
def test_the_one_who_moved_last_has_won(seat: str) -> None:
    verdicts = set()
    for seed in range(1, 9):
        words = ["play", "random", "--game", "short/hypergammon", "--seat", seat, "--seed", str(seed)]
        lines = nardy(*words, stdin="1\n" * 400).out.splitlines()
        verdict = lines[-1].split(":")[0]
        last_turn = next(
            line for line in reversed(lines) if line.startswith(("your ", "you roll", "the bot rolls"))
        )
        assert verdict == ("you lose" if last_turn.startswith("the bot") else "you win")
        verdicts.add(verdict)
    assert len(verdicts) == 2


def test_a_last_roll_that_does_not_help_is_a_loss() -> None:
    ran = nardy("play", "greedy", "--game", "long", "--seat", "second", "--seed", "1", stdin="1\n" * 400)
    turns = [line for line in ran.out.splitlines() if line.startswith(("your ", "you roll", "the bot rolls"))]
    # The starter has finished, so the last turn was the second player's last roll.
    assert not turns[-1].startswith("the bot")
    assert ran.out.splitlines()[-1].startswith("you lose: ")


def test_the_same_seed_gives_the_same_game() -> None:
    words = ["play", "greedy", "--game", "short", "--seed", "5"]
    assert nardy(*words, stdin="1\n" * 300).out == nardy(*words, stdin="1\n" * 300).out


def test_leaving_names_the_seed() -> None:
    ran = nardy("play", "greedy", "--game", "long", stdin="quit\n")
    assert ran.code == 0
    assert re.search(r"--seed \d+", ran.out)


def test_the_end_of_the_input_leaves_the_game() -> None:
    assert nardy("play", "greedy", "--game", "long", "--seed", "1").code == 0


def test_the_list_and_the_notation_name_the_same_plays() -> None:
    game = Game("short")
    said = Table(["plays"], game="short").left()
    listed = next(text for text in said if text.lstrip().startswith("1  "))
    notations = [line.split(maxsplit=1)[1] for line in listed.splitlines()]
    dice = tuple(int(die) for die in re.search(r"your (\d)-(\d)", " ".join(said)).groups())  # type: ignore[union-attr]
    assert notations == [play.notation for play in game.plays(game.start(), dice)]
    by_number = Table(["1"], game="short").left()
    by_name = Table([notations[0]], game="short").left()
    assert by_number[-2:] == by_name[-2:]


def test_hint_of_a_model_shows_equities(long_model: Path) -> None:
    ran = nardy("play", long_model, "--seed", "2", stdin="hint\nquit\n")
    assert ran.code == 0, ran.err
    assert re.search(r"^  24/\S+.* [+-]\d\.\d{3}$", ran.out, re.MULTILINE)


def test_hint_of_other_bots_names_a_legal_play() -> None:
    said = Table(["hint"]).left()
    hint = next(text for text in said if "would play it" in text)
    again = Table([hint.split("(")[0].strip()], forgiving=False).left()
    assert len(again) > len(said) - 2


def test_undo_goes_back_to_the_same_board_and_dice() -> None:
    plain = Table(["1"]).left()
    undone = Table(["1", "undo"]).left()
    prompts = [text for text in undone if text.startswith("your ")]
    assert prompts[0] == prompts[2] != prompts[1]
    boards = [text for text in undone if text.count("\n") > 5]
    assert boards[0] == boards[2] != boards[1]
    # And the game goes on as if nothing had happened.
    redone = Table(["1", "undo", "1"]).left()
    assert redone[-2:] == plain[-2:]


def test_undo_before_the_first_play() -> None:
    assert any("nothing to take back" in text for text in Table(["undo"]).left())


def test_a_person_is_asked_again_after_a_wrong_line() -> None:
    said = Table(["24/1", "nonsense", "999", "1"]).left()
    assert sum("help" in text for text in said) == 3
    assert sum(text.startswith("your ") for text in said) == 5


def test_a_pipe_is_not() -> None:
    table = Table(["24/1"], forgiving=False)
    with pytest.raises(InputError, match="24/1"):
        table.game.play()


def test_help_names_every_word() -> None:
    said = "\n".join(Table(["help"]).left())
    for word in ("plays", "hint", "undo", "board", "id", "quit"):
        assert re.search(rf"^  {word} ", said, re.MULTILINE)


def test_the_key_restores_the_position() -> None:
    said = Table(["1", "id"]).left()
    key = next(text for text in said if re.fullmatch(r"\S{14}:[01]:[0-3]", text))
    assert Game("long").position(key).key == key


def test_ctrl_c_names_the_seed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert main(["play", "random", "--game", "short", "--seed", "77"]) == 1
    out, err = capsys.readouterr()
    assert out.endswith("left; the same dice again: --seed 77\n")
    assert err == "nardy: stopped\n"
