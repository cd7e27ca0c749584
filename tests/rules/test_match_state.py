"""Money play and matches of short nardy, step by step."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from nardy_ai.core import InputError
from nardy_ai.rules import Game
from nardy_ai.rules.match import Cube, IllegalStep, MatchState, Terms, set_up
from nardy_ai.rules.match.errors import RULES

SHORT = Game("short")


def match_to(length: int, **options: bool) -> MatchState:
    return MatchState.begin(Terms.match(SHORT, length, **options))


def money(**options: bool | int) -> MatchState:
    return MatchState.begin(Terms.money(SHORT, **options))  # type: ignore[arg-type]


def begun(state: MatchState, starter: int = 0) -> MatchState:
    """The state with the other side about to throw for the first time: 3-1 has been played."""
    return state.roll_off((3, 1) if starter == 0 else (1, 3)).play("8/5 6/5")


def forbids(rule: str, step: Callable[[], object]) -> str:
    with pytest.raises(IllegalStep) as found:
        step()
    assert found.value.rule == rule
    assert str(found.value).startswith(RULES[rule] + ": ")
    assert "\n" not in str(found.value)
    return str(found.value)


def won_by(state: MatchState, player: int, points: int) -> MatchState:
    """A game in which `player` wins that many points by the other's resignation at a stake of 1 or 2."""
    game = state if state.phase == "rolloff" else state.next_game()
    kind = {1: "single", 2: "gammon", 3: "backgammon"}[points]
    return begun(game).resign(kind, by=1 - player)


# --- the worked example ---------------------------------------------------------------------------------


def test_the_worked_example_to_five() -> None:
    state = won_by(match_to(5), 0, 2)
    assert state.score == (2, 0)
    state = won_by(state, 1, 1)
    assert state.score == (2, 1)
    state = won_by(state, 0, 2)
    assert (state.score, state.crawford, state.phase) == ((4, 1), False, "game_over")

    crawford = begun(state.next_game())
    assert (crawford.crawford, crawford.post_crawford) == (True, False)
    forbids("crawford", crawford.double)
    state = crawford.resign("single", by=0)
    assert state.score == (4, 2)

    after = begun(state.next_game())
    assert (after.crawford, after.post_crawford) == (False, True)
    state = after.double().drop() if after.decider == 1 else after.throw((2, 1)).play("13/10").double().drop()
    assert state.result is not None
    assert state.result.winner == 1
    state = won_by(state, 1, 1)
    assert state.score == (4, 4)
    last = begun(state.next_game())
    assert not last.crawford, "the Crawford game is played once"
    doubled = last.double().take()
    state = doubled.resign("single", by=1)
    assert (state.score, state.phase, state.winner) == ((6, 4), "match_over", 0)
    forbids("end", state.next_game)


def test_the_crawford_game_comes_again_in_no_match_of_one_point() -> None:
    state = match_to(1)
    assert not state.crawford
    assert won_by(state, 1, 1).phase == "match_over"


def test_a_match_may_do_without_the_crawford_rule() -> None:
    state = begun(won_by(match_to(2, crawford=False), 0, 1).next_game())
    assert "double" in state.choices
    assert not state.crawford_played


def test_a_win_of_many_points_can_skip_the_crawford_score() -> None:
    state = won_by(match_to(3), 0, 2)
    assert state.next_game().crawford
    assert not won_by(match_to(4), 0, 2).next_game().crawford
    assert won_by(match_to(2), 1, 3).phase == "match_over"


# --- opening --------------------------------------------------------------------------------------------


def test_the_higher_die_starts_with_the_dice_just_thrown() -> None:
    state = money().roll_off((2, 5))
    assert (state.starter, state.on_roll, state.phase, state.dice) == (1, 1, "play", (5, 2))
    assert state.position == SHORT.start()
    forbids("cube", state.double)


def test_a_fresh_throw_follows_where_the_profile_says_so() -> None:
    portes = MatchState.begin(Terms.match(Game("short/portes"), 5))
    state = portes.roll_off((6, 5))
    assert (state.starter, state.phase, state.dice) == (0, "throw", None)
    assert state.throw((4, 4)).dice == (4, 4)
    assert portes.starts(1).on_roll == 1
    forbids("opening", lambda: money().starts(1))


def test_ties_are_thrown_again() -> None:
    state = money()
    assert state.roll_off((4, 4)) == state


def test_automatic_doubles_stop_at_their_number() -> None:
    state = money(automatic_doubles=2)
    values = []
    for _ in range(4):
        state = state.roll_off((3, 3))
        values.append((state.cube, state.automatic))
    assert values == [(Cube(2), 1), (Cube(4), 2), (Cube(4), 2), (Cube(4), 2)]
    assert begun(state).double().drop().score == (0, 4)
    assert begun(state).double().take().cube == Cube(8, 0)


def test_automatic_doubles_of_a_game_do_not_last() -> None:
    state = begun(money(automatic_doubles=1).roll_off((1, 1))).resign("single", by=0).next_game()
    assert (state.cube, state.automatic) == (Cube(1), 0)
    assert state.roll_off((2, 2)).cube == Cube(2)


def test_every_tie_doubles_in_nine_fair_and_nobody_doubles_by_choice() -> None:
    state = MatchState.begin(Terms.money(Game("short/nine_fair")))
    for value in (2, 4, 8):
        state = state.roll_off((6, 6))
        assert state.cube == Cube(value)
    forbids("cube", begun(state).double)
    assert begun(state).resign("gammon", by=1).score == (16, 0)


def test_automatic_doubles_keep_to_the_limit_of_the_cube() -> None:
    state = MatchState.begin(Terms.money(Game("short/nine_fair"), max_cube=2))
    assert state.roll_off((1, 1)).roll_off((1, 1)).cube == Cube(2)


# --- the cube -------------------------------------------------------------------------------------------


def test_a_double_is_taken_and_the_taker_owns_the_cube() -> None:
    state = begun(money())
    assert state.choices == ("throw", "double")
    offered = state.double(by=1)
    assert (offered.phase, offered.decider, offered.on_roll, offered.offered) == ("doubled", 0, 1, 2)
    taken = offered.take(by=0)
    assert (taken.cube, taken.phase, taken.on_roll) == (Cube(2, 0), "throw", 1)
    assert "player 0 owns the cube" in forbids("cube_owner", taken.double)
    redoubled = taken.throw((2, 1)).play("13/10").double()
    assert redoubled.take().cube == Cube(4, 1)


def test_a_refused_double_loses_the_present_stake() -> None:
    state = begun(money()).double().take().throw((2, 1)).play("13/10").double().drop()
    assert state.result is not None
    assert (state.result.winner, state.result.points, state.result.how) == (0, 2, "drop")
    assert (state.score, state.phase, state.on_roll, state.decider) == ((2, 0), "game_over", None, None)


def test_results_are_multiplied_by_the_cube() -> None:
    state = begun(money()).double().take()
    assert state.resign("backgammon", by=1).score == (6, 0)


def test_doubling_comes_before_the_throw() -> None:
    message = forbids("cube", begun(money()).throw((3, 1)).double)
    assert "before the throw" in message


def test_the_cube_has_a_limit() -> None:
    state = begun(money(max_cube=2)).double().take().throw((2, 1)).play("13/10")
    forbids("cube_limit", state.double)
    forbids("cube_limit", begun(money(max_cube=1)).double)


def test_jacoby_counts_gammons_single_until_the_cube_is_turned() -> None:
    state = begun(money(jacoby=True))
    assert state.resign("gammon", by=0).score == (0, 1)
    assert state.resign("backgammon", by=0).score == (0, 1)
    assert state.double().take().resign("gammon", by=0).score == (0, 4)
    assert begun(money(jacoby=False)).resign("gammon", by=0).score == (0, 2)


def test_an_automatic_double_turns_no_cube_for_jacoby() -> None:
    state = begun(money(jacoby=True, automatic_doubles=1).roll_off((2, 2)))
    assert state.resign("gammon", by=0).score == (0, 2)
    board = SHORT.start().board.copy()
    board[:] = 0
    board[0, [0, 25]] = 1, 14
    board[1, 18] = 15
    position = SHORT.position(board, turns=3)
    for cube, points in ((Cube(2), 2), (Cube(2, 0), 6)):
        state = set_up(money(jacoby=True, automatic_doubles=1).terms, position, on_roll=0, cube=cube)
        over = state.throw((2, 1)).play("1/off")
        assert over.result is not None
        assert (over.result.kind, over.result.points) == ("backgammon", points)


def test_a_beaver_keeps_the_cube() -> None:
    state = begun(money(beavers=True)).double().beaver(by=0)
    assert (state.phase, state.decider, state.offered) == ("beavered", 1, 4)
    assert state.take().cube == Cube(4, 0)
    assert state.take().on_roll == 1
    assert state.drop().score == (2, 0)
    forbids("order", state.beaver)


def test_beavers_must_be_agreed_on() -> None:
    assert "not agreed" in forbids("beavers", begun(money()).double().beaver)
    assert "match" in forbids("beavers", begun(match_to(5)).double().beaver)
    forbids("cube_limit", begun(money(beavers=True, max_cube=2)).double().beaver)


# --- order ----------------------------------------------------------------------------------------------


def test_every_step_out_of_order_is_refused_and_leaves_the_state_alone() -> None:
    opened = money()
    throwing = begun(money(beavers=True))
    thrown = throwing.throw((6, 1))
    doubled = throwing.double()
    beavered = doubled.beaver()
    over = doubled.drop()
    states = {
        "rolloff": opened,
        "throw": throwing,
        "play": thrown,
        "doubled": doubled,
        "beavered": beavered,
        "game_over": over,
        "match_over": won_by(match_to(1), 0, 1),
    }
    steps: dict[str, Callable[[MatchState], object]] = {
        "roll_off": lambda s: s.roll_off((3, 1)),
        "throw": lambda s: s.throw((3, 1)),
        "play": lambda s: s.play(s.plays()[0]),
        "double": lambda s: s.double(),
        "take": lambda s: s.take(),
        "drop": lambda s: s.drop(),
        "beaver": lambda s: s.beaver(),
        "next_game": lambda s: s.next_game(),
    }
    for phase, state in states.items():
        assert state.phase == phase
        kept = pickle.dumps(state)
        for name, step in steps.items():
            if name in state.choices:
                step(state)
                continue
            with pytest.raises(IllegalStep) as found:
                step(state)
            assert found.value.rule in ("order", "end", "cube")
            assert pickle.loads(pickle.dumps(found.value)).rule == found.value.rule
        assert pickle.loads(kept) == state
        assert hash(pickle.loads(kept)) == hash(state)


def test_steps_belong_to_players() -> None:
    state = begun(money(beavers=True))
    doubled = state.double(by=1)
    for step in (
        lambda: state.throw((2, 1), by=0),
        lambda: state.double(by=0),
        lambda: state.throw((2, 1)).play("13/10", by=0),
        lambda: doubled.take(by=1),
        lambda: doubled.drop(by=1),
        lambda: doubled.beaver(by=1),
        lambda: doubled.beaver().take(by=0),
    ):
        assert "up to player" in forbids("order", step)


def test_an_illegal_play_names_the_rule_and_the_nearest() -> None:
    state = begun(money()).throw((6, 1))
    message = forbids("plays", lambda: state.play("24/18 6/1"))
    assert "6-1" in message
    other = begun(money()).throw((6, 2)).plays()[0]
    forbids("plays", lambda: state.play(other))
    with pytest.raises(InputError):
        state.play("no play at all")
    with pytest.raises(InputError, match="a Play or its notation"):
        state.play(None)  # type: ignore[arg-type]


def test_a_pass_is_made_and_not_left_out() -> None:
    board = SHORT.start().board.copy()
    board[:] = 0
    board[0, [24, 5]] = 1, 14
    board[1, [0, 1, 2, 3, 4, 5, 6]] = 2, 2, 2, 2, 2, 2, 3
    state = set_up(Terms.money(SHORT), SHORT.position(board, turns=3), on_roll=0, dice=(6, 5))
    passed = state.play("pass")
    assert (passed.on_roll, passed.phase) == (1, "throw")
    forbids("order", lambda: passed.play("pass"))


def test_resignation_needs_a_game_and_a_kind() -> None:
    state = begun(match_to(5))
    forbids("order", lambda: match_to(5).resign("single", by=0))
    forbids("order", lambda: state.double().resign("single", by=0))
    forbids("resignation", lambda: state.resign("mars", by=0))
    forbids("resignation", lambda: MatchState.begin(Terms.match(Game("short/portes"), 3)).starts(0).resign(
        "backgammon", by=0
    ))  # fmt: skip
    with pytest.raises(InputError, match="a player is 0 or 1"):
        state.resign("single", by=2)


@pytest.mark.parametrize("dice", [(7, 1), (0, 3), (1,), (1, 2, 3), (1.5, 2), None, "ab", (True, 2)])
def test_bad_dice(dice: object) -> None:
    for step in (money().roll_off, begun(money()).throw):
        with pytest.raises(InputError, match="dice must be two whole numbers"):
            step(dice)  # type: ignore[operator]


def test_a_game_played_to_its_end() -> None:
    board = SHORT.start().board.copy()
    board[:] = 0
    board[0, [0, 25]] = 1, 14
    board[1, [5, 18]] = 10, 5
    terms = Terms.match(SHORT, 7)
    for owner, points in ((None, 3), (0, 6)):
        cube = Cube() if owner is None else Cube(2, owner)
        state = set_up(terms, SHORT.position(board, turns=3), on_roll=1, won=(2, 1), cube=cube)
        state = state.throw((2, 1)).play("1/off")
        assert state.result is not None
        assert (state.result.kind, state.result.how) == ("backgammon", "play")
        assert state.score == (2, 1 + points)


# --- terms ----------------------------------------------------------------------------------------------


def test_a_match_has_none_of_the_money_rules() -> None:
    profile = Game("short").profile
    assert Terms.match(SHORT, 5).cube.enabled
    assert not Terms.match(Game("short/nine_fair"), 5).cube.automatic_doubles
    assert Terms.match(Game("long")).length == 3
    assert profile.match.length is None
    with pytest.raises(InputError, match="no usual length"):
        Terms.match(SHORT)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Terms.match(SHORT, 0), "length of a match"),
        (lambda: Terms.match(SHORT, 40_000), "length of a match"),
        (lambda: Terms.match(SHORT, True), "length of a match"),
        (lambda: Terms.match(SHORT, 5, max_cube=3), "power of two"),
        (lambda: Terms.money(SHORT, max_cube=0), "power of two"),
        (lambda: Terms.money(SHORT, automatic_doubles=-1), "automatic_doubles"),
        (lambda: Terms.money(SHORT, automatic_doubles=True), "automatic_doubles"),
        (lambda: Terms.money(Game("short/portes"), jacoby=True), "need a cube"),
        (lambda: Terms.money(Game("long"), automatic_doubles=1), "no cube"),
        (lambda: Terms.match(Game("long"), 3, max_cube=1), "no cube"),
        (lambda: Terms("short", None, SHORT.profile.cube, False), "a Game is needed"),
    ],
)
def test_wrong_terms(make: Callable[[], Terms], why: str) -> None:
    with pytest.raises(InputError, match=why):
        make()


# --- setting up -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"on_roll": 2}, "on_roll"),
        ({"won": (5, 0)}, "match to 5 is over"),
        ({"won": (-1, 0)}, "score"),
        ({"won": (1.5, 0)}, "score"),
        ({"draws": 1}, "knows no draws"),
        ({"crawford": True}, "not the Crawford game"),
        ({"crawford": True, "won": (4, 4)}, "not the Crawford game"),
        ({"crawford": True, "won": (4, 0), "cube": Cube(2, 0)}, "Crawford game"),
        ({"cube": Cube(3, 0)}, "power of two"),
        ({"cube": Cube(2)}, "automatic doubles"),
        ({"cube": Cube(1, 1)}, "in the middle"),
        ({"cube": Cube(2, 5)}, "owner"),
        ({"cube": Cube(2048, 0)}, "limit"),
        ({"dice": (1, 7)}, "dice"),
        ({"dice": (1, 2), "offered": "double"}, "before the throw"),
        ({"offered": "raccoon"}, "no offer"),
        ({"offered": "beaver"}, "beavers"),
        ({"offered": "double", "cube": Cube(2, 1)}, "owner of the cube"),
    ],
)
def test_a_wrong_set_up(options: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        set_up(Terms.match(SHORT, 5), SHORT.start(), **({"on_roll": 0} | options))  # type: ignore[arg-type]


def test_a_set_up_knows_that_the_crawford_game_is_over() -> None:
    state = set_up(Terms.match(SHORT, 5), SHORT.start(), on_roll=1, won=(4, 2))
    assert state.post_crawford
    assert state.double().offered == 2
    with pytest.raises(InputError, match="belongs to"):
        set_up(Terms.match(SHORT, 5), Game("long").start(), on_roll=0)
