"""`.mat` files: known ones, names and tags, and every way in which they can be wrong."""

from __future__ import annotations

import pickle
import random
import re
import time
from pathlib import Path

import pytest
from mat_records import MATCH_TO_5
from matches import SMALL_GAMES

from nardy_ai.core import InputError
from nardy_ai.rules import (
    Game,
    History,
    MatchState,
    MatError,
    MatFile,
    Terms,
    mat_of_text,
    mat_text,
    profile_names,
    read_mat,
    write_mat,
)
from nardy_ai.rules.match import Resign, Starts, Throw, steps

DATA = Path(__file__).parents[1] / "data"
SHORT = Game("short")

RECORD = f'; [Player 1 "Ann"]\n; [Player 2 "Bob"]\n\n{MATCH_TO_5}'


def wrong(text: str, *, line: int, game: int | None = None, row: int | None = None) -> str:
    with pytest.raises(MatError) as found:
        mat_of_text(text)
    error = found.value
    assert (error.line, error.game, error.row) == (line, game, row), str(error)
    assert str(error).startswith(f"line {line}")
    assert (f"game {game}" in str(error)) == (game is not None)
    assert (f"play {row}" in str(error)) == (row is not None)
    assert "\n" not in str(error)
    assert len(str(error)) < 600
    return str(error)


def changed(old: str, new: str) -> str:
    assert RECORD.count(old) == 1, old
    return RECORD.replace(old, new)


# --- known files ----------------------------------------------------------------------------------------


def test_a_match_of_gnu_backgammon() -> None:
    file = read_mat(DATA / "gnubg_match_to_5.mat")
    state = file.history.state
    assert file.names == ("gnubg", "root")
    assert file.tags == (("EventDate", "2026.11.30"),)
    assert (state.score, state.phase, state.winner, state.number) == ((4, 7), "match_over", 1, 4)
    results = [s.result for s in file.history.states if s.result is not None]
    kept = dict.fromkeys((result.winner, result.kind, result.points) for result in results)
    assert list(kept) == [(1, "single", 2), (0, "gammon", 4), (1, "single", 1), (1, "gammon", 4)]
    assert next(s.number for s in file.history.states if s.crawford) == 3
    throws = re.findall(r"[1-6][1-6]:", (DATA / "gnubg_match_to_5.mat").read_text("utf-8"))
    assert sum(isinstance(step, steps.Move) for step in file.history.steps) == len(throws) == 261


@pytest.mark.parametrize("name", ["short_money.mat", "long_tas.mat"])
def test_our_own_files_are_written_as_they_were(name: str) -> None:
    file = read_mat(DATA / name)
    assert mat_text(file) == (DATA / name).read_text("utf-8")


def test_a_tas_of_long_nardy() -> None:
    file = read_mat(DATA / "long_tas.mat")
    state = file.history.state
    assert state.game == Game("long")
    assert file.names == ("Иван: «Голова» 😀", "Ольга")
    assert file.tags == (("Event", 'Кубок "Нарды"'),)
    assert (state.score, state.draws, state.phase, state.winner) == ((2, 1), 2, "match_over", 0)
    assert [s.starter for s in file.history.states if s.phase == "game_over"] == [1, 0]


def test_money_play_with_everything() -> None:
    state = read_mat(DATA / "short_money.mat").history.state
    assert (state.terms.cube.jacoby, state.terms.cube.beavers, state.terms.cube.automatic_doubles) == (
        True,
        True,
        2,
    )
    assert (state.score, state.cube.value, state.number, state.phase) == ((5, 0), 16, 3, "throw")


def test_a_record_by_hand() -> None:
    file = mat_of_text(RECORD)
    state = file.history.state
    assert (state.score, state.number, state.phase, state.on_roll) == ((3, 0), 3, "throw", 1)
    assert file.history.steps[-2:-1] == (steps.RollOff((2, 1)),)
    assert Resign(1, "single") in file.history.steps


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("24/18 18/13", "24/13"),
        ("24/18 18/13", "  24/13  "),
        ("8/4 6/4", "6/4 8/4"),
        ("31: 8/5 6/5                 42", "13: 8/5, 6/5\t\t42"),
        ("Wins 1 point\n", "Wins 1 point.\n"),
        ("Doubles => 2                Drops", "doubles=>2     DROPS"),
        (" 5 point match", "5 Point Match  "),
        (" Ann : 3                        Bob : 0", "Ann: 3 Bob: 0"),
        ("      Wins 1 point\n", ""),
        ('; [Player 1 "Ann"]', "; nothing in particular"),
        ("  1) 21: 13/11 6/5\n", "  1) 21: 13/11 6/5\n\n\n; the end\n\n"),
        ("  1) 21: 13/11 6/5\n", "  1) 21: 13/11 6/5\n  2)\n  3) \n"),
    ],
)
def test_what_may_be_written_otherwise(old: str, new: str) -> None:
    assert mat_of_text(changed(old, new)).history == mat_of_text(RECORD).history
    assert mat_of_text(changed(old, new).replace("\n", "\r\n")).history == mat_of_text(RECORD).history


def test_other_words_for_a_pass() -> None:
    text = (DATA / "gnubg_match_to_5.mat").read_text("utf-8").split("\n Game 3\n")[0]
    assert " 61:                         51: 6/5 21/16" in text
    for word in ("Cannot Move", "can't move", "No move", "pass"):
        named = text.replace(" 61:                         51: 6/5 21/16", f" 61: {word}    51: 6/5 21/16")
        assert mat_of_text(named) == mat_of_text(text)


BEAVER = """\
 0 point match

 Game 1
 Ann : 0                        Bob : 0
  1)                             61: 13/7 8/7
  2) 63: 24/15                    Doubles => 2
"""


def test_a_beaver_is_taken_by_going_on() -> None:
    short = BEAVER + "  3)  Beavers => 4               44: 24/20 24/20 13/9 13/9\n"
    long = BEAVER + "  3)  Beavers => 4                Takes\n  4)" + " " * 29 + "44: 24/20(2) 13/9(2)\n"
    assert mat_of_text(short).history == mat_of_text(long).history
    assert mat_of_text(short).history.state.cube.value == 4
    dropped = BEAVER + "  3)  Beavers => 4                Drops\n      Wins 2 points\n"
    assert mat_of_text(dropped).history.state.score == (2, 0)
    with pytest.raises(MatError, match="beavers: they were not agreed on"):
        mat_of_text(short, beavers=False)


def test_a_result_behind_a_throw_on_the_right() -> None:
    """GNU Backgammon writes so where the player on the right has thrown and resigns."""
    text = " 5 point match\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5                 42:  Wins 2 points\n"
    state = mat_of_text(text).history.state
    assert state.result is not None
    assert (state.score, state.result.how, state.result.kind) == ((2, 0), "resignation", "gammon")


# --- rules ----------------------------------------------------------------------------------------------


def test_what_the_file_does_not_say_may_be_given() -> None:
    text = BEAVER + "  3)  Takes                      44: 24/20 24/20 13/9 13/9\n"
    assert not mat_of_text(text).history.state.terms.cube.jacoby
    assert not mat_of_text(text).history.state.terms.cube.beavers
    assert mat_of_text(text, jacoby=True).history.state.terms.cube.jacoby
    assert mat_of_text(text, beavers=True).history.state.terms.cube.beavers
    game = Game("short/portes")
    begun = text.split("  2)")[0]
    assert mat_of_text(begun, game).history.state.game == game
    with pytest.raises(MatError, match="match to 5, which has no Jacoby rule"):
        mat_of_text(RECORD, jacoby=True)
    with pytest.raises(MatError, match="need a cube"):
        mat_of_text(begun, game, jacoby=True)


def test_rules_of_ones_own_must_be_given() -> None:
    game = SMALL_GAMES["short, all options"]
    start = MatchState.begin(Terms.match(game, 3))
    text = mat_text(MatFile(History((start,))))
    assert '; [Rules "other"]' in text
    with pytest.raises(MatError, match="give it as game"):
        mat_of_text(text)
    assert mat_of_text(text, game).history.start == start
    with pytest.raises(MatError, match="not played by long/fns"):
        mat_of_text(RECORD.replace("; [Player 1", '; [Variation "NackGammon"]\n; [Player 1'), Game("long"))


def test_every_profile_is_named_in_its_file() -> None:
    for name in profile_names():
        start = MatchState.begin(Terms.match(Game(name), 3))
        text = mat_text(MatFile(History((start,))))
        assert mat_of_text(text).history.start == start
        assert ('[Variation "LongNarde"]' in text) == name.startswith("long/")
    with pytest.raises(MatError, match=r"variation 'Plakoto' is unknown"):
        mat_of_text('; [Variation "Plakoto"]\n\n 5 point match\n')


@pytest.mark.parametrize(
    ("tags", "why"),
    [
        ('; [Crawford "Maybe"]', "Crawford"),
        ('; [CubeLimit "many"]', "CubeLimit"),
        ('; [CubeLimit "3"]', "power of two"),
        ('; [RollOffs "1:7-1"]', "RollOffs"),
        ('; [RollOffs "1:3-1 1:3-1"]', "RollOffs"),
    ],
)
def test_wrong_tags(tags: str, why: str) -> None:
    assert why in wrong(tags + "\n\n 5 point match\n", line=3)


@pytest.mark.parametrize(
    ("tags", "why"),
    [('; [Jacoby "1"]', "Jacoby"), ('; [AutomaticDoubles "x"]', "Automatic"), ('; [Beaver ""]', "Beaver")],
)
def test_wrong_tags_of_money_play(tags: str, why: str) -> None:
    assert why in wrong(tags + "\n\n 0 point match\n", line=3)


def test_tags_that_do_not_fit_the_games() -> None:
    text = RECORD.replace("; [Player 1", '; [RollOffs "1:1-3"]\n; [Player 1')
    assert "up to player" in wrong(text, line=9, game=1, row=1) or "won the roll-off" in wrong(
        text, line=9, game=1, row=1
    )
    text = RECORD.replace("; [Player 1", '; [RollOffs "1:4-1"]\n; [Player 1')
    assert "the roll-off was" in wrong(text, line=9, game=1, row=1)
    text = RECORD.replace("; [Player 1", '; [RollOffs "9:4-1"]\n; [Player 1')
    assert "game 9" in wrong(text, line=23, game=3, row=1)
    late = RECORD.replace(" Game 2", '; [Crawford "Off"]\n Game 2')
    assert "too late" in wrong(late, line=13, game=1, row=3)


# --- what is wrong --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "place", "why"),
    [
        (" 5 point match", " five point match", (4, None, None), "length of the match"),
        (" 5 point match", " 99999 point match", (4, None, None), "32767"),
        (" Game 1\n", " Game 2\n", (6, None, None), "where game 1 should"),
        (" Game 1\n", " Gam 1\n", (6, None, None), "beginning of a game"),
        (" Ann : 0", " Ann 0", (7, None, None), "names and score"),
        (" Ann : 0", " Ann : 1", (7, 1, None), "is said to have 1 points"),
        (" Ann : 2", " Eve : 2", (14, 2, None), "did"),
        ("  1) 31:", "  2) 31:", (8, 1, 1), "row 1 should"),
        ("31: 8/5 6/5                 42", "31: 8/5 6/4                 42", (8, 1, 1), "legal plays"),
        ("31: 8/5 6/5                 42", "31: 8/5                     42", (8, 1, 1), "as much of"),
        ("31: 8/5 6/5                 42", "31: 8-5 6-5                 42", (8, 1, 1), "no movement"),
        ("31: 8/5 6/5                 42", "33: 8/5 6/5                 42", (8, 1, 1), "thrown again"),
        ("31: 8/5 6/5                 42", "37: 8/5 6/5                 42", (8, 1, 1), "no row of plays"),
        ("31: 8/5 6/5                 42", "31:                         42", (8, 1, 1), "is missing"),
        ("31: 8/5 6/5                 42", "31: ????                    42", (8, 1, 1), "is missing"),
        ("  2) 65: 24/18 18/13              Doubles", "  2)" + " " * 30 + "Doubles", (9, 1, 2), "column"),
        ("  2) 65: 24/18 18/13              Doubles", "  2)               65: 24/18 18/13     Doubles",
         (9, 1, 2), "two plays in the right column"),
        ("  2) 65: 24/18 18/13              Doubles", "  2) Doubles => 2 65: 24/18 18/13     Doubles",
         (9, 1, 2), "two plays"),
        ("18/13              Doubles => 2", "18/13              Doubles => 4", (9, 1, 2), "to 2, not to 4"),
        ("18/13              Doubles => 2", "18/13              Beavers => 2", (9, 1, 2), "order of play"),
        ("18/13              Doubles => 2", "18/13              Doubles 2", (9, 1, 2), "neither a play"),
        ("  3)  Takes                      61: 13/7 8/7", "  3)  Beavers => 4               61: 13/7 8/7",
         (10, 1, 3), "beavers"),
        ("  3)  Takes", "  3)       ", (10, 1, 3), "column"),
        ("  3)  Takes", "  3)  Drops", (10, 1, 3), "order of play"),
        ("      Wins 2 points\n", "      Wins 3 points\n", (11, 1, 3), "no kind of win pays that"),
        ("      Wins 2 points\n", "      Wins two points\n", (11, 1, 3), "neither a row of plays"),
        ("      Wins 2 points\n", "      Wins 2 points and the match\n", (11, 1, 3), "win the match"),
        ("      Wins 2 points\n", "      Draw\n", (11, 1, 3), "drawn"),
        ("      Wins 2 points\n", "\n", (13, 1, None), "game 1 has not ended"),
        ("      Wins 1 point\n", " " * 34 + "Wins 1 point\n", (17, 2, 2), "player 0 wins 1"),
        ("      Wins 1 point\n", "      Wins 2 points\n", (17, 2, 2), "player 0 wins 1"),
        ("      Wins 1 point\n", "      Wins 1 point\n  3) 31: 8/5 6/5\n", (18, 2, 3), "order of play"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(
    old: str, new: str, place: tuple[int, int | None, int | None], why: str
) -> None:
    line, game, row = place
    assert why in wrong(changed(old, new), line=line, game=game, row=row)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "ends before the length"),
        ("\n\n\n", 4, "ends before the length"),
        (" 5 point match", 1, "ends before the first game"),
        (" 5 point match\n Game 1\n", 3, "ends before names"),
        ("\x00\x01\x02", 1, "length of the match"),
        ("x" * 5000, 1, "5000 characters"),
        (" 0 point match\n Game 1\n A : 0  B : 0\n      Wins 1 point\n", 4, "before it has begun"),
        (" 5 point match\n Game 1\n A : 0  B : " + "9" * 3000, 3, "names and score"),
    ],
)
def test_files_that_stop_short(text: str, line: int, why: str) -> None:
    with pytest.raises(MatError, match=why) as found:
        mat_of_text(text)
    assert found.value.line == line
    assert len(str(found.value)) < 300


def test_a_record_cut_anywhere_is_its_beginning_or_an_error() -> None:
    whole = mat_of_text(RECORD).history
    refused = 0
    for end in range(len(RECORD)):
        try:
            cut = mat_of_text(RECORD[:end]).history
        except MatError as error:
            refused += 1
            assert "\n" not in str(error)
        else:
            made = cut.steps[:-1] if cut.steps and isinstance(cut.steps[-1], Throw) else cut.steps
            assert made == whole.steps[: len(made)], RECORD[:end]
    assert refused > 250


def test_scribbled_records_are_read_or_refused() -> None:
    rng = random.Random(1)
    text = RECORD
    refused = 0
    for _ in range(600):
        place, size = rng.randrange(len(text)), rng.choice((0, 1, 1, 1, 5, 40))
        new = "".join(
            rng.choice('0123456789/:) =>*barof\n\t;[]"WwinsDT\x00é😀') for _ in range(rng.randint(0, 3))
        )
        try:
            mat_of_text(text[:place] + new + text[place + size :])
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 300


# --- files ----------------------------------------------------------------------------------------------


def test_wrong_encodings(tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    for raw in (RECORD.replace("Ann", "Аня").encode("cp1251"), RECORD.encode("utf-16"), b"\xff\xfe\x00"):
        path.write_bytes(raw)
        with pytest.raises(MatError, match="not a text file in UTF-8"):
            read_mat(path)
    path.write_bytes(("\ufeff" + RECORD).encode("utf-8"))
    assert read_mat(path) == mat_of_text(RECORD)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_mat(tmp_path / "missing.mat")
    with pytest.raises(InputError, match="cannot be read"):
        read_mat(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_mat("a\0b")
    record = mat_of_text(RECORD)
    with pytest.raises(InputError, match="cannot be written"):
        write_mat(tmp_path / "no folder" / "match.mat", record)
    write_mat(tmp_path / "match.mat", record)
    assert read_mat(tmp_path / "match.mat") == record
    assert (tmp_path / "match.mat").read_bytes().count(b"\r") == 0


NOISE = 10_000_000


def noises() -> dict[str, bytes]:
    rng = random.Random(2)
    names = b" A : 0" + b" " * 3000 + b"B : x\n"
    return {
        "random bytes": rng.randbytes(NOISE),
        "one line": b"x" * NOISE,
        "random letters": bytes(rng.choices(b"0123456789:/)( \n", k=NOISE)),
        "empty lines": b"\n" * NOISE,
        "comments": b"; nothing\n" * (NOISE // 10),
        "tags": b'; [Event "x"]\n' * (NOISE // 14),
        "colons and spaces": b" 5 point match\n Game 1\n" + b": 0 " * (NOISE // 4),
        "empty rows": (RECORD.encode() + b"".join(b" %d)\n" % n for n in range(2, NOISE // 9))),
        "games of spaces": (b" 5 point match\n Game 1\n" + names) * 3000,
    }


def test_ten_megabytes_of_noise(tmp_path: Path) -> None:
    path = tmp_path / "noise.mat"
    for name, raw in noises().items():
        path.write_bytes(raw)
        begun = time.perf_counter()
        with pytest.raises(InputError) as found:
            read_mat(path)
        assert len(str(found.value)) < 300
        assert time.perf_counter() - begun < 15, name


# --- names and tags -------------------------------------------------------------------------------------

NAMES = [
    "Ann",
    "",
    "   ",
    "a:b",
    " : 0",
    "A : 0    B : 5",
    "two\nlines",
    "\r\n Game 2\r\n",
    "tab\tand  two spaces",
    " spaces around ",
    'quotes " and \\ backslashes \\n \\u0041',
    '"]',
    "x" * 200,
    "ы" * 200,
    "😀" * 50,
    "👩‍👩‍👧‍👦 family",
    "Zoë Öztürk",
    "عبد الله",
    "\u202eright to left",
    "\u2028 \u0085 \x0b \x1c separators",
    "\ud800 half a pair",
    "Wins 3 points",
    "31: 8/5 6/5",
    '; [Variation "LongNarde"]',
    "\x00\x07",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_come_back(name: str, tmp_path: Path) -> None:
    history = mat_of_text(RECORD).history
    for names in ((name, "Bob"), ("Ann", name), (name, name)):
        file = MatFile(history, names, (("Event", name),))
        text = mat_text(file)
        assert mat_of_text(text) == file
        write_mat(tmp_path / "match.mat", file)
        assert read_mat(tmp_path / "match.mat") == file
        line = text.split("\n Game 1\n")[1].split("\n")[0]
        assert line.count(":") == 2
        assert len(line.encode()) < 90


def test_a_name_that_is_no_tags_is_the_one_of_the_line() -> None:
    file = mat_of_text(RECORD.replace('[Player 1 "Ann"]', '[Player 1 "Eve"]'))
    assert file.names == ("Ann", "Bob")


def test_tags_are_kept() -> None:
    tags = (("Site", "here"), ("Event", "there"), ("Event", "twice"), ("Long Name of 2", ""))
    file = MatFile(mat_of_text(RECORD).history, ("Ann", "Bob"), tags)
    assert mat_of_text(mat_text(file)) == file
    for bad in ("", " x", 'a"b', "a]b", "two\nlines", "x" * 61):
        with pytest.raises(InputError, match="name of a tag"):
            mat_text(MatFile(file.history, file.names, ((bad, "x"),)))
    with pytest.raises(InputError, match="follows from the record"):
        mat_text(MatFile(file.history, file.names, (("Jacoby", "On"),)))


def test_only_matches_from_their_beginning_are_written() -> None:
    history = mat_of_text(RECORD).history
    with pytest.raises(InputError, match="before the first roll-off"):
        mat_text(MatFile(History(history.states[5:], history.steps[5:])))


def test_errors_can_be_sent_between_processes() -> None:
    with pytest.raises(MatError) as found:
        mat_of_text(changed("  1) 31:", "  2) 31:"))
    copy = pickle.loads(pickle.dumps(found.value))
    assert (str(copy), copy.line, copy.game, copy.row) == (str(found.value), 8, 1, 1)


def test_a_roll_off_that_only_its_winner_is_known_of() -> None:
    start = MatchState.begin(Terms.match(Game("long"), 3))
    for player in (0, 1):
        file = MatFile(History.of(start, [Starts(player)]))
        assert mat_of_text(mat_text(file)) == file


def test_no_text_at_all() -> None:
    with pytest.raises(InputError, match="not from bytes"):
        mat_of_text(b"")  # type: ignore[arg-type]
