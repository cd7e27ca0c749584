"""Both sides by PettingZoo: who acts when, what both see, what they get."""

from __future__ import annotations

import numpy as np
import pytest

from nardy_ai.core import InputError
from nardy_ai.envs import PASS, Course, NardyAEC, env, raw_env, read_observation
from nardy_ai.rules import Game, turned


def first_open(adapter: NardyAEC) -> int:
    return int(adapter.observe(adapter.agent_selection)["action_mask"].argmax())


def test_an_agent_acts_until_his_turn_is_over() -> None:
    adapter = raw_env("short")
    adapter.reset(seed=2)
    agents = []
    for _ in range(3):
        turn = adapter.turn
        assert turn is not None
        agents.append((adapter.agent_selection, len(turn.paths[0])))
        while adapter.turn is turn:
            adapter.step(first_open(adapter))
    assert [agent for agent, _ in agents] == ["player_0", "player_1", "player_0"]
    assert all(count in (2, 4) for _, count in agents)


def test_both_see_the_same_board_from_their_own_side() -> None:
    adapter = raw_env("long")
    adapter.reset(seed=2)
    # A movement of the second turn: both have begun.
    while adapter.agent_selection == "player_0":
        adapter.step(first_open(adapter))
    adapter.step(first_open(adapter))
    seen = [adapter.observe(agent)["observation"] for agent in ("player_1", "player_0")]
    mine, his = map(read_observation, seen)
    assert his.board.tolist() == turned(mine.board).tolist()
    assert (mine.seat, his.seat) == (1, 0)
    assert (mine.turns, his.turns) == (0, 1)
    assert his.dice.tolist() == [0] * 6
    assert not adapter.observe("player_0")["action_mask"].any()


@pytest.mark.parametrize("name", ["short", "long"])
def test_turns_had_are_those_that_a_replay_counts(name: str) -> None:
    adapter = raw_env(name)
    adapter.reset(seed=5)
    had = {"player_0": 0, "player_1": 0}
    for _ in range(12):
        for agent, count in had.items():
            assert read_observation(adapter.observe(agent)["observation"]).turns == min(count, 3)
        turn, agent = adapter.turn, adapter.agent_selection
        while adapter.turn is turn:
            adapter.step(first_open(adapter))
        had[agent] += 1


def test_an_illegal_action_is_refused_in_a_sentence() -> None:
    adapter = raw_env("short")
    adapter.reset(seed=1)
    sentence = r"^action 150 \(pass\) is not legal with \d-\d: take \d+ \("
    with pytest.raises(InputError, match=sentence) as refused:
        adapter.step(PASS)
    assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="no action 151"):
        adapter.step(151)
    assert first_open(adapter) != PASS


def test_an_illegal_action_ends_the_wrapped_game() -> None:
    wrapped = env("short")
    wrapped.reset(seed=1)
    wrapped.step(PASS)
    assert all(wrapped.terminations.values())
    # As much as a game can cost: giving up a gammon by an illegal action must not pay.
    assert wrapped.rewards == {"player_0": -3.0, "player_1": 0}


def test_a_start_position_may_have_the_second_player_on_roll() -> None:
    adapter = raw_env("short")
    key = f"{Game('short').start().id}:1:3"
    adapter.reset(seed=1, options={"position": key})
    assert adapter.agent_selection == "player_1"
    assert adapter.position.key == key


def test_an_opening_roll_is_no_double_where_the_profile_says_so() -> None:
    rolls = {name: [Course(Game(name), 1, number).dice for number in range(60)] for name in ("short", "long")}
    assert not any(high == low for high, low in rolls["short"])
    assert any(high == low for high, low in rolls["long"])


def test_a_draw_is_worth_nothing_to_both() -> None:
    game = Game("long")
    board = np.zeros((2, 26), np.int8)
    board[:, 0], board[:, 25] = 1, 14
    adapter = raw_env(game)
    adapter.reset(seed=1, options={"position": game.position(board, seat=0, turns=3)})
    for agent in ("player_0", "player_1"):
        assert adapter.agent_selection == agent
        adapter.step(first_open(adapter))
    assert adapter.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert {info["outcome"] for info in adapter.infos.values()} == {"draw"}


def test_a_cut_game_is_truncated() -> None:
    adapter = raw_env("short", max_turns=2)
    adapter.reset(seed=1)
    while not any(adapter.truncations.values()):
        adapter.step(first_open(adapter))
    assert adapter.course.turn == 2
    assert not any(adapter.terminations.values())
    assert adapter.turn is None
