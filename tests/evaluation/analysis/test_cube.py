"""Doubles and their answers, against figures worked out by hand."""

from __future__ import annotations

import json

import pytest
from command_line import REPOSITORY
from hypothesis import given, settings
from hypothesis import strategies as st

from nardy_ai.bots import load
from nardy_ai.bots.cube import Stakes, doubles, takes
from nardy_ai.evaluation.analysis import Analysis, analyse, page, summary
from nardy_ai.evaluation.analysis.cube import JudgedCube, Offer, judged_cube, offers_of, unjudged
from nardy_ai.rules import Game, games_of_text
from nardy_ai.rules.mat_games import CubeAction, CubeTurn
from nardy_ai.rules.screen import WIDTH

SHORT = Game("short")
MONEY = Stakes()


def chances(win: float, gammon: float = 0, lose_gammon: float = 0) -> tuple[float, ...]:
    return win - gammon, gammon, 0.0, 1 - win - lose_gammon, lose_gammon, 0.0


def judged(action: CubeAction, outcomes: tuple[float, ...], stakes: Stakes = MONEY) -> JudgedCube:
    return judged_cube(action, Offer(0, stakes, SHORT.start()), outcomes)


@pytest.mark.parametrize(
    ("action", "outcomes", "loss", "better"),
    [
        # 80 %: 0.6 points, 1.2 once doubled, and a drop gives 1.
        ("double", chances(0.8), 0.0, ""),
        ("take", chances(0.8), 0.2, "drop"),
        ("drop", chances(0.8), 0.0, ""),
        ("beaver", chances(0.8), 1.4, "drop"),
        # 60 %: 0.2 points, 0.4 once doubled, 0.8 once more.
        ("take", chances(0.6), 0.0, ""),
        ("drop", chances(0.6), 0.6, "take"),
        ("beaver", chances(0.6), 0.4, "take"),
        # Behind, each point of the game counts twice: -0.2 becomes -0.4.
        ("double", chances(0.4), 0.2, "no double"),
        ("beaver", chances(0.4), 0.0, ""),
        # Too good: 0.2 + 2 * 0.6 - 0.2 = 1.2 points, and the other side would drop.
        ("double", chances(0.8, 0.6), 0.2, "no double"),
    ],
)
def test_money(action: CubeAction, outcomes: tuple[float, ...], loss: float, better: str) -> None:
    for stakes in (MONEY, Stakes(cube=8, owned=True)):
        found = judged(action, outcomes, stakes)
        assert (found.loss, found.better) == (pytest.approx(loss, abs=1e-9), better)


@pytest.mark.parametrize(
    ("outcomes", "early"),
    # Without gammons the window is 50 to 75 %; its last fifth begins at 70 %.
    [(chances(0.4), False), (chances(0.55), True), (chances(0.69), True), (chances(0.71), False)],
)
def test_a_double_before_the_window_costs_nothing_and_is_early(
    outcomes: tuple[float, ...], early: bool
) -> None:
    assert judged("double", outcomes).early is early
    assert not judged("take", outcomes).early


@pytest.mark.parametrize(("away", "cube"), [((1, 1), 1), ((3, 4), 4), ((2, 2), 2)])
def test_a_double_that_changes_nothing_is_not_early(away: tuple[int, int], cube: int) -> None:
    """Whoever wins the game wins the match."""
    for outcomes in (chances(0.3), chances(0.55), chances(0.9, 0.4)):
        found = judged("double", outcomes, Stakes(cube, away=away))
        assert (found.loss, found.early, found.taken) == (0, False, pytest.approx(found.no_double))


def test_at_a_score_chances_of_the_match_count() -> None:
    # Both need two: the doubled game decides. A drop leaves the Crawford game, which the model gives
    # 1 - (0.74 * 0.5 + 0.26) / 2 = 0.685; a point is therefore 0.185.
    both = Stakes(away=(2, 2))
    assert judged("take", chances(0.7), both).loss == pytest.approx(0.2 / 0.185 - 1)
    assert judged("drop", chances(0.6), both).loss == pytest.approx(1 - 0.1 / 0.185)
    # Gammons are nothing then, and an early double is right.
    assert judged("take", chances(0.66, 0.4), both).loss == 0
    assert judged("double", chances(0.55), both).loss == 0 and not judged("double", chances(0.55), both).early


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6), st.sampled_from([None, (3, 5), (5, 2), (7, 7)]))
@settings(deadline=None, max_examples=60)
def test_it_is_the_rule_of_the_server(weights: list[float], away: tuple[int, int] | None) -> None:
    outcomes = tuple(weight / sum(weights) for weight in weights)
    stakes = Stakes(away=away)
    named = dict(zip(SHORT.outcomes, outcomes, strict=True))
    take, drop, double = (judged(action, outcomes, stakes) for action in ("take", "drop", "double"))
    assert min(take.loss, drop.loss) == 0
    if max(take.loss, drop.loss) > 1e-6:
        assert takes(named, stakes) is (take.loss == 0)
    if doubles(named, stakes):
        assert double.loss == pytest.approx(0, abs=1e-6) and not double.early
    elif double.loss == 0:
        assert double.early


# --- records --------------------------------------------------------------------------------------------

MATCH = """\
 5 point match

 Game 1
 Ann : 1                        Bob : 3
  1) 31: 8/5 6/5                 Doubles => 2
  2)  Takes                      64: 24/14
  3)  Doubles => 4                Drops
"""


def test_who_offers_from_which_cube_and_at_which_score() -> None:
    (game,) = games_of_text(MATCH).games
    offers = [(offer.doubler, offer.stakes) if offer else None for offer in offers_of(game.events, 5, (1, 3))]
    first, second = (1, Stakes(1, False, (2, 4))), (0, Stakes(2, True, (4, 2)))
    assert offers == [None, first, first, None, second, second]


def test_a_beaver_answers_and_is_not_answered() -> None:
    text = (REPOSITORY / "tests" / "data" / "short_money.mat").read_text("utf-8")
    _, second, third = games_of_text(text).games
    found = [
        (event.player, event.action, offer and (offer.stakes.cube, offer.stakes.owned))
        for game in (second, third)
        for event, offer in zip(game.events, offers_of(game.events, None, game.score), strict=True)
        if isinstance(event, CubeTurn)
    ]
    assert found[:5] == [
        (1, "double", (1, False)),
        (0, "beaver", (1, False)),
        # That the doubler plays on is no decision of his.
        (1, "take", None),
        (0, "double", (4, True)),
        (1, "drop", (4, True)),
    ]
    # An automatic double left this cube at 2 in the middle.
    assert [entry[2] for entry in found[5:]] == [(2, False)] * 2 + [(4, True)] * 2 + [(8, True)] * 2


@pytest.mark.parametrize(
    ("game", "length", "score", "said"),
    [
        ("short", None, None, ""),
        ("short", 5, (1, 3), ""),
        ("short", 5, None, "does not tell the score"),
        ("short", 5, (5, 0), "no match to 5 points is played on at 5–0"),
        ("short", 90, (1, 3), "no match to 90 points"),
        ("long", None, None, "long/fns has no cube"),
    ],
)
def test_what_cannot_be_judged(
    game: str, length: int | None, score: tuple[float, float] | None, said: str
) -> None:
    found = unjudged(Game(game), length, score)
    assert (said in found) if said else found == ""


@pytest.fixture(scope="module")
def told() -> Analysis:
    bot = load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    return analyse([("m.mat", games_of_text(MATCH))], bot, progress=False)


def test_the_net_is_asked_about_the_position_before_the_double(told: Analysis) -> None:
    bot = load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    ((_, game),) = told.games
    double, take, again, drop = game.cubes
    for cube in game.cubes:
        assert cube.judged is not None
        outcomes = bot.evaluate(cube.turn.position).outcomes
        assert cube.judged.outcomes == pytest.approx(list(outcomes.values()), abs=1e-6)
    assert double.judged and take.judged and double.judged.taken == take.judged.taken
    assert again.judged and drop.judged and again.judged.taken == drop.judged.taken


def test_sums_and_json(told: Analysis) -> None:
    ann, bob = (told.cube_tally(player) for player in ("Ann", "Bob"))
    assert (ann.doubles, ann.takes, ann.drops, ann.decisions) == (1, 1, 0, 2)
    assert (bob.doubles, bob.takes, bob.drops, bob.decisions) == (1, 0, 1, 2)
    ((_, game),) = told.games
    losses = [cube.judged.loss for cube in game.cubes if cube.judged]
    assert ann.lost + bob.lost == pytest.approx(sum(losses))
    wrong = ann.wrong_doubles + ann.wrong_takes + ann.wrong_drops
    wrong += bob.wrong_doubles + bob.wrong_takes + bob.wrong_drops
    assert wrong == sum(loss >= 0.03 for loss in losses) == len(told.wrong_cubes) > 0
    report = json.loads(json.dumps(told.as_dict(), allow_nan=False))
    assert report["players"][0]["cube"] == ann.as_dict()
    (shown,) = report["files"][0]["games"]
    assert [cube["judged"]["loss"] for cube in shown["cube"]] == losses
    assert shown["cube_unjudged"] is None
    # Plays are counted apart.
    assert report["players"][0]["decisions"] == 1


def test_page_and_text_show_them(told: Analysis) -> None:
    text, html = summary(told), page(told)
    assert "cube decisions, the cube dead once it is turned" in text
    assert max(map(len, text.splitlines())) <= WIDTH
    worst = told.wrong_cubes[0][2]
    assert worst.judged is not None
    assert f"-{worst.judged.loss:.3f}  {worst.grade}" in text and f"better: {worst.judged.better}" in text
    assert f"{worst.grade}: {worst.judged.loss:.3f} lost" in html


def test_without_a_score_the_report_says_why_there_are_no_figures() -> None:
    bot = load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    games = games_of_text(MATCH.replace(" Ann : 1                        Bob : 3\n", ""))
    found = analyse([("m.mat", games)], bot, progress=False)
    said = "4 not judged: the record does not tell the score of the match"
    assert said in summary(found) and said in page(found)
    assert found.cube_tally(found.players[0]).decisions == 0 and not found.wrong_cubes
    (game,) = found.as_dict()["files"][0]["games"]
    assert game["cube_unjudged"] == said.partition(": ")[2] and game["cube"][0]["judged"] is None


def test_games_without_a_cube_say_nothing_of_it() -> None:
    bot = load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    games = games_of_text(" Game 1\n A : 0  B : 0\n  1) 31: 8/5 6/5\n")
    found = analyse([("a.mat", games)], bot, progress=False)
    assert "cube decisions, the cube dead" not in summary(found)
    assert "Cube decisions" not in page(found)
