"""One learner against a bot."""

from __future__ import annotations

from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest

import nardy_ai as nardy
from nardy_ai import core
from nardy_ai.bots import BoardBot
from nardy_ai.bots.bot import Boards, Bytes, Keys
from nardy_ai.core import InputError
from nardy_ai.envs import ENV_ID, PASS, NardyEnv, read_observation
from nardy_ai.rules import Game, Position


def play_by(env: NardyEnv, bot: Any) -> tuple[float, dict[str, Any]]:
    """Plays the game that is on to its end by a bot's choices."""
    reward, over, info = 0.0, False, {}
    while not over:
        assert env.turn is not None
        course = env.course
        chosen = bot.choose_boards(
            env.game,
            np.asarray(env.position.board)[None],
            np.array([env.dice], np.uint8),
            np.array([env.seat], np.uint8),
            np.array([env.position.turns], np.uint8),
            np.array([[course.seed, course.number, course.turn]], np.uint64),
        )[0]
        for action in env.turn.path_to(chosen):
            assert reward == 0
            _, reward, over, _, info = env.step(action)
    return reward, info


@pytest.mark.parametrize(("game", "learner"), [("short", "random"), ("long", "random"), ("short", "pubeval")])
def test_episodes_are_the_games_of_a_match(game: str, learner: str) -> None:
    """The same dice, lots, seats and points as the native driver, which shares no code with the adapter."""
    bot, pairs = nardy.bot(learner), 15
    env = NardyEnv(game, "greedy")
    env.reset(seed=21)
    rewards, outcomes = [], Counter[str]()
    for episode in range(2 * pairs):
        assert env.seat == episode % 2
        reward, info = play_by(env, bot)
        rewards.append(reward)
        outcomes[info["outcome"]] += 1
        env.reset()
    expected = nardy.match(bot, nardy.bot("greedy"), game, pairs=pairs, seed=21)
    assert sum(rewards) / len(rewards) == pytest.approx(expected.ppg)
    assert outcomes == {name: count for name, count in expected.outcomes.items() if count}


class LastBot(BoardBot):
    """Asked in Python: the last result of the engine's list."""

    name = "last"
    fingerprint = "last 1"

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        results, offsets = core.legal_boards(game.core_rules, boards, dice, seats, turns)
        return results[offsets[1:] - 1]


def test_a_bot_in_python_is_an_opponent_too() -> None:
    env = NardyEnv("short", LastBot())
    env.reset(seed=8)
    points = 0.0
    for _ in range(6):
        points += play_by(env, nardy.bot("greedy"))[0]
        env.reset()
    expected = nardy.match(nardy.bot("greedy"), LastBot(), "short", pairs=3, seed=8)
    assert points / 6 == pytest.approx(expected.ppg)


def test_the_observation_is_the_learners_view() -> None:
    env = NardyEnv("short", "greedy", seat=1)
    seen, info = env.reset(seed=3)
    parts = read_observation(seen["observation"])
    assert parts.board.tolist() == env.position.board.tolist()
    # The bot, who began, has moved: row 1 is not the start any more, row 0 is.
    assert parts.board[0].tolist() == env.game.start().board[0].tolist()
    assert parts.board[1].tolist() != env.game.start().board[1].tolist()
    assert (parts.seat, parts.turns, info["seat"]) == (1, 0, 1)
    assert env.dice is not None
    assert parts.dice.sum() == (4 if env.dice[0] == env.dice[1] else 2)
    assert info["action_mask"].tolist() == seen["action_mask"].tolist()
    assert env.action_masks().tolist() == seen["action_mask"].astype(bool).tolist()


def test_an_illegal_action_loses_the_most_and_says_why() -> None:
    env = NardyEnv("short", "greedy")
    seen, _ = env.reset(seed=1)
    _, reward, over, cut, info = env.step(PASS)
    assert (reward, over, cut) == (-3.0, True, False)
    assert info["illegal"].startswith("action 150 (pass) is not legal with ")
    assert seen["action_mask"][PASS] == 0
    assert not info["action_mask"].any()
    with pytest.raises(InputError, match="the game is over"):
        env.step(0)
    env.reset()
    assert env.action_masks().any()


def test_a_cut_game_is_truncated_and_worth_nothing() -> None:
    env = NardyEnv("long", "greedy", max_turns=3)
    seen, _ = env.reset(seed=1)
    over = cut = False
    while not (over or cut):
        seen, reward, over, cut, info = env.step(int(seen["action_mask"].argmax()))
    assert (over, cut, reward) == (False, True, 0.0)
    assert "outcome" not in info
    with pytest.raises(InputError, match="the game is over"):
        env.step(0)


def test_games_go_on_from_the_seed_and_can_be_named() -> None:
    env = NardyEnv("short", "random", seat=0)
    first = [env.reset(seed=9)[0]["observation"].tolist()]
    first += [env.reset()[0]["observation"].tolist() for _ in range(3)]
    again = [env.reset(seed=9, options={"game": number})[0]["observation"].tolist() for number in range(4)]
    assert again == first
    assert len({tuple(seen) for seen in first}) > 1


def test_a_game_can_begin_anywhere() -> None:
    game = nardy.Game("long")
    board = np.zeros((2, 26), np.int8)
    board[0, 0], board[0, 25] = 1, 14
    board[1, 5], board[1, 25] = 1, 14
    position = game.position(board, seat=0, turns=3)
    env = NardyEnv(game, "greedy", seat=0)
    for start in (position, position.key):
        seen, _ = env.reset(seed=1, options={"position": start})
        assert read_observation(seen["observation"]).board.tolist() == board.tolist()
        _, _, over, _, info = env.step(int(seen["action_mask"].argmax()))
        # The second player has one more roll, and his last checker is at home: a draw, or not.
        assert over
        assert info["outcome"] in ("draw", "win")


def test_a_fresh_environment_without_a_seed_still_plays() -> None:
    one, other = NardyEnv("short", "random"), NardyEnv("short", "random")
    seeds = {env.reset()[1]["seed"] for env in (one, other)}
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"game": "shrot"}, r'unknown game "shrot", did you mean "short"\?'),
        ({"opponent": "gredy"}, r"there is no bot 'gredy': did you mean 'greedy'\?"),
        ({"game": "long", "opponent": "pubeval"}, "pubeval"),
        ({"opponent": 3}, "the opponent is a bot or its name, not int"),
        ({"seat": 2}, "seat is 2"),
        ({"render_mode": "pygame"}, "there is no render mode 'pygame'"),
        ({"max_turns": 0}, "max_turns is 0"),
    ],
)
def test_wrong_words_are_refused_in_a_sentence(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as refused:
        NardyEnv(**words)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"seed": -1}, "the seed is -1, and must be from 0 to"),
        ({"options": {"game": -1}}, r"options\['game'\] is -1"),
        ({"options": {"position": 5}}, "a Position or its key, not int"),
        ({"options": {"position": "nonsense"}}, "position"),
    ],
)
def test_wrong_resets_are_refused_in_a_sentence(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises((InputError, gymnasium.error.Error), match=sentence):
        NardyEnv("short", "random").reset(**words)


def test_a_finished_position_is_no_beginning() -> None:
    game = nardy.Game("short")
    board = np.zeros((2, 26), np.int8)
    board[0, 5], board[1, 25] = 15, 15
    over = Position(game, board, 0, 3)
    with pytest.raises(InputError, match="finished game"):
        NardyEnv(game, "random").reset(options={"position": over})


@pytest.mark.parametrize("wrong", ["13/7", 1.5, None])
def test_an_action_is_a_whole_number(wrong: Any) -> None:
    env = gymnasium.make(ENV_ID, disable_env_checker=True)
    env.reset(seed=1)
    with pytest.raises(InputError, match="an action is a whole number from 0 to 150"):
        env.step(wrong)


def test_before_the_first_reset_there_is_no_game() -> None:
    with pytest.raises(InputError, match="reset the environment first"):
        NardyEnv("short", "random").action_masks()


def test_an_observation_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match=r"has shape \[60\], not \[52\]"):
        read_observation(np.zeros(52, np.int8))
