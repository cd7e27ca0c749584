"""One learner against a bot, for Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import Bot, bot
from nardy_ai.core import InputError
from nardy_ai.envs.actions import ACTIONS
from nardy_ai.envs.course import MOST_TURNS, Course, Schedule, action_number
from nardy_ai.envs.observation import observation_space
from nardy_ai.envs.on_course import OnCourse
from nardy_ai.envs.picture import FRAMES_A_SECOND, RENDER_MODES, checked_mode, shown
from nardy_ai.rules import Game

Observation = dict[str, npt.NDArray[np.int8]]


class NardyEnv(OnCourse, gymnasium.Env[Observation, np.int64]):
    """Games of a learner against a bot, which plays its turns inside `reset` and `step`.

    The learner is asked for one movement after another until his turn is over; a turn without a legal
    movement asks for the action `PASS`. The reward is 0 until the game ends and then what it is worth to the
    learner in points: as the profile scores it, negative where he loses, 0 for a draw. An illegal action ends
    the game, and costs as much as a game can cost; `info["illegal"]` says why it is illegal. A game of
    `max_turns` turns is cut short (truncated, 0 points).

    Episodes come in pairs as in a match: games 2 i and 2 i + 1 of a seed have the same dice, those of pair i
    of `nardy match --seed`, and the learner starts in the first of them. So the mean reward of 2 n episodes
    after `reset(seed=s)` is exactly what `nardy.match(learner, opponent, pairs=n, seed=s)` gives.

    Args:
        game: `short`, `long`, the name of a profile, a `.toml` file, or a Game.
        opponent: a bot, or its name: `random`, `greedy`, a model file, …
        seat: 0 where the learner always starts, 1 where the bot does; None: in turn. With one seat each
            game has dice of its own.
        render_mode: `ansi` and `human` (text), `rgb_array`, `svg`, or None.
        max_turns: turns of both sides after which a game is cut short.

    Raises:
        InputError: there is no such game, bot, seat or render mode, or the bot can't play that game.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_A_SECOND}  # noqa: RUF012

    def __init__(
        self,
        game: Game | str = "short",
        opponent: Bot | str = "greedy",
        *,
        seat: int | None = None,
        render_mode: str | None = None,
        max_turns: int = MOST_TURNS,
    ) -> None:
        self._schedule = Schedule(game, max_turns)
        if seat not in (None, 0, 1):
            raise InputError(f"seat is {seat!r}: write 0 to start, 1 to be second, or None for both in turn")
        self._seat_wanted = seat
        self._bot = bot(opponent, self.game) if isinstance(opponent, str) else opponent
        if not isinstance(self._bot, Bot):
            raise InputError(f"the opponent is a bot or its name, not {type(opponent).__name__}")
        self._player = self._bot.player(self.game)
        self.render_mode = checked_mode(render_mode)
        self.observation_space: gymnasium.spaces.Space[Observation] = observation_space()
        self.action_space: gymnasium.spaces.Space[np.int64] = gymnasium.spaces.Discrete(ACTIONS)
        self._course: Course | None = None
        self._ended = False
        self.seat = 0
        """The learner's seat in the game that is on: 0 where he started it."""

    # --- Gymnasium's interface --------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a game, and lets the bot play where it starts.

        Args:
            seed: of the dice and the bot's lots. Each reset without a seed goes on to the seed's next game.
            options: `game`, the number of the game; `position`, a Position or its key to start from, the
                learner then having the seat that he would have had. Other keys are left to others.

        Returns:
            The observation and `info`: `action_mask`, `seat` (the learner's), `game` and `seed`.

        Raises:
            InputError: the seed or an option is not possible.
        """
        number, start = self._schedule.next(seed, options)
        super().reset(seed=None if seed is None else self._schedule.seed)
        self.seat = number % 2 if self._seat_wanted is None else self._seat_wanted
        self._course = self._schedule.course(number // 2 if self._seat_wanted is None else number, start)
        self._ended = False
        self._answer()
        self._show()
        return self._seen(), {**self._info(), "game": number, "seed": self._schedule.seed}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Makes a movement of the learner, and the bot's turn where the learner's is over with it.

        Returns:
            Observation, reward in points, terminated, truncated, and `info`: `action_mask`, `seat`, and at
            the end `outcome` (the learner's) or `illegal`.

        Raises:
            InputError: the game is over, or the action is no whole number.
        """
        course = self.course
        if self._ended:
            raise InputError("the game is over: reset the environment to play another")
        number = action_number(action)
        if course.on is not None and number not in course.on.open:
            self._ended = True
            info = {**self._info(), "illegal": course.on.fault(number)}
            return self._seen(), -max(self.game.points), True, False, info
        if course.take(number):
            self._answer()
        self._ended = course.over or course.cut
        self._show()
        info = self._info()
        if course.over:
            info["outcome"] = course.outcome(self.seat)
        return self._seen(), course.points(self.seat), course.over, course.cut, info

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the bot's native form, which a copy makes anew: the game goes on where it was."""
        return {name: value for name, value in vars(self).items() if name != "_player"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes up what `__getstate__` told."""
        vars(self).update(state)
        self._player = self._bot.player(self.game)

    def render(self) -> Any:
        """The board as the learner sees it, as the render mode says."""
        return shown(self.course, self.seat, self.render_mode)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool [151]: which actions are legal, as libraries with masked policies ask for it."""
        return self.course.mask(self.seat).astype(np.bool_)

    # --- for programs that play by it -------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The rules."""
        return self._schedule.game

    @property
    def opponent(self) -> Bot:
        """The bot on the other side."""
        return self._bot

    def _answer(self) -> None:
        """Lets the bot play while it is on roll."""
        course = self.course
        while course.dice is not None and course.seat != self.seat:
            asked = (
                np.asarray(course.position.board, np.int8)[None],
                np.array([course.dice], np.uint8),
                np.array([course.seat], np.uint8),
                np.array([course.position.turns], np.uint8),
                np.array([[course.seed, course.number, course.turn]], np.uint64),
            )
            if self._player is None:
                chosen = self._bot.choose_boards(self.game, *asked)
            else:
                chosen = core.choose(self._player, self.game.core_rules, *asked)
            course.play(chosen[0])

    def _seen(self) -> Observation:
        mask = self._mask()
        return {"observation": self.course.observation(self.seat), "action_mask": mask}

    def _mask(self) -> npt.NDArray[np.int8]:
        return np.zeros(ACTIONS, np.int8) if self._ended else self.course.mask(self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask(), "seat": self.seat}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
