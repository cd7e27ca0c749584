"""`nardy play`: a whole game by lines that are piped in."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest
from command_line import REPOSITORY, nardy, nardy_here
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.bots import Bot, GreedyBot, load
from nardy_ai.commands import main
from nardy_ai.commands.terminal_game import Quit, TerminalGame
from nardy_ai.core import InputError
from nardy_ai.rules import Game, profile_names, read_mat
from nardy_ai.rules.match import Move, RollOff, Starts


class Table:
    """A terminal game whose lines come from a list; everything said is kept."""

    def __init__(
        self,
        lines: list[str],
        *,
        game: str = "long",
        seed: int = 1,
        seat: int = 0,
        forgiving: bool = True,
        bot: Bot | None = None,
        lang: str = "en",
        record: Path | None = None,
    ):
        self.lines = iter(lines)
        self.said: list[str] = []
        self.game = TerminalGame(
            Game(game),
            GreedyBot() if bot is None else bot,
            seed=seed,
            seat=seat,
            read=self.read,
            say=self.said.append,
            forgiving=forgiving,
            lang=lang,
            record=record,
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


# --- levels, costs, records, matches, languages ----------------------------------------------------------


def test_a_level_plays_worse_and_hints_are_by_the_full_bot(
    long_model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outs = []
    for level in ("1", "10", "1"):
        lines = iter(["hint", *["1"] * 12, "quit"])
        monkeypatch.setattr("builtins.input", lambda prompt, lines=lines: next(lines))
        ran = nardy_here(capsys, "play", long_model, "--seed", "2", "--level", level)
        assert ran.code == 0, ran.err
        assert f"against {long_model}#{level}, seed 2" in ran.out
        outs.append(ran.out.splitlines()[1:])
    bot, game = load(long_model), Game("long")
    dice = max(roll := core.dice(2, core.PURPOSES["dice_play"], 0, 0, 1)[0].tolist()), min(roll)
    expected = [f"{each.notation} {each.equity:+.3f}" for each in bot.rank(game.start(), dice, 1)[:5]]
    for out in outs:
        hints = [" ".join(line.split()) for line in out if re.match(r"  \S+.* [+-]\d\.\d{3}$", line)]
        assert hints == expected
    assert outs[0] == outs[2] != outs[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["greedy", "--level", "0"], "level cannot be 0: give a whole number from 1 (weakest) to 10"),
        (["greedy", "--level", "11"], "level cannot be 11"),
        (["greedy", "--level", "x"], "--level: 'x' is not a whole number; 'nardy play --help'"),
        (["random", "--level", "3"], "random has no levels"),
        (["greedy", "--lang", "de"], "lang"),
        (["greedy", "--length", "0"], "the length of a match is 0"),
        (["greedy", "--record", REPOSITORY / "README.md"], "README.md is there already: name another file"),
    ],
)
def test_what_will_not_do_is_told(
    words: list[str | Path], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = nardy_here(capsys, "play", *words)
    assert ran.is_bad_input(), ran
    assert said in ran.err


def test_what_the_last_play_cost(long_model: Path) -> None:
    judge = load(long_model)
    game = Game("long")
    table = Table(["cost", "2", "cost"], bot=judge, seed=10, seat=1)
    said = table.left()
    assert said.count("you have made no play yet") == 1
    position = game.start()
    first = re.search(r"the bot rolls (\d)-(\d): (.*)", "\n".join(said))
    assert first is not None
    position = game.play(position, (int(first[1]), int(first[2])), first[3]).position
    dice = tuple(int(die) for die in re.search(r"your (\d)-(\d)", " ".join(said)).groups())  # type: ignore[union-attr]
    ranked = judge.rank(position, dice)
    own = game.plays(position, dice)[1]
    worth = next(entry.equity for entry in ranked if entry.play == own)
    expected = (
        f"{own.notation} was the best play"
        if own == ranked[0].play
        else f"{own.notation} cost {ranked[0].equity - worth:.3f} points: {ranked[0].notation} is worth "
        f"{ranked[0].equity:+.3f}, yours {worth:+.3f}"
    )
    assert any(text.startswith(expected) for text in said)


def test_the_cost_against_a_bot_that_tells_no_worths() -> None:
    assert any("greedy does not say what plays are worth" in text for text in Table(["1", "cost"]).left())


def test_a_record_holds_the_whole_game_with_its_dice(tmp_path: Path) -> None:
    for game, seat in (("long", "first"), ("short", "second")):
        path = tmp_path / f"{game.replace('/', '-')}.mat"
        words = ["play", "greedy", "--game", game, "--seat", seat, "--seed", "11", "--record", path]
        ran = nardy(*words, stdin="1\n" * 400)
        assert ran.code == 0, ran.err
        history = read_mat(path).history
        rules = Game(game)
        assert history.state.game.name == rules.name
        assert history.state.result is not None
        throws = [step.play.dice for step in history.steps if isinstance(step, Move)]
        pair = rules.profile.rules.opening_roll == "rolloff_pair"
        dice = core.dice(11, core.PURPOSES["dice_play"], 0, 0, len(throws), pair)
        assert throws == [(max(roll), min(roll)) for roll in dice.tolist()]
        won = ran.out.splitlines()[-1].startswith("you win")
        assert won == (history.state.result.winner == 0)
        assert next(step for step in history.steps if isinstance(step, (RollOff, Starts))) is not None
        assert history.states[1].starter == (0 if seat == "first" else 1)


def test_saving_in_mid_game_keeps_what_was_played_and_no_other_file(tmp_path: Path) -> None:
    path, there = tmp_path / "game.mat", tmp_path / "there.mat"
    there.write_text("mine")
    lines = ["1", f"save {path}", "1", f"save {path}", "undo", f"save {there}", "save", "save /no/where.mat"]
    said = Table(lines).left()
    assert said.count(f"saved in {path}") == 2
    assert f"{there} is there already: name another file" in said
    assert "name a file behind it: save game.mat" in said
    assert any("where.mat" in text and "cannot be written" in text for text in said)
    assert there.read_text() == "mine"
    moves = [step for step in read_mat(path).history.steps if isinstance(step, Move)]
    assert len(moves) == 4


def test_a_record_follows_what_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "game.mat"
    Table(["1", "1", "undo", "undo"], record=path).left()
    assert [step for step in read_mat(path).history.steps if isinstance(step, Move)] == []


@pytest.mark.parametrize(("game", "length"), [("short/hypergammon", "3"), ("long", "1")])
def test_a_match_goes_on_to_its_last_point(game: str, length: str, tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    words = ["play", "greedy", "--game", game, "--length", length, "--seed", "3", "--record", path]
    ran = nardy(*words, stdin="score\n" + "1\n" * 1200)
    assert ran.code == 0, ran.err
    assert f"the score is 0 to 0 for you, in a match to {length} points" in ran.out
    last = ran.out.splitlines()[-1]
    told = re.fullmatch(r"you (win|lose) the match, ([\d.]+) to ([\d.]+)", last)
    assert told is not None, last
    state = read_mat(path).history.state
    assert state.phase == "match_over" and (state.number > 1) == (length != "1")
    assert state.score == (float(told[2]), float(told[3]))
    assert state.winner == (0 if told[1] == "win" else 1)
    assert state.number == 1 or f"game {state.number}" in ran.out.splitlines()
    # Every game has dice of its own.
    history = read_mat(path).history
    for number in range(1, state.number + 1):
        both = zip(history.states, history.steps, strict=False)
        steps = [step for before, step in both if before.number == number]
        thrown = [step.play.dice for step in steps if isinstance(step, Move)]
        pair = any(isinstance(step, RollOff) for step in steps)
        dice = core.dice(3, core.PURPOSES["dice_play"], number - 1, 0, len(thrown), pair)
        assert thrown == [(max(roll), min(roll)) for roll in dice.tolist()]


def test_a_single_game_has_no_score() -> None:
    assert any("this is a single game" in text for text in Table(["score"]).left())


def test_every_word_stands_in_both_languages() -> None:
    tables = [
        tomllib.loads((REPOSITORY / "nardy_ai" / "commands" / "words" / f"{lang}.toml").read_text("utf-8"))
        for lang in ("en", "ru")
    ]
    english, russian = tables
    assert set(english) == set(russian)
    for name in ("kinds", "commands"):
        assert set(english[name]) == set(russian[name])
    for name, text in english.items():
        if isinstance(text, str):
            places, theirs = (
                {place for _, place, _, _ in Formatter().parse(each) if place}
                for each in (text, russian[name])
            )
            # Faults of notation are told in English; Russian has a sentence of its own.
            assert (places, theirs) == ({"fault"}, {"line"}) if name == "unread" else places == theirs, name
    kinds = {kind for name in profile_names() for kind, _ in Game(name).profile.scores}
    assert kinds <= set(english["kinds"])


def test_a_game_in_russian_says_nothing_in_english(tmp_path: Path) -> None:
    model = untrained_model("long", tmp_path / "m.safetensors")
    lines = ["помощь", "ходы", "подсказка", "1", "цена", "счёт", "назад"]
    lines += ["доска", "24/1", "99", "запись", "undo"]
    said = Table(lines, bot=load(model), lang="ru").left()
    words = "\n".join(said)
    for russian in ("ваш бросок", "бот бросил", "ходит, бросок", "до конца", "снято", "брать назад"):
        assert russian in words
    assert "хода «24/1» при этом броске нет" in words and "хода 99 нет" in words
    plain = re.sub(r"nardy|Python|game\.position|FILE|\.mat|game\.mat|id|bar|off|Enter|--length N", "", words)
    assert not re.findall(r"[A-Za-z]{3,}", plain)
    ran = nardy("play", "random", "--game", "long", "--seed", "3", "--lang", "ru", stdin="1\n" * 300)
    assert re.search(r"^(вы (выиграли|проиграли): .*очков: \d|ничья)$", ran.out.splitlines()[-1])
