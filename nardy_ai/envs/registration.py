"""The name under which Gymnasium makes the environment.

Importing `nardy_ai.envs` makes it known. Worker processes that are started anew have imported nothing: there
`gymnasium.make("nardy_ai.envs:nardy_ai/Nardy-v0")`, with the module in the name, works as well.
"""

from __future__ import annotations

from gymnasium.envs.registration import register, registry

ENV_ID = "nardy_ai/Nardy-v0"
"""What `gymnasium.make` takes."""


def register_environments() -> None:
    """Makes `ENV_ID` known to Gymnasium; once is enough."""
    if ENV_ID not in registry:
        register(id=ENV_ID, entry_point="nardy_ai.envs.single:NardyEnv")
