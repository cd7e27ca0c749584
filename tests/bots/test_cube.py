"""Decisions about the cube, against values worked out by hand."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nardy_ai as nardy
from nardy_ai.bots.cube import Stakes, cube_worths, doubles, takes
from nardy_ai.bots.match_equity import match_equity

NAMES = ("win", "win_gammon", "win_backgammon", "lose", "lose_gammon", "lose_backgammon")
MONEY = Stakes()


def chances(win: float, gammon: float = 0, lose_gammon: float = 0) -> dict[str, float]:
    return dict(zip(NAMES, (win - gammon, gammon, 0, 1 - win - lose_gammon, lose_gammon, 0), strict=True))


@pytest.mark.parametrize(
    ("outcomes", "taken"),
    [
        # Without gammons the taker needs a quarter.
        (chances(0.749), True),
        (chances(0.751), False),
        # 0.5 + 2 * 0.1 - 0.3 - 2 * 0.1 = 0.2 points; 0.6 + 2 * 0.12 - 0.28 = 0.56 points.
        (chances(0.6, 0.1, 0.1), True),
        (chances(0.72, 0.12), False),
        (chances(0.62, 0.12), True),
        # A taker who wins gammons may take with less: 0.8 - 0.05 - 2 * 0.15 = 0.45.
        (chances(0.8, 0, 0.15), True),
    ],
)
def test_money_is_taken_up_to_half_a_point(outcomes: dict[str, float], taken: bool) -> None:
    assert takes(outcomes, MONEY) is taken
    assert takes(outcomes, Stakes(cube=4, owned=True)) is taken


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_take_point_is_the_one_of_the_formula(weights: list[float]) -> None:
    total = sum(weights)
    outcomes = {name: weight / total for name, weight in zip(NAMES, weights, strict=True)}
    mine = [outcomes[name] for name in NAMES[:3]]
    his = [outcomes[name] for name in NAMES[3:]]
    lost = sum(share * points for share, points in zip(mine, (1, 2, 3), strict=True)) / sum(mine)
    won = sum(share * points for share, points in zip(his, (1, 2, 3), strict=True)) / sum(his)
    needed = (lost - 0.5) / (won + lost)
    if abs(sum(his) - needed) > 1e-6:
        assert takes(outcomes, MONEY) is (sum(his) > needed)


@pytest.mark.parametrize(
    ("win", "first", "again"),
    # The window is 0.5 to 0.75: its last fifth begins at 0.70, its last tenth at 0.725.
    [(0.49, False, False), (0.69, False, False), (0.71, True, False), (0.73, True, True), (0.9, True, True)],
)
def test_money_is_doubled_late_in_the_window(win: float, first: bool, again: bool) -> None:
    assert doubles(chances(win), MONEY) is first
    assert doubles(chances(win), Stakes(cube=2, owned=True)) is again


def test_a_position_too_good_to_double_is_played_on() -> None:
    # 0.2 + 2 * 0.6 - 0.2 points are more than the one that a drop gives.
    assert not doubles(chances(0.8, 0.6), MONEY)
    assert doubles(chances(0.8, 0.1), MONEY)


def test_a_certain_outcome_is_decided_too() -> None:
    assert doubles(chances(1.0), MONEY) and not takes(chances(1.0), MONEY)
    assert not doubles(chances(1.0, 1.0), MONEY)
    assert not doubles(chances(0.0), MONEY) and takes(chances(0.0), MONEY)


def test_where_both_need_a_point_the_cube_means_nothing() -> None:
    last = Stakes(away=(1, 1))
    for win in (0.1, 0.5, 0.9):
        assert not doubles(chances(win), last)
        assert takes(chances(win), last)


def test_after_the_crawford_game_the_trailer_doubles_whatever_he_has() -> None:
    assert doubles(chances(0.02), Stakes(away=(2, 1)))
    # The leader gains nothing by more points.
    assert not doubles(chances(0.7), Stakes(away=(1, 2)))


@pytest.mark.parametrize(("win", "doubled"), [(0.49, False), (0.51, True), (0.68, True)])
def test_where_both_need_two_the_cube_is_dead_once_turned(win: float, doubled: bool) -> None:
    assert doubles(chances(win), Stakes(away=(2, 2))) is doubled


def test_a_drop_at_two_points_each_leaves_the_crawford_game() -> None:
    # Crawford, two points behind: (0.74 * 0.5 + 0.26) / 2 = 0.315, which the taker must have.
    assert takes(chances(0.684), Stakes(away=(2, 2)))
    assert not takes(chances(0.686), Stakes(away=(2, 2)))


def test_gammons_count_at_the_score() -> None:
    # With two points to go a gammon on the doubled cube is no more than a single win.
    assert takes(chances(0.66, 0.4), Stakes(away=(2, 2)))
    # With five to go it is much more.
    assert not takes(chances(0.66, 0.4), Stakes(away=(5, 5)))


@pytest.mark.parametrize(
    ("mine", "his", "post", "published"),
    # Tables made by rollouts say so.
    [
        (2, 1, False, 0.323),
        (3, 1, False, 0.25),
        (4, 1, False, 0.186),
        (2, 1, True, 0.49),
        (3, 1, True, 0.323),
        (4, 1, True, 0.31),
        (5, 1, True, 0.19),
        (5, 3, False, 0.352),
        (4, 2, False, 0.33),
        (15, 2, False, 0.0234),
        (13, 2, False, 0.0377),
    ],
)
def test_chances_of_a_match_are_near_the_published_ones(
    mine: int, his: int, post: bool, published: float
) -> None:
    assert match_equity(mine, his, post_crawford=post) == pytest.approx(published, abs=0.025)


@given(st.integers(-5, 64), st.integers(1, 64), st.booleans())
@settings(deadline=None)
def test_chances_of_both_sides_are_one(mine: int, his: int, post: bool) -> None:
    chance = match_equity(mine, his, post_crawford=post)
    assert 0 <= chance <= 1
    assert chance + match_equity(his, mine, post_crawford=post) == pytest.approx(1)
    # A point more to go is worse; two that both need more have not come to the Crawford game.
    worse = match_equity(mine + 1, his, post_crawford=False)
    assert worse < chance if mine > 0 and not post else worse <= 1


def test_a_point_is_worth_something_at_every_score() -> None:
    """Else a game would be played for gammons alone, and a wrong drop would cost hundreds of points."""
    outcomes = chances(0.71, 0.21, 0.09)
    for mine, his in itertools.product(range(2, 26), repeat=2):
        worths = cube_worths(outcomes, Stakes(away=(mine, his)))
        assert -3 < worths.no_double < 3 and -3 < worths.taken < 3, (mine, his)


def test_stakes_that_cannot_be_are_refused() -> None:
    for bad in ({"cube": 3}, {"cube": 0}, {"away": (0, 1)}, {"away": (3, 65)}):
        with pytest.raises(nardy.InputError):
            Stakes(**bad)
