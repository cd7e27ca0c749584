"""The games as environments of PettingZoo and Gymnasium, over the same engine.

- `gymnasium.make("nardy_ai.envs:nardy_ai/Nardy-v0", game="short", opponent="greedy")`: one learner against a
  bot (`NardyEnv`); without the module in its name once `nardy_ai.envs` has been imported;
- `nardy_ai.envs.env("short")`: both sides, for PettingZoo (`NardyAEC`, without wrappers `raw_env`).

An action is one movement of one checker; `actions.py` says how it is numbered, `observation.py` what is
seen. Both packages come with the extra `envs`: `pip install -e ".[envs]"` in the clone.
"""

from nardy_ai.core.installing import how_to_install_part

try:
    from nardy_ai.envs.actions import ACTIONS, PASS, Turn, action_of, movement_of
    from nardy_ai.envs.aec import NardyAEC, env, raw_env
    from nardy_ai.envs.course import Course
    from nardy_ai.envs.observation import SIZE, Seen, read_observation
    from nardy_ai.envs.registration import ENV_ID, register_environments
    from nardy_ai.envs.single import NardyEnv
except ModuleNotFoundError as error:
    if error.name not in ("gymnasium", "pettingzoo"):
        raise
    raise ModuleNotFoundError(
        f"the environments need the package {error.name}: {how_to_install_part('envs')}", name=error.name
    ) from None

register_environments()

__all__ = [
    "ACTIONS",
    "ENV_ID",
    "PASS",
    "SIZE",
    "Course",
    "NardyAEC",
    "NardyEnv",
    "Seen",
    "Turn",
    "action_of",
    "env",
    "movement_of",
    "raw_env",
    "read_observation",
    "register_environments",
]
