"""The page of an analysis: whole, safe, and asking nothing of the network."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from command_line import REPOSITORY
from self_played import Played, played_by

from nardy_ai.bots import NetBot, load
from nardy_ai.evaluation.analysis import Analysis, analyse, analyse_position, page, position_page, summary
from nardy_ai.evaluation.analysis.columns import fitted, plain
from nardy_ai.evaluation.analysis.curve import curve_svg
from nardy_ai.evaluation.analysis.record import Tally
from nardy_ai.evaluation.analysis.summary import _figures
from nardy_ai.rules import Game, MatFile, games_of_text, mat_of_text, mat_text
from nardy_ai.rules.screen import WIDTH

GAMES = 4


@pytest.fixture(scope="module", params=["short", "long"])
def played(request: pytest.FixtureRequest) -> Played:
    return played_by(request.param, GAMES)


VOID = {"meta", "br"}


class Tags(HTMLParser):
    """Follows the tags of a page, which must close in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def count(self, tag: str, kind: str = "") -> int:
        return sum(name == tag and (not kind or found.get("class") == kind) for name, found in self.seen)


@pytest.fixture(scope="module")
def bot() -> NetBot:
    return load(REPOSITORY / "checkpoints" / "short-quick.safetensors")


RECORD = """\
 5 point match

 Game 1
 Ann : 0        Bob : 0
  1) 31: 8/5 6/5                 42: 24/22 6/2
  2) 65: 24/18 18/13              Doubles => 2
  3)  Drops
                                  Wins 1 point

 Game 2
 Ann : 0        Bob : 1
  1) 31: 8/5 6/5                 42: 8/4 6/4
"""


def named(bot: NetBot, left: str, right: str) -> Analysis:
    text = mat_text(MatFile(mat_of_text(RECORD).history, (left, right)))
    # The second game's second play becomes one that cannot be read.
    whole, play = text.rsplit("8/4 6/4", 1)
    return analyse([("<i>a.mat", games_of_text(f"{whole}<b>no play</b>{play}"))], bot, progress=False)


def test_a_page_is_whole_and_needs_nothing(played: Played) -> None:
    text = page(played.analysis)
    tags = Tags(text)
    assert tags.count("script") == tags.count("link") == tags.count("img") == 0
    assert not re.search(r"(?:src|href)=|url\(|@import", text)
    assert "default-src 'none'" in text
    assert tags.count("section", "card") == min(40, len(played.planted))
    assert tags.count("svg", "curve") == len(played.games.games)
    assert tags.count("details") == 2 * len(played.games.games)
    assert page(played.analysis) == text
    for player in played.analysis.players:
        assert f"{1000 * (played.analysis.tally(player).mean or 0):.1f}" in text


def test_boards_are_limited_and_the_rest_is_listed(played: Played) -> None:
    tags = Tags(page(played.analysis, boards=3))
    assert tags.count("section", "card") == 3
    assert f"{len(played.planted) - 3} more" in tags.text
    assert Tags(page(played.analysis, boards=0)).count("section", "card") == 0


def test_boards_show_both_plays(played: Played) -> None:
    text = page(played.analysis, boards=1)
    card = re.search(r'<section class="card">.*?</section>', text, re.DOTALL)
    assert card is not None
    (_, _, turn) = played.analysis.worst(1)[0]
    assert turn.made is not None
    assert f"played {turn.made.play.notation}, better {turn.best.play.notation}" in card[0]
    assert "stroke-dasharray" in card[0] and "--board-arrow" in card[0] and "--board-worse" in card[0]
    assert "◂" in card[0]


def test_both_schemes_have_every_colour_that_boards_use(played: Played) -> None:
    text = page(played.analysis, boards=5)
    used = set(re.findall(r"var\((--board-[a-z0-9-]+)", text))
    light, dark = text.split("prefers-color-scheme: dark) { :root { --board")
    assert used
    for name in used:
        assert f"{name}:" in light and f"{name.removeprefix('--board')}:" in dark


EVIL = [
    '<script>alert(1)</script>',
    "a: b & c <b>",
    "two\nlines",
    "😀 👩‍👩‍👧‍👦",
    "x" * 200,
    "\u202eright to left",
    "\ud800 half a pair",
    "\x00\x07",
    "' onload='x",
    '" onload="x',
]  # fmt: skip


@pytest.mark.parametrize("name", EVIL)
def test_names_are_text_and_nothing_else(bot: NetBot, name: str) -> None:
    analysis = named(bot, name, "Bob")
    text = page(analysis)
    tags = Tags(text)
    assert tags.count("script") == tags.count("b") == tags.count("i") == 0
    assert not any(key.startswith("on") for _, found in tags.seen for key in found)
    assert "\u202e" not in text
    heading = next(part for part in tags.text if part.endswith("– Bob"))
    assert heading == f"{plain(analysis.players[0])} – Bob"
    for line in summary(analysis).splitlines():
        assert len(line) <= WIDTH
    text.encode("utf-8")


def test_faults_and_the_cube_are_told(bot: NetBot) -> None:
    text = page(named(bot, "Ann", "Bob"))
    assert "What could not be read" in text
    assert ", game 2, play 1: cannot read" in text and "&lt;b&gt;no play&lt;/b&gt; (not legal)" in text
    assert "doubles to 2" in text and ">drops<" in text
    assert "Bob wins 1 point (single, a double dropped)" in text
    assert "as if the cube were dead" in text and "Crawford" in text
    told = summary(named(bot, "Ann", "Bob"))
    assert "what could not be read (1)" in told
    assert "cube decisions, the cube dead once it is turned" in told


def test_a_curve_of_known_points(bot: NetBot) -> None:
    analysis = named(bot, "Ann", "Bob")
    (_, first), (_, second) = analysis.games
    svg = curve_svg(first)
    points = re.search(r'points="([^"]+)"', svg)
    assert points is not None
    places = [tuple(map(float, pair.split(","))) for pair in points[1].split()]
    assert len(places) == len(first.curve) == 4
    # One point up is 78 pixels: the frame of 156 goes from +1 to -1.
    for (_, y), worth in zip(places, first.curve, strict=True):
        assert y == pytest.approx(88 - 78 * worth, abs=0.06)
    assert svg.count("<circle") == sum(turn.grade != "" for turn in first.turns) > 0
    assert len(second.curve) == 2
    assert curve_svg(analyse([("a", games_of_text(" Game 1\n A : 0  B : 0\n"))], bot).games[0][1]) == ""


def test_figures_keep_their_columns() -> None:
    """Sums as large as a folder of bad games has them leave the table as wide as it is."""
    mean = Tally(100_000, 99_999, 98_765.4, (99_999, 9_999, 99_999), -1_234.5678, (0.001, 2.0))
    none = Tally(0, 0, 0.0, (0, 0, 0), 0.0, None)
    small = Tally(12, 8, 0.0231, (1, 0, 0), 0.5, (-0.0016, 0.0074))
    assert [len(_figures(tally)) for tally in (mean, none, small)] == [60, 60, 60]
    assert _figures(small) == "    8   0.023     2.9 ±4.5   1.44      1    0     0   +0.500"
    assert _figures(mean).endswith("-1234.57")


def test_text_of_so_many_columns() -> None:
    assert fitted("abc", 5) == "abc  "
    assert fitted("abcdef", 5) == "abcd…"
    assert fitted("日本語", 5) == "日本…"
    assert fitted("日本語", 6) == "日本語"
    assert fitted("a\x1b[31mb\nc", 9) == "a [31mb c"
    assert plain("\u200b\x07 a\u202e\ud800b ") == "a b"


def test_a_position_as_a_page(bot: NetBot) -> None:
    game = Game("short")
    start = game.start()
    bad = game.play(start, (3, 1), "24/20")
    analysis = analyse_position(bot, start, (3, 1), bad)
    text = position_page(analysis)
    Tags(text)
    assert "stroke-dasharray" in text and "24/20 loses 0." in text
    best = analyse_position(bot, start, (3, 1), game.play(start, (3, 1), "8/5 6/5"))
    assert best.verdict == "8/5 6/5 is the best play."
    assert "stroke-dasharray" not in position_page(best)
    alone = analyse_position(bot, start, (3, 1), None)
    assert alone.verdict == "" and "8/5 6/5 is the best play" in position_page(alone)
    assert max(map(len, str(analysis).splitlines())) <= WIDTH
