"""What can be read of a `.mat` file that is not right, and of files as other programs write them."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from mat_records import MATCH_TO_5

from nardy_ai.core import InputError
from nardy_ai.rules import Game, MatError, MatGames, games_of_text, read_mat, read_mat_games
from nardy_ai.rules.mat_games import CubeTurn
from nardy_ai.rules.match import steps

DATA = Path(__file__).parents[1] / "data"

RECORD = MATCH_TO_5


def notations(games: MatGames) -> list[list[str]]:
    return [
        [turn.play.notation if turn.play else f"?{turn.written}" for turn in game.turns]
        for game in games.games
    ]


WHOLE = [["8/5 6/5", "8/4 6/4", "24/13", "13/7 8/7"], ["8/5 6/5"], ["13/11 6/5"]]


def changed(old: str, new: str) -> MatGames:
    assert RECORD.count(old) == 1, old
    return games_of_text(RECORD.replace(old, new))


@pytest.mark.parametrize("name", ["gnubg_match_to_5.mat", "short_money.mat", "long_tas.mat"])
def test_a_right_file_gives_the_plays_that_it_gives_as_a_whole(name: str) -> None:
    found, whole = read_mat_games(DATA / name), read_mat(DATA / name)
    assert found.faults == ()
    assert found.game == whole.history.start.game
    assert found.length == whole.history.start.terms.length
    played = [step.play for step in whole.history.steps if isinstance(step, steps.Move)]
    assert [turn.play for game in found.games for turn in game.turns if turn.play is not None] == played
    ends = {state.number: state.result for state in whole.history.states}
    assert {game.number: game.result for game in found.games} == ends
    assert all(game.names == whole.names for game in found.games)


def test_the_cube_is_kept() -> None:
    found = games_of_text(RECORD)
    told = [
        [(act.player, act.row, act.action, act.value) for act in game.events if isinstance(act, CubeTurn)]
        for game in found.games
    ]
    assert told == [[(1, 2, "double", 2), (0, 3, "take", 2)], [(0, 2, "double", 2), (1, 2, "drop", 2)], []]
    assert [game.score for game in found.games] == [(0, 0), (2, 0), (3, 0)]
    results = [game.result for game in found.games]
    assert [result and (result.winner, result.points, result.how) for result in results] == [
        (0, 2, "resignation"),
        (0, 1, "drop"),
        None,
    ]


# --- plays that are not legal ---------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 1, 3, 6])
def test_a_cube_that_there_is_none_of_is_reported(value: int) -> None:
    rows = f"  1) 31: 8/5 6/5          Doubles => {value}\n  2)  Takes    64: 24/14\n"
    text = f" Game 1\n Ann : 0   Bob : 0\n{rows}"
    found = games_of_text(text)
    (fault,) = found.faults
    assert f"the cube is turned to 2, not to {value}" in str(fault)
    assert len(found.games[0].turns) == 1


def test_a_play_that_is_not_legal_is_reported_and_passed_over_where_it_can_be_made() -> None:
    found = changed("31: 8/5 6/5                 42", "31: 8/4 6/5                 42")
    assert notations(found) == [["?8/4 6/5", "8/4 6/4", "24/13", "13/7 8/7"], *WHOLE[1:]]
    (fault,) = found.faults
    assert (fault.line, fault.game, fault.row) == (5, 1, 1)
    assert "not legal" in str(fault)
    # 8 pips of Ann less one, and the other side's 24 points as they were.
    assert found.games[0].turns[2].position.on_point(4)[0] == 1


@pytest.mark.parametrize("written", ["22/18 6/5", "24/19 6/5", "8/5 6/x", "23/20 23/22", "31/20"])
def test_a_play_that_cannot_be_made_ends_its_game_alone(written: str) -> None:
    found = changed("31: 8/5 6/5                 42", f"31: {written}                 42")
    assert notations(found) == [[f"?{written}"], *WHOLE[1:]]
    assert [(fault.game, fault.row) for fault in found.faults] == [(1, 1)]
    assert found.games[0].result is None


def test_a_second_play_that_is_not_legal_ends_the_game() -> None:
    text = RECORD.replace("31: 8/5 6/5                 42", "31: 8/4 6/5                 42")
    found = games_of_text(text.replace("65: 24/18 18/13", "65: 24/15"))
    assert notations(found) == [["?8/4 6/5", "8/4 6/4", "?24/15"], *WHOLE[1:]]
    assert [(fault.game, fault.row) for fault in found.faults] == [(1, 1), (1, 2)]
    assert "behind a play that is not legal: legal plays: '24/15'" in str(found.faults[1])


def test_a_hit_that_is_not_legal_is_made() -> None:
    text = " 0 point match\n Game 1\n A : 0   B : 0\n  1) 62: 24/18 13/11   33: 8/7*\n  2) 21: 25/23 24/23\n"
    found = games_of_text(text)
    assert notations(found) == [["24/18 13/11", "?8/7*", "bar/23 24/23"]]
    assert [fault.row for fault in found.faults] == [1]


def test_a_missing_play_ends_its_game_alone() -> None:
    found = changed("31: 8/5 6/5                 42", "31:                         42")
    assert notations(found) == [["?"], *WHOLE[1:]]
    assert "is missing" in str(found.faults[0])


# --- dialects -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" 5 point match", "5 Point Match."),
        (" 5 point match", "; [Crawford \"perhaps\"]\n 5 points"),
        (" Game 2", " Game 7"),
        (" Game 3", "game 3:"),
        (" Ann : 2                        Bob : 0", " Ann : 5    Bob : 4"),
        ("  2) 65: 24/18", "  9) 65: 24/18"),
        ("=> 2                Drops\n      Wins 1 point", "=> 16               Drops\n      Wins 8 points"),
        ("      Wins 2 points\n", "      Wins 2 points and the match\n"),
        ("Drops\n", "\n"),
        ("31: 8/5 6/5                 42: 8/4 6/4", "31: 8/5 6/5" + " " * 30 + "42: 8/4 6/4"),
        ("  1) 21: 13/11 6/5\n", "  1) 21: 13/11 6/5\n; [Event \"late\"]\n\n"),
    ],
)  # fmt: skip
def test_what_other_programs_write(old: str, new: str) -> None:
    found = changed(old, new)
    assert notations(found) == WHOLE
    assert found.faults == ()


def test_results_that_do_not_follow_are_reported_and_the_plays_stand() -> None:
    for old, new in (
        ("      Wins 2 points\n", "      Wins 5 points\n"),
        ("      Wins 2 points\n", "      Draw\n"),
        ("      Wins 2 points\n", "      and so on\n"),
    ):
        found = changed(old, new)
        assert notations(found) == WHOLE
        assert [(fault.line, fault.game) for fault in found.faults] == [(8, 1)]


def test_a_file_of_extreme_gammon() -> None:
    found = read_mat_games(DATA / "as_by_extreme_gammon.mat")
    assert (found.game.name, found.length) == ("short/standard", 7)
    assert found.faults == ()
    assert [game.names for game in found.games] == [("Ann", "Bob: the second")] * 2
    first, second = notations(found)
    assert first[:5] == ["8/5 6/5", "13/9 13/8", "24/16* 8/4(2)", "pass", "13/9(2)"]
    assert second[-3:] == ["15/9 10/6", "5/1 3/2", "10/6 4/2"]
    results = [game.result for game in found.games]
    assert [result and (result.winner, result.points) for result in results] == [(0, 1), None]


def test_names_and_length_may_be_missing() -> None:
    text = RECORD.replace(" 5 point match\n", "").replace(" Ann : 0                        Bob : 0\n", "")
    found = games_of_text('; [Player 1 "Eve"]\n' + text)
    assert notations(found) == WHOLE
    assert found.length is None
    assert [game.names for game in found.games] == [("Eve", "Player 2"), ("Ann", "Bob"), ("Ann", "Bob")]
    assert found.games[0].score is None


def test_long_nardy_is_known_by_its_plays() -> None:
    text = (DATA / "long_tas.mat").read_text("utf-8")
    bare = "\n".join(line for line in text.splitlines() if not line.startswith(";"))
    found = games_of_text(bare)
    assert found.game == Game("long")
    assert notations(found) == notations(games_of_text(text))
    # What breaks the rules of both is short nardy with faults.
    assert games_of_text(bare.replace(" 51: 24/18", " 51: 24/17", 1)).game == Game("short")


def test_rules_that_are_given_go_before_tags_of_their_family() -> None:
    text = (DATA / "long_tas.mat").read_text("utf-8")
    assert games_of_text(text, Game("long/classic")).game == Game("long/classic")
    with pytest.raises(InputError, match="LongNarde, which is not played by short/standard"):
        games_of_text(text, Game("short"))
    with pytest.raises(InputError, match="variation 'Plakoto' is unknown"):
        games_of_text('; [Variation "Plakoto"]\n' + RECORD)


# --- text -----------------------------------------------------------------------------------------------


def test_encodings(tmp_path: Path) -> None:
    path, text = tmp_path / "match.mat", RECORD.replace("Ann", "Аня")
    for encoding, given in (("utf-8", None), ("utf-8-sig", None), ("utf-16", None), ("cp1251", "cp1251"),
                            ("koi8-r", "koi8-r"), ("utf-16-le", "utf-16-le")):  # fmt: skip
        path.write_bytes(text.encode(encoding))
        found = read_mat_games(path, encoding=given)
        assert found.games[0].names == ("Аня", "Bob"), encoding
        assert notations(found) == WHOLE
    path.write_bytes(text.encode("cp1251"))
    with pytest.raises(MatError, match=r"line 4: .*--encoding cp1251"):
        read_mat_games(path)
    with pytest.raises(InputError, match="is not a text file in ascii"):
        read_mat_games(path, encoding="ascii")
    with pytest.raises(InputError, match="there is no encoding 'cp9999'"):
        read_mat_games(path, encoding="cp9999")
    with pytest.raises(InputError, match=r"there is no encoding|is not a text file"):
        read_mat_games(path, encoding="base64")
    path.write_bytes(RECORD.encode("utf-16-le"))
    with pytest.raises(InputError, match="it holds zero bytes"):
        read_mat_games(path)
    with pytest.raises(InputError, match="no such file"):
        read_mat_games(tmp_path / "none.mat")


def test_texts_without_a_game() -> None:
    for text in ("", "\n\n", " 5 point match\n", "not a match at all\n" * 50):
        with pytest.raises(MatError, match="there is no game in the file"):
            games_of_text(text)
    with pytest.raises(InputError, match="not from bytes"):
        games_of_text(b"")  # type: ignore[arg-type]
    with pytest.raises(MatError, match="5000 characters"):
        games_of_text("x" * 5000)
    assert notations(games_of_text(" Game 1\n")) == [[]]


def test_a_record_cut_anywhere_is_its_beginning() -> None:
    for end in range(RECORD.index("Game 1") + 6, len(RECORD), 7):
        for found, whole in zip(notations(games_of_text(RECORD[:end])), WHOLE, strict=False):
            sure = [play for play in found if not play.startswith("?")]
            assert sure[: len(sure) - 1] == whole[: max(0, len(sure) - 1)]


def test_scribbled_records_never_fail_but_with_a_sentence() -> None:
    rng = random.Random(4)
    for _ in range(80):
        place, size = rng.randrange(len(RECORD)), rng.choice((0, 1, 5, 40))
        new = "".join(rng.choice('0123456789/:) =>*barof\n\t;[]"WwinsDT\x00é😀') for _ in range(3))
        try:
            found = games_of_text(RECORD[:place] + new + RECORD[place + size :])
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert all("\n" not in str(fault) for fault in found.faults)


def test_noise_takes_no_time() -> None:
    for text in (
        " Game 1\n" * 10_000,
        " Game 1\n A : 0 B : 0\n" + "".join(f" {n})\n" for n in range(1, 50_000)),
        " Game 1\n" + ": 0 " * 900 + "\n",
        "; nothing\n" * 50_000 + " Game 1\n",
    ):
        begun = time.process_time()
        games_of_text(text, Game("short"))
        assert time.process_time() - begun < 2
