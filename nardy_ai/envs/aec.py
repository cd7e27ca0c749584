"""Both sides of a game, for PettingZoo (AEC: the agents act in turn)."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from nardy_ai.envs.actions import ACTIONS
from nardy_ai.envs.course import MOST_TURNS, Course, Schedule, action_number
from nardy_ai.envs.observation import observation_space
from nardy_ai.envs.on_course import OnCourse
from nardy_ai.envs.picture import FRAMES_A_SECOND, RENDER_MODES, checked_mode, shown
from nardy_ai.rules import Game

Observation = dict[str, npt.NDArray[np.int8]]

AGENTS = ("player_0", "player_1")
"""player_0 starts every game: he has seat 0."""


class NardyAEC(OnCourse, AECEnv):  # type: ignore[misc]
    """One game between `player_0`, who starts, and `player_1`.

    An agent is asked for one movement after another until his turn is over, so the same agent may act
    several times in a row; a turn without a legal movement asks for the action `PASS`. See `actions.py` for
    the numbers, `observation.py` for what is seen. The rewards are 0 until the game ends and then what it is
    worth in points: 1, 2 or 3 for the winner as the profile scores it, the same with a minus for the loser,
    0 for a draw. A game of `max_turns` turns is cut short (truncation, 0 points).

    Args:
        game: `short`, `long`, the name of a profile, a `.toml` file, or a Game.
        render_mode: `ansi` and `human` (text), `rgb_array`, `svg`, or None.
        max_turns: turns of both sides after which a game is cut short.

    Raises:
        InputError: there is no such game or render mode.
    """

    def __init__(
        self,
        game: Game | str = "short",
        *,
        render_mode: str | None = None,
        max_turns: int = MOST_TURNS,
    ) -> None:
        super().__init__()
        self._schedule = Schedule(game, max_turns)
        self.metadata = {
            "name": f"nardy_{self._schedule.game.family}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": FRAMES_A_SECOND,
            "is_parallelizable": False,
        }
        self.render_mode = checked_mode(render_mode)
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces: dict[str, gymnasium.spaces.Dict] = {
            agent: observation_space() for agent in AGENTS
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(ACTIONS) for agent in AGENTS}
        self._course: Course | None = None

    # --- PettingZoo's interface -------------------------------------------------------------------------

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """The same for both: a dictionary of `observation` and `action_mask`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """The same for both: 151 actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game.

        Args:
            seed: of the dice. Game 0 of a seed has the dice of pair 0 of `nardy match --seed`, and each reset
                without a seed goes on to the next game of the seed.
            options: `game`, the number of the game; `position`, a Position or its key to start from, where
                the player on roll may have either seat. Other keys are left to others.

        Raises:
            InputError: the seed or an option is not possible.
        """
        self._course = self._schedule.course(*self._schedule.next(seed, options))
        self.agents = list(AGENTS)
        self.rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._skip_agent_selection = None
        self.agent_selection = AGENTS[self._course.seat]
        self._show()

    def observe(self, agent: str) -> Observation:
        """What an agent sees; the mask is all 0 where the other is to act."""
        seat, course = AGENTS.index(agent), self.course
        return {"observation": course.observation(seat), "action_mask": course.mask(seat)}

    def step(self, action: Any) -> None:
        """Makes a movement of the agent who is to act; None for one whose game is over.

        Raises:
            InputError: the action is not legal. `env` makes it the end of the game, which its maker loses.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.course.take(action_number(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._settle()
        self._accumulate_rewards()
        self._show()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The board as the agent to act sees it, as the render mode says."""
        return shown(self.course, self.course.seat, self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""

    # --- for programs that play by it -------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The rules."""
        return self._schedule.game

    def _settle(self) -> None:
        course = self.course
        self.agent_selection = AGENTS[course.seat]
        if not course.over and not course.cut:
            return
        for seat, agent in enumerate(AGENTS):
            self.rewards[agent] = course.points(seat)
            self.terminations[agent] = course.over
            self.truncations[agent] = course.cut
            if course.over:
                self.infos[agent] = {"outcome": course.outcome(seat)}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


raw_env = NardyAEC
"""The environment without wrappers, by PettingZoo's usual name."""


def env(
    game: Game | str = "short", *, render_mode: str | None = None, max_turns: int = MOST_TURNS
) -> AECEnv:
    """The environment in the wrappers that PettingZoo's own games have; arguments as `NardyAEC`.

    An illegal action ends the game: who took it loses as much as a game can cost, so that it never pays, and
    the other gets 0.
    """
    raw = NardyAEC(game, render_mode=render_mode, max_turns=max_turns)
    ended = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-max(raw.game.points))
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(ended))
